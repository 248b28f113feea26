import { useEffect, useRef, useState } from 'preact/hooks';
import { Setup } from './setup.tsx';
import { SignIn } from './sign-in.tsx';

interface AuthPageProps {
  readonly onSignedIn: () => void;
  /** The session has just ended. */
  readonly hasEnded: boolean;
}

/** Sign-in page, and target of the setup link. */
export function AuthPage({ onSignedIn, hasEnded }: AuthPageProps) {
  const [token, setToken] = useState(getSetupToken);
  const main = useRef<HTMLElement>(null);
  // `autofocus` does nothing if the URL has a fragment.
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

/** Browsers do not send the fragment to the server. */
function getSetupToken(): string | undefined {
  return /^#setup=(.+)$/.exec(location.hash)?.[1];
}
