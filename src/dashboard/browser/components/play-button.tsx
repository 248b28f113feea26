import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, toSameOrigin } from '../api.ts';
import { runInBackground } from '../query.ts';
import { createStore } from '../store.ts';
import { toast } from './dialog.tsx';
import { Icon } from './icon.tsx';

/** A sound: the URL of a ready audio, or a request whose response is audio. */
export type SoundSource = string | (() => Promise<Response>);

interface Sound {
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
const current = createStore<Playing | undefined>(undefined);
let objectUrl: string | undefined;
/** Sounds that follow the current one. */
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

function stopSound(): void {
  upcoming = [];
  audio.pause();
  audio.removeAttribute('src');
  if (objectUrl !== undefined) URL.revokeObjectURL(objectUrl);
  objectUrl = undefined;
  if (current.get() !== undefined) current.set(undefined);
}

/**
 * Plays a sound and stops the previous one.
 * @throws ApiError, or a `DOMException` if the browser cannot play it
 */
async function playSound(key: string, source: SoundSource): Promise<void> {
  stopSound();
  const own: Playing = { key, state: 'loading' };
  current.set(own);
  try {
    const url = typeof source === 'string' ? toSameOrigin(source) : await loadSound(source);
    // Another sound was started, or this one stopped, while it was loading.
    if (current.get() !== own) {
      if (typeof source !== 'string') URL.revokeObjectURL(url);
      return;
    }
    if (typeof source !== 'string') objectUrl = url;
    audio.src = url;
    await audio.play();
    current.set({ key, state: 'playing' });
  } catch (error) {
    if (current.get()?.key !== key) return;
    stopSound();
    throw error;
  }
}

/** Plays sounds one after another; the next is loaded while one plays. @throws as `playSound`, for the first */
async function playInTurn([first, second, ...rest]: readonly Sound[]): Promise<void> {
  if (first === undefined) return;
  const playing = playSound(first.key, first.source);
  if (second !== undefined) upcoming = [second, ...rest];
  await playing;
  if (second === undefined || upcoming[0] !== second) return;
  upcoming = [{ key: second.key, source: loadAhead(second.source) }, ...rest];
}

function loadAhead(source: SoundSource): SoundSource {
  if (typeof source === 'string') return source;
  const response = source();
  // Reported when its turn comes.
  response.catch(() => undefined);
  return () => response;
}

async function loadSound(source: () => Promise<Response>): Promise<string> {
  return URL.createObjectURL(await (await source()).blob());
}

/** @param keys of a sound, or of several that are played in turn; @returns its state: undefined while it is silent */
export function useSound(...keys: readonly string[]): Playing['state'] | undefined {
  const playing = current.use();
  return playing !== undefined && keys.includes(playing.key) ? playing.state : undefined;
}

/** @returns the share of a sound that has been played; 0 while it is silent */
function useProgress(key: string): number {
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

interface PlayButtonProps {
  /** What is heard, for screen readers: a headline, a word, a voice. */
  readonly label: string;
  /** An audio URL or a preview request. Nothing: there is no audio. */
  readonly source: SoundSource | undefined | null;
  /** Names the sound in the whole dashboard; default: its label. */
  readonly id?: string;
  readonly isBig?: boolean;
}

/** Plays a sound; a second click stops it, and so does any other sound. */
export function PlayButton({ label, source, id = label, isBig = false }: PlayButtonProps) {
  if (source === undefined || source === null) {
    return (
      <span class="play none" role="img" title="No audio">
        <Icon name="ban" />
      </span>
    );
  }
  return <PlayAllButton label={label} sounds={[{ key: id, source }]} isBig={isBig} />;
}

interface PlayAllButtonProps {
  readonly label: string;
  readonly sounds: readonly Sound[];
  readonly isBig?: boolean;
}

/** Plays sounds one after another. */
export function PlayAllButton({ label, sounds, isBig = false }: PlayAllButtonProps) {
  const state = useSound(...sounds.map(({ key }) => key));
  const shown = useRef(state);
  shown.current = state;
  // Without the button there is nothing to stop it.
  useEffect(() => () => (shown.current === undefined ? undefined : stopSound()), []);
  const play = async () => {
    try {
      await playInTurn(sounds);
    } catch (error) {
      toast(error instanceof ApiError ? error.text : 'The browser cannot play this sound.');
    }
  };
  return (
    <button
      type="button"
      class={`play ${isBig ? 'big' : ''} ${state ?? ''}`}
      aria-label={`${state === undefined ? 'Play' : 'Stop'}: ${label}`}
      aria-busy={state === 'loading'}
      onClick={(event) => {
        event.stopPropagation();
        if (state === undefined) runInBackground(play());
        else stopSound();
      }}
    >
      {state === 'loading' ? (
        <Icon name="loader-circle" isSpinning />
      ) : (
        <Icon name={state === 'playing' ? 'pause' : 'play'} />
      )}
    </button>
  );
}

const barCount = 44;
const decodingRateHz = 22_050;

/** @param sound a file that the browser can decode; @returns the loudness of its parts; 1: the loudest */
export async function measurePeaks(sound: ArrayBuffer): Promise<number[]> {
  const decoded = await new OfflineAudioContext(1, 1, decodingRateHz).decodeAudioData(sound);
  const samples = decoded.getChannelData(0);
  const size = Math.ceil(samples.length / barCount);
  const peaks = Array.from({ length: barCount }, (_, at) =>
    samples.subarray(at * size, (at + 1) * size).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0),
  );
  const most = Math.max(...peaks, Number.EPSILON);
  return peaks.map((peak) => peak / most);
}

/**
 * The loudness of a short sound; bars that have been heard are lit. Decoration for the play button beside it.
 * @param id as of the button
 * @param peaks undefined before the sound is loaded
 */
export function Waveform({ id, peaks }: { readonly id: string; readonly peaks: readonly number[] | undefined }) {
  const progress = useProgress(id);
  return (
    <span class="wave" aria-hidden="true">
      {Array.from({ length: barCount }, (_, at) => (
        <i
          key={at}
          class={at < progress * barCount ? 'heard' : ''}
          style={{ height: `${Math.round(100 * (peaks?.[at] ?? 0))}%` }}
        />
      ))}
    </span>
  );
}
