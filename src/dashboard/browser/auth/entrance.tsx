import { useEffect, useState } from 'preact/hooks';
import { api, request, setCsrfToken } from '../api.ts';
import { Button } from '../components/button.tsx';
import { AccountName, Form, useForm } from '../components/form.tsx';
import { ErrorNotice, Notice } from '../components/page.tsx';
import { Split, Steps } from '../components/split.tsx';
import { useQuery } from '../query.ts';

/** Shown without a session: the sign-in page, and the target of setup, invitation and reset links. */
export function Entrance({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [link, setLink] = useLink();
  const enter = () => {
    if (link !== undefined) location.replace('#/');
    onSignedIn();
  };
  const leave = () => setLink(undefined);
  return (
    <Split name={link?.kind ?? 'sign-in'}>
      {link === undefined && <SignInPage onSignedIn={enter} />}
      {link?.kind === 'setup' && <Setup token={link.token} onDone={enter} onSignInInstead={leave} />}
      {link !== undefined && link.kind !== 'setup' && <Accept key={link.token} token={link.token} onDone={enter} />}
    </Split>
  );
}

function SignInPage({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const state = useQuery(() => request(() => api.auth.state.get(), 'fail'), []);
  return (
    <>
      <h1>Sign in</h1>
      {state.value?.has_users === false && (
        <Notice>Nobody has signed up yet. Open the setup link from the server's log.</Notice>
      )}
      <SignIn onSignedIn={onSignedIn} />
    </>
  );
}

const emailField = { name: 'email', label: 'E-mail address', kind: 'username' } as const;
const passwordField = {
  name: 'password',
  label: 'Password',
  kind: 'password',
  hint: 'At least 12 characters. A passphrase of several words is easy to remember.',
} as const;

/** The form to sign in. */
export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const form = useForm({ email: '', password: '' }, async (values) => {
    const { csrf_token } = await request(() => api.auth.login.post(values), 'fail');
    setCsrfToken(csrf_token);
    onSignedIn();
  });
  const fields = [emailField, { name: 'password', label: 'Password', kind: 'current-password' }] as const;
  return <Form action={form} of={fields} submit="Sign in" />;
}

interface SetupProps {
  readonly token: string;
  readonly onDone: () => void;
  readonly onSignInInstead: () => void;
}

/** Form of the setup link, which the server prints while there is no admin. */
function Setup({ token, onDone, onSignInInstead }: SetupProps) {
  const form = useForm({ email: '', password: '' }, async (values) => {
    const { csrf_token } = await request(() => api.auth.setup.post({ token, ...values }));
    setCsrfToken(csrf_token);
    onDone();
  });
  return (
    <>
      <Steps at={0} />
      <h1>Your account</h1>
      <p class="sub">The first account: an admin of this server.</p>
      <Form action={form} of={[emailField, passwordField]} submit="Create account" />
      <p class="hint">
        Already have an account? <Button kind="quiet" label="Sign in" onClick={onSignInInstead} />
      </p>
    </>
  );
}

/** Form of an invitation or a reset link: its user chooses a password. */
function Accept({ token, onDone }: Pick<SetupProps, 'token' | 'onDone'>) {
  const link = useQuery(
    () => request(() => api.auth.invitation.get({ headers: { 'x-link-token': token } }), 'fail'),
    [token],
  );
  const form = useForm({ password: '' }, async (values) => {
    const { csrf_token } = await request(() => api.auth.accept.post({ token, ...values }), 'fail');
    setCsrfToken(csrf_token);
    onDone();
  });
  return (
    <>
      <h1>Choose a password</h1>
      <ErrorNotice problem={link.problem} />
      {link.value !== undefined && (
        <>
          <p class="sub">
            {link.value.kind === 'invitation' ? 'You are invited as' : 'A new password for'} {link.value.email}.
          </p>
          <Form action={form} of={[passwordField]} submit="Sign in">
            <AccountName email={link.value.email} />
          </Form>
        </>
      )}
    </>
  );
}

interface Link {
  readonly kind: 'setup' | 'invitation' | 'reset';
  readonly token: string;
}

/** Browsers do not send the fragment to the server. The link may be opened in a tab that shows the sign-in page. */
function useLink() {
  const [link, setLink] = useState(readLink);
  useEffect(() => {
    const update = () => setLink(readLink());
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  return [link, setLink] as const;
}

function readLink(): Link | undefined {
  const [, kind, token] = /^#(setup|invitation|reset)=(.+)$/.exec(location.hash) ?? [];
  return kind === undefined || token === undefined ? undefined : { kind: kind as Link['kind'], token };
}
