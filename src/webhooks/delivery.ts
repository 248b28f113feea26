import type { Jobs, PeriodicJob, TaskQueue } from '../background.ts';
import { currentTimeMs, dayMs, daysAgo, timestamp } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import {
  createOutboundGuard,
  describeConnectionError,
  type OutboundGuard,
  parseRetryAfterMs,
  sendRequest,
} from '../http/outbound-guard.ts';
import {
  type AttemptRecord,
  countPendingDeliveries,
  type DueDelivery,
  listDueDeliveries,
  listDueEndpointIds,
  purgeDeliveries,
  recordAttempt,
  rescheduleFutureDeliveries,
} from './delivery-store.ts';
import { buildSignatureHeaders } from './endpoints.ts';

const maxResponseBytes = 65_536;
const maxSnippetBytes = 1_024;

/** @param allow hosts and ranges that may be private and use http */
export function createWebhookGuard(allow: readonly string[]): OutboundGuard {
  return createOutboundGuard({ allow, settingName: 'LECTERN_WEBHOOK_ALLOW', plainHttp: 'listed' });
}

export interface SendResult {
  /** Null without a response. */
  readonly statusCode: number | null;
  /** One plain sentence; null after a success. */
  readonly error: string | null;
  /** Start of the response body. */
  readonly response: string | null;
  /** From `Retry-After`; null without it. */
  readonly retryAfterMs: number | null;
}

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** In total: lookup, connection, response. */
  readonly timeoutMs: number;
  /** Aborts the request, which then rejects. */
  readonly stopSignal: AbortSignal;
}

/**
 * Posts a message to a checked address. Only 2xx is a success; redirects are not followed.
 * @throws Error only when it was stopped
 */
export async function sendWebhook(guard: OutboundGuard, request: WebhookRequest): Promise<SendResult> {
  const { url, headers, body, timeoutMs, stopSignal } = request;
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const incoming = await sendRequest(guard, url, {
      ...{ method: 'POST', body, signal: AbortSignal.any([deadline, stopSignal]) },
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        accept: '*/*',
      },
    });
    const { statusCode = 0 } = incoming;
    const isDelivered = statusCode >= 200 && statusCode < 300;
    return {
      statusCode,
      error: isDelivered ? null : describeStatusError(statusCode),
      response: await readSnippet(incoming),
      retryAfterMs: [429, 503].includes(statusCode) ? parseRetryAfterMs(incoming.headers['retry-after']) : null,
    };
  } catch (error) {
    if (stopSignal.aborted) throw error;
    const reason = deadline.aborted ? `no response within ${timeoutMs / 1000} s` : describeConnectionError(error);
    return { statusCode: null, error: reason, response: null, retryAfterMs: null };
  }
}

/** Cuts off a long body. */
async function readSnippet(incoming: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let byteCount = 0;
  for await (const chunk of incoming) {
    if (byteCount < maxSnippetBytes) chunks.push(chunk);
    byteCount += chunk.byteLength;
    if (byteCount > maxResponseBytes) break;
  }
  return decodeSnippet(chunks);
}

function decodeSnippet(chunks: readonly Buffer[]): string {
  const bytes = Buffer.concat(chunks).subarray(0, maxSnippetBytes);
  // `stream` drops an incomplete character at the end.
  return new TextDecoder().decode(bytes, { stream: true });
}

function describeStatusError(statusCode: number): string {
  return statusCode >= 300 && statusCode < 400
    ? `status ${statusCode}: redirects are not followed`
    : `status ${statusCode}`;
}

/** Deliveries that became due, or that another process queued, are found this soon. */
const pollIntervalMs = 500;
const maxConcurrency = 64;
const maxConcurrencyPerEndpoint = 4;
const maxRetryAfterMs = dayMs;
/** Share by which delays vary, so that failed deliveries are not repeated together. */
const jitter = 0.1;
const purgeIntervalMs = 10 * 60_000;
const purgeBatchSize = 500;
/** Delay of a message whose attempt could not be stored. */
const storeFailureDelayMs = 10_000;

/** `pending` is the current number; the others count since the start. */
export interface DeliveryCounts {
  readonly delivered: number;
  readonly failed: number;
  readonly pending: number;
}

/** Sends the messages of the outbox, from `start` on. */
export class WebhookDispatcher {
  readonly #database: Database;
  readonly #guard: OutboundGuard;
  readonly #jobs: Jobs;
  readonly #config: Config;
  readonly #tasks: TaskQueue;
  /** Deliveries that are queued or being sent, by endpoint. */
  readonly #inFlight = new Map<number, number>();
  /** Endpoints whose last attempt failed: one request at a time, after all others. */
  readonly #failing = new Set<number>();
  #delivered = 0;
  #failed = 0;
  #polling: PeriodicJob | undefined;
  /** An earlier time means that the clock was set back; at the start, that it may have been. */
  #polledAt = '9999';

