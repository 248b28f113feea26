import { statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ProductionObserver } from '../audio/publish.ts';
import type { Queries } from '../database/open.ts';
import type { AudioStatus, Priority } from '../database/schema.ts';
import type { Answered } from '../http/endpoint.ts';
import type { FetchCounts } from '../sources/poller.ts';
import type { Workers } from '../speech/worker-pool.ts';
import { version } from '../version.ts';
import type { DeliveryCounts } from '../webhooks/delivery.ts';

/** A timer of the library's, which needn't wake an idle server often. */
const eventLoopLookMs = 100;
/** Of the library's own figures those that say nothing in Bun, or are no number between two looks. */
const meaningless = /^nodejs_(active_|heap_space_|gc_|version_|eventloop_lag_(min|mean|stddev)_)/;

/** Figures of a running server for Prometheus. */
export interface Metrics {
  readonly contentType: string;
  /** @returns all of them in the text format; what the database knows is asked now */
  text(): Promise<string>;
  /** To be told of every answer. */
  answered(answered: Answered): void;
  readonly production: ProductionObserver;
}

export interface MetricsSources {
  readonly read: Queries;
  readonly dataFolder: string;
  readonly workers: Workers;
  /** Callers that the rate and failure limits remember. */
  readonly limitedCallers: () => number;
  readonly webhooks: () => Promise<DeliveryCounts>;
  readonly feeds: () => Promise<FetchCounts>;
}

/** Nothing is counted globally: each server has a registry of its own. */
export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopLookMs });
  for (const { name } of registry.getMetricsAsArray()) {
    if (meaningless.test(name)) registry.removeSingleMetric(name);
  }
  buildMetrics(registers);
  const askQueue = queueMetrics(registers, sources.read);
  storageMetrics(registers, sources);
  workerMetrics(registers, sources.workers);
  webhookMetrics(registers, sources.webhooks);
  feedMetrics(registers, sources.feeds);
  return {
    contentType: registry.contentType,
    text: async () => {
      await askQueue();
      return registry.metrics();
    },
    answered: httpMetrics(registers),
    production: productionMetrics(registers),
  };
}

function buildMetrics(registers: Registry[]): void {
  new Gauge({
    name: 'lectern_build_info',
    help: 'Always 1; the labels name the program and its runtime',
    labelNames: ['version', 'bun'],
    registers,
  }).set({ version, bun: Bun.version }, 1);
}

/** @returns asks the database how long the queue is */
function queueMetrics(registers: Registry[], read: Queries): () => Promise<void> {
  const depth = new Gauge({
    name: 'lectern_queue_depth',
    help: 'Unfinished audios by state and priority',
    labelNames: ['state', 'priority'],
    registers,
  });
  const age = new Gauge({
    name: 'lectern_queue_oldest_age_seconds',
    help: 'Age of the audio that waits longest to be begun; 0 when none waits',
    registers,
  });
  return async () => {
    const found = await queueDepths(read);
    for (const state of ['pending', 'generating']) {
      for (const priority of ['high', 'normal', 'low']) depth.set({ state, priority }, 0);
    }
    for (const { status, priority, count } of found) depth.inc({ state: status, priority }, count);
    const waiting = found.filter(({ status }) => status === 'pending');
    const ages = waiting.map(({ oldest }) => Date.now() - Date.parse(oldest));
    age.set(Math.max(0, ...ages) / 1000);
  };
}

function storageMetrics(registers: Registry[], sources: MetricsSources): void {
  new Gauge({
    name: 'lectern_database_size_bytes',
    help: 'Size of the database with its log',
    registers,
    collect() {
      const files = ['lectern.db', 'lectern.db-wal'];
      this.set(files.reduce((sum, file) => sum + sizeOf(join(sources.dataFolder, file)), 0));
    },
  });
  new Gauge({
    name: 'lectern_limited_callers',
    help: 'Keys, domains and addresses whose requests or failures of the last minute are remembered',
    registers,
    collect() {
      this.set(sources.limitedCallers());
    },
  });
}

