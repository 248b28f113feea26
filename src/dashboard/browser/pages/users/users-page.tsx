import { useState } from 'preact/hooks';
import type { UserRecord } from '../../../../auth/schema.ts';
import { api, ask } from '../../api.ts';
import { useListed } from '../../loading.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ListedView } from '../../parts/list.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useSession } from '../../session.tsx';
import { ChangeUserDialog } from './change-user-dialog.tsx';
import { NewUserDialog } from './new-user-dialog.tsx';
import { RemoveUserDialog } from './remove-user-dialog.tsx';
import { ResetPasswordDialog } from './reset-password-dialog.tsx';
import './users.css';

type Open =
  | { readonly dialog: 'new' }
  | { readonly dialog: 'change' | 'password' | 'remove'; readonly user: UserRecord };

/** Who may sign in, and what for. */
export function UsersPage() {
  const users = useListed((cursor) => ask(api.users.get({ query: cursorOf(cursor) })), []);
  const { user: self } = useSession();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const columns: readonly Column<UserRecord>[] = [
    { title: 'E-mail address', cell: (user) => <Who user={user} isSelf={user.id === self.id} /> },
    { title: 'Role', cell: (user) => <Rights user={user} /> },
    {
      title: 'Last sign-in',
      cell: ({ last_sign_in_at: at }) => (at === null ? 'Never' : <Moment at={at} />),
    },
    {
      title: 'Actions',
      isActions: true,
      cell: (user) => (
        <>
          <Button
            kind="quiet"
            aria-label={`Change ${user.email}`}
            onClick={() => setOpen({ dialog: 'change', user })}
          >
            Change
          </Button>
          {user.id !== self.id && (
            <>
              <Button
                kind="quiet"
                aria-label={`New password for ${user.email}`}
                onClick={() => setOpen({ dialog: 'password', user })}
              >
                New password
              </Button>
              <Button
                kind="quiet"
                aria-label={`Delete ${user.email}`}
                onClick={() => setOpen({ dialog: 'remove', user })}
              >
                Delete
              </Button>
            </>
          )}
        </>
      ),
    },
  ];
  return (
    <Page
      title="Users"
      about="Who may sign in here. Admins may do everything; members see and handle the sites they have a part in."
      actions={
        <Button kind="primary" onClick={() => setOpen({ dialog: 'new' })}>
          Add a user
        </Button>
      }
    >
      <ListedView of={users} empty={<NobodyElse />}>
        {(items) => (
          <>
            <div class="users">
              <Table caption="Users" rows={items} keyOf={({ id }) => id} columns={columns} />
            </div>
            {items.length === 1 && <NobodyElse />}
          </>
        )}
      </ListedView>
      {open?.dialog === 'new' && <NewUserDialog onClose={close} onDone={users.reload} />}
      {open?.dialog === 'change' && (
        <ChangeUserDialog
          user={open.user}
          isSelf={open.user.id === self.id}
          onClose={close}
          onDone={users.reload}
        />
      )}
      {open?.dialog === 'password' && (
        <ResetPasswordDialog user={open.user} onClose={close} onDone={users.reload} />
      )}
      {open?.dialog === 'remove' && (
        <RemoveUserDialog user={open.user} onClose={close} onDone={users.reload} />
      )}
    </Page>
  );
}

function cursorOf(cursor: string | undefined) {
  return cursor === undefined ? {} : { cursor };
}

function Who({ user, isSelf }: { readonly user: UserRecord; readonly isSelf: boolean }) {
  return (
    <>
      {user.email} {isSelf && <Badge>You</Badge>}{' '}
      {user.disabled && <Badge kind="warning">Disabled</Badge>}
    </>
  );
}

function Rights({ user: { role, sites } }: { readonly user: UserRecord }) {
  if (role === 'admin') return <Badge kind="good">Admin</Badge>;
  if (sites.length === 0) return <span class="hint">Nothing yet: no part in any site</span>;
  return (
    <ul class="parts">
      {sites.map((site) => (
        <li key={site.id}>
          {site.name} <span class="hint">{site.role}</span>
        </li>
      ))}
    </ul>
  );
}

function NobodyElse() {
  return (
    <div class="nobody-else">
      <Empty title="Nobody else yet">
        <p>
          Give each person an account of their own with “Add a user”: the audit log then says who
          did what, and one who leaves is disabled without anybody else having to learn a new
          password.
        </p>
      </Empty>
    </div>
  );
}
