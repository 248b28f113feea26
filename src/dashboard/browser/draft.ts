import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, request, siteRoutes } from './api.ts';
import { runInBackground } from './query.ts';
import { useSession } from './session.tsx';
import type { SiteRoutes } from './site.tsx';

const sendMs = 2_000;
/** Resolves when the server has responded to the last change. */
let sending: Promise<unknown> = Promise.resolve();

/** A value that survives a reload, another page and the end of the session. */
export interface Draft<T> {
  readonly value: T;
  readonly set: (value: T) => void;
  /** When it was last saved; undefined: it was not. */
  readonly savedAt: Date | undefined;
  /** The value is an earlier draft, and nothing has been typed since. */
  readonly isRestored: boolean;
  /** False: the storage of this browser is full, and the server has not stored it yet. */
  readonly isKept: boolean;
  /** Forgets the draft: it has been sent, or is not wanted. */
  readonly discard: () => void;
}

interface Kept<T> {
  readonly fields: T;
  /** ISO 8601. */
  readonly updated_at: string;
}

/**
 * Keeps what is typed: in this browser at once, on the server after a pause.
 * @param key names the thing that is edited: `new`, or a post ID
 * @param initial value without a draft
 */
export function useDraft<T extends object>(site: string | number, key: string, initial: T): Draft<T> {
  const { user } = useSession();
  const place = `lectern.draft/${user.id}/${site}/${key}`;
  const { drafts } = siteRoutes(site);
  const route = drafts({ key: encodeURIComponent(key) });
  const [kept, setKept] = useState(() => readLocal<T>(place));
  const [isTyped, setIsTyped] = useState(false);
  /** A change that was not sent to the server yet. */
  const unsent = useRef<{ readonly send: () => void; readonly timer: ReturnType<typeof setTimeout> } | undefined>(
    undefined,
  );
  /** Something was typed: the server's draft comes too late. */
  const isTouched = useRef(false);
  const [isKept, setIsKept] = useState(true);
  useEffect(() => {
    isTouched.current = false;
    let isOpen = true;
    const own = readLocal<T>(place);
    setKept(own);
    setIsTyped(false);
    const load = async () => {
      const stored = await readStored<T>(drafts, key);
      if (!isOpen || isTouched.current || stored === undefined) return;
      if (own === undefined || stored.updated_at > own.updated_at) setKept(stored);
    };
    runInBackground(load());
    return () => {
      isOpen = false;
      unsent.current?.send();
    };
  }, [place]);
  const forgetUnsent = () => {
    clearTimeout(unsent.current?.timer);
    unsent.current = undefined;
  };
  const set = (fields: T) => {
    const next = { fields, updated_at: new Date().toISOString() };
    setIsKept(writeLocal(place, next));
    setKept(next);
    isTouched.current = true;
    setIsTyped(true);
    forgetUnsent();
    const send = () => {
      forgetUnsent();
      sending = ignoreRefusal(request(() => route.put({ fields: fields as Record<string, unknown> }))).then(
        (stored) => stored && setIsKept(true),
      );
      runInBackground(sending);
    };
    unsent.current = { send, timer: setTimeout(send, sendMs) };
  };
  return {
    value: { ...initial, ...kept?.fields },
    set,
    savedAt: kept === undefined ? undefined : new Date(kept.updated_at),
    isRestored: kept !== undefined && !isTyped,
    isKept,
    discard: () => {
      forgetUnsent();
      localStorage.removeItem(place);
      setKept(undefined);
      setIsTyped(false);
      setIsKept(true);
      // Else a draft that is being sent could be stored after its deletion.
      runInBackground(sending.then(() => ignoreRefusal(request(() => route.delete()))));
    },
  };
}

function readLocal<T>(place: string): Kept<T> | undefined {
  const text = localStorage.getItem(place);
  return text === null ? undefined : (JSON.parse(text) as Kept<T>);
}

/** @returns false if the browser's storage is full */
function writeLocal<T>(place: string, draft: Kept<T>): boolean {
  try {
    localStorage.setItem(place, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

/** Reads the list first: a missing draft would be an error in the browser's console. */
async function readStored<T>(drafts: SiteRoutes['drafts'], key: string): Promise<Kept<T> | undefined> {
  const list = await ignoreRefusal(request(() => drafts.get()));
  if (list?.items.some((item) => item.key === key) !== true) return undefined;
  return ignoreRefusal(request(() => drafts({ key: encodeURIComponent(key) }).get())) as Promise<Kept<T> | undefined>;
}

/** The draft stays in this browser if the server has none, or does not take it. */
async function ignoreRefusal<T>(pending: Promise<T>): Promise<T | undefined> {
  try {
    return await pending;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
