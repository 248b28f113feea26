import { useState } from 'preact/hooks';
import type { UserRecord } from '../../../../auth/schema.ts';
import { api, ask } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Collection } from '../../components/collection.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { CheckField } from '../../components/field.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import type { RowAction } from '../../components/row-actions.tsx';
import { SchemaForm } from '../../components/schema-form.tsx';
import { Chip, Status } from '../../components/status.tsx';
import { useSession } from '../../session.tsx';
import { PasswordField } from './password-field.tsx';
import { SiteRoleFields, type SiteRoles, toSiteRoleList } from './role-fields.tsx';

/** The accounts of the server. */
export function UsersPage() {
  const { user: self, refresh } = useSession();
  const [isAdding, setIsAdding] = useState(false);
  const [added, setAdded] = useState(0);
  const actionsOf = (user: UserRecord): readonly (RowAction | undefined)[] => {
    const isSelf = user.id === self.id;
    return [
      {
        label: 'Edit',
        icon: 'pencil',
        dialog: ({ onClose, onDone }) => (
          <UserDialog
            user={user}
            isSelf={isSelf}
            onClose={onClose}
            onDone={isSelf ? () => refresh().then(onDone) : onDone}
          />
        ),
      },
      isSelf
        ? undefined
        : {
            label: 'Reset password',
            icon: 'key-round',
            dialog: (handlers) => <ResetPasswordDialog user={user} {...handlers} />,
          },
      isSelf
        ? undefined
        : {
            label: 'Delete user',
            icon: 'trash-2',
            isDanger: true,
            confirm: { title: `Delete ${user.email}?`, text: <AboutDeletion /> },
            run: () => ask(() => api.users({ id: user.id }).delete()),
            done: `User ${user.email} deleted`,
          },
    ];
  };
  return (
    <Page
      title="Users"
      actions={
        <Button kind="primary" icon="user-plus" onClick={() => setIsAdding(true)}>
          Add user
        </Button>
      }
    >
      <Collection
        label="Users"
        load={(query) => ask(() => api.users.get({ query }))}
        dependencies={[added]}
        keyOf={({ id }) => id}
        columns={[
          { title: 'E-mail', phone: 'main', cell: (user) => <Who user={user} isSelf={user.id === self.id} /> },
          { title: 'Sees', phone: 'line', cell: (user) => <Rights user={user} /> },
          {
            title: 'Last here',
            align: 'end',
            phone: 'hidden',
            cell: ({ last_sign_in_at: at }) => (
              <span class="sub">{at === null ? 'Never' : <RelativeTime at={at} />}</span>
            ),
          },
        ]}
        actions={actionsOf}
        empty={<EmptyState title="Only you so far" />}
      />
      {isAdding && (
        <NewUserDialog
          onClose={() => setIsAdding(false)}
          onDone={() => {
            setIsAdding(false);
            setAdded(added + 1);
          }}
        />
      )}
    </Page>
  );
}

function Who({ user, isSelf }: { readonly user: UserRecord; readonly isSelf: boolean }) {
  return (
    <span class="row wrap">
      <span class="title">{user.email}</span>
      {isSelf && <Chip>You</Chip>}
      {user.disabled && (
        <Status tone="warn" icon="ban">
          Disabled
        </Status>
      )}
    </span>
  );
}

function Rights({ user: { role, sites } }: { readonly user: UserRecord }) {
  if (role === 'admin') return <>Everything</>;
  if (sites.length === 0) return <span class="dim">No site yet</span>;
  return <>{sites.map((site) => `${site.name} (${site.role})`).join(', ')}</>;
}

function AboutDeletion() {
  return (
    <>
      <p>Deletes the account and ends its sessions. The audit log is kept.</p>
      <p>To keep the account, disable it instead.</p>
    </>
  );
}

