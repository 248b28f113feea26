import { useState } from 'preact/hooks';
import { AudioPlayer } from '../../components/audio-player.tsx';
import { CopyLine } from '../../components/copy.tsx';
import { Notice } from '../../components/notice.tsx';
import { useSite } from '../../site.tsx';
import { generateSnippet } from '../../snippets.ts';
import { AudioStatusBadge } from '../posts/audio-status-badge.tsx';
import type { Overview } from './overview-api.ts';
import { PasteForm } from './paste-form.tsx';

interface FirstPostProps {
  readonly overview: Overview;
  readonly newKey: string | undefined;
  readonly reload: () => void;
}

/** Offers two ways to submit a first post, then shows its progress and its player. */
export function FirstPost({ overview, newKey, reload }: FirstPostProps) {
  const { canEdit } = useSite();
  const [way, setWay] = useState<'paste' | 'curl'>('paste');
  const { newestReady, posts } = overview;
  const ready = newestReady?.audio.find(({ audio_url }) => audio_url !== null);
  if (newestReady !== undefined && ready?.audio_url != null) {
    return (
      <div class="first-audio">
        <AudioPlayer audioUrl={ready.audio_url} title={newestReady.title ?? newestReady.post_id} />
      </div>
    );
  }
  const [newest] = posts;
  const audio = newest?.audio[0];
  if (newest !== undefined && (audio?.status === 'pending' || audio?.status === 'generating')) {
    return (
      <p class="under-way" role="status">
        {newest.title ?? newest.post_id} <AudioStatusBadge audio={audio} />
      </p>
    );
  }
  if (!canEdit) return <p>Submitting articles requires the editor role.</p>;
  return (
    <>
      {audio?.status === 'failed' && (
        <Notice kind="problem">
          <p>Audio generation failed: {audio.error}.</p>
        </Notice>
      )}
      <fieldset class="ways">
        <legend class="unseen">How to submit the article</legend>
        <Way name="paste" chosen={way} onChoose={setWay} title="Paste text" />
        <Way name="curl" chosen={way} onChoose={setWay} title="Send with curl" />
      </fieldset>
      {way === 'paste' ? (
        <PasteForm onSubmitted={reload} />
      ) : (
        <>
          <CopyLine label="curl command" text={generateSnippet(newKey)} />
          <p class="hint">
            {newKey === undefined
              ? 'Replace YOUR_API_KEY with your key. A key is shown only once, when it is created.'
              : 'The command contains the key you just created.'}
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
