import { request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';
import PQueue from 'p-queue';
import { inBackground } from '../background.ts';
import type { Database } from '../database/open.ts';
import {
  createTargets,
  lookupOf,
  problemOfConnection,
  retryAfterMsOf,
  type Targets,
  userAgent,
} from '../http/outbound-guard.ts';
import type { Log } from '../log.ts';
import {
  type AttemptRecord,
  type DueDelivery,
  dueDeliveries,
  dueEndpoints,
  forgetDeliveries,
  pendingCount,
  recordAttempt,
} from './delivery-store.ts';
import { signatureHeaders } from './endpoints.ts';

const answerByteMax = 65_536;
const snippetByteMax = 1_024;

/** What webhooks may be sent to. @param allow hosts and ranges that may be private, by http too */
export function webhookTargetsOf(allow: readonly string[]): Targets {
  return createTargets({ allow, setting: 'LECTERN_WEBHOOK_ALLOW', plainHttp: 'listed' });
}

/** What came of one attempt. */
export interface Outcome {
  /** Null when no answer came. */
  readonly statusCode: number | null;
  /** One plain sentence; null after a success. */
  readonly error: string | null;
  /** Beginning of the answer's body. */
  readonly response: string | null;
  /** How long the receiver asks us to wait; null when it doesn't. */
  readonly retryAfterMs: number | null;
}

export interface Sending {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For the whole of it: lookup, connection, answer. */
  readonly timeoutMs: number;
  /** Ends it early; then it rejects. */
  readonly stopping: AbortSignal;
}

/**
 * Posts a message to an address that was checked. Nothing but 2xx is a success; redirects are not followed, and no proxy is asked.
 * @throws Error only when it was stopped
 */
export async function send(targets: Targets, sending: Sending): Promise<Outcome> {
  const deadline = AbortSignal.timeout(sending.timeoutMs);
  try {
    const answer = await exchange(targets, sending, AbortSignal.any([deadline, sending.stopping]));
    const { statusCode, response, retryAfter } = answer;
    const isDelivered = statusCode >= 200 && statusCode < 300;
    return {
      statusCode,
      error: isDelivered ? null : problemOfStatus(statusCode),
      response,
      retryAfterMs: [429, 503].includes(statusCode) ? retryAfterMsOf(retryAfter) : null,
    };
  } catch (error) {
    if (sending.stopping.aborted) throw error;
    const reason = deadline.aborted
      ? `no answer within ${sending.timeoutMs / 1000} s`
      : problemOfConnection(error);
    return { statusCode: null, error: reason, response: null, retryAfterMs: null };
  }
}

interface Answer {
  readonly statusCode: number;
  readonly response: string;
  readonly retryAfter: string | undefined;
}

async function exchange(
  targets: Targets,
  { url, headers, body }: Sending,
  signal: AbortSignal,
): Promise<Answer> {
  const addresses = await targets.check(url);
  signal.throwIfAborted();
  const request = url.startsWith('https:') ? requestSecurely : requestPlainly;
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const outgoing = request(new URL(url), {
    method: 'POST',
    agent: false,
    lookup: lookupOf(addresses),
    signal,
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': userAgent,
      accept: '*/*',
    },
  });
  outgoing.on('error', reject);
  outgoing.on('response', (incoming) => {
    const { statusCode = 0 } = incoming;
    const retryAfter = incoming.headers['retry-after'];
    const chunks: Buffer[] = [];
    let byteCount = 0;
    const finish = () => resolve({ statusCode, retryAfter, response: beginningOf(chunks) });
    incoming.on('error', reject);
    incoming.on('end', finish);
    incoming.on('data', (chunk: Buffer) => {
      if (byteCount < snippetByteMax) chunks.push(chunk);
      byteCount += chunk.byteLength;
      if (byteCount <= answerByteMax) return;
      finish();
      outgoing.destroy();
    });
  });
  outgoing.end(body);
  return promise;
}

