import { useState } from 'preact/hooks';
import { api, ask } from '../../api.ts';
import { runInBackground } from '../../background.ts';
import { Button } from '../../components/button.tsx';
import { Collection } from '../../components/collection.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Card, Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SchemaForm } from '../../components/schema-form.tsx';
import { Chip } from '../../components/status.tsx';
import { useToast } from '../../components/toasts.tsx';
import { formatCount } from '../../format.ts';
import { useAction } from '../../query.ts';
import { useSession } from '../../session.tsx';

/** The account of the signed-in user. */
export function AccountPage() {
  const { user, isAdmin } = useSession();
  return (
    <Page title="Account" about={user.email}>
      <div class="stack narrow">
        <Card title="Access">
          {isAdmin && <p>Everything: you are an admin of this server.</p>}
          {!isAdmin && user.sites.length === 0 && <p>No site yet. Ask an admin for access to one.</p>}
          {!isAdmin && <p>{user.sites.map(({ name, role }) => `${name} (${role})`).join(', ')}</p>}
        </Card>
        {/* A new address ends sessions, and empties the form. */}
        <Sessions key={`sessions of ${user.email}`} />
        <ChangeEmail key={user.email} />
        <ChangePassword />
      </div>
    </Page>
  );
}

function Sessions() {
  const tell = useToast();
  const [endedCount, setEndedCount] = useState(0);
  const endOthers = useAction(async () => {
    const { count } = await ask(() => api.auth.sessions.delete());
    tell(`${formatCount(count, 'session')} ended`);
    setEndedCount(endedCount + 1);
  });
  return (
    <Card
      title="Sessions"
      about="Where you are signed in."
      isFlush
      actions={
        <Button icon="log-out" onClick={() => runInBackground(endOthers.run())} isBusy={endOthers.isRunning}>
          Sign out all others
        </Button>
      }
    >
      <ErrorNotice problem={endOthers.problem} />
      <Collection
        label="Sessions"
        load={(query) => ask(() => api.auth.sessions.get({ query }))}
        dependencies={[endedCount]}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Device',
            phone: 'main',
            cell: ({ device, current }) => (
              <span class="row">
                {device ?? 'Unknown device'} {current && <Chip tone="good">This session</Chip>}
              </span>
            ),
          },
          { title: 'Signed in', phone: 'hidden', cell: (session) => <RelativeTime at={session.created_at} /> },
          { title: 'Last used', align: 'end', cell: (session) => <RelativeTime at={session.last_seen_at} /> },
        ]}
        actions={({ id, current }) => [
          current
            ? undefined
            : {
                label: 'Sign out',
                icon: 'log-out',
                run: () => ask(() => api.auth.sessions({ id }).delete()),
                done: 'Session ended',
              },
        ]}
        empty={undefined}
      />
    </Card>
  );
}

function ChangeEmail() {
  const { user, refresh } = useSession();
  const tell = useToast();
  return (
    <Card title="E-mail address" about="You sign in with it. A new one ends your other sessions.">
      <SchemaForm<{ email: string; password: string }>
        body="POST /v1/auth/email"
        fields={[
          { name: 'email', label: 'E-mail address' },
          { name: 'password', label: 'Your password', kind: 'current-password' },
        ]}
        initial={{ email: user.email }}
        submit="Change e-mail address"
        send={async (body) => {
          await ask(() => api.auth.email.post(body));
          tell('E-mail address changed');
          await refresh();
        }}
      />
    </Card>
  );
}

function ChangePassword() {
  const { user, refresh } = useSession();
  const tell = useToast();
  return (
    <Card title="Password" about="A new password ends all your sessions.">
      <SchemaForm<{ current: string; new: string }>
        body="POST /v1/auth/password"
        fields={[
          { name: 'current', label: 'Current password', kind: 'current-password' },
          { name: 'new', label: 'New password', kind: 'password', hint: 'At least 12 characters.' },
        ]}
        submit="Change password"
        send={async (body) => {
          await ask(() => api.auth.password.post(body));
          tell('Password changed. Sign in with the new password.');
          await refresh();
        }}
      >
        {/* Tells a password manager which account the password belongs to. */}
        <input type="email" autoComplete="username" value={user.email} readOnly hidden />
      </SchemaForm>
    </Card>
  );
}
