import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, encodeSegment, fetchApi } from './api.ts';
import { runInBackground } from './background.ts';
import { useSession } from './session.tsx';

const sendMs = 2_000;

/** A value that survives a reload, another page and the end of the session. */
export interface Draft<T> {
  readonly value: T;
  readonly set: (value: T) => void;
  /** When it was kept last; undefined: nothing is kept. */
  readonly savedAt: Date | undefined;
  /** The value is an earlier draft, and nothing has been typed since. */
  readonly isRestored: boolean;
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
  const path = `/sites/${encodeSegment(site)}/drafts/${encodeSegment(key)}`;
  const [kept, setKept] = useState(() => readLocal<T>(place));
  const [isTyped, setIsTyped] = useState(false);
  /** What the server has not got yet. */
  const unsent = useRef<{ readonly send: () => void; readonly timer: ReturnType<typeof setTimeout> } | undefined>(
    undefined,
  );
  /** Something was typed: the server's draft comes too late. */
  const isTouched = useRef(false);
  useEffect(() => {
    isTouched.current = false;
    let isOpen = true;
    const own = readLocal<T>(place);
    setKept(own);
    setIsTyped(false);
    const load = async () => {
      const stored = await readStored<T>(path);
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
    writeLocal(place, next);
    setKept(next);
    isTouched.current = true;
    setIsTyped(true);
    forgetUnsent();
    const send = () => {
      forgetUnsent();
      runInBackground(store(path, next));
    };
    unsent.current = { send, timer: setTimeout(send, sendMs) };
  };
  return {
    value: kept?.fields ?? initial,
    set,
    savedAt: kept === undefined ? undefined : new Date(kept.updated_at),
    isRestored: kept !== undefined && !isTyped,
    discard: () => {
      forgetUnsent();
      localStorage.removeItem(place);
      setKept(undefined);
      setIsTyped(false);
      runInBackground(ignoreRefusal(fetchApi(path, { method: 'DELETE' })));
    },
  };
}

function readLocal<T>(place: string): Kept<T> | undefined {
  const text = localStorage.getItem(place);
  return text === null ? undefined : (JSON.parse(text) as Kept<T>);
}

function writeLocal<T>(place: string, draft: Kept<T>): void {
  try {
    localStorage.setItem(place, JSON.stringify(draft));
  } catch {
    // The browser's storage is full: the server keeps the draft.
  }
}

async function readStored<T>(path: string): Promise<Kept<T> | undefined> {
  const answer = await ignoreRefusal(fetchApi(path));
  const body: { data: Kept<T> } | undefined = await answer?.json();
  return body?.data;
}

async function store<T>(path: string, { fields }: Kept<T>): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await ignoreRefusal(fetchApi(path, { method: 'PUT', headers, body: JSON.stringify({ fields }) }));
}

/** The draft stays in this browser if the server has none, or does not take it. */
async function ignoreRefusal(asking: Promise<Response>): Promise<Response | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
