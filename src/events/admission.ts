import type { EventSource } from '../database/event-tables.ts';
import type { Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import type { PlanFigures } from '../setting.ts';
import type { CheckedEvent, Submission } from './request.ts';
import { addQuotaUse, type EventName, type QuotaUse, quotaUses, storedEvents } from './store.ts';

/** Decides which events are new and fit into the month's quota, one request after the other, in one transaction. */
export interface Admission {
  /** @returns the new events; an error when they don't fit in whole, `not_found` when there is no such site any more */
  admit(submission: Submission): readonly CheckedEvent[] | AppError;
  /** Writes down what was admitted. */
  close(db: Queries): Promise<void>;
}

/** What one site sends from one side. */
type Sender = Pick<Submission, 'siteId' | 'source'>;

/**
 * @param submissions that will be asked about
 * @param eventsPerMonth by plan
 */
export async function openAdmission(
  db: Queries,
  submissions: readonly Submission[],
  eventsPerMonth: PlanFigures,
  now: Date,
): Promise<Admission> {
  const month = now.toISOString().slice(0, 7);
  const known = await knownNames(db, submissions);
  const senders = new Map(
    submissions.map(({ siteId, source }) => [keyOf({ siteId, source }), { siteId, source }]),
  );
  const asked = [...senders.values()].map(({ siteId, source }) => [siteId, source] as const);
  const uses = new Map((await quotaUses(db, asked, month)).map((use) => [keyOf(use), use]));
  const added = new Map<string, number>();
  return {
    admit: (submission) => {
      const key = keyOf(submission);
      const use = uses.get(key);
      if (use === undefined) return new AppError('not_found', 'There is no such site');
      const { fresh, names } = freshOnes(submission, known);
      const before = added.get(key) ?? 0;
      const problem = quotaProblem(use, before, fresh.length, eventsPerMonth, month);
      if (problem !== undefined) return problem;
      for (const name of names) known.add(name);
      added.set(key, before + fresh.length);
      return fresh;
    },
    close: async (db) => {
      const counts = [...senders].flatMap(([key, { siteId, source }]) => {
        const count = added.get(key) ?? 0;
        return count === 0 ? [] : [[siteId, source, count] as const];
      });
      if (counts.length > 0) await addQuotaUse(db, counts, month);
    },
  };
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

/** @returns the events that were not sent before, and their names: within a batch too each counts once */
function freshOnes(
  submission: Submission,
  known: ReadonlySet<string>,
): { fresh: CheckedEvent[]; names: ReadonlySet<string> } {
  const names = new Set<string>();
  const fresh = submission.events.filter(({ eventId }) => {
    if (eventId === null) return true;
    const name = nameKey(nameOf(submission, eventId));
    if (known.has(name) || names.has(name)) return false;
    names.add(name);
    return true;
  });
  return { fresh, names };
}

function quotaProblem(
  use: QuotaUse,
  added: number,
  wanted: number,
  eventsPerMonth: PlanFigures,
  month: string,
): AppError | undefined {
  const most = eventsPerMonth[use.plan];
  const used = use.used + added;
  if (wanted === 0 || used + wanted <= most) return undefined;
  return new AppError('analytics_quota_exceeded', 'Analytics quota exceeded', {
    quota: [`${used} of ${most} events used in ${month}`],
  });
}

function keyOf({ siteId, source }: { siteId: number; source: EventSource }): string {
  return `${siteId} ${source}`;
}

function nameOf({ siteId, source }: Sender, eventId: string): EventName {
  return [siteId, source, eventId];
}

function nameKey(name: EventName): string {
  return JSON.stringify(name);
}
