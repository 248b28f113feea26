import { useEffect, useRef, useState } from 'preact/hooks';
import { fetchApi } from '../api.ts';
import { Notice } from '../components/notice.tsx';
import { OfflineStrip } from '../components/strip.tsx';
import { Mark } from '../frame/mark.tsx';
import { useQuery } from '../query.ts';
import { Setup } from './setup.tsx';
import { SignIn } from './sign-in.tsx';

/** For somebody who is not signed in: the sign-in page, and the target of the setup link. */
export function Entrance({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [token, setToken] = useSetupToken();
  const state = useQuery(readAuthState, []);
  const main = useRef<HTMLElement>(null);
  // `autofocus` does nothing if the URL has a fragment.
  useEffect(() => main.current?.querySelector('input')?.focus(), [token]);
  const enter = () => {
    if (token !== undefined) location.replace('#/');
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
            {token === undefined ? (
              <>
                <h1>Sign in</h1>
                {state.value?.has_users === false && (
                  <Notice>
                    <p>Nobody has signed up yet. Open the setup link from the server's log.</p>
                  </Notice>
                )}
                <SignIn onSignedIn={enter} />
              </>
            ) : (
              <Setup token={token} onDone={enter} onSignInInstead={() => setToken(undefined)} />
            )}
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

/** Whether somebody has an account; undefined if the server does not tell. */
async function readAuthState(): Promise<{ readonly has_users: boolean } | undefined> {
  const answer = await fetchApi('/auth/state').catch(() => undefined);
  const body: { data: { has_users: boolean } } | undefined = await answer?.json();
  return body?.data;
}

/** Browsers do not send the fragment to the server. The link may be opened in a tab that shows the sign-in page. */
function useSetupToken() {
  const [token, setToken] = useState(getSetupToken);
  useEffect(() => {
    const update = () => setToken(getSetupToken());
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  return [token, setToken] as const;
}

function getSetupToken(): string | undefined {
  return /^#setup=(.+)$/.exec(location.hash)?.[1];
}
