import { inBackground } from '../background.ts';
import type { Database, Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { PlanFigures } from '../setting.ts';
import { Figures, type Listener, openAdmission, type Subject, subjectOf } from './aggregate.ts';
import type { CheckedEvent, Submission } from './routes.ts';
import type { EventsAnswer } from './schema.ts';
import {
  addFigures,
  type EventRow,
  insertEvents,
  insertListeners,
  listenersBefore,
  postAudios,
  voiceIds,
} from './store.ts';

/** Later ones get the time of their receipt. */
const lateMs = 7 * 86_400_000;

interface Accepted {
  readonly submission: Submission;
  readonly event: CheckedEvent;
}

/**
 * Stores events with all that is summed up of them; run it in a transaction.
 * @param eventsPerMonth by plan
 * @returns for each submission what became of it: it is taken whole or refused whole
 */
async function writeEvents(
  db: Queries,
  submissions: readonly Submission[],
  eventsPerMonth: PlanFigures,
  now: Date,
): Promise<(EventsAnswer | AppError)[]> {
  const admission = await openAdmission(db, submissions, eventsPerMonth, now);
  const accepted: Accepted[] = [];
  const outcomes = submissions.map((submission) => {
    const fresh = admission.admit(submission);
    if (fresh instanceof AppError) return fresh;
    accepted.push(...fresh.map((event) => ({ submission, event })));
    return { accepted: fresh.length, duplicates: submission.events.length - fresh.length };
  });
  await admission.close(db);
  if (accepted.length > 0) await store(db, accepted, now);
  return outcomes;
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

/** Longest wait for others to share a transaction with. */
const shareMs = 250;
/** So many requests don't wait for more. */
const sharedRequests = 32;
/** What is written at once holds up everything else meanwhile. */
const eventsPerTransaction = 500;
const waitingEventsMax = 20_000;

/** Where events are handed in. */
export interface Intake {
  /**
   * Returns once the events are stored: what was answered survives a crash of the program.
   * @throws AppError `analytics_quota_exceeded`, `events_waiting` when more come in than can be written
   */
  accept(submission: Submission): Promise<EventsAnswer>;
}

interface Waiting {
  readonly submission: Submission;
  readonly settle: PromiseWithResolvers<EventsAnswer>;
}

/**
 * Stores the events of many requests in one transaction.
 * @param eventsPerMonth by plan
 */
export function createIntake(database: Database, eventsPerMonth: PlanFigures, log: Log): Intake {
  const waiting: Waiting[] = [];
  let waitingEvents = 0;
  let timer: Timer | undefined;
  let isWriting = false;

  const writeAll = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting) return;
    isWriting = true;
    while (waiting.length > 0) {
      const taken = takeSome(waiting);
      await write(database, taken, eventsPerMonth);
      waitingEvents -= eventCount(taken);
    }
    isWriting = false;
  };
  const beginWriting = () => inBackground(writeAll(), log, 'events could not be written');
  return {
    accept: (submission) => {
      if (waitingEvents + submission.events.length > waitingEventsMax) {
        throw new AppError('events_waiting', 'Too many events are waiting');
      }
      const settle = Promise.withResolvers<EventsAnswer>();
      waiting.push({ submission, settle });
      waitingEvents += submission.events.length;
      if (waiting.length >= sharedRequests) beginWriting();
      else timer ??= setTimeout(beginWriting, shareMs);
      return settle.promise;
    },
  };
}

function takeSome(waiting: Waiting[]): Waiting[] {
  let count = 0;
  const end = waiting.findIndex(({ submission }, place) => {
    count += submission.events.length;
    return place > 0 && count > eventsPerTransaction;
  });
  return waiting.splice(0, end === -1 ? waiting.length : end);
}

function eventCount(taken: readonly Waiting[]): number {
  return taken.reduce((sum, { submission }) => sum + submission.events.length, 0);
}

async function write(
  database: Database,
  taken: readonly Waiting[],
  eventsPerMonth: PlanFigures,
): Promise<void> {
  const submissions = taken.map(({ submission }) => submission);
  try {
    const outcomes = await database.writeLazily((db) =>
      writeEvents(db, submissions, eventsPerMonth, new Date()),
    );
    for (const [place, { settle }] of taken.entries()) {
      const outcome = outcomes[place];
      if (outcome === undefined || outcome instanceof AppError) settle.reject(outcome);
      else settle.resolve(outcome);
    }
  } catch (error) {
    for (const { settle } of taken) settle.reject(error);
  }
}
