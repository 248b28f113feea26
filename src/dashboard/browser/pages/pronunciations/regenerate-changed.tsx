import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Notice } from '../../components/notice.tsx';
import { Card } from '../../components/page.tsx';
import { formatCount } from '../../format.ts';
import { useAction } from '../../query.ts';
import { type PronunciationScope, regenerateAffected } from './pronunciations-api.ts';

/** Regenerates audio that is older than its pronunciations. */
export function RegenerateChanged({ of }: { readonly of: PronunciationScope }) {
  const [isAsked, setIsAsked] = useState(false);
  const [done, setDone] = useState<Awaited<ReturnType<typeof regenerateAffected>>>();
  const remake = useAction(async () => setDone(await regenerateAffected(of, undefined)));
  return (
    <Card
      title="Existing audio"
      about="Pronunciations apply to audio generated from now on. Regenerate existing audio to apply them; only sentences with changed words are synthesized again."
      actions={<Button onClick={() => setIsAsked(true)}>Regenerate affected audio</Button>}
    >
      {done !== undefined && (
        <Notice kind={done.complete ? 'success' : 'warning'}>
          <p>
            {done.audios === 0
              ? 'All audio is up to date.'
              : `${formatCount(done.audios, 'audio file')} of ${formatCount(done.posts, 'post')} ${done.audios === 1 ? 'is' : 'are'} queued.`}
          </p>
          {done.voiceless > 0 && (
            <p>{formatCount(done.voiceless, 'audio file')} skipped: the voice is not installed.</p>
          )}
          {!done.complete && <p>Not all audio could be queued. Try again later.</p>}
        </Notice>
      )}
      {isAsked && (
        <ConfirmDialog
          title="Regenerate affected audio?"
          confirmLabel="Regenerate audio"
          action={remake}
          onClose={() => setIsAsked(false)}
        >
          <p>
            Regenerates all audio {of === undefined ? 'of all sites ' : ''}with a word whose pronunciation was added or
            changed since. New posts go first. The existing audio is served until then. Regeneration does not use quota.
          </p>
          <p>Posts with deleted pronunciations are not included. Regenerate them individually.</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}
