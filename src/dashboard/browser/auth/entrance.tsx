import { useEffect, useRef, useState } from 'preact/hooks';
import { api, ask } from '../api.ts';
import { Notice } from '../components/notice.tsx';
import { OfflineStrip } from '../components/strip.tsx';
import { Mark } from '../frame/mark.tsx';
import { useQuery } from '../query.ts';
import { Accept } from './accept.tsx';
import { Setup } from './setup.tsx';
import { SignIn } from './sign-in.tsx';

/** For somebody who is not signed in: the sign-in page, and the target of setup, invitation and reset links. */
export function Entrance({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [link, setLink] = useLink();
  const state = useQuery(() => ask(() => api.auth.state.get(), 'fail'), []);
  const main = useRef<HTMLElement>(null);
  // `autofocus` does nothing if the URL has a fragment.
  useEffect(() => main.current?.querySelector('input')?.focus(), [link]);
  const enter = () => {
    if (link !== undefined) location.replace('#/');
    onSignedIn();
  };
  return (
    <>
      <div class="strips">
        <OfflineStrip />
      </div>
      <div class="split">
        <div class="question">
          <p class="brand" aria-hidden="true">
            <Mark />
            Lectern
          </p>
          <main ref={main}>
            {link === undefined && (
              <>
                <h1>Sign in</h1>
                {state.value?.has_users === false && (
                  <Notice>
                    <p>Nobody has signed up yet. Open the setup link from the server's log.</p>
                  </Notice>
                )}
                <SignIn onSignedIn={enter} />
              </>
            )}
            {link?.kind === 'setup' && (
              <Setup token={link.token} onDone={enter} onSignInInstead={() => setLink(undefined)} />
            )}
            {(link?.kind === 'invitation' || link?.kind === 'reset') && <Accept token={link.token} onDone={enter} />}
          </main>
          <footer class="small dim">Runs on this machine alone. Nothing you type leaves it.</footer>
        </div>
        <div class="result">
          <Mark />
        </div>
      </div>
    </>
  );
}

interface Link {
  readonly kind: string;
  readonly token: string;
}

/** Browsers do not send the fragment to the server. A link may be opened in a tab that shows the sign-in page. */
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
  return kind === undefined || token === undefined ? undefined : { kind, token };
}
