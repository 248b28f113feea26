import { statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { JobMetrics } from '../audio/publish.ts';
import type { Queries } from '../database/open.ts';
import type { AudioStatus, Priority } from '../database/schema.ts';
import type { CompletedRequest } from '../http/endpoint.ts';
import type { FetchCounts } from '../sources/poller.ts';
import type { WorkerPool } from '../speech/worker-pool.ts';
import { version } from '../version.ts';
import type { DeliveryCounts } from '../webhooks/delivery.ts';

/** A timer of the library's, which needn't wake an idle server often. */
const eventLoopResolutionMs = 100;
/** Of the library's own figures those that say nothing in Bun, or are no number between two looks. */
const excludedMetrics = /^nodejs_(active_|heap_space_|gc_|version_|eventloop_lag_(min|mean|stddev)_)/;

/** Figures of a running server for Prometheus. */
export interface Metrics {
  readonly contentType: string;
  /** @returns all of them in the text format; what the database knows is asked now */
  render(): Promise<string>;
  /** To be told of every answer. */
  recordRequest(answered: CompletedRequest): void;
  readonly jobMetrics: JobMetrics;
}

export interface MetricsSources {
  readonly read: Queries;
  readonly dataFolder: string;
  readonly workers: WorkerPool;
  /** Callers that the rate and failure limits remember. */
  readonly countLimitedCallers: () => number;
  readonly getWebhookCounts: () => Promise<DeliveryCounts>;
  readonly getFeedCounts: () => Promise<FetchCounts>;
}

/** Nothing is counted globally: each server has a registry of its own. */
export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({
    register: registry,
    eventLoopMonitoringPrecision: eventLoopResolutionMs,
  });
  for (const { name } of registry.getMetricsAsArray()) {
    if (excludedMetrics.test(name)) registry.removeSingleMetric(name);
  }
  registerBuildInfo(registers);
  const askQueue = registerQueueMetrics(registers, sources.read);
  registerStorageMetrics(registers, sources);
  registerWorkerMetrics(registers, sources.workers);
  registerWebhookMetrics(registers, sources.getWebhookCounts);
  registerFeedMetrics(registers, sources.getFeedCounts);
  return {
    contentType: registry.contentType,
    render: async () => {
      await askQueue();
      return registry.metrics();
    },
    recordRequest: registerHttpMetrics(registers),
    jobMetrics: registerJobMetrics(registers),
  };
}

function registerBuildInfo(registers: Registry[]): void {
  new Gauge({
    name: 'lectern_build_info',
    help: 'Always 1; labels: Lectern version and Bun version',
    labelNames: ['version', 'bun'],
    registers,
  }).set({ version, bun: Bun.version }, 1);
}

/** @returns asks the database how long the queue is */
function registerQueueMetrics(registers: Registry[], read: Queries): () => Promise<void> {
  const depth = new Gauge({
    name: 'lectern_queue_depth',
    help: 'Unfinished audio by state and priority',
    labelNames: ['state', 'priority'],
    registers,
  });
  const age = new Gauge({
    name: 'lectern_queue_oldest_age_seconds',
    help: 'Age of the oldest pending audio; 0 if none is pending',
    registers,
  });
  return async () => {
    const found = await listQueueDepths(read);
    for (const state of ['pending', 'generating']) {
      for (const priority of ['high', 'normal', 'low']) depth.set({ state, priority }, 0);
    }
    for (const { status, priority, count } of found) depth.inc({ state: status, priority }, count);
    const waiting = found.filter(({ status }) => status === 'pending');
    const ages = waiting.map(({ oldest }) => Date.now() - Date.parse(oldest));
    age.set(Math.max(0, ...ages) / 1000);
  };
}

function registerStorageMetrics(registers: Registry[], sources: MetricsSources): void {
  new Gauge({
    name: 'lectern_database_size_bytes',
    help: 'Size of the database including its write-ahead log',
    registers,
    collect() {
      const files = ['lectern.db', 'lectern.db-wal'];
      this.set(files.reduce((sum, file) => sum + getFileSize(join(sources.dataFolder, file)), 0));
    },
  });
  new Gauge({
    name: 'lectern_limited_callers',
    help: 'API keys, domains and client addresses currently tracked by the rate limiters',
    registers,
    collect() {
      this.set(sources.countLimitedCallers());
    },
  });
}

function getFileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Unfinished audios of one state and priority, further voices apart. */
export interface QueueDepth {
  readonly status: AudioStatus;
  readonly is_main: number;
  readonly priority: Priority;
  readonly count: number;
  /** ISO time at which the oldest of them got into its state or was changed. */
  readonly oldest: string;
}

export function listQueueDepths(db: Queries): Promise<QueueDepth[]> {
  return (
    db
      .selectFrom('audio')
      .select((from) => [
        'status',
        'is_main',
        'priority',
        from.fn.countAll<number>().as('count'),
        from.fn.min<string>('updated_at').as('oldest'),
      ])
      // As literals: for parameters SQLite does not use the index that holds just these.
      .where('status', 'in', [sql.lit<AudioStatus>('pending'), sql.lit<AudioStatus>('generating')])
      .groupBy(['status', 'is_main', 'priority'])
      .execute()
  );
}

