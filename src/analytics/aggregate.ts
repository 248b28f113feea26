import PQueue from 'p-queue';
import { currentTimeMs, dayAt } from '../clock.ts';
import type { Database, Queries } from '../database/database.ts';
import type { EventSource } from '../database/feature-schema.ts';
import { AppError } from '../errors.ts';
import type { CompletedRequest } from '../http/endpoint.ts';
import type { PlanLimits } from '../setting.ts';
import type { EventType, ParsedEvent, Submission } from './schema.ts';
import {
  type EventDimensions,
  type EventKey,
  findSection,
  findStoredEvents,
  incrementKeyRequestCounts,
  incrementQuotaUsage,
  type KeyRequestCount,
  type Listener,
  listQuotaUsage,
  type MetricName,
  type MetricRow,
  type PostAudio,
  type QuotaUsage,
} from './store.ts';

/** Parts of an audio in the retention curve. */
export const retentionPartCount = 20;

/** The members of an event that metrics use. */
export interface CountableEvent extends EventDimensions {
  readonly type: EventType;
  readonly positionS: number | null;
  readonly heardS: number | null;
  /** Duration of the audio; null: unknown. */
  readonly durationS: number | null;
}

type MetricTotals = Map<MetricName, number>;

/** Sums events, so that many of them change few rows. */
export class MetricAggregator {
  /** Broken down at the end: the events of a batch have few combinations of dimensions. */
  readonly #events = new Map<string, { place: EventDimensions; amounts: MetricTotals }>();
  readonly #rows = new Map<string, MetricRow>();

  toRows(): MetricRow[] {
    for (const { place, amounts } of this.#events.values()) this.#split(place, amounts);
    this.#events.clear();
    return [...this.#rows.values()];
  }

  addEvent(event: CountableEvent): void {
    const { type, heardS } = event;
    const amounts = this.#getTotals(event);
    increment(amounts, type, 1);
    if (heardS !== null && heardS > 0) increment(amounts, 'heard_s', heardS);
    for (const [part, times] of computeHeardParts(event)) {
      increment(amounts, `part.${String(part).padStart(2, '0')}`, times);
    }
  }

  /**
   * Counts each session once a day wherever it listens.
   * @param newListeners new combinations of session and dimensions
   * @param earlier known combinations of these sessions
   */
  addListeners(newListeners: readonly Listener[], earlier: readonly Listener[]): void {
    const counted = new Set(
      earlier.flatMap((event) => listBreakdowns(event).map((split) => formatBreakdownKey(event, split))),
    );
    for (const listener of newListeners) {
      for (const split of listBreakdowns(listener)) {
        const id = formatBreakdownKey(listener, split);
        if (counted.has(id)) continue;
        counted.add(id);
        this.#add(listener, split, 'listeners', 1);
      }
    }
  }

  #getTotals(place: EventDimensions): MetricTotals {
    const { siteId, day, post, language, voiceId, device, source } = place;
    const key = JSON.stringify([siteId, day, post, language, voiceId, device, source]);
    return this.#events.getOrInsertComputed(key, () => ({ place, amounts: new Map() })).amounts;
  }

  /** The retention curve is not broken down. */
  #split(place: EventDimensions, amounts: MetricTotals): void {
    for (const split of listBreakdowns(place)) {
      for (const [metric, amount] of amounts) {
        if (metric.startsWith('part.') && split.dimension !== 'all') continue;
        this.#add(place, split, metric, amount);
      }
    }
  }

  #add({ siteId, day }: EventDimensions, { post, dimension, value }: Breakdown, metric: MetricName, amount: number) {
    const key = JSON.stringify([siteId, post, dimension, day, value, metric]);
    const row = this.#rows.get(key);
    if (row === undefined) {
      this.#rows.set(key, [siteId, post, dimension, day, value, metric, amount]);
    } else {
      row[6] += amount;
    }
  }
}

function increment(amounts: MetricTotals, metric: MetricName, amount: number): void {
  amounts.set(metric, (amounts.get(metric) ?? 0) + amount);
}

/** The key of a metric: site or post, total or a value of a dimension. */
interface Breakdown {
  readonly post: string;
  readonly dimension: string;
  readonly value: string;
}