  constructor(database: Database, guard: OutboundGuard, jobs: Jobs, config: Config) {
    this.#database = database;
    this.#guard = guard;
    this.#jobs = jobs;
    this.#config = config;
    this.#tasks = jobs.createQueue('storing webhook attempt', {
      concurrency: maxConcurrency,
      failureDelayMs: storeFailureDelayMs,
    });
  }

  start(): void {
    const jobs = this.#jobs;
    this.#polling = jobs.every('reading due webhooks', { intervalMs: pollIntervalMs }, () => this.#enqueueDue());
    jobs.every('purging webhook deliveries', { intervalMs: purgeIntervalMs }, () => this.#purge());
  }

  /** Sends due deliveries now. */
  readonly wake = (): void => this.#polling?.wake();

  /** One attempt now, without retries. @returns its result, as recorded */
  attemptOnce(delivery: DueDelivery): Promise<AttemptRecord> {
    return this.#attempt(delivery, [], this.#jobs.stopSignal);
  }

  async getCounts(): Promise<DeliveryCounts> {
    const pending = await countPendingDeliveries(this.#database.read);
    return { delivered: this.#delivered, failed: this.#failed, pending };
  }

  async #enqueueDue(): Promise<void> {
    const { read } = this.#database;
    const now = timestamp();
    if (now < this.#polledAt) {
      await this.#database.write('server', (db) => rescheduleFutureDeliveries(db, now), { sync: 'normal' });
    }
    this.#polledAt = now;
    const busy = this.#tasks.listKeys();
    for (const endpointId of await listDueEndpointIds(read, now)) {
      const inFlight = this.#inFlight.get(endpointId) ?? 0;
      const free = (this.#failing.has(endpointId) ? 1 : maxConcurrencyPerEndpoint) - inFlight;
      if (free <= 0) continue;
      const due = await listDueDeliveries(read, endpointId, now, free + inFlight);
      for (const delivery of due.filter(({ id }) => !busy.has(id)).slice(0, free)) this.#enqueue(delivery);
    }
  }

  #enqueue(delivery: DueDelivery): void {
    const { id, endpoint_id: endpointId } = delivery;
    const count = (change: number): void => {
      const inFlight = (this.#inFlight.get(endpointId) ?? 0) + change;
      if (inFlight === 0) this.#inFlight.delete(endpointId);
      else this.#inFlight.set(endpointId, inFlight);
    };
    count(1);
    const attempt = async (signal: AbortSignal): Promise<void> => {
      await this.#attempt(delivery, this.#config.webhookRetryDelaysS, signal);
    };
    this.#tasks.add(id, attempt, {
      priority: this.#failing.has(endpointId) ? 0 : 1,
      onEnd: () => {
        count(-1);
        this.wake();
      },
    });
  }

  /** @param retryS pauses before further attempts */
  async #attempt(delivery: DueDelivery, retryS: readonly number[], stopSignal: AbortSignal): Promise<AttemptRecord> {
    const started = performance.now();
    const at = new Date(currentTimeMs());
    const outcome = await sendWebhook(this.#guard, {
      url: delivery.url,
      headers: buildSignatureHeaders(delivery, delivery.message_id, delivery.body, at),
      body: delivery.body,
      timeoutMs: this.#config.webhookTimeoutS * 1000,
      stopSignal,
    });
    const { statusCode, error, response } = outcome;
    const isGone = statusCode === 410;
    const record: AttemptRecord = {
      ...{ at: at.toISOString(), statusCode, error, response },
      durationMs: Math.round(performance.now() - started),
      nextAttemptAt: error === null || isGone ? null : computeNextAttemptAt(outcome, retryS[delivery.failure_count]),
      disabledReason: isGone ? 'The receiver returned 410 Gone' : null,
    };
    await this.#database.write(delivery.site_id, (db) => recordAttempt(db, delivery, record), { sync: 'normal' });
    this.#count(delivery, record);
    return record;
  }

  #count({ endpoint_id: endpointId }: DueDelivery, { error, nextAttemptAt }: AttemptRecord): void {
    if (error === null) {
      this.#failing.delete(endpointId);
      this.#delivered += 1;
    } else {
      this.#failing.add(endpointId);
      if (nextAttemptAt === null) this.#failed += 1;
    }
  }

  #purge(): Promise<void> {
    const before = daysAgo(this.#config.webhookLogRetentionDays);
    return this.#jobs.repeat(
      async () =>
        (await this.#database.write('server', (db) => purgeDeliveries(db, before, purgeBatchSize), {
          sync: 'normal',
        })) === purgeBatchSize,
    );
  }
}

/** @param pauseS of the schedule; undefined after the last one. @returns null: no further attempt */
function computeNextAttemptAt({ retryAfterMs }: SendResult, pauseS: number | undefined): string | null {
  if (pauseS === undefined) return null;
  const pauseMs = pauseS * 1000 * (1 + jitter * (2 * Math.random() - 1));
  const requestedMs = Math.min(retryAfterMs ?? 0, maxRetryAfterMs);
  return timestamp(currentTimeMs() + Math.max(pauseMs, requestedMs));
}
