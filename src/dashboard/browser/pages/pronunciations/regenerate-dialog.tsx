import { ConfirmDialog } from '../../components/dialog.tsx';
import { useToast } from '../../components/toasts.tsx';
import { formatCount } from '../../format.ts';
import { useAction } from '../../query.ts';
import { type PronunciationScope, regenerateAffected } from './pronunciations-api.ts';

interface RegenerateDialogProps {
  readonly of: PronunciationScope;
  readonly onClose: () => void;
}

/** Regenerates audio that is older than its pronunciations. */
export function RegenerateDialog({ of, onClose }: RegenerateDialogProps) {
  const tell = useToast();
  const regenerate = useAction(async () => {
    const { audios, posts, voiceless, complete } = await regenerateAffected(of, undefined);
    const queued = `${formatCount(audios, 'audio file')} of ${formatCount(posts, 'post')} queued.`;
    const skipped =
      voiceless === 0 ? '' : ` ${formatCount(voiceless, 'audio file')} skipped: the voice is not installed.`;
    const rest = complete ? '' : ' Not all audio could be queued. Try again later.';
    tell((audios === 0 ? 'All audio is up to date.' : queued) + skipped + rest);
  });
  return (
    <ConfirmDialog
      title="Regenerate affected audio?"
      confirmLabel="Regenerate audio"
      action={regenerate}
      onClose={onClose}
    >
      <p>
        Speaks the sentences {of === undefined ? 'of all sites ' : ''}again whose words have got a new pronunciation.
        New posts go first; the existing audio is served until then. This uses no quota.
      </p>
      <p>Posts with deleted pronunciations are not included. Regenerate them individually.</p>
    </ConfirmDialog>
  );
}
