import { useEffect, useState } from 'preact/hooks';
import { api, ask } from '../api.ts';
import { Notice } from '../components/notice.tsx';
import { Split } from '../components/split.tsx';
import { useQuery } from '../query.ts';
import { Accept } from './accept.tsx';
import { Setup } from './setup.tsx';
import { SignIn } from './sign-in.tsx';

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
