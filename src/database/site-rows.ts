import type { Selectable } from 'kysely';
import { timestamp } from '../clock.ts';
import { AppError } from '../errors.ts';
import type { Queries } from './database.ts';
import type { Tables } from './schema.ts';
import { undoableSince } from './undo.ts';

/** Tables whose rows belong to a site, which has few of them. */
type SiteTable = 'feed_source' | 'webhook_endpoint';

/** Queries that are the same for each of these tables. @param noun of a row, for errors */
export function createSiteRows<Table extends SiteTable>(table: Table, noun: string, maxPerSite: number) {
  type SiteRow = Selectable<Tables[Table]>;
  const select = (db: Queries, siteId: number) =>
    db.selectFrom<SiteTable>(table).selectAll().where('site_id', '=', siteId).where('deleted_at', 'is', null);
  const setDeletedAt = (db: Queries, siteId: number, id: number, deleted_at: string | null) =>
    db
      .updateTable<SiteTable>(table)
      .set({ deleted_at })
      .where('id', '=', id)
      .where('site_id', '=', siteId)
      .returningAll();
  const notFoundError = (id: number) => new AppError('not_found', `${noun} ${id} not found`);
  return {
    /** @param after id of the last row of the page before */
    list: async (db: Queries, siteId: number, after = 0, limit = maxPerSite): Promise<SiteRow[]> =>
      (await select(db, siteId).where('id', '>', after).orderBy('id').limit(limit).execute()) as SiteRow[],

    /** @throws AppError `not_found` */
    find: async (db: Queries, siteId: number, id: number): Promise<SiteRow> => {
      const row = await select(db, siteId).where('id', '=', id).executeTakeFirst();
      if (row === undefined) throw notFoundError(id);
      return row as SiteRow;
    },

    /** Hides a row, which can be restored for a minute. @throws AppError `not_found` */
    remove: async (db: Queries, siteId: number, id: number): Promise<SiteRow> => {
      const row = await setDeletedAt(db, siteId, id, timestamp()).where('deleted_at', 'is', null).executeTakeFirst();
      if (row === undefined) throw notFoundError(id);
      return row as SiteRow;
    },

    /** Check the capacity first. @throws AppError `not_found`, also when it was deleted more than a minute ago */
    restore: async (db: Queries, siteId: number, id: number): Promise<SiteRow> => {
      const row = await setDeletedAt(db, siteId, id, null).where('deleted_at', '>', undoableSince()).executeTakeFirst();
      if (row === undefined)
        throw new AppError('not_found', `${noun} ${id} not found among those deleted in the last minute`);
      return row as SiteRow;
    },

    /** Run it in the transaction that inserts a row. @throws AppError `conflict` */
    requireCapacity: async (db: Queries, siteId: number): Promise<void> => {
      const rows = await select(db, siteId).execute();
      if (rows.length < maxPerSite) return;
      const most = `${maxPerSite} ${noun.toLowerCase()}s`;
      throw new AppError('conflict', `${noun} not created: a site can have at most ${most}. Delete one first.`);
    },
  };
}
