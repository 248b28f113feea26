import { useAction } from '../../loading.ts';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { useToast } from '../../parts/toasts.tsx';
import { deleteEntry, type Entry, type LexiconOf } from './lexicon-api.ts';

interface DeleteEntryProps {
  readonly of: LexiconOf;
  readonly entry: Entry;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

export function DeleteEntry({ of, entry, onDeleted, onClose }: DeleteEntryProps) {
  const tell = useToast();
  const remove = useAction(async () => {
    await deleteEntry(of, entry.id);
    tell(`${entry.word} is deleted`);
    onDeleted();
  });
  return (
    <ConfirmDialog
      title={`Delete “${entry.word}”?`}
      deed="Delete entry"
      action={remove}
      onClose={onClose}
    >
      <p>
        What is made from now on says the word as it is written. Audio that is there stays as it is:
        to hear the change in it, make its post again.
      </p>
    </ConfirmDialog>
  );
}
