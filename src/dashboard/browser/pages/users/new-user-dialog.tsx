import { useState } from 'preact/hooks';
import type { UserRecord } from '../../../../auth/schema.ts';
import { api, unwrap } from '../../api.ts';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useToast } from '../../components/toasts.tsx';
import { useAction } from '../../query.ts';
import { PasswordField } from './password-field.tsx';
import { RoleFields, type SiteRoles, toSiteRoleList } from './role-fields.tsx';

interface NewUserDialogProps {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function NewUserDialog({ onClose, onDone }: NewUserDialogProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [role, setRole] = useState<UserRecord['role']>('member');
  const [parts, setParts] = useState<SiteRoles>(new Map());
  const tell = useToast();
  const create = useAction(async () => {
    const sites = role === 'member' ? toSiteRoleList(parts) : [];
    await unwrap(api.users.post({ email, password, role, sites }));
    tell(`User ${email} added`);
    onDone();
    onClose();
  });
  return (
    <Dialog title="Add user" onClose={onClose}>
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
        <RoleFields role={role} onRole={setRole} parts={parts} onParts={setParts} />
      </Form>
    </Dialog>
  );
}
