import type { Selectable } from 'kysely';
import type { Jobs } from '../background.ts';
import { capitalize } from '../capitalize.ts';
import { currentTimeMs, dayMs, timestamp } from '../clock.ts';
import type { Database, Queries } from '../database/database.ts';
import type { Tables } from '../database/schema.ts';
import { AppError, notFound } from '../errors.ts';
import { insertAuditEntry, type NewAuditEntry } from './audit-log.ts';

/** A deleted row is hidden and without effect at once, and stays for this time. The dashboard offers Undo for ten seconds. */
export const undoMs = 60_000;

/** @returns how long sites, and what editors delete, can be restored; at least as long as Undo */
export function deletedRetentionMs(days: number): number {
  return Math.max(days * dayMs, undoMs);
}

/** @returns the time since when a deletion can be undone */
export function undoableSince(): string {
  return timestamp(currentTimeMs() - undoMs);
}

/** @returns the time since when a deletion by an editor can be undone */
export function restorableSince(retentionDays: number): string {
  return timestamp(currentTimeMs() - deletedRetentionMs(retentionDays));
}

/** Deletes rows for good, with what refers to them. */
export function startUndoPurge(database: Database, jobs: Jobs, retentionDays: number): void {
  /** Tables whose rows have `deleted_at`. */
  const tables = [
    ['feed_source', () => restorableSince(retentionDays)],
    ['webhook_endpoint', undoableSince],
    ['user', undoableSince],
  ] as const;
  jobs.every('purging deleted rows', { intervalMs: undoMs }, async () => {
    for (const [table, keptSince] of tables) {
      const since = keptSince();
      const due = await database.read.selectFrom(table).select('id').where('deleted_at', '<=', since).execute();
      if (due.length === 0) continue;
      await database.write('server', (db) => db.deleteFrom(table).where('deleted_at', '<=', since).execute());
    }
  });
}

/** Tables whose rows belong to a site, which has few of them. */
type SiteTable = 'feed_source' | 'webhook_endpoint';

/** What the audit log names. */
interface AuditSubject {
  readonly id: number;
  readonly site_id: number;
  readonly url: string;
}

/**
 * Queries and changes that are the same for each of these tables. A change has an entry in the audit log; run it in a
 * transaction. Its `userId` is null for the command line.
 * @param kind of a row, for errors and the audit log
 */
export function createSiteRows<Table extends SiteTable>(table: Table, kind: 'source' | 'webhook', maxPerSite: number) {
  type SiteRow = Selectable<Tables[Table]>;
  const noun = capitalize(kind);
  const selectAll = (db: Queries, siteId: number) =>
    db.selectFrom<SiteTable>(table).selectAll().where('site_id', '=', siteId);
  const select = (db: Queries, siteId: number) => selectAll(db, siteId).where('deleted_at', 'is', null);
  const setDeletedAt = (db: Queries, siteId: number, id: number, deleted_at: string | null) =>
    db
      .updateTable<SiteTable>(table)
      .set({ deleted_at })
      .where('id', '=', id)
      .where('site_id', '=', siteId)
      .returningAll();
  const notFoundError = (id: number) => notFound(noun, id);
  /** Only the host of the URL: path and query may hold a secret. */
  const formatSubject = ({ id, url }: AuditSubject): string => `${kind} ${id} at ${new URL(url).host}`;
  const audit = (
    db: Queries,
    userId: number | null,
    action: string,
    row: AuditSubject,
    states: Pick<NewAuditEntry, 'before' | 'after'> = {},
  ): Promise<void> =>
    insertAuditEntry(db, { userId, action, siteId: row.site_id, subject: formatSubject(row), ...states });
  /** Run it in the transaction that inserts a row. @throws AppError `conflict` */
  const requireCapacity = async (db: Queries, siteId: number): Promise<void> => {
    const rows = await select(db, siteId).execute();
    if (rows.length < maxPerSite) return;
    throw new AppError(
      'conflict',
      `${noun} not created: a site can have at most ${maxPerSite} ${kind}s. Delete one first.`,
    );
  };
  return {
    /** @param after id of the last row of the page before */
    list: async (db: Queries, siteId: number, after = 0, limit = maxPerSite): Promise<SiteRow[]> =>
      (await select(db, siteId).where('id', '>', after).orderBy('id').limit(limit).execute()) as SiteRow[],

    /** @returns the deleted rows, newest first */
    listDeleted: async (db: Queries, siteId: number, since: string): Promise<SiteRow[]> =>
      (await selectAll(db, siteId)
        .where('deleted_at', '>', since)
        .orderBy('deleted_at', 'desc')
        .limit(maxPerSite)
        .execute()) as SiteRow[],

    /** @throws AppError `not_found` */
    find: async (db: Queries, siteId: number, id: number): Promise<SiteRow> => {
      const row = await select(db, siteId).where('id', '=', id).executeTakeFirst();
      if (row === undefined) throw notFoundError(id);
      return row as SiteRow;
    },

    /** Hides a row, which is deleted for good later, with what refers to it. @throws AppError `not_found` */
    remove: async (db: Queries, userId: number | null, siteId: number, id: number): Promise<void> => {
      const row = await setDeletedAt(db, siteId, id, timestamp()).where('deleted_at', 'is', null).executeTakeFirst();
      if (row === undefined) throw notFoundError(id);
      await audit(db, userId, `${kind}.deleted`, row);
    },

    /**
     * Undoes a deletion.
     * @throws AppError `not_found`, also when it was deleted too long ago; `conflict` above the maximum per site
     */
    restore: async (
      db: Queries,
      userId: number | null,
      siteId: number,
      id: number,
      since = undoableSince(),
    ): Promise<SiteRow> => {
      await requireCapacity(db, siteId);
      const row = await setDeletedAt(db, siteId, id, null).where('deleted_at', '>', since).executeTakeFirst();
      if (row === undefined) throw new AppError('not_found', `${noun} ${id} not found among the deleted ones`);
      await audit(db, userId, `${kind}.restored`, row);
      return row as SiteRow;
    },

    ...{ requireCapacity, formatSubject, audit },
  };
}
