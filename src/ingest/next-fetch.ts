/** However often it fails or whatever it asks for, a feed is looked at once a day. */
const longestPauseMs = 24 * 3_600_000;
/** Pauses grow by up to this much, so that feeds named together are not fetched together for ever. */
const jitter = 0.1;

/** What is known of a source after a fetch. */
export interface FetchPace {
  readonly intervalMinutes: number;
  /** Fetches that failed in a row. */
  readonly failureCount: number;
  /** What the server or the feed asks for, in seconds; null for nothing. */
  readonly asksForS: readonly (number | null)[];
}

/**
 * When a feed is fetched next: after its interval, or later where the server or the feed asks for it; twice as late after each
 * failure in a row; in a day at the latest.
 * @returns ISO 8601
 */
export function nextFetchAt({ intervalMinutes, failureCount, asksForS }: FetchPace): string {
  const usualMs = intervalMinutes * 60_000 * 2 ** Math.min(Math.max(0, failureCount - 1), 20);
  const askedMs = Math.max(0, ...asksForS.map((seconds) => (seconds ?? 0) * 1000));
  const pauseMs = Math.min(
    Math.max(usualMs, askedMs) * (1 + jitter * Math.random()),
    longestPauseMs,
  );
  return new Date(Date.now() + pauseMs).toISOString();
}