/** A post has one section, by which it is not broken down. */
function listBreakdowns({ post, section, language, voiceId, device, source }: EventDimensions): Breakdown[] {
  const values: [string, string][] = [
    ['all', ''],
    ['language', language],
    ['voice', voiceId === 0 ? '' : String(voiceId)],
    ['device', device],
    ['source', source],
  ];
  const splits = values.map(([dimension, value]) => ({ post: '', dimension, value }));
  splits.push({ post: '', dimension: 'post', value: post }, { post: '', dimension: 'section', value: section });
  if (post === '') return splits;
  return [...splits, ...values.map(([dimension, value]) => ({ post, dimension, value }))];
}

function formatBreakdownKey({ siteId, day, sessionId }: Listener, { post, dimension, value }: Breakdown): string {
  return JSON.stringify([siteId, day, sessionId, post, dimension, value]);
}

/** @returns index of each part that was heard, and how often; 0.5 for half of it */
function computeHeardParts({ positionS, heardS, durationS }: CountableEvent): [number, number][] {
  if (positionS === null || heardS === null || durationS === null || durationS <= 0) return [];
  const end = Math.min(positionS, durationS);
  const start = Math.max(0, positionS - heardS);
  const partS = durationS / retentionPartCount;
  const parts: [number, number][] = [];
  for (let part = Math.floor(start / partS); part < retentionPartCount && part * partS < end; part += 1) {
    const times = (Math.min(end, (part + 1) * partS) - Math.max(start, part * partS)) / partS;
    if (times > 0) parts.push([part, times]);
  }
  return parts;
}

/** Counts requests made with a key by route, status and day, without a write for each. */
export interface KeyRequestCounter {
  record(answered: CompletedRequest): void;
  /**
   * Resolves when all recorded requests are written. A crash loses the counts since the last flush.
   */
  flush(): Promise<void>;
}

export function createKeyRequestCounter(database: Database): KeyRequestCounter {
  let counts = new Map<string, KeyRequestCount>();
  const saves = new PQueue({ concurrency: 1 });
  const add = (requests: KeyRequestCount): void => {
    const { day, keyId, status, route } = requests;
    const key = `${day} ${keyId} ${status} ${route}`;
    const count = (counts.get(key)?.count ?? 0) + requests.count;
    counts.set(key, { ...requests, count });
  };
  const save = async (): Promise<void> => {
    if (counts.size === 0) return;
    const saving = [...counts.values()];
    counts = new Map();
    try {
      await database.write('server', (db) => incrementKeyRequestCounts(db, saving.map(withPathTemplate)), {
        sync: 'normal',
      });
    } catch (error) {
      // Written at the next flush, for example after a full disk.
      for (const requests of saving) add(requests);
      throw error;
    }
  };
  return {
    record: ({ siteId, timeZone, keyId, route, method, status }) => {
      if (siteId === undefined || timeZone === undefined || keyId === undefined || route === undefined) return;
      const day = dayAt(currentTimeMs(), timeZone);
      add({ siteId, day, keyId, route: `${method} ${route}`, status, count: 1 });
    },
    flush: () => saves.add(save),
  };
}

/** As in the OpenAPI document: `/v1/audio/{post_id}/status`. */
function withPathTemplate(requests: KeyRequestCount): KeyRequestCount {
  return { ...requests, route: requests.route.replace(/:(\w+)/g, '{$1}') };
}

export interface Attribution extends Pick<EventDimensions, 'post' | 'section' | 'language' | 'voiceId'> {
  /** Duration of the audio; null: unknown. */
  readonly durationS: number | null;
}

const noAttribution: Attribution = { post: '', section: '', language: '', voiceId: 0, durationS: null };
const defaultLanguage = 'en';

/**
 * Only existing posts get metrics of their own: senders cannot grow the tables with invented names.
 * @param audios of the post; one row of nulls for a post without audio, none for an unknown post
 * @param voices ids of all voices, also removed ones
 */
export function attributeEvent(
  event: ParsedEvent,
  audios: readonly PostAudio[],
  voices: ReadonlySet<number>,
): Attribution {
  const [first] = audios;
  if (first === undefined) return noAttribution;
  const language = resolveLanguage(event, audios);
  const spoken = audios.filter((audio) => audio.language === language);
  const main = spoken.find(({ isMain }) => isMain === 1);
  const playedAudio = spoken.find(({ voiceId }) => voiceId === event.voiceId) ?? main;
  const voiceId = event.voiceId ?? playedAudio?.voiceId ?? 0;
  return {
    post: event.postId,
    section: findSection(first.canonicalUrl),
    language,
    voiceId: voices.has(voiceId) ? voiceId : 0,
    durationS: playedAudio?.durationMs == null ? null : playedAudio.durationMs / 1000,
  };
}