/** @param counts what the fetches of feeds have come to since the start, and what waits now */
function registerFeedMetrics(registers: Registry[], counts: () => Promise<FetchCounts>): void {
  new Counter({
    name: 'lectern_feed_fetches_total',
    help: 'Feed fetches by outcome',
    labelNames: ['outcome'],
    registers,
    async collect() {
      const { fetched, unchanged, failed } = await counts();
      this.reset();
      for (const [outcome, count] of Object.entries({ fetched, unchanged, failed })) {
        this.inc({ outcome }, count);
      }
    },
  });
  new Gauge({
    name: 'lectern_feed_items_waiting',
    help: 'Feed items waiting for quota or for queue capacity',
    registers,
    async collect() {
      this.set((await counts()).waiting);
    },
  });
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Latency and refusals by route. Callers invent paths and methods without end: what is counted is the pattern of the route.
 * @returns what is told of every answer
 */
function registerHttpMetrics(registers: Registry[]): (answered: CompletedRequest) => void {
  const duration = new Histogram({
    name: 'lectern_http_request_duration_seconds',
    help: 'HTTP request duration by route pattern, method and status class',
    labelNames: ['route', 'method', 'status'],
    buckets: durationBuckets,
    registers,
  });
  const limited = new Counter({
    name: 'lectern_http_rate_limited_total',
    help: 'HTTP requests rejected with status 429, by route pattern',
    labelNames: ['route'],
    registers,
  });
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

const jobOutcomes = ['ready', 'failed', 'replaced', 'retry', 'fault'] as const;
const failureReasons = ['no_text', 'voice', 'speech', 'internal'] as const;

/** Segments, seconds of sound, and how the making of audios ends. */
function registerJobMetrics(registers: Registry[]): JobMetrics {
  const segments = new Counter({
    name: 'lectern_segments_total',
    help: 'Audio segments by source: synthesized by a worker or reused',
    labelNames: ['source'],
    registers,
  });
  const sentences = new Counter({
    name: 'lectern_planned_sentences_total',
    help: 'Planned sentences by source: phonemized by a worker or reused from the previous version',
    labelNames: ['source'],
    registers,
  });
  const audioSeconds = new Counter({
    name: 'lectern_spoken_audio_seconds_total',
    help: 'Seconds of audio synthesized by workers',
    registers,
  });
  const realTimeFactor = new Histogram({
    name: 'lectern_real_time_factor',
    help: 'Synthesis time of a segment divided by its audio duration; below 1 is faster than real time',
    buckets: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    registers,
  });
  const generations = new Counter({
    name: 'lectern_generations_total',
    help: 'Finished synthesis jobs by outcome; replaced: superseded by a newer text or a deletion, retry: retried later',
    labelNames: ['outcome'],
    registers,
  });
  const failures = new Counter({
    name: 'lectern_generation_failures_total',
    help: 'Failed synthesis jobs by reason',
    labelNames: ['reason'],
    registers,
  });
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

/** @param counts what the deliveries have counted since the start, and what waits now */
function registerWebhookMetrics(registers: Registry[], counts: () => Promise<DeliveryCounts>): void {
  new Counter({
    name: 'lectern_webhook_deliveries_total',
    help: 'Finished webhook deliveries by outcome',
    labelNames: ['outcome'],
    registers,
    async collect() {
      const { delivered, failed } = await counts();
      this.reset();
      this.inc({ outcome: 'delivered' }, delivered);
      this.inc({ outcome: 'failed' }, failed);
    },
  });
  new Gauge({
    name: 'lectern_webhook_pending',
    help: 'Pending webhook deliveries',
    registers,
    async collect() {
      this.set((await counts()).pending);
    },
  });
}

function registerWorkerMetrics(registers: Registry[], workers: WorkerPool): void {
  new Gauge({
    name: 'lectern_workers',
    help: 'Running speech workers',
    registers,
    collect() {
      this.set(workers.state().length);
    },
  });
  new Gauge({
    name: 'lectern_worker_memory_bytes',
    help: 'Resident memory of each speech worker after its last task',
    labelNames: ['worker'],
    registers,
    collect() {
      this.reset();
      workers.state().forEach(({ rssBytes }, index) => {
        this.set({ worker: String(index + 1) }, rssBytes);
      });
    },
  });
  new Counter({
    name: 'lectern_worker_restarts_total',
    help: 'Replaced speech workers by reason: recycled after a task or memory limit (worn_out), or crashed (died)',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      const { wornOut, died } = workers.stats().restarts;
      this.inc({ reason: 'worn_out' }, wornOut);
      this.inc({ reason: 'died' }, died);
    },
  });
  new Counter({
    name: 'lectern_worker_tasks_total',
    help: 'Speech worker tasks by kind and outcome',
    labelNames: ['task', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const [task, counts] of workers.stats().tasks) {
        for (const [outcome, count] of Object.entries(counts)) this.inc({ task, outcome }, count);
      }
    },
  });
  new Counter({
    name: 'lectern_worker_voice_loads_total',
    help: 'Voice loads in speech workers',
    registers,
    collect() {
      this.reset();
      this.inc(workers.stats().voiceLoads);
    },
  });
}
