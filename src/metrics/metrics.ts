import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { countWaitingCharacters, listQueueDepths, type QueueDepth } from '../audio/counters.ts';
import type { Bucket, CompletedBucketRequest } from '../audio/media/bucket.ts';
import type { JobMetrics } from '../audio/publish.ts';
import { findOldestPending } from '../audio/queue-store.ts';
import type { AudioScrub } from '../audio/stored-audio.ts';
import type { WorkScheduler } from '../audio/work-scheduler.ts';
import { currentTimeMs } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { DiskSpace } from '../disk-space.ts';
import type { CompletedRequest } from '../http/endpoint.ts';
import type { FetchCounts } from '../sources/poller.ts';
import type { WorkerPool } from '../speech/worker-pool.ts';
import { version } from '../version.ts';
import type { DeliveryCounts } from '../webhooks/delivery.ts';

/** Default of the library: 10 ms, which wakes an idle server often. */
const eventLoopResolutionMs = 100;
/** Default metrics that are meaningless in Bun, or no number between two scrapes. */
const excludedMetrics = /^nodejs_(active_|heap_space_|gc_|version_|eventloop_lag_(min|mean|stddev)_)/;

export interface MetricsSources {
  readonly database: Database;
  readonly diskSpace: DiskSpace;
  readonly countRemovedMp3s: () => number;
  readonly getScrub: () => AudioScrub;
  readonly backups: { readonly lastSuccessAt: string | undefined; readonly failureCount: number };
  /** Undefined: the MP3s are in the database. */
  readonly getBucket: () => Bucket | undefined;
  readonly workers: WorkerPool;
  readonly workScheduler: WorkScheduler;
  /** Callers that the rate and failure limiters track. */
  readonly countLimitedCallers: () => number;
  readonly getWebhookCounts: () => Promise<DeliveryCounts>;
  readonly getFeedCounts: () => Promise<FetchCounts>;
}

/** What is read asynchronously, or shared by several metrics. */
interface Counts {
  readonly databaseBytes: number;
  readonly queueDepths: readonly QueueDepth[];
  readonly waitingCharacters: number;
  readonly oldestPending: string | undefined;
  readonly webhooks: DeliveryCounts;
  readonly feeds: FetchCounts;
}

type Labels = Record<string, string>;
type Sample = readonly [value: number, labels?: Labels];

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const jobOutcomes = ['ready', 'failed', 'replaced', 'retry', 'unexpected_error'] as const;
const failureReasons = ['no_text', 'language', 'voice', 'speech', 'internal'] as const;