function resolveLanguage(event: ParsedEvent, audios: readonly PostAudio[]): string {
  const wanted =
    event.language ??
    audios.find(({ voiceId }) => voiceId !== null && voiceId === event.voiceId)?.language ??
    defaultLanguage;
  if (audios.some(({ language }) => language === wanted)) return wanted;
  if (event.language !== null) return '';
  return audios.find(({ isMain }) => isMain === 1)?.language ?? '';
}

/** Selects new events within the monthly quota, one request after the other, in one transaction. */
export interface EventDeduplicator {
  /** @returns the new events; an error if they exceed the quota, `not_found` for a deleted site */
  deduplicate(submission: Submission): readonly ParsedEvent[] | AppError;
  saveQuotaUsage(db: Queries): Promise<void>;
}

type Sender = Pick<Submission, 'siteId' | 'source'>;

/**
 * @param submissions all that will be checked
 * @param eventsPerMonth by plan
 */
export async function createEventDeduplicator(
  db: Queries,
  submissions: readonly Submission[],
  eventsPerMonth: PlanLimits,
  now: Date,
): Promise<EventDeduplicator> {
  const month = now.toISOString().slice(0, 7);
  const storedKeys = await findStoredKeys(db, submissions);
  const senders = new Map(
    submissions.map(({ siteId, source }) => [formatSenderKey({ siteId, source }), { siteId, source }]),
  );
  const pairs = [...senders.values()].map(({ siteId, source }) => [siteId, source] as const);
  const usages = new Map((await listQuotaUsage(db, pairs, month)).map((usage) => [formatSenderKey(usage), usage]));
  const added = new Map<string, number>();
  return {
    deduplicate: (submission) => {
      const key = formatSenderKey(submission);
      const usage = usages.get(key);
      if (usage === undefined) return new AppError('not_found', 'Site not found');
      const { newEvents, names } = selectNewEvents(submission, storedKeys);
      const before = added.get(key) ?? 0;
      const problem = checkQuota(usage, before, newEvents.length, eventsPerMonth, month);
      if (problem !== undefined) return problem;
      for (const name of names) storedKeys.add(name);
      added.set(key, before + newEvents.length);
      return newEvents;
    },
    saveQuotaUsage: async (db) => {
      const counts = [...senders].flatMap(([key, { siteId, source }]) => {
        const count = added.get(key) ?? 0;
        return count === 0 ? [] : [[siteId, source, count] as const];
      });
      if (counts.length > 0) await incrementQuotaUsage(db, counts, month);
    },
  };
}

async function findStoredKeys(db: Queries, submissions: readonly Submission[]): Promise<Set<string>> {
  const names = submissions.flatMap((submission) =>
    submission.events.flatMap(({ eventId }) => (eventId === null ? [] : [toEventKey(submission, eventId)])),
  );
  if (names.length === 0) return new Set();
  const stored = await findStoredEvents(db, names);
  return new Set(names.filter((_, place) => stored.has(place)).map(serializeEventKey));
}

/** @returns the events that were not sent before, also within the batch, and their keys */
function selectNewEvents(
  submission: Submission,
  storedKeys: ReadonlySet<string>,
): { newEvents: ParsedEvent[]; names: ReadonlySet<string> } {
  const names = new Set<string>();
  const newEvents = submission.events.filter(({ eventId }) => {
    if (eventId === null) return true;
    const name = serializeEventKey(toEventKey(submission, eventId));
    if (storedKeys.has(name) || names.has(name)) return false;
    names.add(name);
    return true;
  });
  return { newEvents, names };
}

function checkQuota(
  usage: QuotaUsage,
  added: number,
  wanted: number,
  eventsPerMonth: PlanLimits,
  month: string,
): AppError | undefined {
  const limit = eventsPerMonth[usage.plan];
  const used = usage.used + added;
  if (wanted === 0 || used + wanted <= limit) return undefined;
  return new AppError('analytics_quota_exceeded', 'Analytics quota exceeded', {
    quota: [`${used} of ${limit} events used in ${month}`],
  });
}

function formatSenderKey({ siteId, source }: { siteId: number; source: EventSource }): string {
  return `${siteId} ${source}`;
}

function toEventKey({ siteId, source }: Sender, eventId: string): EventKey {
  return [siteId, source, eventId];
}

function serializeEventKey(name: EventKey): string {
  return JSON.stringify(name);
}
