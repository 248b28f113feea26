import { useEffect, useRef } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { runInBackground } from '../query.ts';
import { playInTurn, type Sound, type SoundSource, stopSound, useProgress, useSound } from '../sound.ts';
import { useToast } from './dialog.tsx';
import { Icon } from './icon.tsx';

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
  const tell = useToast();
  const state = useSound(...sounds.map(({ key }) => key));
  const shown = useRef(state);
  shown.current = state;
  // Without the button there is nothing to stop it.
  useEffect(() => () => (shown.current === undefined ? undefined : stopSound()), []);
  const play = async () => {
    try {
      await playInTurn(sounds);
    } catch (error) {
      tell(error instanceof ApiError ? error.text : 'The browser cannot play this sound.');
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

interface WaveformProps {
  /** Names the sound, as for the play button beside it. */
  readonly id: string;
  /** undefined before the sound is loaded. */
  readonly peaks: readonly number[] | undefined;
}

/** The loudness of a short sound; bars that have been heard are lit. Decoration for the play button beside it. */
export function Waveform({ id, peaks }: WaveformProps) {
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
