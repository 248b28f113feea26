import { useEffect, useRef } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { runInBackground } from '../background.ts';
import { playInTurn, type Sound, type SoundSource, stopSound, useSound } from '../sound.ts';
import { Icon } from './icon.tsx';
import { useToast } from './toasts.tsx';

interface PlayButtonProps {
  /** What is heard, for screen readers: a headline, a word, a voice. */
  readonly label: string;
  /** An audio URL or a preview request. Undefined: there is no audio. */
  readonly source: SoundSource | undefined;
  /** Names the sound in the whole dashboard; default: its label. */
  readonly id?: string;
  readonly isBig?: boolean;
}

/** Plays a sound; a second click stops it, and so does any other sound. */
export function PlayButton({ label, source, id = label, isBig = false }: PlayButtonProps) {
  if (source === undefined) {
    return (
      <span class="play none" title="No audio">
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
      tell(error instanceof ApiError ? firstProblem(error) : 'The browser cannot play this sound.');
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

/** @returns what is wrong with the first field, or the message */
export function firstProblem({ message, fields }: ApiError): string {
  const [[field, [problem] = []] = []] = Object.entries(fields);
  return field === undefined || problem === undefined ? message : `${field} ${problem}`;
}
