import { useEffect, useState } from 'preact/hooks';
import { ApiError, buildApiUrl, fetchApi } from '../../api.ts';
import { runInBackground } from '../../background.ts';
import { Button } from '../../components/button.tsx';

/** Shared: one sample plays at a time. */
const sound = new Audio();
sound.preload = 'none';

interface SampleButtonProps {
  readonly voice: { readonly id: number; readonly name: string };
}

/** Plays or stops the sample of a voice. */
export function SampleButton({ voice: { id, name } }: SampleButtonProps) {
  const address = buildApiUrl(`/voices/${id}/sample.mp3`);
  const [state, setState] = useState<'silent' | 'coming' | 'speaking'>('silent');
  const [problem, setProblem] = useState('');
  const isOwn = () => sound.src === address;
  useEffect(() => {
    const events = new AbortController();
    const { signal } = events;
    const silent = () => setState('silent');
    sound.addEventListener('playing', () => isOwn() && setState('speaking'), { signal });
    sound.addEventListener('pause', silent, { signal });
    sound.addEventListener('ended', silent, { signal });
    // Another sample plays.
    sound.addEventListener('loadstart', () => !isOwn() && silent(), { signal });
    return () => {
      events.abort();
      if (isOwn()) sound.pause();
    };
  }, [address]);
  const listen = async () => {
    if (state !== 'silent') {
      sound.pause();
      return setState('silent');
    }
    setProblem('');
    setState('coming');
    sound.src = address;
    try {
      await sound.play();
    } catch (error) {
      // Another sample was started.
      if (error instanceof DOMException && error.name === 'AbortError') return undefined;
      setState('silent');
      setProblem(await reason(id));
    }
    return undefined;
  };
  return (
    <span class="sample">
      <Button
        kind="quiet"
        onClick={() => runInBackground(listen())}
        aria-label={state === 'silent' ? `Listen to ${name}` : `Stop ${name}`}
        aria-busy={state === 'coming'}
      >
        <span class={state === 'silent' ? 'play-sign' : 'stop-sign'} aria-hidden="true" />
        {state === 'silent' ? 'Listen' : 'Stop'}
      </Button>
      {problem !== '' && (
        <span class="wrong" role="alert">
          {problem}
        </span>
      )}
    </span>
  );
}

/** Asks the server, because the browser does not report why playback failed. */
async function reason(id: number): Promise<string> {
  try {
    await fetchApi(`/voices/${id}/sample.mp3`);
    return 'This browser cannot play the sample.';
  } catch (error) {
    return error instanceof ApiError ? sayable(error) : 'Server unreachable. Check the connection and try again.';
  }
}

function sayable({ message, fields }: ApiError): string {
  const [first] = Object.values(fields).flat();
  return first === undefined ? message : `${message}: ${first}`;
}
