import { useState } from 'preact/hooks';
import { api, ask, setCsrfToken } from '../api.ts';
import { Form } from '../components/form.tsx';
import { QueryView } from '../components/query-view.tsx';
import { useAction, useQuery } from '../query.ts';
import { NewPassword } from './new-password.tsx';

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
              <NewPassword email={email} value={password} onValue={setPassword} problem={accept.problem} />
            </Form>
          </>
        )}
      </QueryView>
      {link.problem !== undefined && <p class="hint">Ask the person who sent you the link for a new one.</p>}
    </>
  );
}
