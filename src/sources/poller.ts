import PQueue from 'p-queue';
import { subscriptionError } from '../auth/domain-access.ts';
import { runInBackground } from '../background.ts';
import type { FeedSource } from '../database/feature-schema.ts';
import type { OutboundGuard } from '../http/outbound-guard.ts';
import type { Log } from '../log.ts';
import { type FetchResult, fetchFeed, parseInWorker } from './fetch.ts';
import { countAllWaitingItems, countWaitingItems } from './item-store.ts';
import { recordItems, type SubmitItemsDeps, submitItems } from './items.ts';
import {
  type FetchUpdate,
  findSourceWithSite,
  listDueSources,
  listSourcesWithWaitingItems,
  recordFetch,
} from './store.ts';

/** However often it fails or whatever it asks for, a feed is looked at once a day. */
const maxIntervalMs = 24 * 3_600_000;
/** Pauses grow by up to this much, so that feeds named together are not fetched together for ever. */
const jitter = 0.1;

/** What is known of a source after a fetch. */
interface FetchScheduleInput {
  readonly intervalMinutes: number;
  /** Fetches that failed in a row. */
  readonly failureCount: number;
  /** What the server or the feed asks for, in seconds; null for nothing. */
  readonly requestedDelaysS: readonly (number | null)[];
}

/**
 * When a feed is fetched next: after its interval, or later where the server or the feed asks for it; twice as late after each
 * failure in a row; in a day at the latest.
 * @returns ISO 8601
 */
function computeNextFetchAt({ intervalMinutes, failureCount, requestedDelaysS: asksForS }: FetchScheduleInput): string {
  const usualMs = intervalMinutes * 60_000 * 2 ** Math.min(Math.max(0, failureCount - 1), 20);
  const askedMs = Math.max(0, ...asksForS.map((seconds) => (seconds ?? 0) * 1000));
  const pauseMs = Math.min(Math.max(usualMs, askedMs) * (1 + jitter * Math.random()), maxIntervalMs);
  return new Date(Date.now() + pauseMs).toISOString();
}

/** What another process, or a moment that has come, makes due is seen this soon. */
const pollIntervalMs = 1_000;
/** What waits for the quota or for room in the queue is tried again this often. */
const submitIntervalMs = 30_000;
const maxConcurrency = 8;
/** More than wait for one slow host. */
const maxDuePerPoll = 500;
const maxItemsPerFetch = 100;
/** Articles are kept while they wait: a feed that brings more than are made is not asked for more. */
const maxWaitingItems = 500;
const stopTimeoutMs = 1_000;
/** What was fetched but could not be noted would be fetched again at once. */
const storeFailureDelayMs = 10_000;

