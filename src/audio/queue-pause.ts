import { insertAuditEntry, resolveActor } from '../auth/audit-log.ts';
import type { Database, Queries } from '../database/open.ts';
import type { Log } from '../log.ts';

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

/** A command pauses the queue in another process: so often is looked. */
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
  /** Looks now. */
  poll(): Promise<void>;
  /** Goes on looking. */
  start(): void;
  stop(): void;
}

/** @param onLook called after each look that something written gave reason for */
export function watchQueuePause(database: Database, log: Log, onLook: () => void): QueuePauseWatcher {
  let isPaused = false;
  let lookedAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    // Asked before the row is read: what is written meanwhile is looked at the next time.
    lookedAt = database.dataVersion();
    isPaused = (await findQueuePause(database.read)) !== undefined;
    onLook();
  };
  const lookAgain = (): void => {
    if (database.dataVersion() === lookedAt) return;
    look().catch((error: unknown) => {
      lookedAt = undefined;
      log.warn({ err: error }, 'reading queue pause state failed');
    });
  };
  return {
    get isPaused() {
      return isPaused;
    },
    poll: look,
    start: () => {
      timer = setInterval(lookAgain, pollIntervalMs);
    },
    stop: () => clearInterval(timer),
  };
}
