import { useState } from 'preact/hooks';
import type { UserRecord } from '../../../../auth/schema.ts';
import { api, ask } from '../../api.ts';
import { useAction } from '../../loading.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { useToast } from '../../parts/toasts.tsx';
import { type Parts, partsOf, RightsFields } from './memberships.tsx';
import { PasswordField } from './password-field.tsx';

interface NewUserDialogProps {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function NewUserDialog({ onClose, onDone }: NewUserDialogProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [role, setRole] = useState<UserRecord['role']>('member');
  const [parts, setParts] = useState<Parts>(new Map());
  const tell = useToast();
  const create = useAction(async () => {
    const sites = role === 'member' ? partsOf(parts) : [];
    await ask(api.users.post({ email, password, role, sites }));
    tell(`${email} may sign in now`);
    onDone();
    onClose();
  });
  return (
    <Dialog title="Add a user" onClose={onClose}>
      <Form
        action={create}
        fields={['email', 'password']}
        submit="Add user"
        canSubmit={email !== '' && password !== ''}
        onCancel={onClose}
      >
        <TextField
          label="E-mail address"
          name="email"
          type="email"
          autoComplete="off"
          problem={create.problem}
          value={email}
          onValue={setEmail}
        />
        <PasswordField value={password} onValue={setPassword} problem={create.problem} />
        <RightsFields role={role} onRole={setRole} parts={parts} onParts={setParts} />
      </Form>
    </Dialog>
  );
}
