const longestMs = 60_000;

/** Exponential backoff: doubles the wait before each retry, and reports the seconds that are left. */
export interface Countdown {
  readonly leftS: number;
  /** @param retry called when the time is over, not while the page is hidden */
  start(retry: () => void): void;
  /** Shows the time until something that others try again. @param atMs when */
  showUntil(atMs: number): void;
  stop(): void;
  /** It has worked: the next time begins with the shortest pause. */
  reset(): void;
}

/** @param changed called once a second while it runs */
export function createCountdown(shortestMs: number, changed: () => void): Countdown {
  let pauseMs = shortestMs;
  let atMs = 0;
  let timer: ReturnType<typeof setInterval> | undefined;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  const run = (untilMs: number, retry?: () => void): void => {
    stop();
    atMs = untilMs;
    timer = setInterval(() => {
      const isOver = Date.now() >= atMs && !document.hidden;
      if (isOver) stop();
      changed();
      if (isOver) retry?.();
    }, 1_000);
  };
  return {
    get leftS() {
      return Math.max(0, Math.ceil((atMs - Date.now()) / 1_000));
    },
    start: (retry) => {
      run(Date.now() + pauseMs, retry);
      pauseMs = Math.min(longestMs, 2 * pauseMs);
    },
    showUntil: (untilMs) => run(untilMs),
    stop,
    reset: () => {
      stop();
      pauseMs = shortestMs;
    },
  };
}