function beginningOf(chunks: readonly Buffer[]): string {
  const bytes = Buffer.concat(chunks).subarray(0, snippetByteMax);
  // `stream` leaves a character off that the cut went through.
  return new TextDecoder().decode(bytes, { stream: true });
}

function problemOfStatus(statusCode: number): string {
  return statusCode >= 300 && statusCode < 400
    ? `answered ${statusCode}: redirects are not followed`
    : `answered ${statusCode}`;
}

/** What another process, or a moment that has come, makes due is seen this soon. */
const lookPauseMs = 500;
/** After a change is told of, its transaction still has to end. */
const nudgePauseMs = 25;
const concurrencyMax = 64;
const concurrencyPerEndpoint = 4;
/** An endpoint may make us wait as long as this, not longer. */
const retryAfterMaxMs = 24 * 3_600_000;
/** Pauses differ by this much, so that what failed together doesn't come back together. */
const jitter = 0.1;
const tidyPauseMs = 10 * 60_000;
const forgottenPerRound = 500;
const stopPatienceMs = 1_000;
/** What was sent but could not be noted would go out again at once. */
const unnotedPauseMs = 10_000;

export interface DeliveryDeps {
  readonly database: Database;
  readonly targets: Targets;
  readonly log: Log;
  readonly settings: {
    readonly webhookRetryS: readonly number[];
    readonly webhookTimeoutS: number;
    readonly webhookLogDays: number;
  };
}

/** Counted since the start; what is pending is counted now. */
export interface DeliveryCounts {
  readonly delivered: number;
  readonly failed: number;
  readonly pending: number;
}

/** Sends what the outbox holds, from `start` on; what is in it survives any end of the program. */
export interface Delivering {
  start(): void;
  /** Have a look soon. */
  readonly nudge: () => void;
  /** One attempt at once, and none after it. @returns what came of it, and when */
  attemptOnce(delivery: DueDelivery): Promise<AttemptRecord>;
  counts(): Promise<DeliveryCounts>;
  /** Waits a moment for what is being sent; the rest goes out after the next start. */
  stop(): Promise<void>;
}

/** @param deps its settings tell how long and how often it is tried */
export function createDelivering(deps: DeliveryDeps): Delivering {
  return new Deliveries(deps);
}

