import { insertAuditEntry, resolveActor } from '../auth/audit-log.ts';
import { timestamp } from '../clock.ts';
import type { Queries } from '../database/database.ts';

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

/**
 * Pauses or resumes the queue, with an entry in the audit log if that changes anything. Run it in a transaction.
 * @param userId null: by command line
 * @returns the pause that now applies
 */
export async function setQueuePaused(
  db: Queries,
  userId: number | null,
  isPaused: boolean,
): Promise<QueuePause | undefined> {
  const before = await findQueuePause(db);
  if (isPaused === (before !== undefined)) return before;
  if (before !== undefined) {
    await db.deleteFrom('queue_pause').execute();
    await insertAuditEntry(db, { userId, action: 'queue.resumed', before });
    return undefined;
  }
  const pause = { since: timestamp(), by: await resolveActor(db, userId) };
  await db.insertInto('queue_pause').values({ id: 1, since: pause.since, paused_by: pause.by }).execute();
  await insertAuditEntry(db, { userId, action: 'queue.paused', after: pause });
  return pause;
}
