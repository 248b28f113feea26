import { useState } from 'preact/hooks';
import type { UserRecord } from '../../../../auth/schema.ts';
import { api, unwrap } from '../../api.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Page } from '../../components/page.tsx';
import { PagedQueryView } from '../../components/query-view.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { usePagedQuery } from '../../query.ts';
import { useSession } from '../../session.tsx';
import { ChangeUserDialog } from './change-user-dialog.tsx';
import { NewUserDialog } from './new-user-dialog.tsx';
import { RemoveUserDialog } from './remove-user-dialog.tsx';
import { ResetPasswordDialog } from './reset-password-dialog.tsx';
import './users.css';

type Open =
  | { readonly dialog: 'new' }
  | { readonly dialog: 'change' | 'password' | 'remove'; readonly user: UserRecord };

/** The users and their roles. */
export function UsersPage() {
  const users = usePagedQuery((cursor) => unwrap(api.users.get({ query: cursorOf(cursor) })), []);
  const { user: self } = useSession();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const columns: readonly Column<UserRecord>[] = [
    { title: 'E-mail address', cell: (user) => <Who user={user} isSelf={user.id === self.id} /> },
    { title: 'Role', cell: (user) => <Rights user={user} /> },
    {
      title: 'Last sign-in',
      cell: ({ last_sign_in_at: at }) => (at === null ? 'Never' : <RelativeTime at={at} />),
    },
    {
      title: 'Actions',
      isActions: true,
      cell: (user) => (
        <>
          <Button kind="quiet" aria-label={`Edit ${user.email}`} onClick={() => setOpen({ dialog: 'change', user })}>
            {' '}
            Edit{' '}
          </Button>
          {user.id !== self.id && (
            <>
              <Button
                kind="quiet"
                aria-label={`Reset password of ${user.email}`}
                onClick={() => setOpen({ dialog: 'password', user })}
              >
                {' '}
                Reset password{' '}
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
      about="Accounts of this installation. Admins have full access; members have access to sites by their role."
      actions={
        <Button kind="primary" onClick={() => setOpen({ dialog: 'new' })}>
          {' '}
          Add user{' '}
        </Button>
      }
    >
      <PagedQueryView of={users} empty={<NobodyElse />}>
        {(items) => (
          <>
            <div class="users">
              <Table caption="Users" rows={items} keyOf={({ id }) => id} columns={columns} />
            </div>
            {items.length === 1 && <NobodyElse />}
          </>
        )}
      </PagedQueryView>
      {open?.dialog === 'new' && <NewUserDialog onClose={close} onDone={users.reload} />}
      {open?.dialog === 'change' && (
        <ChangeUserDialog user={open.user} isSelf={open.user.id === self.id} onClose={close} onDone={users.reload} />
      )}
      {open?.dialog === 'password' && <ResetPasswordDialog user={open.user} onClose={close} onDone={users.reload} />}
      {open?.dialog === 'remove' && <RemoveUserDialog user={open.user} onClose={close} onDone={users.reload} />}
    </Page>
  );
}

function cursorOf(cursor: string | undefined) {
  return cursor === undefined ? {} : { cursor };
}

function Who({ user, isSelf }: { readonly user: UserRecord; readonly isSelf: boolean }) {
  return (
    <>
      {user.email} {isSelf && <Badge>You</Badge>} {user.disabled && <Badge kind="warning">Disabled</Badge>}
    </>
  );
}

function Rights({ user: { role, sites } }: { readonly user: UserRecord }) {
  if (role === 'admin') return <Badge kind="good">Admin</Badge>;
  if (sites.length === 0) return <span class="hint">No site roles yet</span>;
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
      <EmptyState title="No other users yet">
        <p>
          Add an account for each person. The audit log then names who made a change, and you can disable one account
          without affecting the others.
        </p>
      </EmptyState>
    </div>
  );
}
