import { ConfirmDialog } from '../../components/dialog.tsx';
import { useToast } from '../../components/toasts.tsx';
import { useAction } from '../../query.ts';
import { deleteEntry, type Entry, type PronunciationScope } from './pronunciations-api.ts';

interface DeleteEntryProps {
  readonly of: PronunciationScope;
  readonly entry: Entry;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

export function DeleteEntry({ of, entry, onDeleted, onClose }: DeleteEntryProps) {
  const tell = useToast();
  const remove = useAction(async () => {
    await deleteEntry(of, entry.id);
    tell(`Pronunciation of ${entry.word} deleted`);
    onDeleted();
  });
  return (
    <ConfirmDialog
      title={`Delete pronunciation of “${entry.word}”?`}
      confirmLabel="Delete pronunciation"
      action={remove}
      onClose={onClose}
    >
      <p>New audio speaks the word as written. Existing audio is not changed. To change it, regenerate its post.</p>
    </ConfirmDialog>
  );
}
