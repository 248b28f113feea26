import { useState } from 'preact/hooks';
import { api, ask } from '../../api.ts';
import { runInBackground } from '../../background.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Card, Page } from '../../components/page.tsx';
import { useToast } from '../../components/toasts.tsx';
import { useAction } from '../../query.ts';
import { useSession } from '../../session.tsx';

/** The account of the signed-in user. */
export function AccountPage() {
  const { user, isAdmin } = useSession();
  return (
    <Page title="Your account">
      <dl class="facts">
        <dt>E-mail address</dt>
        <dd>{user.email}</dd>
        <dt>Role</dt>
        <dd>
          {isAdmin ? <Badge kind="good">Admin</Badge> : <Badge>Member</Badge>}{' '}
          {isAdmin && <span class="hint">full access to all sites and the installation</span>}
        </dd>
        {!isAdmin && (
          <>
            <dt>Sites</dt>
            <dd>
              {user.sites.length === 0
                ? 'None yet. Ask an admin for access to a site.'
                : user.sites.map(({ name, role }) => `${name} (${role})`).join(', ')}
            </dd>
          </>
        )}
      </dl>
      <ChangePassword />
      <SignOutEverywhere />
    </Page>
  );
}

function ChangePassword() {
  const [current, setCurrent] = useState('');
  const [fresh, setFresh] = useState('');
  const { user, refresh } = useSession();
  const tell = useToast();
  const change = useAction(async () => {
    await ask(() => api.auth.password.post({ current, new: fresh }));
    tell('Password changed. Sign in with the new password.');
    await refresh();
  });
  return (
    <Card title="Password" about="Changing the password ends all your sessions.">
      <Form
        action={change}
        fields={['current', 'new']}
        submit="Change password"
        canSubmit={current !== '' && fresh !== ''}
      >
        {/* Tells a password manager which account the password belongs to. */}
        <input type="email" autoComplete="username" value={user.email} readOnly hidden />
        <TextField
          label="Current password"
          name="current"
          type="password"
          autoComplete="current-password"
          problem={change.problem}
          value={current}
          onValue={setCurrent}
        />
        <TextField
          label="New password"
          name="new"
          type="password"
          autoComplete="new-password"
          hint="At least 12 characters. A passphrase of several words is easy to remember."
          problem={change.problem}
          value={fresh}
          onValue={setFresh}
        />
      </Form>
    </Card>
  );
}

function SignOutEverywhere() {
  const { refresh } = useSession();
  const tell = useToast();
  const signOut = useAction(async () => {
    await ask(() => api.auth.logout.post({ everywhere: true }));
    tell('Signed out everywhere.');
    await refresh();
  });
  return (
    <Card title="Sessions" about="Ends your sessions on all devices, including this one.">
      <ErrorNotice problem={signOut.problem} />
      <Button onClick={() => runInBackground(signOut.run())} isBusy={signOut.isRunning}>
        Sign out everywhere
      </Button>
    </Card>
  );
}
