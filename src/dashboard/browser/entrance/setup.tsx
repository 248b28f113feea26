import { useState } from 'preact/hooks';
import { api, ask, keepCsrfToken } from '../api.ts';
import { useAction } from '../loading.ts';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';

interface SetupProps {
  readonly token: string;
  readonly onDone: () => void;
  readonly onSignInInstead: () => void;
}

/** Behind the link that the server prints while there is no admin. */
export function Setup({ token, onDone, onSignInInstead }: SetupProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const create = useAction(async () => {
    const { csrf_token } = await ask(api.auth.setup.post({ token, email, password }));
    keepCsrfToken(csrf_token);
    onDone();
  });
  return (
    <>
      <h1>Welcome to Lectern</h1>
      <p>Make the first account. It is the admin’s: it may do everything here.</p>
      <Form
        action={create}
        fields={['email', 'password']}
        submit="Create account"
        canSubmit={email !== '' && password !== ''}
      >
        <TextField
          label="E-mail address"
          name="email"
          type="email"
          autoComplete="username"
          problem={create.problem}
          value={email}
          onValue={setEmail}
        />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="new-password"
          hint="At least 12 characters. A few words in a row are easy to keep in mind."
          problem={create.problem}
          value={password}
          onValue={setPassword}
        />
      </Form>
      <p class="hint">
        There is an account already?{' '}
        <Button kind="quiet" onClick={onSignInInstead}>
          Sign in
        </Button>
      </p>
    </>
  );
}
