import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../api.ts';
import { inBackground } from '../background.ts';
import { Button } from './button.tsx';
import { useToast } from './toasts.tsx';

interface HearProps {
  /** What is heard, for screen readers. */
  readonly label: string;
  readonly load: () => Promise<Response>;
  readonly children?: string;
}

/** Plays what the server says, and stops it when pressed again. */
export function Hear({ label, load, children = 'Listen' }: HearProps) {
  const tell = useToast();
  const [state, setState] = useState<'still' | 'waiting' | 'playing'>('still');
  const playing = useRef<{ audio: HTMLAudioElement; address: string } | undefined>(undefined);
  const stop = () => {
    playing.current?.audio.pause();
    if (playing.current !== undefined) URL.revokeObjectURL(playing.current.address);
    playing.current = undefined;
    setState('still');
  };
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
      stop();
    },
    [],
  );
  const play = async () => {
    setState('waiting');
    try {
      const sound = await (await load()).blob();
      // Who has gone on meanwhile finds no button to stop it.
      if (!isShown.current) return;
      const address = URL.createObjectURL(sound);
      const audio = new Audio(address);
      playing.current = { audio, address };
      audio.addEventListener('ended', stop);
      await audio.play();
      setState('playing');
    } catch (error) {
      stop();
      tell(error instanceof Problem ? firstOf(error) : 'This cannot be played here.');
    }
  };
  const shown = state === 'playing' ? 'Stop' : children;
  return (
    <Button
      kind="quiet"
      class={`hear ${state}`}
      isBusy={state === 'waiting'}
      aria-label={`${shown}: ${label}`}
      onClick={() => (state === 'playing' ? stop() : inBackground(play()))}
    >
      <span class={state === 'playing' ? 'stop-sign' : 'play-sign'} aria-hidden="true" />
      {shown}
    </Button>
  );
}

function firstOf({ message, fields }: Problem): string {
  const [[field, [problem] = []] = []] = Object.entries(fields);
  return field === undefined || problem === undefined ? message : `${field} ${problem}`;
}
