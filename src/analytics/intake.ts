import { runInBackground } from '../background.ts';
import { currentTimeMs, dayAt, dayMs, timestamp } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database, Queries } from '../database/database.ts';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import {
  type CreateWindowCounter,
  clientNetwork,
  consumeAttempt,
  maxCallers,
  type WindowCounter,
} from '../http/rate-limit.ts';
import type { Log } from '../log.ts';
import type { PlanLimits } from '../setting.ts';
import { type Attribution, attributeEvent, createEventDeduplicator, MetricAggregator } from './aggregate.ts';
import type { AcceptedEvents, ParsedEvent, Submission } from './schema.ts';
import {
  type EventRow,
  findEarlierListeners,
  incrementMetrics,
  insertEvents,
  insertListeners,
  type Listener,
  listPostAudios,
  listVoiceIds,
} from './store.ts';

/** Older events get the time of receipt. */
const maxEventAgeMs = 7 * dayMs;

interface AcceptedEvent {
  readonly submission: Submission;
  readonly event: ParsedEvent;
}

/**
 * Stores events and their metrics; run it in a transaction.
 * @param eventsPerMonth by plan
 * @returns the outcome of each submission, which is accepted or rejected as a whole
 */
async function writeEvents(
  db: Queries,
  submissions: readonly Submission[],
  eventsPerMonth: PlanLimits,
  now: Date,
): Promise<(AcceptedEvents | AppError)[]> {
  const deduplicator = await createEventDeduplicator(db, submissions, eventsPerMonth, now);
  const accepted: AcceptedEvent[] = [];
  const outcomes = submissions.map((submission) => {
    const newEvents = deduplicator.deduplicate(submission);
    if (newEvents instanceof AppError) return newEvents;
    accepted.push(...newEvents.map((event) => ({ submission, event })));
    return { accepted: newEvents.length, duplicates: submission.events.length - newEvents.length };
  });
  await deduplicator.saveQuotaUsage(db);
  if (accepted.length > 0) await storeEvents(db, accepted, now);
  return outcomes;
}

async function storeEvents(db: Queries, accepted: readonly AcceptedEvent[], now: Date): Promise<void> {
  const attribute = await loadAttributions(db, accepted);
  const receivedAt = now.toISOString();
  const rows: EventRow[] = [];
  const metrics = new MetricAggregator();
  const listeners = new Map<string, Listener>();
  for (const item of accepted) {
    const { submission, event } = item;
    const { siteId, timeZone, source, device } = submission;
    const { durationS, ...attribution } = attribute(item);
    const { post, language, voiceId } = attribution;
    const occurredAt = validTimestamp(event.occurredAt, now) ?? receivedAt;
    const day = dayAt(Date.parse(occurredAt), timeZone);
    const place = { siteId, source, device, ...attribution, day };
    const { type, positionS, heardS, sessionId, eventId, value } = event;
    metrics.addEvent({ ...place, type, positionS, heardS, durationS });
    if (sessionId !== null && (type === 'play' || (heardS ?? 0) > 0)) {
      const listener = { ...place, sessionId };
      listeners.set(formatListenerKey(listener), listener);
    }
    rows.push([
      siteId,
      source,
      eventId,
      type,
      post || null,
      language || null,
      voiceId || null,
      sessionId,
      device,
      positionS,
      heardS,
      value,
      occurredAt,
      receivedAt,
    ]);
  }
  await insertEvents(db, rows);
  await countListeners(db, listeners, metrics);
  await incrementMetrics(db, metrics.toRows());
}

async function countListeners(
  db: Queries,
  listeners: ReadonlyMap<string, Listener>,
  metrics: MetricAggregator,
): Promise<void> {
  if (listeners.size === 0) return;
  const before = await findEarlierListeners(db, [...listeners.values()]);
  const stored = new Set(before.map(formatListenerKey));
  const newListeners = [...listeners].filter(([key]) => !stored.has(key)).map(([, listener]) => listener);
  metrics.addListeners(newListeners, before);
  await insertListeners(db, newListeners);
}

function formatListenerKey(listener: Listener): string {
  const { siteId, day, sessionId, post, language, voiceId, device, source } = listener;
  return JSON.stringify([siteId, day, sessionId, post, language, voiceId, device, source]);
}

async function loadAttributions(
  db: Queries,
  accepted: readonly AcceptedEvent[],
): Promise<(event: AcceptedEvent) => Attribution> {
  const keyOf = (siteId: number, post: string) => JSON.stringify([siteId, post]);
  const posts = new Map(
    accepted.map(({ submission: { siteId }, event: { postId } }) => [keyOf(siteId, postId), [siteId, postId] as const]),
  );
  const voices = await listVoiceIds(db);
  const audios = Map.groupBy(await listPostAudios(db, [...posts.values()]), ({ siteId, post }) => keyOf(siteId, post));
  return ({ submission, event }) =>
    attributeEvent(event, audios.get(keyOf(submission.siteId, event.postId)) ?? [], voices);
}

/** @returns undefined for a future or too old time */
function validTimestamp(given: string | null, now: Date): string | undefined {
  const age = given === null ? Number.NaN : now.getTime() - Date.parse(given);
  return age >= 0 && age <= maxEventAgeMs ? (given ?? undefined) : undefined;
}

/** How long a request waits for others that share its transaction. */
const batchDelayMs = 250;
const maxBatchRequests = 32;
/** A larger transaction would delay other writes. */
const maxBatchEvents = 500;
const maxPendingEvents = 20_000;

export interface Intake {
  /**
   * Resolves when the events are stored, so that accepted events survive a crash.
   * @throws AppError `analytics_quota_exceeded`, `events_waiting` when more come in than can be written
   */
  accept(submission: Submission): Promise<AcceptedEvents>;
}

