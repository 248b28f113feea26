import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, api, type DataOf, request, setCsrfToken, setSignedOutHandler } from './api.ts';
import { Button } from './components/button.tsx';
import { Dialog, toast } from './components/dialog.tsx';
import { AccountName, Form, useForm } from './components/form.tsx';
import { ErrorNotice, Heading, Notice } from './components/page.tsx';
import { Split, Steps } from './components/split.tsx';
import { runInBackground, useQuery } from './query.ts';

type Me = DataOf<typeof api.me.get>;

export interface Session {
  readonly user: Me['user'];
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

/** Renders the children for a signed-in user. A session that ends is renewed over the page: nothing on it is lost. */
export function SessionProvider({ children }: { readonly children: ComponentChildren }) {
  const [me, setMe] = useState<Me | 'nobody' | 'unknown' | ApiError>('unknown');
  const renewal = useRenewal();
  const refresh = async () => setMe(await readMe().catch(toSignedOut));
  const start = () => runInBackground(refresh());
  useEffect(start, []);
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
  if (!isUser(me)) return <Entrance onSignedIn={start} />;
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
        else toast("Can't sign out: the server does not answer");
      }
    },
  };
  return (
    <SessionContext.Provider value={session}>
      {children}
      {renewal.isNeeded && (
        <Dialog title="Sign in again" about="Your session has ended. Nothing on this page is lost." onClose={leave}>
          <SignIn onSignedIn={() => runInBackground(renew())} />
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

interface EntranceProps {
  readonly onSignedIn: () => void;
}

/** Shown without a session: the sign-in page, and the target of setup, invitation and reset links. */
function Entrance({ onSignedIn }: EntranceProps) {
  const { kind, token, leave } = useLink();
  const enter = () => {
    if (kind !== 'sign-in') location.replace('#/');
    onSignedIn();
  };
  return (
    <Split name={kind}>
      {kind === 'sign-in' && <SignInPage onSignedIn={enter} />}
      {kind === 'setup' && <Setup token={token} onSignedIn={enter} onSignInInstead={leave} />}
      {(kind === 'invitation' || kind === 'reset') && <Accept key={token} token={token} onSignedIn={enter} />}
    </Split>
  );
}

/** Browsers do not send the fragment to the server. The link may be opened in a tab that shows the sign-in page. */
function useLink() {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = () => setHash(location.hash);
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  const [, kind = 'sign-in', token = ''] = /^#(setup|invitation|reset)=(.+)$/.exec(hash) ?? [];
  return { kind, token, leave: () => setHash('') };
}

function SignInPage({ onSignedIn }: EntranceProps) {
  const state = useQuery(() => request(() => api.auth.state.get(), 'fail'), []);
  return (
    <>
      <Heading title="Sign in" />
      {state.value?.has_users === false && (
        <Notice>Nobody has signed up yet. Open the setup link from the server's log.</Notice>
      )}
      <SignIn onSignedIn={onSignedIn} />
    </>
  );
}

const email = { label: 'E-mail address', kind: 'username' } as const;
const password = {
  label: 'Password',
  kind: 'password',
  hint: 'At least 12 characters. A passphrase of several words is easy to remember.',
} as const;

function SignIn({ onSignedIn }: EntranceProps) {
  const form = useForm({
    fields: { email, password: { label: 'Password', kind: 'current-password' } },
    initial: { email: '', password: '' },
    send: (values) => request(() => api.auth.login.post(values), 'fail'),
    onDone: enterWith(onSignedIn),
  });
  return <Form of={form} submit="Sign in" />;
}

/** @returns what follows a sign-in */
function enterWith(onSignedIn: () => void) {
  return ({ csrf_token }: { readonly csrf_token: string }) => {
    setCsrfToken(csrf_token);
    onSignedIn();
  };
}

interface LinkProps extends EntranceProps {
  readonly token: string;
}

/** Form of the setup link, which the server prints while there is no admin. */
function Setup({ token, onSignedIn, onSignInInstead }: LinkProps & { readonly onSignInInstead: () => void }) {
  const form = useForm({
    fields: { email, password },
    initial: { email: '', password: '' },
    send: (values) => request(() => api.auth.setup.post({ token, ...values })),
    onDone: enterWith(onSignedIn),
  });
  return (
    <>
      <Steps at={0} />
      <Heading title="Your account" />
      <p class="sub">The first account: an admin of this server.</p>
      <Form of={form} submit="Create account" />
      <p class="hint">
        Already have an account? <Button kind="quiet" label="Sign in" onClick={onSignInInstead} />
      </p>
    </>
  );
}

/** Form of an invitation or a reset link: its user chooses a password. */
function Accept({ token, onSignedIn }: LinkProps) {
  const link = useQuery(
    () => request(() => api.auth.invitation.get({ headers: { 'x-link-token': token } }), 'fail'),
    [token],
  );
  const form = useForm({
    fields: { password },
    initial: { password: '' },
    send: (values) => request(() => api.auth.accept.post({ token, ...values }), 'fail'),
    onDone: enterWith(onSignedIn),
  });
  return (
    <>
      <Heading title="Choose a password" />
      <ErrorNotice problem={link.problem} />
      {link.value !== undefined && (
        <>
          <p class="sub">
            {link.value.kind === 'invitation' ? 'You are invited as' : 'A new password for'} {link.value.email}.
          </p>
          <Form of={form} submit="Sign in">
            <AccountName email={link.value.email} />
          </Form>
        </>
      )}
    </>
  );
}
