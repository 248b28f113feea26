import type { UserRecord } from '../../../../auth/schema.ts';
import { api, unwrap } from '../../api.ts';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { useToast } from '../../components/toasts.tsx';
import { useAction } from '../../query.ts';

interface RemoveUserDialogProps {
  readonly user: UserRecord;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function RemoveUserDialog({ user, onClose, onDone }: RemoveUserDialogProps) {
  const tell = useToast();
  const remove = useAction(async () => {
    await unwrap(api.users({ id: user.id }).delete());
    tell(`User ${user.email} deleted`);
    onDone();
  });
  return (
    <ConfirmDialog title={`Delete ${user.email}?`} confirmLabel="Delete user" action={remove} onClose={onClose}>
      <p>Deletes the account and ends its sessions immediately. The audit log is kept.</p>
      <p>To keep the account, disable it instead.</p>
    </ConfirmDialog>
  );
}
