import type { ComponentChildren } from 'preact';
import { api, request } from '../../api.ts';
import { Collection } from '../../components/collection.tsx';
import { toast } from '../../components/dialog.tsx';
import { AccountName, Form, type FormSpec, useForm } from '../../components/form.tsx';
import { Card, Chip, Page } from '../../components/page.tsx';
import { formatCount } from '../../format.ts';
import { runInBackground } from '../../query.ts';
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
  const endOthers = async () => {
    const { count } = await request(() => api.auth.sessions.delete());
    toast(`${formatCount(count, 'session')} ended`);
  };
  return (
    <Collection
      as="card"
      title="Sessions"
      about="Where you are signed in."
      head={() => [{ label: 'Sign out all others', icon: 'log-out', run: endOthers }]}
      load={(query) => request(() => api.auth.sessions.get({ query }))}
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
        { title: 'Signed in', phone: 'hidden', at: ({ created_at }) => created_at },
        { title: 'Last used', at: ({ last_seen_at }) => last_seen_at },
      ]}
      actions={({ id, current }) => [
        !current && {
          label: 'Sign out',
          icon: 'log-out',
          run: () => request(() => api.auth.sessions({ id }).delete()),
          done: 'Session ended',
        },
      ]}
      empty={{ title: 'No session' }}
    />
  );
}

function ChangeEmail() {
  const { user } = useSession();
  return (
    <ChangeCard
      title="E-mail address"
      about="You sign in with it. A new one ends your other sessions."
      body="EmailBody"
      fields={{
        email: { label: 'E-mail address' },
        password: { label: 'Your password', kind: 'current-password' },
      }}
      initial={{ email: user.email, password: '' }}
      submit="Change e-mail address"
      send={(body) => request(() => api.auth.email.post(body))}
      done="E-mail address changed"
    />
  );
}

function ChangePassword() {
  const { user } = useSession();
  return (
    <ChangeCard
      title="Password"
      about="A new password ends all your sessions."
      body="PasswordBody"
      fields={{
        current: { label: 'Current password', kind: 'current-password' },
        new: { label: 'New password', kind: 'password', hint: 'At least 12 characters.' },
      }}
      initial={{ current: '', new: '' }}
      submit="Change password"
      send={(body) => request(() => api.auth.password.post(body))}
      done="Password changed. Sign in with the new password."
    >
      <AccountName email={user.email} />
    </ChangeCard>
  );
}

interface ChangeCardProps<T extends object> extends FormSpec<T, unknown> {
  readonly title: string;
  readonly about: string;
  readonly submit: string;
  readonly children?: ComponentChildren;
}

/** A form that changes the signed-in user. */
function ChangeCard<T extends object>({ title, about, submit, children, ...spec }: ChangeCardProps<T>) {
  const { refresh } = useSession();
  const form = useForm<T, unknown>({ ...spec, onDone: () => runInBackground(refresh()) });
  return (
    <Card title={title} about={about}>
      <Form of={form} submit={submit} kind="secondary">
        {children}
      </Form>
    </Card>
  );
}
