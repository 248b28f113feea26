import { useState } from 'preact/hooks';
import type { UserRecord } from '../../../../auth/schema.ts';
import { api, unwrap } from '../../api.ts';
import { Dialog } from '../../components/dialog.tsx';
import { CheckField, TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useToast } from '../../components/toasts.tsx';
import { useAction } from '../../query.ts';
import { useSession } from '../../session.tsx';
import { RoleFields, type SiteRoles, toSiteRoleList } from './role-fields.tsx';

interface ChangeUserDialogProps {
  readonly user: UserRecord;
  /** The admin's own account. */
  readonly isSelf: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function ChangeUserDialog({ user, isSelf, onClose, onDone }: ChangeUserDialogProps) {
  const [email, setEmail] = useState(user.email);
  const [role, setRole] = useState(user.role);
  const [isDisabled, setDisabled] = useState(user.disabled);
  const [parts, setParts] = useState<SiteRoles>(() => new Map(user.sites.map((site) => [site.id, site.role])));
  const { refresh } = useSession();
  const tell = useToast();
  const change = useAction(async () => {
    const changes = { email, role, disabled: isDisabled, sites: toSiteRoleList(parts) };
    await unwrap(api.users({ id: user.id }).patch(changes));
    tell('User saved');
    onDone();
    onClose();
    if (isSelf) await refresh();
  });
  return (
    <Dialog title={`Edit ${user.email}`} onClose={onClose}>
      <Form action={change} fields={['email']} submit="Save user" onCancel={onClose}>
        <TextField
          label="E-mail address"
          name="email"
          type="email"
          autoComplete="off"
          problem={change.problem}
          value={email}
          onValue={setEmail}
        />
        <RoleFields role={role} onRole={setRole} parts={parts} onParts={setParts} />
        {!isSelf && (
          <CheckField
            label="Account disabled"
            hint="Ends all sessions. The user cannot sign in until the account is enabled."
            isChecked={isDisabled}
            onChecked={setDisabled}
          />
        )}
      </Form>
    </Dialog>
  );
}
