import { useEffect, useRef, useState } from 'preact/hooks';
import { Setup } from './setup.tsx';
import { SignIn } from './sign-in.tsx';

interface AuthPageProps {
  readonly onSignedIn: () => void;
  /** Somebody was signed in until a moment ago. */
  readonly hasEnded: boolean;
}

/** For whoever isn't signed in. The setup link leads here too. */
export function AuthPage({ onSignedIn, hasEnded }: AuthPageProps) {
  const [token, setToken] = useState(getSetupToken);
  const main = useRef<HTMLElement>(null);
  // The attribute `autofocus` does nothing where the address has a fragment.
  useEffect(() => main.current?.querySelector('input')?.focus(), [token]);
  const enter = () => {
    if (token !== undefined) location.replace('#/');
    onSignedIn();
  };
  return (
    <main ref={main} class="entrance">
      <p class="brand" aria-hidden="true">
        Lectern
      </p>
      {token === undefined ? (
        <SignIn onSignedIn={enter} hasEnded={hasEnded} />
      ) : (
        <Setup token={token} onDone={enter} onSignInInstead={() => setToken(undefined)} />
      )}
    </main>
  );
}

/** What stands behind # goes to no server. */
function getSetupToken(): string | undefined {
  return /^#setup=(.+)$/.exec(location.hash)?.[1];
}
