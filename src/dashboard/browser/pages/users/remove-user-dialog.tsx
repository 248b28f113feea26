import type { UserRecord } from '../../../../auth/schema.ts';
import { api, ask } from '../../api.ts';
import { useAction } from '../../loading.ts';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { useToast } from '../../parts/toasts.tsx';

interface RemoveUserDialogProps {
  readonly user: UserRecord;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function RemoveUserDialog({ user, onClose, onDone }: RemoveUserDialogProps) {
  const tell = useToast();
  const remove = useAction(async () => {
    await ask(api.users({ id: user.id }).delete());
    tell(`${user.email} is deleted`);
    onDone();
  });
  return (
    <ConfirmDialog
      title={`Delete ${user.email}?`}
      deed="Delete user"
      action={remove}
      onClose={onClose}
    >
      <p>
        The account and its sessions end at once, for good. What was done with it stays in the audit
        log.
      </p>
      <p>Where somebody may come back, change the account to disabled instead.</p>
    </ConfirmDialog>
  );
}
