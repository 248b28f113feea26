import PQueue from 'p-queue';
import { servingProblem } from '../auth/domain-access.ts';
import { inBackground } from '../background.ts';
import type { FeedSource } from '../database/feature-schema.ts';
import type { Targets } from '../http/outbound-guard.ts';
import type { Log } from '../log.ts';
import { askReader, type Fetched, fetchFeed } from './fetch.ts';
import { countAllWaiting, countWaiting } from './item-store.ts';
import { noteItems, type TakeDeps, takeItems } from './items.ts';
import { dueSources, type FetchNotes, noteFetch, sourceWithSite, waitingSources } from './store.ts';

/** However often it fails or whatever it asks for, a feed is looked at once a day. */
const longestPauseMs = 24 * 3_600_000;
/** Pauses grow by up to this much, so that feeds named together are not fetched together for ever. */
const jitter = 0.1;

/** What is known of a source after a fetch. */
interface FetchPace {
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
function nextFetchAt({ intervalMinutes, failureCount, asksForS }: FetchPace): string {
  const usualMs = intervalMinutes * 60_000 * 2 ** Math.min(Math.max(0, failureCount - 1), 20);
  const askedMs = Math.max(0, ...asksForS.map((seconds) => (seconds ?? 0) * 1000));
  const pauseMs = Math.min(
    Math.max(usualMs, askedMs) * (1 + jitter * Math.random()),
    longestPauseMs,
  );
  return new Date(Date.now() + pauseMs).toISOString();
}

/** What another process, or a moment that has come, makes due is seen this soon. */
const lookPauseMs = 1_000;
/** What waits for the quota or for room in the queue is tried again this often. */
const waitingPauseMs = 30_000;
const concurrencyMax = 8;
/** More than wait for one slow host. */
const duePerLook = 500;
const itemsPerFetch = 100;
/** Articles are kept while they wait: a feed that brings more than are made is not asked for more. */
const waitingMax = 500;
const stopPatienceMs = 1_000;
/** What was fetched but could not be noted would be fetched again at once. */
const unnotedPauseMs = 10_000;

export interface PollDeps extends TakeDeps {
  readonly feedTargets: Targets;
  readonly log: Log;
  readonly limits: TakeDeps['limits'] & {
    readonly feedIntervalMinutes: number;
    readonly feedTimeoutS: number;
    readonly feedByteMax: number;
  };
}

/** Counted since the start; what waits is counted now. */
export interface FetchCounts {
  readonly fetched: number;
  readonly unchanged: number;
  readonly failed: number;
  /** Items that wait to be handed in. */
  readonly waiting: number;
}

/** Fetches the feeds that sites name, from `start` on, and hands in what is new. */
export interface Polling {
  start(): void;
  /** Have a look soon. */
  readonly nudge: () => void;
  /** Aborted when the program ends. */
  readonly stopping: AbortSignal;
  counts(): Promise<FetchCounts>;
  /** Ends with the item in hand; the rest follows after the next start. */
  stop(): Promise<void>;
}

export function createPolling(deps: PollDeps): Polling {
  return new Polls(deps);
}

class Polls implements Polling {
  readonly #deps: PollDeps;
  readonly #working = new PQueue({ concurrency: concurrencyMax });
  readonly #stopping = new AbortController();
  readonly stopping = this.#stopping.signal;
  readonly #counts = { fetched: 0, unchanged: 0, failed: 0 };
  /** Sources and hosts that are being asked: one request at a time each. */
  readonly #sources = new Set<number>();
  readonly #hosts = new Set<string>();
  #look: Promise<void> | undefined;
  #timers: Timer[] = [];

  constructor(deps: PollDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timers = [
      setInterval(this.nudge, lookPauseMs),
      setInterval(this.#queueWaiting, waitingPauseMs),
    ];
    this.#queueWaiting();
    this.nudge();
  }

  readonly nudge = (): void => {
    if (this.#look !== undefined || this.#isStopping()) return;
    this.#look = this.#queueWhatIsDue()
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'feeds cannot be read'))
      .finally(() => {
        this.#look = undefined;
      });
  };

