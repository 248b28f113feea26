import { useState } from 'preact/hooks';
import { api, setCsrfToken, unwrap } from '../api.ts';
import { TextField } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { Notice } from '../components/notice.tsx';
import { useAction } from '../query.ts';

interface SignInProps {
  readonly onSignedIn: () => void;
  readonly hasEnded: boolean;
}

export function SignIn({ onSignedIn, hasEnded }: SignInProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useAction(async () => {
    const { csrf_token } = await unwrap(api.auth.login.post({ email, password }));
    setCsrfToken(csrf_token);
    onSignedIn();
  });
  return (
    <>
      <h1>Sign in</h1>
      {hasEnded && <Notice>Your session has expired. Sign in again.</Notice>}
      <Form action={signIn} submit="Sign in" canSubmit={email !== '' && password !== ''}>
        <TextField label="E-mail address" type="email" autoComplete="username" value={email} onValue={setEmail} />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          value={password}
          onValue={setPassword}
        />
      </Form>
      <p class="hint">
        No account yet? An admin can create one under Users or with <code>lectern user create</code>.
      </p>
    </>
  );
}
