import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { ApiError, api, setCsrfToken, setSignedOutHandler, unwrap } from './api.ts';
import { runInBackground } from './background.ts';
import { useToast } from './components/toasts.tsx';

type Me = Awaited<ReturnType<typeof readMe>>;
type User = Me['user'];

/** The signed-in user. */
export interface Session {
  readonly user: User;
  readonly isAdmin: boolean;
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
  /** Renders the sign-in page, which calls `onSignedIn` after a sign-in. */
  readonly renderSignIn: (onSignedIn: () => void, hasEnded: boolean) => ComponentChildren;
  readonly children: ComponentChildren;
}

/** Renders the children for a signed-in user, else the sign-in page. */
export function SessionProvider({ renderSignIn: entrance, children }: SessionProviderProps) {
  const [me, setMe] = useState<Me | 'nobody' | 'ended' | 'unknown' | ApiError>('unknown');
  const tell = useToast();
  const refresh = async () => setMe(await readMe().catch(toSignedOut));
  useEffect(() => {
    setSignedOutHandler(() => setMe((before) => (isUser(before) ? 'ended' : before)));
    runInBackground(refresh());
  }, []);
  if (me === 'unknown') return <p class="opening">Loading…</p>;
  if (me instanceof ApiError) {
    return (
      <div class="opening">
        <p role="alert">{me.message}</p>
        <button type="button" class="button" onClick={() => runInBackground(refresh())}>
          Try again
        </button>
      </div>
    );
  }
  if (!isUser(me)) return entrance(() => runInBackground(refresh()), me === 'ended');
  const session: Session = {
    user: me.user,
    isAdmin: me.user.role === 'admin',
    refresh,
    signOut: async () => {
      try {
        await unwrap(api.auth.logout.post());
        setMe('nobody');
      } catch (error) {
        // 401: the session has already ended. After another error the cookie still exists.
        if (error instanceof ApiError && error.status === 401) setMe('nobody');
        else tell('Sign-out failed: server unreachable. Try again.');
      }
    },
  };
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>;
}

async function readMe() {
  const me = await unwrap(api.me.get());
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
