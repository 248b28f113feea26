import { useState } from 'preact/hooks';
import { api, ask, setCsrfToken } from '../api.ts';
import { Button } from '../components/button.tsx';
import { TextField } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { Steps } from '../components/split.tsx';
import { useAction } from '../query.ts';
import { NewPassword } from './new-password.tsx';

interface SetupProps {
  readonly token: string;
  readonly onDone: () => void;
  readonly onSignInInstead: () => void;
}

/** Form of the setup link, which the server prints while there is no admin. */
export function Setup({ token, onDone, onSignInInstead }: SetupProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const create = useAction(async () => {
    const { csrf_token } = await ask(() => api.auth.setup.post({ token, email, password }));
    setCsrfToken(csrf_token);
    onDone();
  });
  return (
    <>
      <Steps at={0} />
      <h1>Your account</h1>
      <p class="sub">The first account: an admin of this server.</p>
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
        <NewPassword value={password} onValue={setPassword} problem={create.problem} />
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
