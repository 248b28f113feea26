import { useState } from 'preact/hooks';
import { api, ask, setCsrfToken } from '../api.ts';
import { TextField } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { useAction } from '../query.ts';

/** The form to sign in. */
export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useAction(async () => {
    const { csrf_token } = await ask(() => api.auth.login.post({ email, password }), 'fail');
    setCsrfToken(csrf_token);
    onSignedIn();
  });
  return (
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
  );
}
