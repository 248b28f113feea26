import { useState } from 'preact/hooks';
import { api, ask, keepCsrfToken } from '../api.ts';
import { useAction } from '../loading.ts';
import { TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Notice } from '../parts/notice.tsx';

interface SignInProps {
  readonly onSignedIn: () => void;
  readonly hasEnded: boolean;
}

export function SignIn({ onSignedIn, hasEnded }: SignInProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useAction(async () => {
    const { csrf_token } = await ask(api.auth.login.post({ email, password }));
    keepCsrfToken(csrf_token);
    onSignedIn();
  });
  return (
    <>
      <h1>Sign in</h1>
      {hasEnded && <Notice>Your session has ended. Sign in again to go on.</Notice>}
      <Form action={signIn} submit="Sign in" canSubmit={email !== '' && password !== ''}>
        <TextField
          label="E-mail address"
          type="email"
          autoComplete="username"
          value={email}
          onValue={setEmail}
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          value={password}
          onValue={setPassword}
        />
      </Form>
      <p class="hint">
        No account yet? An admin of this installation makes one, under Users or with{' '}
        <code>lectern user create</code>.
      </p>
    </>
  );
}
