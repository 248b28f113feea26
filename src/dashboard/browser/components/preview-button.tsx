import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { runInBackground } from '../background.ts';
import { Button } from './button.tsx';
import { useToast } from './toasts.tsx';

interface PreviewButtonProps {
  /** Name of the audio, for screen readers. */
  readonly label: string;
  readonly load: () => Promise<Response>;
  readonly children?: string;
}

/** Plays audio from the server; a second click stops it. */
export function PreviewButton({ label, load, children = 'Listen' }: PreviewButtonProps) {
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
      // After the user has left the page, there is no button to stop playback.
      if (!isShown.current) return;
      const address = URL.createObjectURL(sound);
      const audio = new Audio(address);
      playing.current = { audio, address };
      audio.addEventListener('ended', stop);
      await audio.play();
      setState('playing');
    } catch (error) {
      stop();
      tell(error instanceof ApiError ? formatFirstProblem(error) : 'Playback failed.');
    }
  };
  const shown = state === 'playing' ? 'Stop' : children;
  return (
    <Button
      kind="quiet"
      class={`hear ${state}`}
      isBusy={state === 'waiting'}
      aria-label={`${shown}: ${label}`}
      onClick={() => (state === 'playing' ? stop() : runInBackground(play()))}
    >
      <span class={state === 'playing' ? 'stop-sign' : 'play-sign'} aria-hidden="true" />
      {shown}
    </Button>
  );
}

function formatFirstProblem({ message, fields }: ApiError): string {
  const [[field, [problem] = []] = []] = Object.entries(fields);
  return field === undefined || problem === undefined ? message : `${field} ${problem}`;
}
