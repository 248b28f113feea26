import type { PlanFigures } from '../config.ts';
import type { DeviceClass, EventSource } from '../database/event-tables.ts';
import type { Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { Figures, type Listener } from './figures.ts';
import { type Subject, subjectOf } from './placing.ts';
import type { CheckedEvent } from './request.ts';
import type { EventsAnswer } from './schema.ts';
import {
  addFigures,
  addQuotaUse,
  type EventName,
  type EventRow,
  insertEvents,
  insertListeners,
  listenersBefore,
  postAudios,
  type QuotaUse,
  quotaUses,
  storedEvents,
  voiceIds,
} from './store.ts';

/** Later ones get the time of their receipt. */
const lateMs = 7 * 86_400_000;

/** The events of one request. */
export interface Submission {
  readonly siteId: number;
  readonly source: EventSource;
  readonly device: DeviceClass;
  readonly events: readonly CheckedEvent[];
}

interface Accepted {
  readonly submission: Submission;
  readonly event: CheckedEvent;
}

/**
 * Stores events with all that is summed up of them; run it in a transaction.
 * @param eventsPerMonth by plan
 * @returns for each submission what became of it: it is taken whole or refused whole
 */
export async function writeEvents(
  db: Queries,
  submissions: readonly Submission[],
  eventsPerMonth: PlanFigures,
  now: Date,
): Promise<(EventsAnswer | AppError)[]> {
  const { outcomes, accepted } = await admit(db, submissions, eventsPerMonth, now);
  if (accepted.length > 0) await store(db, accepted, now);
  return outcomes;
}

async function admit(
  db: Queries,
  submissions: readonly Submission[],
  eventsPerMonth: PlanFigures,
  now: Date,
): Promise<{ outcomes: (EventsAnswer | AppError)[]; accepted: Accepted[] }> {
  const month = now.toISOString().slice(0, 7);
  const known = await knownNames(db, submissions);
  const sources = new Map(
    submissions.map(({ siteId, source }) => [sourceKey({ siteId, source }), [siteId, source]]),
  ) as Map<string, readonly [number, EventSource]>;
  const uses = new Map(
    (await quotaUses(db, [...sources.values()], month)).map((use) => [sourceKey(use), use]),
  );
  const added = new Map<string, number>();
  const accepted: Accepted[] = [];
  const outcomes = submissions.map((submission) => {
    const { events } = submission;
    const use = uses.get(sourceKey(submission));
    if (use === undefined) return new AppError('not_found', 'There is no such site');
    const names = new Set<string>();
    const fresh = events.filter((event) => {
      if (event.eventId === null) return true;
      const name = nameKey(nameOf(submission, event.eventId));
      if (known.has(name) || names.has(name)) return false;
      names.add(name);
      return true;
    });
    const key = sourceKey(submission);
    const used = use.used + (added.get(key) ?? 0);
    const problem = quotaProblem(use, used, fresh.length, eventsPerMonth, month);
    if (problem !== undefined) return problem;
    for (const name of names) known.add(name);
    added.set(key, (added.get(key) ?? 0) + fresh.length);
    accepted.push(...fresh.map((event) => ({ submission, event })));
    return { accepted: fresh.length, duplicates: events.length - fresh.length };
  });
  const counted = [...sources].map(
    ([key, [siteId, source]]) => [siteId, source, added.get(key) ?? 0] as const,
  );
  await addQuotaUse(
    db,
    counted.filter(([, , count]) => count > 0),
    month,
  );
  return { outcomes, accepted };
}

async function knownNames(db: Queries, submissions: readonly Submission[]): Promise<Set<string>> {
  const names = submissions.flatMap((submission) =>
    submission.events.flatMap(({ eventId }) =>
      eventId === null ? [] : [nameOf(submission, eventId)],
    ),
  );
  if (names.length === 0) return new Set();
  const stored = await storedEvents(db, names);
  return new Set(names.filter((_, place) => stored.has(place)).map(nameKey));
}

function nameOf({ siteId, source }: Submission, eventId: string): EventName {
  return [siteId, source, eventId];
}

function nameKey(name: EventName): string {
  return JSON.stringify(name);
}

function sourceKey({ siteId, source }: { siteId: number; source: EventSource }): string {
  return `${siteId} ${source}`;
}

function quotaProblem(
  { plan }: QuotaUse,
  used: number,
  wanted: number,
  eventsPerMonth: PlanFigures,
  month: string,
): AppError | undefined {
  const most = eventsPerMonth[plan];
  if (wanted === 0 || used + wanted <= most) return undefined;
  return new AppError('analytics_quota_exceeded', 'Analytics quota exceeded', {
    quota: [`${used} of ${most} events used in ${month}`],
  });
}

async function store(db: Queries, accepted: readonly Accepted[], now: Date): Promise<void> {
  const subjects = await subjectsOf(db, accepted);
  const receivedAt = now.toISOString();
  const rows: EventRow[] = [];
  const figures = new Figures();
  const listeners = new Map<string, Listener>();
  for (const one of accepted) {
    const { submission, event } = one;
    const { siteId, source, device } = submission;
    const { post, language, voiceId, durationS } = subjects(one);
    const occurredAt = saneMoment(event.occurredAt, now) ?? receivedAt;
    const place = { siteId, source, device, post, language, voiceId, day: occurredAt.slice(0, 10) };
    const { type, positionS, heardS, sessionId, eventId, value } = event;
    figures.addEvent({ ...place, type, positionS, heardS, durationS });
    if (sessionId !== null && (type === 'play' || (heardS ?? 0) > 0)) {
      const listener = { ...place, sessionId };
      listeners.set(listenerKey(listener), listener);
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
  await countListeners(db, listeners, figures);
  await addFigures(db, figures.rows());
}

async function countListeners(
  db: Queries,
  listeners: ReadonlyMap<string, Listener>,
  figures: Figures,
): Promise<void> {
  if (listeners.size === 0) return;
  const before = await listenersBefore(db, [...listeners.values()]);
  const known = new Set(before.map(listenerKey));
  const fresh = [...listeners].filter(([key]) => !known.has(key)).map(([, listener]) => listener);
  figures.addListeners(fresh, before);
  await insertListeners(db, fresh);
}

function listenerKey(one: Listener): string {
  const { siteId, day, sessionId, post, language, voiceId, device, source } = one;
  return JSON.stringify([siteId, day, sessionId, post, language, voiceId, device, source]);
}

async function subjectsOf(
  db: Queries,
  accepted: readonly Accepted[],
): Promise<(one: Accepted) => Subject> {
  const keyOf = (siteId: number, post: string) => JSON.stringify([siteId, post]);
  const posts = new Map(
    accepted.map(({ submission: { siteId }, event: { postId } }) => [
      keyOf(siteId, postId),
      [siteId, postId] as const,
    ]),
  );
  const voices = await voiceIds(db);
  const audios = Map.groupBy(await postAudios(db, [...posts.values()]), ({ siteId, post }) =>
    keyOf(siteId, post),
  );
  return ({ submission, event }) =>
    subjectOf(event, audios.get(keyOf(submission.siteId, event.postId)) ?? [], voices);
}

/** @returns undefined for a moment that can't be believed, or comes too late to be counted by */
function saneMoment(given: string | null, now: Date): string | undefined {
  const age = given === null ? Number.NaN : now.getTime() - Date.parse(given);
  return age >= 0 && age <= lateMs ? (given ?? undefined) : undefined;
}
