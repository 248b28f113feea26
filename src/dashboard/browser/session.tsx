import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, api, request, setCsrfToken, setSignedOutHandler } from './api.ts';
import { Button } from './components/button.tsx';
import { Dialog, useToast } from './components/dialog.tsx';
import { runInBackground } from './query.ts';

type Me = Awaited<ReturnType<typeof readMe>>;
type User = Me['user'];

/** The signed-in user. */
export interface Session {
  readonly user: User;
  readonly isAdmin: boolean;
  /** Time zone of the server. */
  readonly timeZone: string;
  /** Whether plans, subscriptions and quotas are shown. */
  readonly showsPlans: boolean;
  readonly signOut: () => Promise<void>;
  /** Reloads the user and their roles. */
  readonly refresh: () => Promise<void>;
}

const SessionContext = createContext<Session | undefined>(undefined);

/** Only below `SessionProvider`. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('useSession needs a SessionProvider');
  return session;
}

interface SessionProviderProps {
  /** The page without a session; it calls `onSignedIn` after a sign-in. */
  readonly renderEntrance: (onSignedIn: () => void) => ComponentChildren;
  /** The form alone: in a dialog over the page whose session has ended. */
  readonly renderSignIn: (onSignedIn: () => void) => ComponentChildren;
  readonly children: ComponentChildren;
}

/** Renders the children for a signed-in user. A session that ends is renewed over the page: nothing on it is lost. */
export function SessionProvider({ renderEntrance, renderSignIn, children }: SessionProviderProps) {
  const [me, setMe] = useState<Me | 'nobody' | 'unknown' | ApiError>('unknown');
  const tell = useToast();
  const renewal = useRenewal();
  const refresh = async () => setMe(await readMe().catch(toSignedOut));
  useEffect(() => runInBackground(refresh()), []);
  const isSignedIn = isUser(me);
  useEffect(() => {
    setSignedOutHandler(isSignedIn ? renewal.wait : undefined);
    return () => setSignedOutHandler(undefined);
  }, [isSignedIn]);
  if (me === 'unknown') return null;
  if (me instanceof ApiError) {
    return (
      <main class="stack tight narrow">
        <h1>Lectern</h1>
        <p>{me.message}</p>
        <p>
          <Button onClick={refresh} label="Try again" />
        </p>
      </main>
    );
  }
  if (!isUser(me)) return renderEntrance(() => runInBackground(refresh()));
  const renew = async () => {
    const next = await readMe();
    // The page shows data of another user.
    if (next.user.id !== me.user.id) return location.reload();
    setMe(next);
    renewal.finish();
  };
  const leave = () => {
    renewal.finish();
    setMe('nobody');
  };
  const session: Session = {
    user: me.user,
    isAdmin: me.user.role === 'admin',
    timeZone: me.time_zone,
    showsPlans: me.settings.show_plans,
    refresh,
    signOut: async () => {
      try {
        await request(() => api.auth.logout.post(), 'fail');
        leave();
      } catch (error) {
        // 401: the session has already ended. After another error the cookie still exists.
        if (error instanceof ApiError && error.status === 401) leave();
        else tell("Can't sign out: the server does not answer");
      }
    },
  };
  return (
    <SessionContext.Provider value={session}>
      {children}
      {renewal.isNeeded && (
        <Dialog title="Sign in again" onClose={leave}>
          <p class="sub">Your session has ended. Nothing on this page is lost.</p>
          {renderSignIn(() => runInBackground(renew()))}
        </Dialog>
      )}
    </SessionContext.Provider>
  );
}

/** Requests that wait for a new session. */
function useRenewal() {
  const [isNeeded, setIsNeeded] = useState(false);
  const waiting = useRef<(() => void)[]>([]);
  return {
    isNeeded,
    wait: () => {
      setIsNeeded(true);
      return new Promise<void>((resolve) => waiting.current.push(resolve));
    },
    finish: () => {
      setIsNeeded(false);
      for (const go of waiting.current.splice(0)) go();
    },
  };
}

async function readMe() {
  const me = await request(() => api.me.get(), 'fail');
  setCsrfToken(me.csrf_token ?? '');
  return me;
}

function toSignedOut(error: unknown): 'nobody' | ApiError {
  if (error instanceof ApiError && error.status === 401) return 'nobody';
  return error instanceof ApiError ? error : new ApiError(0, String(error));
}

function isUser(me: Me | string | ApiError): me is Me {
  return typeof me === 'object' && 'user' in me;
}
