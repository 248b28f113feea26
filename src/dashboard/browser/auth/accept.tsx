import { useState } from 'preact/hooks';
import { api, ask, setCsrfToken } from '../api.ts';
import { TextField } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { QueryView } from '../components/query-view.tsx';
import { useAction, useQuery } from '../query.ts';

interface AcceptProps {
  readonly token: string;
  readonly onDone: () => void;
}

/** Form of an invitation or a reset link: its user chooses a password. */
export function Accept({ token, onDone }: AcceptProps) {
  const [password, setPassword] = useState('');
  const link = useQuery(
    () => ask(() => api.auth.invitation.get({ headers: { 'x-link-token': token } }), 'fail'),
    [token],
  );
  const accept = useAction(async () => {
    const { csrf_token } = await ask(() => api.auth.accept.post({ token, password }), 'fail');
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
            <Form action={accept} fields={['password']} submit="Sign in" canSubmit={password !== ''}>
              {/* Tells a password manager which account the password belongs to. */}
              <input type="email" autoComplete="username" value={email} readOnly hidden />
              <TextField
                label="Password"
                name="password"
                type="password"
                autoComplete="new-password"
                hint="At least 12 characters. A passphrase of several words is easy to remember."
                problem={accept.problem}
                value={password}
                onValue={setPassword}
              />
            </Form>
          </>
        )}
      </QueryView>
    </>
  );
}
