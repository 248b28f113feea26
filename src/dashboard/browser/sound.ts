import { useEffect, useState } from 'preact/hooks';
import { toSameOrigin } from './api.ts';

/** What can be heard: the address of a ready audio, or a request that answers with sound. */
export type SoundSource = string | (() => Promise<Response>);

interface Playing {
  /** Names the sound: the button that started it shows that it plays. */
  readonly key: string;
  readonly state: 'loading' | 'playing';
}

/** One sound at a time in the whole dashboard. */
const audio = new Audio();
const changes = new EventTarget();
let current: Playing | undefined;
let objectUrl: string | undefined;

audio.addEventListener('ended', stopSound);
// A <lectern-player> or another element of the page has begun to play.
document.addEventListener(
  'play',
  ({ target }) => {
    if (target !== audio) stopSound();
  },
  true,
);

function show(next: Playing | undefined): void {
  current = next;
  changes.dispatchEvent(new Event('change'));
}

export function stopSound(): void {
  audio.pause();
  audio.removeAttribute('src');
  if (objectUrl !== undefined) URL.revokeObjectURL(objectUrl);
  objectUrl = undefined;
  if (current !== undefined) show(undefined);
}

/**
 * Plays a sound and ends the one before.
 * @throws ApiError, or a `DOMException` if the browser cannot play it
 */
export async function playSound(key: string, source: SoundSource): Promise<void> {
  stopSound();
  const own: Playing = { key, state: 'loading' };
  show(own);
  try {
    const url = typeof source === 'string' ? toSameOrigin(source) : await load(source);
    // Another sound was started, or this one stopped, while it was loading.
    if (current !== own) {
      if (typeof source !== 'string') URL.revokeObjectURL(url);
      return;
    }
    if (typeof source !== 'string') objectUrl = url;
    audio.src = url;
    await audio.play();
    show({ key, state: 'playing' });
  } catch (error) {
    if (current?.key !== key) return;
    stopSound();
    throw error;
  }
}

async function load(source: () => Promise<Response>): Promise<string> {
  return URL.createObjectURL(await (await source()).blob());
}

/** @returns the state of a sound: undefined while it is silent */
export function useSound(key: string): Playing['state'] | undefined {
  const read = () => (current?.key === key ? current.state : undefined);
  const [state, setState] = useState(read);
  useEffect(() => {
    const update = () => setState(read);
    update();
    changes.addEventListener('change', update);
    return () => changes.removeEventListener('change', update);
  }, [key]);
  return state;
}
