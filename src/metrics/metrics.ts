import { statSync } from 'node:fs';
import { join } from 'node:path';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { ProductionObserver } from '../audio/production/observer.ts';
import type { Queries } from '../database/open.ts';
import type { Answered } from '../http/handler.ts';
import type { FetchCounts } from '../ingest/poll.ts';
import type { Workers } from '../speech/workers.ts';
import { version } from '../version.ts';
import type { DeliveryCounts } from '../webhooks/deliver.ts';
import { feedMetrics } from './feeds.ts';
import { httpMetrics } from './http.ts';
import { productionMetrics } from './production.ts';
import { queueDepths } from './store.ts';
import { webhookMetrics } from './webhooks.ts';
import { workerMetrics } from './workers.ts';

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
