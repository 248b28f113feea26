import { useState } from 'preact/hooks';
import { Copy } from '../../parts/copy.tsx';
import { Listen } from '../../parts/listen.tsx';
import { Notice } from '../../parts/notice.tsx';
import { useSite } from '../../site.tsx';
import { generateSnippet } from '../../snippets.ts';
import { AudioState } from '../posts/audio-state.tsx';
import { PasteForm } from './paste-form.tsx';
import type { Overview } from './reading.ts';

interface FirstPostProps {
  readonly overview: Overview;
  readonly newKey: string | undefined;
  readonly reload: () => void;
}

/** Two ways to the first audio, then how far it is, then the audio itself. */
export function FirstPost({ overview, newKey, reload }: FirstPostProps) {
  const { canEdit } = useSite();
  const [way, setWay] = useState<'paste' | 'curl'>('paste');
  const { newestReady, posts } = overview;
  const ready = newestReady?.audio.find(({ audio_url }) => audio_url !== null);
  if (newestReady !== undefined && ready?.audio_url != null) {
    return (
      <div class="first-audio">
        <Listen audioUrl={ready.audio_url} title={newestReady.title ?? newestReady.post_id} />
      </div>
    );
  }
  const [newest] = posts;
  const audio = newest?.audio[0];
  if (newest !== undefined && (audio?.status === 'pending' || audio?.status === 'generating')) {
    return (
      <p class="under-way" role="status">
        {newest.title ?? newest.post_id} <AudioState audio={audio} />
      </p>
    );
  }
  if (!canEdit) return <p>An editor of the site hands it in.</p>;
  return (
    <>
      {audio?.status === 'failed' && (
        <Notice kind="problem">
          <p>The last one failed: {audio.error}.</p>
        </Notice>
      )}
      <fieldset class="ways">
        <legend class="unseen">How to hand it in</legend>
        <Way name="paste" chosen={way} onChoose={setWay} title="Paste a text" />
        <Way name="curl" chosen={way} onChoose={setWay} title="Send it with curl" />
      </fieldset>
      {way === 'paste' ? (
        <PasteForm onHandedIn={reload} />
      ) : (
        <>
          <Copy label="curl command" isBlock text={generateSnippet(newKey)} />
          <p class="hint">
            {newKey === undefined
              ? 'Put your key in the place of YOUR_API_KEY: a key is shown only once, when it is made.'
              : 'It holds the key that you made just now.'}
          </p>
        </>
      )}
    </>
  );
}

interface WayProps<T extends string> {
  readonly name: T;
  readonly chosen: string;
  readonly onChoose: (name: T) => void;
  readonly title: string;
}

function Way<T extends string>({ name, chosen, onChoose, title }: WayProps<T>) {
  return (
    <label>
      <input type="radio" name="way" checked={name === chosen} onChange={() => onChoose(name)} />
      {title}
    </label>
  );
}
