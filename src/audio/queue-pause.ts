import { insertAuditEntry, resolveActor } from '../auth/audit-log.ts';
import type { Jobs } from '../background.ts';
import type { Database, Queries } from '../database/open.ts';
import { createWriteWatcher } from '../database/query-cache.ts';

/** Since when the queue is paused, and by whom. */
export interface QueuePause {
  readonly since: string;
  /** An e-mail address or `command line`. */
  readonly by: string;
}

/** @returns undefined while the queue runs */
export function findQueuePause(db: Queries): Promise<QueuePause | undefined> {
  return db.selectFrom('queue_pause').select(['since', 'paused_by as by']).where('id', '=', 1).executeTakeFirst();
}

async function insertQueuePause(db: Queries, { since, by }: QueuePause): Promise<void> {
  await db.insertInto('queue_pause').values({ id: 1, since, paused_by: by }).execute();
}

async function deleteQueuePause(db: Queries): Promise<void> {
  await db.deleteFrom('queue_pause').execute();
}

/** A command pauses the queue in another process. */
const pollIntervalMs = 500;

/**
 * Pauses the queue or lets it run, with its entry in the audit log; what is so already stays as it is. Run it in a
 * transaction.
 * @param userId null: by command line
 * @returns the pause that holds now
 */
export async function setQueuePaused(
  db: Queries,
  userId: number | null,
  isPaused: boolean,
): Promise<QueuePause | undefined> {
  const before = await findQueuePause(db);
  if (isPaused === (before !== undefined)) return before;
  if (before !== undefined) {
    await deleteQueuePause(db);
    await insertAuditEntry(db, { userId, action: 'queue.resumed', before });
    return undefined;
  }
  const pause = { since: new Date().toISOString(), by: await resolveActor(db, userId) };
  await insertQueuePause(db, pause);
  await insertAuditEntry(db, { userId, action: 'queue.paused', after: pause });
  return pause;
}

/** Knows whether the queue is paused, by whatever process. */
export interface QueuePauseWatcher {
  readonly isPaused: boolean;
  /** Reads the state now. */
  poll(): Promise<void>;
  /** Reads it after each write to the database. */
  start(): void;
}

/** @param onPoll called after each read */
export function watchQueuePause(database: Database, jobs: Jobs, onPoll: () => void): QueuePauseWatcher {
  const hasChanged = createWriteWatcher(database);
  let isPaused = false;
  const poll = async (): Promise<void> => {
    isPaused = (await findQueuePause(database.read)) !== undefined;
    onPoll();
  };
  return {
    get isPaused() {
      return isPaused;
    },
    poll,
    start: () => {
      jobs.every('reading queue pause state', { intervalMs: pollIntervalMs, isDue: hasChanged }, poll);
    },
  };
}
