import { subscriptionError } from '../auth/domain-access.ts';
import type { Jobs, PeriodicJob, TaskQueue } from '../background.ts';
import { currentTimeMs, dayMs, timestamp } from '../clock.ts';
import type { FeedSource } from '../database/feature-schema.ts';
import type { OutboundGuard } from '../http/outbound-guard.ts';
import { type FetchResult, fetchFeed, parseInWorker } from './fetch.ts';
import { countWaitingItems } from './item-store.ts';
import { recordItems, type SubmitItemsDeps, submitItems } from './items.ts';
import {
  type FetchUpdate,
  findSourceWithSite,
  listDueSources,
  listSourcesWithWaitingItems,
  recordFetch,
} from './store.ts';

/** Longest time between fetches. */
const maxIntervalMs = dayMs;
/** Share of the interval that is added at random, so that feeds added together are not fetched together for ever. */
const jitter = 0.1;
/** Due sources are found this soon. */
const pollIntervalMs = 1_000;
/** Items that wait for the quota or the queue are submitted again this often. */
const submitIntervalMs = 30_000;
const maxConcurrency = 8;
/** More than wait for one slow host. */
const maxDuePerPoll = 500;
const maxItemsPerFetch = 100;
/** Articles are stored while they wait: above this, a feed is not fetched. */
const maxWaitingItems = 500;
/** Before a fetch that could not be recorded is repeated. */
const storeFailureDelayMs = 10_000;

/** `waiting` is the current number of items; the others count since the start. */
export interface FetchCounts {
  readonly fetched: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly waiting: number;
}

/** Fetches due feeds and submits their new items, from `start` on. */
export class FeedPoller {
  readonly #deps: SubmitItemsDeps;
  readonly #feedGuard: OutboundGuard;
  readonly #jobs: Jobs;
  readonly #tasks: TaskQueue;
  readonly #counts = { fetched: 0, unchanged: 0, failed: 0 };
  /** Hosts with a request under way: one at a time each. */
  readonly #hosts = new Set<string>();
  #polling: PeriodicJob | undefined;

