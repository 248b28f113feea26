import { inBackground } from '../background.ts';
import type { Database } from '../database/open.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { PlanFigures } from '../setting.ts';
import type { Submission } from './request.ts';
import type { EventsAnswer } from './schema.ts';
import { writeEvents } from './write.ts';

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
