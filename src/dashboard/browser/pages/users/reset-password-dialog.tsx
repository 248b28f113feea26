import { useState } from 'preact/hooks';
import type { UserRecord } from '../../../../auth/schema.ts';
import { api, unwrap } from '../../api.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { useToast } from '../../components/toasts.tsx';
import { useAction } from '../../query.ts';
import { PasswordField } from './password-field.tsx';

interface ResetPasswordDialogProps {
  readonly user: UserRecord;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function ResetPasswordDialog({ user, onClose, onDone }: ResetPasswordDialogProps) {
  const [password, setPassword] = useState('');
  const tell = useToast();
  const reset = useAction(async () => {
    await unwrap(api.users({ id: user.id }).patch({ password }));
    tell(`Password of ${user.email} reset`);
    onDone();
    onClose();
  });
  return (
    <Dialog title="Reset password" onClose={onClose}>
      <Form action={reset} fields={['password']} submit="Set password" canSubmit={password !== ''} onCancel={onClose}>
        <p>Sets a new password for {user.email} and ends all sessions of this user.</p>
        <PasswordField value={password} onValue={setPassword} problem={reset.problem} />
      </Form>
    </Dialog>
  );
}