  constructor(deps: SubmitItemsDeps, feedGuard: OutboundGuard, jobs: Jobs) {
    this.#deps = deps;
    this.#feedGuard = feedGuard;
    this.#jobs = jobs;
    this.#tasks = jobs.createQueue('importing feed', {
      concurrency: maxConcurrency,
      failureDelayMs: storeFailureDelayMs,
    });
  }

  start(): void {
    const jobs = this.#jobs;
    jobs.every('reading waiting feed items', { intervalMs: submitIntervalMs }, () => this.#enqueueWaiting());
    this.#polling = jobs.every('reading due feeds', { intervalMs: pollIntervalMs }, () => this.#enqueueDue());
  }

  /** Fetches due feeds now. */
  wake(): void {
    this.#polling?.wake();
  }

  async getCounts(): Promise<FetchCounts> {
    return { ...this.#counts, waiting: await countWaitingItems(this.#deps.database.read) };
  }

  async #enqueueDue(): Promise<void> {
    const now = timestamp();
    const busy = this.#tasks.listKeys();
    for (const source of await listDueSources(this.#deps.database.read, now, maxDuePerPoll)) {
      const { host } = new URL(source.url);
      if (this.#hosts.has(host) || busy.has(source.id)) continue;
      this.#hosts.add(host);
      this.#tasks.add(source.id, () => this.#fetch(source), { onEnd: () => this.#hosts.delete(host) });
    }
  }

  async #enqueueWaiting(): Promise<void> {
    for (const { id } of await listSourcesWithWaitingItems(this.#deps.database.read)) {
      this.#tasks.add(id, () => this.#submitWaiting(id));
    }
  }

  async #fetch(source: FeedSource): Promise<void> {
    const { database, config } = this.#deps;
    if ((await countWaitingItems(database.read, source.id)) >= maxWaitingItems) {
      const problem = `Fetching paused: ${maxWaitingItems} items are waiting to be generated`;
      await this.#record(source, { ...this.#buildUpdate(source, 0, []), problem });
      return this.#submitWaiting(source.id);
    }
    const { etag, last_modified: lastModified, url } = source;
    const fetched = await fetchFeed(this.#feedGuard, {
      ...{ url, etag, lastModified, stopSignal: this.#jobs.stopSignal },
      ...{ timeoutMs: config.feedTimeoutS * 1000, maxBytes: config.maxFeedBytes },
    });
    if (fetched.kind === 'fetched') await this.#recordFeed(source, fetched);
    else if (fetched.kind === 'failed') await this.#recordFailure(source, fetched);
    else {
      this.#counts.unchanged += 1;
      const update = this.#buildUpdate(source, 0, [fetched.maxAgeS]);
      await this.#record(source, { ...update, last_status_code: fetched.statusCode });
    }
    await this.#submitWaiting(source.id);
  }

  async #recordFeed(source: FeedSource, fetched: FetchResult & { kind: 'fetched' }): Promise<void> {
    const { database, config } = this.#deps;
    const { bytes, contentType, url, statusCode } = fetched;
    const parsed = await parseInWorker(bytes, { url, contentType, maxItems: maxItemsPerFetch }, config);
    if ('problem' in parsed) return this.#recordFailure(source, { ...parsed, statusCode, retryAfterMs: null });
    const { title, items, refreshS } = parsed.feed;
    await database.write(source.site_id, async (db) => {
      const isCurrent = await recordFetch(db, source, {
        ...this.#buildUpdate(source, 0, [refreshS, fetched.maxAgeS]),
        ...{ last_status_code: statusCode, title, etag: fetched.etag, last_modified: fetched.lastModified },
        ...{ moved_to: fetched.movedTo, first_fetched_at: source.first_fetched_at ?? timestamp() },
      });
      if (isCurrent) await recordItems(db, source, items, config.maxContentLength);
    });
    this.#counts.fetched += 1;
  }

  async #recordFailure(source: FeedSource, failure: Omit<FetchResult & { kind: 'failed' }, 'kind'>): Promise<void> {
    const { statusCode, problem, retryAfterMs } = failure;
    this.#counts.failed += 1;
    const retryAfterS = retryAfterMs === null ? null : retryAfterMs / 1000;
    await this.#record(source, {
      ...this.#buildUpdate(source, source.failure_count + 1, [retryAfterS]),
      ...{ last_status_code: statusCode, problem },
      ...(statusCode === 410 && { enabled: 0, disabled_reason: 'The server returned 410 Gone' }),
    });
  }

  async #record(source: FeedSource, update: FetchUpdate): Promise<void> {
    await this.#deps.database.write(source.site_id, (db) => recordFetch(db, source, update), { sync: 'normal' });
  }

  async #submitWaiting(sourceId: number): Promise<void> {
    const sourceWithSite = await findSourceWithSite(this.#deps.database.read, sourceId);
    if (sourceWithSite === undefined || sourceWithSite.source.enabled === 0) return;
    const { source, site } = sourceWithSite;
    if (subscriptionError(site) !== undefined) return;
    await submitItems(this.#deps, source, site, () => this.#jobs.isStopping);
  }

  /**
   * The next fetch is after the interval, or later if the server or the feed requests it; each consecutive failure
   * doubles the interval.
   * @param requestedDelaysS null: none
   */
  #buildUpdate(source: FeedSource, failureCount: number, requestedDelaysS: readonly (number | null)[]): FetchUpdate {
    const intervalMinutes = source.interval_minutes ?? this.#deps.config.feedIntervalMinutes;
    const backoffMs = intervalMinutes * 60_000 * 2 ** Math.min(Math.max(0, failureCount - 1), 20);
    const requestedMs = Math.max(0, ...requestedDelaysS.map((seconds) => (seconds ?? 0) * 1000));
    const delayMs = Math.min(Math.max(backoffMs, requestedMs) * (1 + jitter * Math.random()), maxIntervalMs);
    const next_fetch_at = timestamp(currentTimeMs() + delayMs);
    const { last_status_code } = source;
    return { next_fetch_at, last_status_code, problem: null, failure_count: failureCount };
  }
}