/** Metrics of a running server for Prometheus. Each server has a registry of its own. */
export class Metrics {
  readonly contentType: string;
  readonly jobMetrics: JobMetrics;
  /** Call it for every response. */
  readonly recordRequest: (completed: CompletedRequest) => void;
  readonly recordBucketRequest: (completed: CompletedBucketRequest) => void;
  readonly #registry = new Registry();
  readonly #registers = [this.#registry];
  readonly #sources: MetricsSources;
  /** Read once per scrape. */
  #counts: Counts = {
    databaseBytes: 0,
    queueDepths: [],
    waitingCharacters: 0,
    oldestPending: undefined,
    webhooks: { delivered: 0, failed: 0, pending: 0 },
    feeds: { fetched: 0, unchanged: 0, failed: 0, waiting: 0 },
  };

  constructor(sources: MetricsSources) {
    this.#sources = sources;
    const register = this.#registry;
    collectDefaultMetrics({ register, eventLoopMonitoringPrecision: eventLoopResolutionMs });
    for (const { name } of register.getMetricsAsArray()) {
      if (excludedMetrics.test(name)) register.removeSingleMetric(name);
    }
    this.#gauge('lectern_build_info', 'Always 1; labels: Lectern version and Bun version', ['version', 'bun'], () => [
      [1, { version, bun: Bun.version }],
    ]);
    this.#registerQueueMetrics();
    this.#registerStorageMetrics(sources);
    this.#registerBackupMetrics(sources.backups);
    this.#registerScrubMetrics(sources.getScrub);
    this.#registerWorkerMetrics(sources);
    this.#registerDeliveryMetrics();
    this.recordRequest = this.#registerHttpMetrics();
    this.recordBucketRequest = this.#registerBucketMetrics(sources.getBucket);
    this.jobMetrics = this.#registerJobMetrics();
    this.contentType = register.contentType;
  }

  /** @returns all metrics in the text format */
  async render(): Promise<string> {
    const { database, getWebhookCounts, getFeedCounts } = this.#sources;
    const [databaseBytes, queueDepths, waitingCharacters, oldestPending, webhooks, feeds] = await Promise.all([
      database.measureSize(),
      listQueueDepths(database.read),
      countWaitingCharacters(database.read),
      findOldestPending(database.read),
      getWebhookCounts(),
      getFeedCounts(),
    ]);
    this.#counts = { databaseBytes, queueDepths, waitingCharacters, oldestPending, webhooks, feeds };
    return this.#registry.metrics();
  }

  /** @param read called at each scrape */
  #gauge(name: string, help: string, labelNames: readonly string[], read: () => Iterable<Sample>): void {
    new Gauge({
      ...{ name, help, labelNames, registers: this.#registers },
      collect() {
        // A reset gauge without labels has the value 0; without a sample it shall be absent.
        this.reset();
        this.remove({});
        for (const [value, labels = {}] of read()) this.set(labels, value);
      },
    });
  }

  /** A counter of another part. @param read called at each scrape */
  #counter(name: string, help: string, labelNames: readonly string[], read: () => Iterable<Sample>): void {
    new Counter({
      ...{ name, help, labelNames, registers: this.#registers },
      collect() {
        this.reset();
        for (const [value, labels = {}] of read()) this.inc(labels, value);
      },
    });
  }

  #registerQueueMetrics(): void {
    const help = 'Unfinished audio by state and priority; extra voices have priority low';
    this.#gauge('lectern_queue_depth', help, ['state', 'priority'], () =>
      ['pending', 'generating'].flatMap((state) =>
        ['high', 'normal', 'low'].map((priority): Sample => {
          const same = this.#counts.queueDepths.filter(
            (depth) => depth.status === state && (depth.priority === 'further' ? 'low' : depth.priority) === priority,
          );
          return [same.reduce((sum, { count }) => sum + count, 0), { state, priority }];
        }),
      ),
    );
    const charactersHelp = 'Characters of the content of pending audio, with markup';
    this.#gauge('lectern_queue_waiting_characters', charactersHelp, [], () => [[this.#counts.waitingCharacters]]);
    const ageHelp = 'Age of the oldest pending audio; 0 if none is pending';
    this.#gauge('lectern_queue_oldest_age_seconds', ageHelp, [], () => {
      const { oldestPending } = this.#counts;
      return [[oldestPending === undefined ? 0 : Math.max(0, currentTimeMs() - Date.parse(oldestPending)) / 1000]];
    });
  }

  #registerStorageMetrics({ diskSpace, countRemovedMp3s, countLimitedCallers }: MetricsSources): void {
    this.#gauge(
      'lectern_database_size_bytes',
      'Size of the database, with SQLite including its write-ahead log',
      [],
      () => [[this.#counts.databaseBytes]],
    );
    this.#gauge('lectern_disk_free_bytes', 'Free space of the disk that holds the data folder', [], () => [
      [diskSpace.measure().freeBytes],
    ]);
    const reserveHelp = 'Free disk space below which events, or posts and uploads, are refused';
    this.#gauge('lectern_disk_reserve_bytes', reserveHelp, ['refused'], () =>
      (['events', 'posts'] as const).map((refused): Sample => [diskSpace.getReserve(refused), { refused }]),
    );
    this.#counter('lectern_audio_removed_total', 'MP3s removed by the retention settings of sites', [], () => [
      [countRemovedMp3s()],
    ]);
    const help = 'API keys, domains and client addresses that the rate limiters track in memory';
    this.#gauge('lectern_limited_callers', help, [], () => [[countLimitedCallers()]]);
  }

  #registerBackupMetrics(backups: MetricsSources['backups']): void {
    const getTimeMs = (): number => (backups.lastSuccessAt === undefined ? 0 : Date.parse(backups.lastSuccessAt));
    const timeHelp = 'Start time of the newest ready backup by the server; 0 without one';
    this.#gauge('lectern_backup_last_success_timestamp_seconds', timeHelp, [], () => [[getTimeMs() / 1000]]);
    const ageHelp = 'Age of the newest ready backup by the server; +Inf without one';
    this.#gauge('lectern_backup_age_seconds', ageHelp, [], () => {
      const timeMs = getTimeMs();
      return [[timeMs === 0 ? Number.POSITIVE_INFINITY : Math.max(0, currentTimeMs() - timeMs) / 1000]];
    });
    this.#counter('lectern_backup_failures_total', 'Failed backups by the server', [], () => [[backups.failureCount]]);
  }

  #registerBucketMetrics(getBucket: MetricsSources['getBucket']): Metrics['recordBucketRequest'] {
    const availableHelp =
      '1 while requests to the bucket succeed, 0 after three failures in succession; absent without a bucket';
    this.#gauge('lectern_bucket_available', availableHelp, [], () => {
      const bucket = getBucket();
      return bucket === undefined ? [] : [[bucket.problem === undefined ? 1 : 0]];
    });
    const duration = new Histogram({
      name: 'lectern_bucket_request_duration_seconds',
      help: 'Duration of requests to the bucket by method and outcome: done, missing (no such object) or failed',
      labelNames: ['method', 'outcome'],
      buckets: durationBuckets,
      registers: this.#registers,
    });
    return ({ method, outcome, seconds }) => duration.observe({ method, outcome }, seconds);
  }

  #registerScrubMetrics(getScrub: MetricsSources['getScrub']): void {
    this.#counter('lectern_scrub_verified_bytes_total', 'Stored MP3 frames compared with their checksums', [], () => [
      [getScrub().verifiedBytes],
    ]);
    const damageHelp =
      'Damaged segments by outcome: unused (deleted), regenerating (deleted, and synthesized again), left (not repairable)';
    this.#counter('lectern_scrub_damaged_segments_total', damageHelp, ['outcome'], () =>
      [...getScrub().damageCounts].map(([outcome, count]): Sample => [count, { outcome }]),
    );
    const passHelp = 'End of the last pass over all stored audio; 0 without one';
    this.#gauge('lectern_scrub_last_pass_timestamp_seconds', passHelp, [], () => {
      const { lastPassAt } = getScrub();
      return [[lastPassAt === undefined ? 0 : Date.parse(lastPassAt) / 1000]];
    });
  }

  #registerWorkerMetrics({ workers, workScheduler }: MetricsSources): void {
    this.#gauge('lectern_workers', 'Running speech workers', [], () => [[workers.state().length]]);
    const memoryHelp = 'Resident memory of each speech worker after its last task';
    this.#gauge('lectern_worker_memory_bytes', memoryHelp, ['worker'], () =>
      workers.state().map(({ rssBytes }, index) => [rssBytes, { worker: String(index + 1) }]),
    );
    const restartsHelp =
      'Replaced speech workers by reason: recycled after a task or memory limit, died (crashed or killed at a limit), hung (no sign of life), cancelled (the caller left)';
    this.#counter('lectern_worker_restarts_total', restartsHelp, ['reason'], () =>
      Object.entries(workers.stats().restarts).map(([reason, count]): Sample => [count, { reason }]),
    );
    const tasksHelp = 'Speech worker tasks by kind and outcome';
    this.#counter('lectern_worker_tasks_total', tasksHelp, ['task', 'outcome'], () =>
      [...workers.stats().tasks].flatMap(([task, counts]) =>
        Object.entries(counts).map(([outcome, count]): Sample => [count, { task, outcome }]),
      ),
    );
    const secondsHelp = 'CPU seconds that workers used for a site, by its id; none: for the installation';
    this.#counter('lectern_site_worker_seconds_total', secondsHelp, ['site'], () =>
      [...workScheduler.usedSeconds].map(([siteId, seconds]): Sample => [seconds, { site: `${siteId ?? 'none'}` }]),
    );
    this.#counter('lectern_worker_voice_loads_total', 'Voice loads in speech workers', [], () => [
      [workers.stats().voiceLoads],
    ]);
  }

  #registerDeliveryMetrics(): void {
    const deliveriesHelp = 'Finished webhook deliveries by outcome';
    this.#counter('lectern_webhook_deliveries_total', deliveriesHelp, ['outcome'], () => {
      const { delivered, failed } = this.#counts.webhooks;
      return toOutcomes({ delivered, failed });
    });
    this.#gauge('lectern_webhook_pending', 'Pending webhook deliveries', [], () => [[this.#counts.webhooks.pending]]);
    this.#counter('lectern_feed_fetches_total', 'Feed fetches by outcome', ['outcome'], () => {
      const { fetched, unchanged, failed } = this.#counts.feeds;
      return toOutcomes({ fetched, unchanged, failed });
    });
    const waitingHelp = 'Feed items waiting for quota or for queue capacity';
    this.#gauge('lectern_feed_items_waiting', waitingHelp, [], () => [[this.#counts.feeds.waiting]]);
  }

  #createCounter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name, help, labelNames, registers: this.#registers });
  }

  /** By route pattern, as callers invent paths and methods without end. */
  #registerHttpMetrics(): (completed: CompletedRequest) => void {
    const duration = new Histogram({
      name: 'lectern_http_request_duration_seconds',
      help: 'HTTP request duration by route pattern, method and status class',
      labelNames: ['route', 'method', 'status'],
      buckets: durationBuckets,
      registers: this.#registers,
    });
    const limitedHelp = 'HTTP requests rejected with status 429, by route pattern';
    const limited = this.#createCounter('lectern_http_rate_limited_total', limitedHelp, ['route']);
    return ({ route = 'unmatched', method, status, durationMs }) => {
      const labels = {
        route,
        method: methods.includes(method) ? method : 'other',
        status: `${Math.floor(status / 100)}xx`,
      };
      duration.observe(labels, durationMs / 1000);
      if (status === 429) limited.inc({ route });
    };
  }

  #registerJobMetrics(): JobMetrics {
    const segmentsHelp = 'Audio segments by source: synthesized by a worker or reused';
    const segments = this.#createCounter('lectern_segments_total', segmentsHelp, ['source']);
    const sentencesHelp = 'Planned sentences by source: phonemized by a worker or reused from the previous version';
    const sentences = this.#createCounter('lectern_planned_sentences_total', sentencesHelp, ['source']);
    const secondsHelp = 'Seconds of audio synthesized by workers';
    const audioSeconds = this.#createCounter('lectern_spoken_audio_seconds_total', secondsHelp);
    const realTimeFactor = new Histogram({
      name: 'lectern_real_time_factor',
      help: 'Synthesis time of a segment divided by its audio duration; below 1 is faster than real time',
      buckets: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
      registers: this.#registers,
    });
    const generationsHelp =
      'Finished synthesis jobs by outcome; replaced: superseded by a newer text or a deletion, retry: retried later';
    const generations = this.#createCounter('lectern_generations_total', generationsHelp, ['outcome']);
    const failuresHelp = 'Failed synthesis jobs by reason';
    const failures = this.#createCounter('lectern_generation_failures_total', failuresHelp, ['reason']);
    for (const source of ['spoken', 'reused']) segments.inc({ source }, 0);
    for (const source of ['phonemized', 'reused']) sentences.inc({ source }, 0);
    for (const outcome of jobOutcomes) generations.inc({ outcome }, 0);
    for (const reason of failureReasons) failures.inc({ reason }, 0);
    return {
      recordSegment: (segment) => {
        segments.inc({ source: 'spoken' });
        audioSeconds.inc(segment.audioSeconds);
        realTimeFactor.observe(segment.workerSeconds / segment.audioSeconds);
      },
      recordJob: ({ outcome, reason, reusedCount, sentenceCounts }) => {
        segments.inc({ source: 'reused' }, reusedCount);
        sentences.inc({ source: 'phonemized' }, sentenceCounts?.phonemized ?? 0);
        sentences.inc({ source: 'reused' }, sentenceCounts?.reused ?? 0);
        generations.inc({ outcome });
        if (reason !== undefined) failures.inc({ reason });
      },
    };
  }
}

function toOutcomes(counts: Record<string, number>): Sample[] {
  return Object.entries(counts).map(([outcome, count]) => [count, { outcome }]);
}
