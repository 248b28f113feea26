import { actorOf, audit } from '../auth/audit-log.ts';
import type { Database, Queries } from '../database/open.ts';
import type { Log } from '../log.ts';

/** Since when the queue is paused, and by whom. */
export interface Pause {
  readonly since: string;
  /** An e-mail address or `command line`. */
  readonly by: string;
}

/** @returns undefined while the queue runs */
export function findPause(db: Queries): Promise<Pause | undefined> {
  return db
    .selectFrom('queue_pause')
    .select(['since', 'paused_by as by'])
    .where('id', '=', 1)
    .executeTakeFirst();
}

async function insertPause(db: Queries, { since, by }: Pause): Promise<void> {
  await db.insertInto('queue_pause').values({ id: 1, since, paused_by: by }).execute();
}

async function deletePause(db: Queries): Promise<void> {
  await db.deleteFrom('queue_pause').execute();
}

/** A command pauses the queue in another process: so often is looked. */
const lookPauseMs = 500;

/**
 * Pauses the queue or lets it run, with its entry in the audit log; what is so already stays as it is. Run it in a
 * transaction.
 * @param userId null: by command line
 * @returns the pause that holds now
 */
export async function setPaused(
  db: Queries,
  userId: number | null,
  isPaused: boolean,
): Promise<Pause | undefined> {
  const before = await findPause(db);
  if (isPaused === (before !== undefined)) return before;
  if (before !== undefined) {
    await deletePause(db);
    await audit(db, { userId, action: 'queue.resumed', before });
    return undefined;
  }
  const pause = { since: new Date().toISOString(), by: await actorOf(db, userId) };
  await insertPause(db, pause);
  await audit(db, { userId, action: 'queue.paused', after: pause });
  return pause;
}

/** Knows whether the queue is paused, by whatever process. */
export interface PauseWatch {
  readonly isPaused: boolean;
  /** Looks now. */
  look(): Promise<void>;
  /** Goes on looking. */
  start(): void;
  stop(): void;
}

/** @param onLook called after each look that something written gave reason for */
export function watchPause(database: Database, log: Log, onLook: () => void): PauseWatch {
  let isPaused = false;
  let lookedAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    // Asked before the row is read: what is written meanwhile is looked at the next time.
    lookedAt = database.version();
    isPaused = (await findPause(database.read)) !== undefined;
    onLook();
  };
  const lookAgain = (): void => {
    if (database.version() === lookedAt) return;
    look().catch((error: unknown) => {
      lookedAt = undefined;
      log.warn({ err: error }, 'whether the queue is paused could not be read');
    });
  };
  return {
    get isPaused() {
      return isPaused;
    },
    look,
    start: () => {
      timer = setInterval(lookAgain, lookPauseMs);
    },
    stop: () => clearInterval(timer),
  };
}
