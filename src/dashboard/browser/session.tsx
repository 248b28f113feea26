import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { api, ask, keepCsrfToken, Problem, whenSignedOut } from './api.ts';
import { inBackground } from './background.ts';
import { useToast } from './parts/toasts.tsx';

type Me = Awaited<ReturnType<typeof readMe>>;
type User = Me['user'];

/** Who uses the page. */
export interface Session {
  readonly user: User;
  readonly isAdmin: boolean;
  readonly signOut: () => Promise<void>;
  /** Reads anew who one is and what one may. */
  readonly refresh: () => Promise<void>;
}

const SessionContext = createContext<Session | undefined>(undefined);

/** Only below `WithSession`. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('nobody is signed in');
  return session;
}

interface WithSessionProps {
  /** Shown to whoever isn't signed in; it calls `onSignedIn` when that has changed. */
  readonly entrance: (onSignedIn: () => void, hasEnded: boolean) => ComponentChildren;
  readonly children: ComponentChildren;
}

/** Shows what is for users to users, and the entrance to anybody else. */
export function WithSession({ entrance, children }: WithSessionProps) {
  const [me, setMe] = useState<Me | 'nobody' | 'ended' | 'unknown' | Problem>('unknown');
  const tell = useToast();
  const refresh = async () => setMe(await readMe().catch(nobodyOr));
  useEffect(() => {
    whenSignedOut(() => setMe((before) => (isUser(before) ? 'ended' : before)));
    inBackground(refresh());
  }, []);
  if (me === 'unknown') return <p class="opening">Opening…</p>;
  if (me instanceof Problem) {
    return (
      <div class="opening">
        <p role="alert">{me.message}</p>
        <button type="button" class="button" onClick={() => inBackground(refresh())}>
          Try again
        </button>
      </div>
    );
  }
  if (!isUser(me)) return entrance(() => inBackground(refresh()), me === 'ended');
  const session: Session = {
    user: me.user,
    isAdmin: me.user.role === 'admin',
    refresh,
    signOut: async () => {
      try {
        await ask(api.auth.logout.post());
        setMe('nobody');
      } catch (error) {
        // A session that is over needs no end; of any other the cookie is still there.
        if (error instanceof Problem && error.status === 401) setMe('nobody');
        else tell('You are still signed in: the server could not be reached.');
      }
    },
  };
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>;
}

async function readMe() {
  const me = await ask(api.me.get());
  keepCsrfToken(me.csrf_token ?? '');
  return me;
}

function nobodyOr(error: unknown): 'nobody' | Problem {
  if (error instanceof Problem && error.status === 401) return 'nobody';
  return error instanceof Problem ? error : new Problem(0, String(error));
}

function isUser(me: Me | string | Problem): me is Me {
  return typeof me === 'object' && 'user' in me;
}