interface PendingSubmission {
  readonly submission: Submission;
  readonly completion: PromiseWithResolvers<AcceptedEvents>;
}

/**
 * Stores the events of many requests in one transaction.
 * @param eventsPerMonth by plan
 */
export function createIntake(database: Database, eventsPerMonth: PlanLimits, log: Log): Intake {
  const waiting: PendingSubmission[] = [];
  let waitingEvents = 0;
  let timer: Timer | undefined;
  let isWriting = false;

  const writeAll = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting) return;
    isWriting = true;
    while (waiting.length > 0) {
      const batch = takeBatch(waiting);
      await writeBatch(database, batch, eventsPerMonth);
      waitingEvents -= countEvents(batch);
    }
    isWriting = false;
  };
  const beginWriting = () => runInBackground(writeAll(), log, 'writing events failed');
  return {
    accept: (submission) => {
      if (waitingEvents + submission.events.length > maxPendingEvents) {
        throw new AppError('events_waiting');
      }
      const settle = Promise.withResolvers<AcceptedEvents>();
      waiting.push({ submission, completion: settle });
      waitingEvents += submission.events.length;
      if (waiting.length >= maxBatchRequests) beginWriting();
      else timer ??= setTimeout(beginWriting, batchDelayMs);
      return settle.promise;
    },
  };
}

function takeBatch(waiting: PendingSubmission[]): PendingSubmission[] {
  let count = 0;
  const end = waiting.findIndex(({ submission }, place) => {
    count += submission.events.length;
    return place > 0 && count > maxBatchEvents;
  });
  return waiting.splice(0, end === -1 ? waiting.length : end);
}

function countEvents(batch: readonly PendingSubmission[]): number {
  return batch.reduce((sum, { submission }) => sum + submission.events.length, 0);
}

async function writeBatch(
  database: Database,
  batch: readonly PendingSubmission[],
  eventsPerMonth: PlanLimits,
): Promise<void> {
  const submissions = batch.map(({ submission }) => submission);
  try {
    const outcomes = await database.write(
      'server',
      (db) => writeEvents(db, submissions, eventsPerMonth, new Date(currentTimeMs())),
      { sync: 'normal' },
    );
    for (const [place, { completion: settle }] of batch.entries()) {
      const outcome = outcomes[place];
      if (outcome === undefined || outcome instanceof AppError) settle.reject(outcome);
      else settle.resolve(outcome);
    }
  } catch (error) {
    for (const { completion: settle } of batch) settle.reject(error);
  }
}

type AddressLimitSettings = Pick<
  Config,
  'eventsPerAddress' | 'eventQuotaSharePercent' | 'maxFailuresPerMinute' | 'quotaEvents'
>;

/** What one client address may store. Shares of the month are in memory only, so a restart resets them. */
export class AddressLimits {
  readonly #events: WindowCounter;
  readonly #unknownDomains: WindowCounter;
  readonly #settings: AddressLimitSettings;
  #month = '';
  /** Events of the month by site and address. */
  readonly #monthly = new Map<string, number>();

  constructor(settings: AddressLimitSettings, createCounter: CreateWindowCounter) {
    this.#settings = settings;
    this.#events = createCounter('events by address', settings.eventsPerAddress);
    this.#unknownDomains = createCounter('unknown domains', settings.maxFailuresPerMinute);
  }

  get size(): number {
    return this.#events.size + this.#unknownDomains.size + this.#monthly.size;
  }

  /** Counts a request for an unknown domain. @throws AppError `rate_limited` */
  async countUnknownDomain(request: Request): Promise<void> {
    await consumeAttempt(request, this.#unknownDomains, clientNetwork(request));
  }

  /**
   * Counts events before they are stored.
   * @param host of the request
   * @returns takes back events that were not stored
   * @throws AppError `rate_limited`, `analytics_quota_exceeded`
   */
  async countEvents(
    request: Request,
    site: Site,
    host: string,
    count: number,
  ): Promise<(unstored: number) => Promise<void>> {
    const network = clientNetwork(request);
    const caller = `${host} ${network}`;
    const monthlyKey = `${site.id} ${network}`;
    this.#requireShare(site, monthlyKey, count);
    await consumeAttempt(request, this.#events, caller, count);
    this.#addToMonth(monthlyKey, count);
    return async (unstored) => {
      this.#addToMonth(monthlyKey, -unstored);
      if (unstored > 0) await this.#events.refund(caller, unstored);
    };
  }

  #requireShare(site: Site, monthlyKey: string, count: number): void {
    const { eventQuotaSharePercent: percent, quotaEvents } = this.#settings;
    const limit = quotaEvents[site.plan];
    if (percent === undefined || limit === Number.POSITIVE_INFINITY) return;
    const share = Math.floor((limit * percent) / 100);
    const used = this.#used(monthlyKey);
    if (used + count <= share) return;
    throw new AppError('analytics_quota_exceeded', 'Analytics quota exceeded', {
      quota: [`${used} of ${share} events used by your address in ${this.#month}`],
    });
  }

  #used(monthlyKey: string): number {
    const month = timestamp().slice(0, 'YYYY-MM'.length);
    if (month !== this.#month) this.#monthly.clear();
    this.#month = month;
    return this.#monthly.get(monthlyKey) ?? 0;
  }

  #addToMonth(monthlyKey: string, count: number): void {
    if (this.#settings.eventQuotaSharePercent === undefined) return;
    this.#monthly.set(monthlyKey, Math.max(0, this.#used(monthlyKey) + count));
    const [oldest = ''] = this.#monthly.keys();
    if (this.#monthly.size > maxCallers) this.#monthly.delete(oldest);
  }
}
