import { useEffect, useState } from 'preact/hooks';
import { toSameOrigin } from './api.ts';
import { runInBackground } from './query.ts';

/** What can be heard: the address of a ready audio, or a request that answers with sound. */
export type SoundSource = string | (() => Promise<Response>);

/** A sound with its name. */
export interface Sound {
  readonly key: string;
  readonly source: SoundSource;
}

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
/** What follows the current one. */
let upcoming: readonly Sound[] = [];

audio.addEventListener('ended', () => {
  const next = upcoming;
  stopSound();
  runInBackground(playInTurn(next));
});
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
  upcoming = [];
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
async function playSound(key: string, source: SoundSource): Promise<void> {
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

/** Plays sounds one after another; the next is loaded while one plays. @throws as `playSound`, for the first */
export async function playInTurn([first, second, ...rest]: readonly Sound[]): Promise<void> {
  if (first === undefined) return;
  const playing = playSound(first.key, first.source);
  if (second !== undefined) upcoming = [second, ...rest];
  await playing;
  if (second === undefined || upcoming[0] !== second) return;
  upcoming = [{ key: second.key, source: loadAhead(second.source) }, ...rest];
}

function loadAhead(source: SoundSource): SoundSource {
  if (typeof source === 'string') return source;
  const answer = source();
  // Reported when its turn comes.
  answer.catch(() => undefined);
  return () => answer;
}

async function load(source: () => Promise<Response>): Promise<string> {
  return URL.createObjectURL(await (await source()).blob());
}

/** @param keys of a sound, or of several that are played in turn; @returns its state: undefined while it is silent */
export function useSound(...keys: readonly string[]): Playing['state'] | undefined {
  const read = () => (current !== undefined && keys.includes(current.key) ? current.state : undefined);
  const [state, setState] = useState(read);
  useEffect(() => {
    const update = () => setState(read);
    update();
    changes.addEventListener('change', update);
    return () => changes.removeEventListener('change', update);
  }, [keys.join('\n')]);
  return state;
}

/** @returns the share of a sound that has been played; 0 while it is silent */
export function useProgress(key: string): number {
  const isPlaying = useSound(key) === 'playing';
  const [progress, setProgress] = useState(0);
  useEffect(() => {
    if (!isPlaying) return undefined;
    let frame = 0;
    const update = () => {
      setProgress(audio.duration > 0 ? audio.currentTime / audio.duration : 0);
      frame = requestAnimationFrame(update);
    };
    update();
    return () => cancelAnimationFrame(frame);
  }, [isPlaying]);
  return isPlaying ? progress : 0;
}
