import type { Queries } from '../../database/open.ts';

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

export async function insertPause(db: Queries, { since, by }: Pause): Promise<void> {
  await db.insertInto('queue_pause').values({ id: 1, since, paused_by: by }).execute();
}

export async function deletePause(db: Queries): Promise<void> {
  await db.deleteFrom('queue_pause').execute();
}
