import type { Jobs } from '../../background.ts';
import { currentTimeMs, timestamp } from '../../clock.ts';
import type { Database, Queries } from '../../database/database.ts';
import { AppError } from '../../errors.ts';

/** User and site of a draft. */
export interface DraftOwner {
  readonly userId: number;
  readonly siteId: number;
}

/** Of one user on one site. */
const maxDrafts = 100;
const retentionDays = 30;
const purgeIntervalMs = 3_600_000;
const purgeDelayMs = 1_000;

function selectDrafts(db: Queries, { userId, siteId }: DraftOwner) {
  return db.selectFrom('draft').where('user_id', '=', userId).where('site_id', '=', siteId);
}

/** @returns the newest first */
export function listDrafts(db: Queries, owner: DraftOwner) {
  return selectDrafts(db, owner).select(['key', 'updated_at']).orderBy('updated_at', 'desc').orderBy('key').execute();
}

/** @throws AppError `not_found` */
export async function findDraft(db: Queries, owner: DraftOwner, key: string) {
  const draft = await selectDrafts(db, owner)
    .select(['key', 'fields', 'updated_at'])
    .where('key', '=', key)
    .executeTakeFirst();
  if (draft === undefined) throw new AppError('not_found', `Draft ${key} not found`);
  return draft;
}

/**
 * The last write wins. Run it in a transaction.
 * @param fields JSON
 * @returns the time of the change
 * @throws AppError `conflict` when the user has too many
 */
export async function saveDraft(db: Queries, owner: DraftOwner, key: string, fields: string): Promise<string> {
  const drafts = await listDrafts(db, owner);
  if (drafts.length >= maxDrafts && !drafts.some((draft) => draft.key === key)) {
    throw new AppError(
      'conflict',
      `Draft not saved: a user can have at most ${maxDrafts} on a site. Delete one first.`,
    );
  }
  const row = { fields, updated_at: timestamp() };
  await db
    .insertInto('draft')
    .values({ user_id: owner.userId, site_id: owner.siteId, key, ...row })
    .onConflict((conflict) => conflict.columns(['user_id', 'site_id', 'key']).doUpdateSet(row))
    .execute();
  return row.updated_at;
}

export async function deleteDraft(db: Queries, { userId, siteId }: DraftOwner, key: string): Promise<void> {
  await db
    .deleteFrom('draft')
    .where('user_id', '=', userId)
    .where('site_id', '=', siteId)
    .where('key', '=', key)
    .execute();
}

/** Deletes drafts that were not changed for 30 days. */
export function startDraftPurge(database: Database, jobs: Jobs): void {
  jobs.every('purging drafts', { intervalMs: purgeIntervalMs, delayMs: purgeDelayMs }, async () => {
    const before = timestamp(currentTimeMs() - retentionDays * 86_400_000);
    const isOld = database.read.selectFrom('draft').select('key').where('updated_at', '<', before).limit(1);
    if ((await isOld.executeTakeFirst()) === undefined) return;
    await database.write('server', (db) => db.deleteFrom('draft').where('updated_at', '<', before).execute());
  });
}