  async counts(): Promise<FetchCounts> {
    return { ...this.#counts, waiting: await countAllWaiting(this.#deps.database.read) };
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#stopping.abort();
    await this.#look;
    this.#working.clear();
    await Promise.race([this.#working.onIdle(), Bun.sleep(stopPatienceMs)]);
  }

  readonly #isStopping = (): boolean => this.#stopping.signal.aborted;

  async #queueWhatIsDue(): Promise<void> {
    const now = new Date().toISOString();
    for (const source of await dueSources(this.#deps.database.read, now, duePerLook)) {
      const host = new URL(source.url).host;
      if (this.#hosts.has(host)) continue;
      this.#queue(source, host, () => this.#fetch(source));
    }
  }

  readonly #queueWaiting = (): void => {
    const look = async (): Promise<void> => {
      for (const source of await waitingSources(this.#deps.database.read)) {
        this.#queue(source, undefined, () => this.#take(source.id));
      }
    };
    inBackground(look(), this.#deps.log, 'feed items cannot be read');
  };

  #queue(source: FeedSource, host: string | undefined, work: () => Promise<void>): void {
    if (this.#sources.has(source.id) || this.#isStopping()) return;
    this.#sources.add(source.id);
    if (host !== undefined) this.#hosts.add(host);
    const working = this.#working
      .add(work)
      .catch(async (error: unknown) => {
        if (this.#isStopping()) return;
        this.#deps.log.warn({ err: error, source: source.id }, 'a feed could not be taken in');
        await Bun.sleep(unnotedPauseMs);
      })
      .finally(() => {
        this.#sources.delete(source.id);
        if (host !== undefined) this.#hosts.delete(host);
      });
    inBackground(working, this.#deps.log, 'a feed could not be taken in');
  }

  async #fetch(source: FeedSource): Promise<void> {
    const { database, feedTargets, limits } = this.#deps;
    if ((await countWaiting(database.read, source.id)) >= waitingMax) {
      const problem = `${waitingMax} items wait to be made: nothing is fetched until some are`;
      await database.writeLazily((db) => noteFetch(db, source, this.#held(source, problem)));
      return this.#take(source.id);
    }
    const { etag, last_modified: lastModified, url } = source;
    const fetched = await fetchFeed(feedTargets, {
      ...{ url, etag, lastModified },
      timeoutMs: limits.feedTimeoutS * 1000,
      byteMax: limits.feedByteMax,
      stopping: this.#stopping.signal,
    });
    if (fetched.kind === 'fetched') await this.#read(source, fetched);
    else await database.writeLazily((db) => noteFetch(db, source, this.#notesOf(source, fetched)));
    await this.#take(source.id);
  }

  async #read(source: FeedSource, fetched: Fetched & { kind: 'fetched' }): Promise<void> {
    const { database, limits } = this.#deps;
    const { bytes, contentType, url, statusCode } = fetched;
    const reading = await askReader(bytes, { url, contentType, itemsMax: itemsPerFetch });
    if ('problem' in reading) {
      const { problem } = reading;
      const failed = { kind: 'failed', statusCode, problem, retryAfterMs: null } as const;
      await database.writeLazily((db) => noteFetch(db, source, this.#notesOf(source, failed)));
      return;
    }
    const { title, items, refreshS } = reading.feed;
    await database.write(async (db) => {
      const isNoted = await noteFetch(db, source, {
        ...this.#good(source, [refreshS, fetched.maxAgeS], statusCode),
        ...{ title, etag: fetched.etag, last_modified: fetched.lastModified },
        ...{ moved_to: fetched.movedTo, begun_at: source.begun_at ?? new Date().toISOString() },
      });
      if (isNoted) await noteItems(db, source, items, limits.contentLengthMax);
    });
    this.#counts.fetched += 1;
  }

  async #take(sourceId: number): Promise<void> {
    const found = await sourceWithSite(this.#deps.database.read, sourceId);
    if (found === undefined || found.source.enabled === 0) return;
    const { source, site } = found;
    if (servingProblem(site) !== undefined) return;
    await takeItems(this.#deps, source, site, this.#isStopping);
  }

  #notesOf(source: FeedSource, fetched: Exclude<Fetched, { kind: 'fetched' }>): FetchNotes {
    const { statusCode } = fetched;
    this.#counts[fetched.kind] += 1;
    if (fetched.kind === 'unchanged') return this.#good(source, [fetched.maxAgeS], statusCode);
    const failureCount = source.failure_count + 1;
    const retryAfterS = fetched.retryAfterMs === null ? null : fetched.retryAfterMs / 1000;
    return {
      next_fetch_at: this.#nextFetchAt(source, failureCount, [retryAfterS]),
      ...{ last_status_code: statusCode, problem: fetched.problem, failure_count: failureCount },
      ...(statusCode === 410 && {
        enabled: 0,
        disabled_reason: 'The server answered 410: the feed is gone for good',
      }),
    };
  }

  #good(
    source: FeedSource,
    asksForS: readonly (number | null)[],
    statusCode: number | null,
  ): FetchNotes {
    return {
      next_fetch_at: this.#nextFetchAt(source, 0, asksForS),
      ...{ last_status_code: statusCode, problem: null, failure_count: 0 },
    };
  }

  #held(source: FeedSource, problem: string): FetchNotes {
    return { ...this.#good(source, [], source.last_status_code), problem };
  }

  #nextFetchAt(
    source: FeedSource,
    failureCount: number,
    asksForS: readonly (number | null)[],
  ): string {
    const intervalMinutes = source.interval_minutes ?? this.#deps.limits.feedIntervalMinutes;
    return nextFetchAt({ intervalMinutes, failureCount, asksForS });
  }
}