export interface FeedPollerDeps extends SubmitItemsDeps {
  readonly feedGuard: OutboundGuard;
  readonly log: Log;
  readonly limits: SubmitItemsDeps['limits'] & {
    readonly feedIntervalMinutes: number;
    readonly feedTimeoutS: number;
    readonly maxFeedBytes: number;
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
export interface FeedPoller {
  start(): void;
  /** Have a look soon. */
  readonly wake: () => void;
  /** Aborted when the program ends. */
  readonly stopSignal: AbortSignal;
  getCounts(): Promise<FetchCounts>;
  /** Ends with the item in hand; the rest follows after the next start. */
  stop(): Promise<void>;
}

export function createFeedPoller(deps: FeedPollerDeps): FeedPoller {
  return new SourcePoller(deps);
}

class SourcePoller implements FeedPoller {
  readonly #deps: FeedPollerDeps;
  readonly #tasks = new PQueue({ concurrency: maxConcurrency });
  readonly #abort = new AbortController();
  readonly stopSignal = this.#abort.signal;
  readonly #counts = { fetched: 0, unchanged: 0, failed: 0 };
  /** Sources and hosts that are being asked: one request at a time each. */
  readonly #sources = new Set<number>();
  readonly #hosts = new Set<string>();
  #currentPoll: Promise<void> | undefined;
  #timers: Timer[] = [];

  constructor(deps: FeedPollerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timers = [setInterval(this.wake, pollIntervalMs), setInterval(this.#enqueueWaiting, submitIntervalMs)];
    this.#enqueueWaiting();
    this.wake();
  }

  readonly wake = (): void => {
    if (this.#currentPoll !== undefined || this.#isStopping()) return;
    this.#currentPoll = this.#enqueueDue()
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'reading due feeds failed'))
      .finally(() => {
        this.#currentPoll = undefined;
      });
  };

  async getCounts(): Promise<FetchCounts> {
    return { ...this.#counts, waiting: await countAllWaitingItems(this.#deps.database.read) };
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#abort.abort();
    await this.#currentPoll;
    this.#tasks.clear();
    await Promise.race([this.#tasks.onIdle(), Bun.sleep(stopTimeoutMs)]);
  }

  readonly #isStopping = (): boolean => this.#abort.signal.aborted;

  async #enqueueDue(): Promise<void> {
    const now = new Date().toISOString();
    for (const source of await listDueSources(this.#deps.database.read, now, maxDuePerPoll)) {
      const host = new URL(source.url).host;
      if (this.#hosts.has(host)) continue;
      this.#enqueue(source, host, () => this.#fetch(source));
    }
  }

  readonly #enqueueWaiting = (): void => {
    const look = async (): Promise<void> => {
      for (const source of await listSourcesWithWaitingItems(this.#deps.database.read)) {
        this.#enqueue(source, undefined, () => this.#submitWaiting(source.id));
      }
    };
    runInBackground(look(), this.#deps.log, 'reading waiting feed items failed');
  };

  #enqueue(source: FeedSource, host: string | undefined, work: () => Promise<void>): void {
    if (this.#sources.has(source.id) || this.#isStopping()) return;
    this.#sources.add(source.id);
    if (host !== undefined) this.#hosts.add(host);
    const working = this.#tasks
      .add(work)
      .catch(async (error: unknown) => {
        if (this.#isStopping()) return;
        this.#deps.log.warn({ err: error, source: source.id }, 'importing feed failed');
        await Bun.sleep(storeFailureDelayMs);
      })
      .finally(() => {
        this.#sources.delete(source.id);
        if (host !== undefined) this.#hosts.delete(host);
      });
    runInBackground(working, this.#deps.log, 'importing feed failed');
  }

  async #fetch(source: FeedSource): Promise<void> {
    const { database, feedGuard, limits } = this.#deps;
    if ((await countWaitingItems(database.read, source.id)) >= maxWaitingItems) {
      const problem = `Fetching paused: ${maxWaitingItems} items are waiting to be generated`;
      await database.writeNormalSync((db) => recordFetch(db, source, this.#buildDeferredUpdate(source, problem)));
      return this.#submitWaiting(source.id);
    }
    const { etag, last_modified: lastModified, url } = source;
    const fetched = await fetchFeed(feedGuard, {
      ...{ url, etag, lastModified },
      timeoutMs: limits.feedTimeoutS * 1000,
      maxBytes: limits.maxFeedBytes,
      stopSignal: this.#abort.signal,
    });
    if (fetched.kind === 'fetched') await this.#recordFeed(source, fetched);
    else await database.writeNormalSync((db) => recordFetch(db, source, this.#toFetchUpdate(source, fetched)));
    await this.#submitWaiting(source.id);
  }

  async #recordFeed(source: FeedSource, fetched: FetchResult & { kind: 'fetched' }): Promise<void> {
    const { database, limits } = this.#deps;
    const { bytes, contentType, url, statusCode } = fetched;
    const reading = await parseInWorker(bytes, { url, contentType, maxItems: maxItemsPerFetch });
    if ('problem' in reading) {
      const { problem } = reading;
      const failed = { kind: 'failed', statusCode, problem, retryAfterMs: null } as const;
      await database.writeNormalSync((db) => recordFetch(db, source, this.#toFetchUpdate(source, failed)));
      return;
    }
    const { title, items, refreshS } = reading.feed;
    await database.write(async (db) => {
      const isNoted = await recordFetch(db, source, {
        ...this.#buildSuccessUpdate(source, [refreshS, fetched.maxAgeS], statusCode),
        ...{ title, etag: fetched.etag, last_modified: fetched.lastModified },
        ...{ moved_to: fetched.movedTo, begun_at: source.begun_at ?? new Date().toISOString() },
      });
      if (isNoted) await recordItems(db, source, items, limits.maxContentLength);
    });
    this.#counts.fetched += 1;
  }

  async #submitWaiting(sourceId: number): Promise<void> {
    const found = await findSourceWithSite(this.#deps.database.read, sourceId);
    if (found === undefined || found.source.enabled === 0) return;
    const { source, site } = found;
    if (subscriptionError(site) !== undefined) return;
    await submitItems(this.#deps, source, site, this.#isStopping);
  }

  #toFetchUpdate(source: FeedSource, fetched: Exclude<FetchResult, { kind: 'fetched' }>): FetchUpdate {
    const { statusCode } = fetched;
    this.#counts[fetched.kind] += 1;
    if (fetched.kind === 'unchanged') return this.#buildSuccessUpdate(source, [fetched.maxAgeS], statusCode);
    const failureCount = source.failure_count + 1;
    const retryAfterS = fetched.retryAfterMs === null ? null : fetched.retryAfterMs / 1000;
    return {
      next_fetch_at: this.#nextFetchAt(source, failureCount, [retryAfterS]),
      ...{ last_status_code: statusCode, problem: fetched.problem, failure_count: failureCount },
      ...(statusCode === 410 && {
        enabled: 0,
        disabled_reason: 'The server returned 410 Gone',
      }),
    };
  }

  #buildSuccessUpdate(
    source: FeedSource,
    asksForS: readonly (number | null)[],
    statusCode: number | null,
  ): FetchUpdate {
    return {
      next_fetch_at: this.#nextFetchAt(source, 0, asksForS),
      ...{ last_status_code: statusCode, problem: null, failure_count: 0 },
    };
  }

  #buildDeferredUpdate(source: FeedSource, problem: string): FetchUpdate {
    return { ...this.#buildSuccessUpdate(source, [], source.last_status_code), problem };
  }

  #nextFetchAt(source: FeedSource, failureCount: number, asksForS: readonly (number | null)[]): string {
    const intervalMinutes = source.interval_minutes ?? this.#deps.limits.feedIntervalMinutes;
    return computeNextFetchAt({ intervalMinutes, failureCount, requestedDelaysS: asksForS });
  }
}
