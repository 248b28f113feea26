import { useState } from 'preact/hooks';
import { api, ask } from '../../api.ts';
import { NewPassword } from '../../auth/new-password.tsx';
import { runInBackground } from '../../background.ts';
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
    <Page title="Account" about={user.email}>
      <div class="stack narrow">
        <Card title="Access">
          {isAdmin && <p>Everything: you are an admin of this server.</p>}
          {!isAdmin && user.sites.length === 0 && <p>No site yet. Ask an admin for access to one.</p>}
          {!isAdmin && <p>{user.sites.map(({ name, role }) => `${name} (${role})`).join(', ')}</p>}
          <p class="hint">An admin changes your e-mail address and your access.</p>
        </Card>
        <ChangePassword />
        <SignOutEverywhere />
      </div>
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
    <Card title="Password" about="A new password ends all your sessions.">
      <Form
        action={change}
        fields={['current', 'new']}
        submit="Change password"
        canSubmit={current !== '' && fresh !== ''}
      >
        <TextField
          label="Current password"
          name="current"
          type="password"
          autoComplete="current-password"
          problem={change.problem}
          value={current}
          onValue={setCurrent}
        />
        <NewPassword
          label="New password"
          name="new"
          email={user.email}
          value={fresh}
          onValue={setFresh}
          problem={change.problem}
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
    tell('Signed out everywhere');
    await refresh();
  });
  return (
    <Card title="Sessions" about="Ends your sessions on all devices, and this one.">
      <ErrorNotice problem={signOut.problem} />
      <Button icon="log-out" onClick={() => runInBackground(signOut.run())} isBusy={signOut.isRunning}>
        Sign out everywhere
      </Button>
    </Card>
  );
}