function sizeOf(path: string): number {
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

export function queueDepths(db: Queries): Promise<QueueDepth[]> {
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
function feedMetrics(registers: Registry[], counts: () => Promise<FetchCounts>): void {
  new Counter({
    name: 'lectern_feed_fetches_total',
    help: 'Fetches of feeds that sites take posts from',
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
    help: 'Items of feeds that wait to become posts: for quota, or for room in the queue',
    registers,
    async collect() {
      this.set((await counts()).waiting);
    },
  });
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Latency and refusals by route. Callers invent paths and methods without end: what is counted is the pattern of the route.
 * @returns what is told of every answer
 */
function httpMetrics(registers: Registry[]): (answered: Answered) => void {
  const duration = new Histogram({
    name: 'lectern_http_request_duration_seconds',
    help: 'Time from a request to its answer, by pattern of the route, method and class of the status',
    labelNames: ['route', 'method', 'status'],
    buckets: seconds,
    registers,
  });
  const limited = new Counter({
    name: 'lectern_http_rate_limited_total',
    help: 'Requests answered with 429, by pattern of the route',
    labelNames: ['route'],
    registers,
  });
  return ({ route = 'unmatched', method, status, ms }) => {
    const labels = {
      route,
      method: methods.includes(method) ? method : 'other',
      status: `${Math.floor(status / 100)}xx`,
    };
    duration.observe(labels, ms / 1000);
    if (status === 429) limited.inc({ route });
  };
}

const outcomes = ['ready', 'failed', 'replaced', 'retry', 'fault'] as const;
const reasons = ['no_text', 'voice', 'speech', 'internal'] as const;

/** Segments, seconds of sound, and how the making of audios ends. */
function productionMetrics(registers: Registry[]): ProductionObserver {
  const segments = new Counter({
    name: 'lectern_segments_total',
    help: 'Sentences that got into an audio, spoken by a worker or reused',
    labelNames: ['source'],
    registers,
  });
  const sentences = new Counter({
    name: 'lectern_planned_sentences_total',
    help: 'Sentences that were planned, phonemized by a worker or reused from the version before',
    labelNames: ['source'],
    registers,
  });
  const audioSeconds = new Counter({
    name: 'lectern_spoken_audio_seconds_total',
    help: 'Sound that workers made',
    registers,
  });
  const realTimeFactor = new Histogram({
    name: 'lectern_real_time_factor',
    help: 'Time a segment took in a worker, divided by its sound: below 1 is faster than speech',
    buckets: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    registers,
  });
  const generations = new Counter({
    name: 'lectern_generations_total',
    help: 'Makings of an audio that ended, by outcome; replaced: by a newer text or a deletion, retry: tried again later',
    labelNames: ['outcome'],
    registers,
  });
  const failures = new Counter({
    name: 'lectern_generation_failures_total',
    help: 'Audios that failed: no speakable text, an unusable voice, a sentence that cannot be spoken',
    labelNames: ['reason'],
    registers,
  });
  for (const source of ['spoken', 'reused']) segments.inc({ source }, 0);
  for (const source of ['phonemized', 'reused']) sentences.inc({ source }, 0);
  for (const outcome of outcomes) generations.inc({ outcome }, 0);
  for (const reason of reasons) failures.inc({ reason }, 0);
  return {
    spoken: (segment) => {
      segments.inc({ source: 'spoken' });
      audioSeconds.inc(segment.audioSeconds);
      realTimeFactor.observe(segment.workerSeconds / segment.audioSeconds);
    },
    ended: ({ outcome, reason, reusedCount, sentenceCounts }) => {
      segments.inc({ source: 'reused' }, reusedCount);
      sentences.inc({ source: 'phonemized' }, sentenceCounts?.phonemized ?? 0);
      sentences.inc({ source: 'reused' }, sentenceCounts?.reused ?? 0);
      generations.inc({ outcome });
      if (reason !== undefined) failures.inc({ reason });
    },
  };
}

/** @param counts what the deliveries have counted since the start, and what waits now */
function webhookMetrics(registers: Registry[], counts: () => Promise<DeliveryCounts>): void {
  new Counter({
    name: 'lectern_webhook_deliveries_total',
    help: 'Messages to webhooks that arrived, or were given up',
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
    help: 'Messages to webhooks that wait for a first or a further attempt',
    registers,
    async collect() {
      this.set((await counts()).pending);
    },
  });
}

/** The child processes that speak. */
function workerMetrics(registers: Registry[], workers: Workers): void {
  new Gauge({
    name: 'lectern_workers',
    help: 'Speech workers that live',
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
    help: 'Speech workers that were replaced: worn out by tasks or memory, or dead before their time',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      const { wornOut, died } = workers.history().ends;
      this.inc({ reason: 'worn_out' }, wornOut);
      this.inc({ reason: 'died' }, died);
    },
  });
  new Counter({
    name: 'lectern_worker_tasks_total',
    help: 'Tasks that speech workers were given, by kind and by how they ended',
    labelNames: ['task', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const [task, counts] of workers.history().tasks) {
        for (const [outcome, count] of Object.entries(counts)) this.inc({ task, outcome }, count);
      }
    },
  });
  new Counter({
    name: 'lectern_worker_voice_loads_total',
    help: 'Voices that speech workers have loaded, each time counted',
    registers,
    collect() {
      this.reset();
      this.inc(workers.history().voiceLoads);
    },
  });
}