class Deliveries implements Delivering {
  readonly #deps: DeliveryDeps;
  readonly #sending = new PQueue({ concurrency: concurrencyMax });
  readonly #stopping = new AbortController();
  /** Ids of deliveries that are queued or being sent, by endpoint. */
  readonly #underWay = new Map<number, Set<number>>();
  /** Endpoints whose last attempt failed: they get one place and come last. */
  readonly #ailing = new Set<number>();
  #isStopping = false;
  #delivered = 0;
  #failed = 0;
  #look: Promise<void> | undefined;
  #nudged: Timer | undefined;
  #timers: Timer[] = [];

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timers = [
      setInterval(() => this.#lookNow(), lookPauseMs),
      setInterval(this.#tidy, tidyPauseMs),
    ];
    this.#lookNow();
    this.#tidy();
  }

  readonly nudge = (): void => {
    this.#nudged ??= setTimeout(() => {
      this.#nudged = undefined;
      this.#lookNow();
    }, nudgePauseMs);
  };

  async attemptOnce(delivery: DueDelivery): Promise<AttemptRecord> {
    return this.#attempt(delivery, []);
  }

  async counts(): Promise<DeliveryCounts> {
    const pending = await pendingCount(this.#deps.database.read);
    return { delivered: this.#delivered, failed: this.#failed, pending };
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#nudged);
    await this.#look;
    this.#sending.pause();
    this.#sending.clear();
    await Promise.race([this.#sending.onPendingZero(), Bun.sleep(stopPatienceMs)]);
    this.#stopping.abort();
    await this.#sending.onPendingZero();
  }

  #lookNow(): void {
    if (this.#look !== undefined || this.#isStopping) return;
    this.#look = this.#queueWhatIsDue()
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'webhooks cannot be read'))
      .finally(() => {
        this.#look = undefined;
      });
  }

  async #queueWhatIsDue(): Promise<void> {
    const { read } = this.#deps.database;
    const now = new Date().toISOString();
    for (const endpointId of await dueEndpoints(read, now)) {
      const underWay = this.#underWay.get(endpointId) ?? new Set();
      const places = this.#ailing.has(endpointId) ? 1 : concurrencyPerEndpoint;
      if (underWay.size >= places) continue;
      const due = await dueDeliveries(read, endpointId, now, places + underWay.size);
      const fresh = due.filter(({ id }) => !underWay.has(id));
      for (const delivery of fresh.slice(0, places - underWay.size)) {
        underWay.add(delivery.id);
        this.#underWay.set(endpointId, underWay);
        this.#queue(delivery);
      }
    }
  }

  #queue(delivery: DueDelivery): void {
    const { id, endpoint_id: endpointId } = delivery;
    const priority = this.#ailing.has(endpointId) ? 0 : 1;
    const attempt = () => this.#attempt(delivery, this.#deps.settings.webhookRetryS);
    const sending = this.#sending
      .add(attempt, { priority })
      .catch(async (error: unknown) => {
        if (this.#stopping.signal.aborted) return;
        this.#deps.log.warn({ err: error, delivery: id }, 'a webhook could not be noted');
        await Bun.sleep(unnotedPauseMs);
      })
      .finally(() => {
        const underWay = this.#underWay.get(endpointId);
        underWay?.delete(id);
        if (underWay?.size === 0) this.#underWay.delete(endpointId);
        this.nudge();
      });
    inBackground(sending, this.#deps.log, 'a webhook could not be noted');
  }

  /** @param retryS pauses before further attempts */
  async #attempt(delivery: DueDelivery, retryS: readonly number[]): Promise<AttemptRecord> {
    const { database, targets, settings } = this.#deps;
    const started = performance.now();
    const at = new Date();
    const outcome = await send(targets, {
      url: delivery.url,
      headers: signatureHeaders(delivery, delivery.message_id, delivery.body, at),
      body: delivery.body,
      timeoutMs: settings.webhookTimeoutS * 1000,
      stopping: this.#stopping.signal,
    });
    const { statusCode, error, response } = outcome;
    const isGone = statusCode === 410;
    const record: AttemptRecord = {
      ...{ at: at.toISOString(), statusCode, error, response },
      durationMs: Math.round(performance.now() - started),
      nextAttemptAt:
        error === null || isGone ? null : nextAttemptAt(outcome, retryS[delivery.failure_count]),
      disabledReason: isGone ? 'The receiver answered 410 Gone' : null,
    };
    await database.writeLazily((db) => recordAttempt(db, delivery, record));
    this.#count(delivery, record);
    return record;
  }

  #count({ endpoint_id: endpointId }: DueDelivery, { error, nextAttemptAt }: AttemptRecord): void {
    if (error === null) {
      this.#ailing.delete(endpointId);
      this.#delivered += 1;
    } else {
      this.#ailing.add(endpointId);
      if (nextAttemptAt === null) this.#failed += 1;
    }
  }

  readonly #tidy = (): void => {
    const { database, settings, log } = this.#deps;
    const olderThan = new Date(Date.now() - settings.webhookLogDays * 86_400_000).toISOString();
    const forget = () =>
      database.writeLazily((db) => forgetDeliveries(db, olderThan, forgottenPerRound));
    const forgetAll = async (): Promise<void> => {
      while ((await forget()) === forgottenPerRound) await Bun.sleep(50);
    };
    inBackground(forgetAll(), log, 'old webhooks could not be forgotten');
  };
}

/** @param pauseS what the schedule says; undefined when it is spent. @returns null for never again */
function nextAttemptAt({ retryAfterMs }: Outcome, pauseS: number | undefined): string | null {
  if (pauseS === undefined) return null;
  const pauseMs = pauseS * 1000 * (1 + jitter * (2 * Math.random() - 1));
  const asked = Math.min(retryAfterMs ?? 0, retryAfterMaxMs);
  return new Date(Date.now() + Math.max(pauseMs, asked)).toISOString();
}
