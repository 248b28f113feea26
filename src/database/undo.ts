import type { Jobs } from '../background.ts';
import { currentTimeMs, timestamp } from '../clock.ts';
import type { Database } from './database.ts';

/** A deleted row is hidden and without effect at once, and stays for this time. The dashboard offers Undo for ten seconds. */
export const undoMs = 60_000;

/** Tables whose rows have `deleted_at`. */
const undoTables = ['feed_source', 'webhook_endpoint', 'user'] as const;

/** @returns the time since when a deletion can be undone */
export function undoableSince(): string {
  return timestamp(currentTimeMs() - undoMs);
}

/** Deletes rows for good, with what refers to them. */
export function startUndoPurge(database: Database, jobs: Jobs): void {
  jobs.every('purging deleted rows', { intervalMs: undoMs }, async () => {
    const since = undoableSince();
    for (const table of undoTables) {
      const due = await database.read.selectFrom(table).select('id').where('deleted_at', '<=', since).execute();
      if (due.length === 0) continue;
      await database.write('server', (db) => db.deleteFrom(table).where('deleted_at', '<=', since).execute());
    }
  });
}
