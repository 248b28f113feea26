import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from './api.ts';

/** What a page shows of the server. */
export interface Loaded<T> {
  /** The newest answer; it stays while a newer one is on its way. */
  readonly value: T | undefined;
  readonly problem: Problem | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
  /** Shows a value at once, for what the server has just answered. */
  readonly set: (value: T) => void;
}

/**
 * Loads when the page is opened and whenever something it depends on changes.
 * @param everyMs how long until it is asked again, by what is shown; undefined: not again. Nothing is asked while nobody
 *   sees the page
 * @param known shown until the first answer is there
 */
export function useLoaded<T>(
  load: () => Promise<T>,
  dependencies: readonly unknown[],
  everyMs: (value: T | undefined) => number | undefined = () => undefined,
  known?: T,
): Loaded<T> {
  const [state, setState] = useState<{ value?: T; problem?: Problem; isLoading: boolean }>({
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
        setState((before) => ({ ...before, problem: asProblem(error), isLoading: false })),
    );
    return () => {
      newest.current += 1;
    };
  }, [...dependencies, turn]);
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

/** A page of a list, as the API answers it. */
interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/** A list that is read page by page. */
export interface Listed<T> {
  readonly items: readonly T[] | undefined;
  readonly problem: Problem | undefined;
  readonly isLoading: boolean;
  /** Undefined when all is there. */
  readonly more: (() => void) | undefined;
  readonly reload: () => void;
}

/** @param load one page; without a cursor the first */
export function useListed<T>(
  load: (cursor: string | undefined) => Promise<Page<T>>,
  dependencies: readonly unknown[],
): Listed<T> {
  const first = useLoaded(() => load(undefined), dependencies);
  const [rest, setRest] = useState<{
    of?: Page<T> | undefined;
    items: readonly T[];
    next: string | null;
  }>({
    items: [],
    next: null,
  });
  const more = useAction(async (cursor: string) => {
    const page = await load(cursor);
    setRest((before) => ({
      of: first.value,
      items: [...(before.of === first.value ? before.items : []), ...page.items],
      next: page.next_cursor,
    }));
  });
  const hasRest = rest.of !== undefined && rest.of === first.value;
  const next = hasRest ? rest.next : (first.value?.next_cursor ?? null);
  return {
    items: first.value && [...first.value.items, ...(hasRest ? rest.items : [])],
    problem: first.problem ?? more.problem,
    isLoading: first.isLoading || more.isRunning,
    more: next === null ? undefined : () => void more.run(next),
    reload: first.reload,
  };
}

/** Something a person does that takes a moment and may be refused. */
export interface Action<A extends readonly unknown[]> {
  /** @returns whether it was done */
  readonly run: (...given: A) => Promise<boolean>;
  readonly isRunning: boolean;
  readonly problem: Problem | undefined;
  readonly forget: () => void;
}

/** While it runs it isn't begun again. */
export function useAction<A extends readonly unknown[]>(
  act: (...given: A) => Promise<void>,
): Action<A> {
  const [state, setState] = useState<{ isRunning: boolean; problem?: Problem }>({
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
        setState({ isRunning: false, problem: asProblem(error) });
        return false;
      } finally {
        running.current = false;
      }
    },
    isRunning: state.isRunning,
    problem: state.problem,
    forget: () => setState({ isRunning: false }),
  };
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(0, error instanceof Error ? error.message : String(error));
}
