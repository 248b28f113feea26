import { fromColumns, toColumns } from '../database/columns.ts';
import type { Queries } from '../database/database.ts';
import { diffStates, insertAuditEntry } from './audit-log.ts';
import { InstallationSettings } from './schema.ts';

export async function getInstallationSettings(db: Queries): Promise<InstallationSettings> {
  return fromColumns(InstallationSettings, await db.selectFrom('installation').selectAll().executeTakeFirstOrThrow());
}

/**
 * Run it in a transaction.
 * @param changes undefined members stay
 */
export async function updateInstallationSettings(
  db: Queries,
  userId: number | null,
  changes: Partial<InstallationSettings>,
): Promise<InstallationSettings> {
  const before = await getInstallationSettings(db);
  const columns = toColumns(InstallationSettings, changes);
  if (Object.keys(columns).length > 0) await db.updateTable('installation').set(columns).execute();
  const after = await getInstallationSettings(db);
  const changed = diffStates(before, after);
  if (changed !== undefined) await insertAuditEntry(db, { userId, action: 'settings.updated', ...changed });
  return after;
}
