import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, onReconnect } from './api.ts';

/** A value from the server and its loading state. */
export interface Query<T> {
  /** The latest value; kept while a new one is loading. */
  readonly value: T | undefined;
  readonly problem: ApiError | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
  /** Sets a value that a response already contains. */
  readonly set: (value: T) => void;
}

/**
 * Loads on mount and when a dependency changes.
 * @param everyMs polling interval for the current value; undefined: no polling. A hidden page does not poll
 * @param known value until the first response
 */
export function useQuery<T>(
  load: () => Promise<T>,
  dependencies: readonly unknown[],
  everyMs: (value: T | undefined) => number | undefined = () => undefined,
  known?: T,
): Query<T> {
  const [state, setState] = useState<{ value?: T; problem?: ApiError; isLoading: boolean }>({
    ...(known === undefined ? {} : { value: known }),
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  const reload = useCallback(() => setTurn((count) => count + 1), []);
  const newest = useRef(0);
  useEffect(() => {
    newest.current += 1;
    const own = newest.current;
    setState((before) => ({ ...before, isLoading: true }));
    load().then(
      (value) => own === newest.current && setState({ value, isLoading: false }),
      (error: unknown) =>
        own === newest.current &&
        setState((before) => ({ ...before, ...failed(error, before.value), isLoading: false })),
    );
    return () => {
      newest.current += 1;
    };
  }, [...dependencies, turn]);
  // The value is older than the interruption.
  useEffect(() => onReconnect(reload), [reload]);
  const pauseMs = state.isLoading ? undefined : everyMs(state.value);
  useEffect(() => {
    if (pauseMs === undefined) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) reload();
    }, pauseMs);
    return () => clearInterval(timer);
  }, [pauseMs, reload]);
  return {
    value: state.value,
    problem: state.problem,
    isLoading: state.isLoading,
    reload,
    set: (value) => {
      newest.current += 1;
      setState({ value, isLoading: false });
    },
  };
}

/** A page of a list, in API format. A list without `next_cursor` has one page. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly next_cursor?: string | null;
}

/** As a method: TypeScript compares its parameters both ways, and so infers the items from the loading function. */
type PollInterval<P extends ListPage<unknown>> = { of(items: P['items']): number | undefined }['of'];

/**
 * A list by its pages.
 * @param load loads one page; the first without a cursor
 * @param everyMs as in `useQuery`, for the current items; polling reloads all pages
 */
export function usePagedQuery<P extends ListPage<unknown>>(
  load: (cursor: string | undefined) => Promise<P>,
  dependencies: readonly unknown[],
  everyMs: PollInterval<P> = () => undefined,
) {
  const pages = useRef({ of: dependencies, count: 1 });
  if (pages.current.of.some((one, index) => one !== dependencies[index])) {
    pages.current = { of: dependencies, count: 1 };
  }
  const shown = useQuery(
    async () => loadPages(load, pages.current.count),
    dependencies,
    (value) => value && everyMs(value.items),
  );
  const more = useAction(async (cursor: string) => {
    const [before, asked] = [shown.value, pages.current];
    const page = await load(cursor);
    if (before === undefined || pages.current !== asked) return;
    asked.count += 1;
    shown.set({ ...page, items: [...before.items, ...page.items] });
  });
  const next = shown.value?.next_cursor ?? null;
  return {
    /** With what else the latest answer contains, such as counts. */
    page: shown.value,
    items: shown.value?.items,
    problem: shown.problem ?? more.problem,
    isLoading: (shown.value === undefined && shown.isLoading) || more.isRunning,
    /** Undefined if there are no more pages. */
    more: next === null ? undefined : () => runInBackground(more.run(next)),
    reload: shown.reload,
  };
}

/** @returns the items of the first pages of a list */
async function loadPages<P extends ListPage<unknown>>(
  load: (cursor: string | undefined) => Promise<P>,
  count: number,
): Promise<P> {
  let all = await load(undefined);
  for (let read = 1; read < count; read += 1) {
    const next = all.next_cursor ?? null;
    if (next === null) break;
    const page = await load(next);
    all = { ...page, items: [...all.items, ...page.items] };
  }
  return all;
}

/** An asynchronous action that may fail. */
export interface Action<A extends readonly unknown[]> {
  /** @returns whether it succeeded */
  readonly run: (...given: A) => Promise<boolean>;
  readonly isRunning: boolean;
  readonly problem: ApiError | undefined;
  readonly reset: () => void;
}

/** Ignores a start while it runs. */
export function useAction<A extends readonly unknown[]>(act: (...given: A) => Promise<void>): Action<A> {
  const [state, setState] = useState<{ isRunning: boolean; problem?: ApiError }>({
    isRunning: false,
  });
  const running = useRef(false);
  return {
    run: async (...given) => {
      if (running.current) return false;
      running.current = true;
      setState({ isRunning: true });
      try {
        await act(...given);
        setState({ isRunning: false });
        return true;
      } catch (error) {
        setState({ isRunning: false, problem: toApiError(error) });
        return false;
      } finally {
        running.current = false;
      }
    },
    isRunning: state.isRunning,
    problem: state.problem,
    reset: () => setState({ isRunning: false }),
  };
}

const debounceMs = 250;

/** @returns the value after a pause in its changes */
export function useDebounced<T>(value: T, pauseMs = debounceMs): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

const typingPauseMs = 400;

/**
 * Follows a text that is being typed: loads after a pause, one request at a time. What is shown stays meanwhile.
 * @param text undefined: nothing to load
 */
export function useTypedQuery<T>(text: string | undefined, load: (text: string) => Promise<T>): Omit<Query<T>, 'set'> {
  const settled = useDebounced(text, typingPauseMs);
  const [state, setState] = useState<{ of?: string; value?: T; problem?: ApiError }>({});
  const isLoading = useRef(false);
  useEffect(() => {
    if (settled === undefined || settled === state.of || isLoading.current) return;
    isLoading.current = true;
    const follow = async () => {
      const next = await load(settled).then(
        (value) => ({ value }),
        (error: unknown) => ({ problem: toApiError(error) }),
      );
      isLoading.current = false;
      setState(({ value }) => ({ ...(value === undefined ? {} : { value }), ...next, of: settled }));
    };
    runInBackground(follow());
  }, [settled, state.of]);
  const reload = useCallback(() => setState(({ of: _, ...shown }) => shown), []);
  useEffect(() => onReconnect(reload), [reload]);
  return {
    value: text === undefined ? undefined : state.value,
    problem: state.problem,
    isLoading: text !== state.of,
    reload,
  };
}

/** The frame reports that the server cannot be reached; the current content stays. */
function failed(error: unknown, shown: unknown): { problem?: ApiError } {
  const problem = toApiError(error);
  return problem.status === 0 && shown !== undefined ? {} : { problem };
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(0, error instanceof Error ? error.message : String(error));
}

const bundleMs = 400;

/** Many events at once are one reload. */
export function useBundled(reload: () => void): () => void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(reload, bundleMs);
  };
}

/** Runs work without waiting for it. A failure is reported like any error of the page. */
export function runInBackground(work: Promise<unknown>): void {
  work.catch(reportError);
}
