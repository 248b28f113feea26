import { sql } from 'kysely';
import { runInBackground } from '../background.ts';
import type { Database, Queries } from '../database/open.ts';
import type { Log } from '../log.ts';

/**
 * Deletes the oldest events, as long as they are older than a moment.
 * @returns how many it deleted
 */
async function deleteOldEvents(db: Queries, before: string, most: number): Promise<number> {
  // By the order of receipt, which needs no index of its own.
  const oldest = db
    .selectFrom((inner) =>
      inner.selectFrom('event').select(['id', 'received_at']).orderBy('id').limit(most).as('first'),
    )
    .select('id')
    .where('received_at', '<', before);
  const { numDeletedRows } = await db.deleteFrom('event').where('id', 'in', oldest).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** @returns how many it deleted, at most as many as allowed; fewer when nothing older is left */
async function deleteOldListeners(db: Queries, siteId: number, beforeDay: string, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from event_listener
    where (site_id, day, session_id, post, language, voice_id, device, source) in (
      select site_id, day, session_id, post, language, voice_id, device, source from event_listener
      where site_id = ${siteId} and day < ${beforeDay} limit ${most})
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** @returns how many it deleted */
async function deleteSiteEvents(db: Queries, siteId: number, most: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('event')
    .where('id', 'in', (some) => some.selectFrom('event').select('id').where('site_id', '=', siteId).limit(most))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** @returns how many it deleted */
async function deleteDailyMetrics(db: Queries, siteId: number, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from event_day where (site_id, post, dimension, day, value, figure) in (
      select site_id, post, dimension, day, value, figure from event_day
      where site_id = ${siteId} limit ${most})
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}

const intervalMs = 10 * 60_000;
const initialDelayMs = 1_000;
/** Few at a time, so that no request waits long for the database. */
const batchSize = 500;
const batchDelayMs = 20;

/**
 * Deletes single events and sessions that are too old, soon and every ten minutes; the figures of their days stay.
 * @param eventRetentionDays how long they are kept
 * @returns a function that ends it
 */
export function startEventPurge(database: Database, log: Log, eventRetentionDays: number): () => void {
  let isStopped = false;
  const repeat = async (deleteSome: () => Promise<number>): Promise<void> => {
    while (!isStopped && (await deleteSome()) === batchSize) await Bun.sleep(batchDelayMs);
  };
  const forgetAll = async (): Promise<void> => {
    const before = new Date(Date.now() - eventRetentionDays * 86_400_000).toISOString();
    await repeat(() => database.writeNormalSync((db) => deleteOldEvents(db, before, batchSize)));
    const sites = await database.read.selectFrom('site').select('id').execute();
    for (const { id } of sites) {
      await repeat(() => database.writeNormalSync((db) => deleteOldListeners(db, id, before.slice(0, 10), batchSize)));
    }
  };
  const forget = () => runInBackground(forgetAll(), log, 'purging events failed');
  const first = setTimeout(forget, initialDelayMs);
  const timer = setInterval(forget, intervalMs);
  return () => {
    isStopped = true;
    clearTimeout(first);
    clearInterval(timer);
  };
}

/** Deletes a few hundred rows of a site that is no more; @returns whether there may be others */
export async function deleteSiteEventBatch(db: Queries, siteId: number): Promise<boolean> {
  // Sorts after every digit.
  const afterEveryDay = ':';
  for (const deleteRows of [
    () => deleteSiteEvents(db, siteId, batchSize),
    () => deleteOldListeners(db, siteId, afterEveryDay, batchSize),
    () => deleteDailyMetrics(db, siteId, batchSize),
  ]) {
    if ((await deleteRows()) > 0) return true;
  }
  return false;
}
