import { sql } from 'kysely';
import type { Queries } from '../database/open.ts';

/**
 * Deletes the oldest events, as long as they are older than a moment.
 * @returns how many it deleted
 */
export async function deleteOldEvents(db: Queries, before: string, most: number): Promise<number> {
  // By the order of receipt, which needs no index of its own.
  const oldest = db
    .selectFrom((inner) =>
      inner.selectFrom('event').select(['id', 'received_at']).orderBy('id').limit(most).as('first'),
    )
    .select('id')
    .where('received_at', '<', before);
  const { numDeletedRows } = await db
    .deleteFrom('event')
    .where('id', 'in', oldest)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** @returns how many it deleted, at most as many as allowed; fewer when nothing older is left */
export async function deleteOldListeners(
  db: Queries,
  siteId: number,
  beforeDay: string,
  most: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from event_listener
    where (site_id, day, session_id, post, language, voice_id, device, source) in (
      select site_id, day, session_id, post, language, voice_id, device, source from event_listener
      where site_id = ${siteId} and day < ${beforeDay} limit ${most})
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** @returns how many it deleted */
export async function deleteEventsOfSite(
  db: Queries,
  siteId: number,
  most: number,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('event')
    .where('id', 'in', (some) =>
      some.selectFrom('event').select('id').where('site_id', '=', siteId).limit(most),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** @returns how many it deleted */
export async function deleteDayFigures(db: Queries, siteId: number, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from event_day where (site_id, post, dimension, day, value, figure) in (
      select site_id, post, dimension, day, value, figure from event_day
      where site_id = ${siteId} limit ${most})
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}