interface DialogProps {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const roleOptions = [
  { value: 'member', label: 'Member: sees the sites chosen here' },
  { value: 'admin', label: 'Admin: sees and changes everything' },
];

const emailField = { name: 'email', label: 'E-mail address', kind: 'email' } as const;
const roleField = { name: 'role', label: 'Role', options: roleOptions } as const;

interface NewUser {
  readonly email: string;
  readonly password: string;
  readonly role: UserRecord['role'];
  readonly sites: { site: number; role: 'editor' | 'viewer' }[];
}

function NewUserDialog({ onClose, onDone }: DialogProps) {
  return (
    <Dialog title="Add user" onClose={onClose}>
      <SchemaForm<NewUser>
        body="POST /v1/users"
        fields={[
          emailField,
          {
            name: 'password',
            label: 'Password',
            render: ({ value, onValue, problem }) => (
              <PasswordField value={typeof value === 'string' ? value : ''} onValue={onValue} problem={problem} />
            ),
          },
          roleField,
          sitesField<NewUser>(),
        ]}
        initial={{ role: 'member', sites: [] }}
        submit="Add user"
        send={(body) => ask(() => api.users.post(body))}
        onDone={onDone}
        onCancel={onClose}
      />
    </Dialog>
  );
}

type UserChanges = Omit<NewUser, 'password'> & { readonly disabled: boolean };

interface UserDialogProps extends DialogProps {
  readonly user: UserRecord;
  readonly isSelf: boolean;
}

function UserDialog({ user, isSelf, onClose, onDone }: UserDialogProps) {
  const sites = toSiteRoleList(new Map(user.sites.map((site) => [site.id, site.role])));
  return (
    <Dialog title={`Edit ${user.email}`} onClose={onClose}>
      <SchemaForm<UserChanges>
        body="PATCH /v1/users/{id}"
        fields={[
          emailField,
          roleField,
          sitesField<UserChanges>(),
          {
            name: 'disabled',
            label: 'Account disabled',
            isShown: () => !isSelf,
            render: ({ value, onValue }) => (
              <CheckField
                label="Account disabled"
                hint="Ends all sessions. Nobody can sign in until the account is enabled."
                isChecked={value === true}
                onChecked={onValue}
              />
            ),
          },
        ]}
        initial={{ email: user.email, role: user.role, disabled: user.disabled, sites }}
        submit="Save user"
        send={(body) => ask(() => api.users({ id: user.id }).patch(body))}
        onDone={onDone}
        onCancel={onClose}
      />
    </Dialog>
  );
}

/** The roles of a member, by site. */
function sitesField<B extends { readonly role: UserRecord['role']; readonly sites: NewUser['sites'] }>() {
  return {
    name: 'sites' as keyof B & string,
    label: 'Sites',
    isShown: ({ role }: Partial<B>) => role === 'member',
    render: ({ value, onValue }: { value: unknown; onValue: (value: unknown) => void }) => {
      const given = (value ?? []) as NewUser['sites'];
      const roles: SiteRoles = new Map(given.map(({ site, role }) => [site, role]));
      return <SiteRoleFields parts={roles} onParts={(next) => onValue(toSiteRoleList(next))} />;
    },
  };
}

function ResetPasswordDialog({ user, onClose, onDone }: DialogProps & { readonly user: UserRecord }) {
  return (
    <Dialog title="Reset password" onClose={onClose}>
      <p class="sub">Sets a new password for {user.email} and ends all sessions of this user.</p>
      <SchemaForm<{ password: string }>
        body="PATCH /v1/users/{id}"
        fields={[
          {
            name: 'password',
            label: 'Password',
            render: ({ value, onValue, problem }) => (
              <PasswordField value={typeof value === 'string' ? value : ''} onValue={onValue} problem={problem} />
            ),
          },
        ]}
        submit="Set password"
        send={(body) => ask(() => api.users({ id: user.id }).patch(body))}
        onDone={onDone}
        onCancel={onClose}
      />
    </Dialog>
  );
}
