import { useEffect, useState } from 'preact/hooks';
import { type ApiError, api, ask, setCsrfToken } from '../api.ts';
import { Button } from '../components/button.tsx';
import { TextField } from '../components/field.tsx';
import { Form, useForm } from '../components/form.tsx';
import { Notice } from '../components/notice.tsx';
import { QueryView } from '../components/query-view.tsx';
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
  const state = useQuery(() => ask(() => api.auth.state.get(), 'fail'), []);
  return (
    <>
      <h1>Sign in</h1>
      {state.value?.has_users === false && (
        <Notice>
          <p>Nobody has signed up yet. Open the setup link from the server's log.</p>
        </Notice>
      )}
      <SignIn onSignedIn={onSignedIn} />
    </>
  );
}

/** The form to sign in. */
export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const form = useForm({ email: '', password: '' }, async (values) => {
    const { csrf_token } = await ask(() => api.auth.login.post(values), 'fail');
    setCsrfToken(csrf_token);
    onSignedIn();
  });
  return (
    <Form action={form} submit="Sign in">
      <TextField {...form.field('email')} label="E-mail address" type="email" autoComplete="username" />
      <TextField {...form.field('password')} label="Password" type="password" autoComplete="current-password" />
    </Form>
  );
}

interface SetupProps {
  readonly token: string;
  readonly onDone: () => void;
  readonly onSignInInstead: () => void;
}

/** Form of the setup link, which the server prints while there is no admin. */
function Setup({ token, onDone, onSignInInstead }: SetupProps) {
  const form = useForm({ email: '', password: '' }, async (values) => {
    const { csrf_token } = await ask(() => api.auth.setup.post({ token, ...values }));
    setCsrfToken(csrf_token);
    onDone();
  });
  return (
    <>
      <Steps at={0} />
      <h1>Your account</h1>
      <p class="sub">The first account: an admin of this server.</p>
      <Form action={form} submit="Create account">
        <TextField {...form.field('email')} label="E-mail address" type="email" autoComplete="username" />
        <NewPassword {...form.field('password')} />
      </Form>
      <p class="hint">
        Already have an account?{' '}
        <Button kind="quiet" onClick={onSignInInstead}>
          Sign in
        </Button>
      </p>
    </>
  );
}

/** Form of an invitation or a reset link: its user chooses a password. */
function Accept({ token, onDone }: Pick<SetupProps, 'token' | 'onDone'>) {
  const link = useQuery(
    () => ask(() => api.auth.invitation.get({ headers: { 'x-link-token': token } }), 'fail'),
    [token],
  );
  const form = useForm({ password: '' }, async (values) => {
    const { csrf_token } = await ask(() => api.auth.accept.post({ token, ...values }), 'fail');
    setCsrfToken(csrf_token);
    onDone();
  });
  return (
    <>
      <h1>Choose a password</h1>
      <QueryView of={link}>
        {({ email, kind }) => (
          <>
            <p class="sub">{kind === 'invitation' ? `You are invited as ${email}.` : `A new password for ${email}.`}</p>
            <Form action={form} submit="Sign in">
              <NewPassword {...form.field('password')} email={email} />
            </Form>
          </>
        )}
      </QueryView>
      {link.problem !== undefined && <p class="hint">Ask the person who sent you the link for a new one.</p>}
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

interface NewPasswordProps {
  /** Tells a password manager which account the password belongs to. */
  readonly email?: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly problem: ApiError | undefined;
}

/** The field for a new password. */
function NewPassword({ email, ...field }: NewPasswordProps) {
  return (
    <>
      {email !== undefined && <input type="email" autoComplete="username" value={email} readOnly hidden />}
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="new-password"
        hint="At least 12 characters. A passphrase of several words is easy to remember."
        {...field}
      />
    </>
  );
}
