import { sql } from 'kysely';
import type { PeriodicJob } from '../background.ts';
import { currentTimeMs, timestamp } from '../clock.ts';
import { afterCommit, type Queries } from '../database/database.ts';
import { listSiteTables } from '../database/dialect.ts';
import type { AudioServices } from './audio-services.ts';
import { markSiteObjectsForDeletion } from './media/object-store.ts';
import { unfinishedStatuses } from './store.ts';

/** Audios per transaction, with their versions and plans. */
const audioBatchSize = 50;
const rowBatchSize = 1_000;

/**
 * Ends everything of a site without changing each of its rows.
 * @returns its audios that were unfinished
 */
async function markSiteDeleted(db: Queries, siteId: number): Promise<number[]> {
  const now = timestamp();
  await db
    .updateTable('site')
    // Frees its slug for another site; no slug has a colon.
    .set({ deleted_at: now, slug: `deleted:${siteId}`, active: 0, updated_at: now })
    .where('id', '=', siteId)
    .execute();
  await db.deleteFrom('site_domain').where('site_id', '=', siteId).execute();
  await db.deleteFrom('api_key').where('site_id', '=', siteId).execute();
  await db.deleteFrom('membership').where('site_id', '=', siteId).execute();
  const dropped = await db
    .updateTable('audio')
    .set((row) => ({
      status: 'failed',
      error: 'Site deleted',
      // Cancels work under way, which is for an older revision.
      revision: row('revision', '+', 1),
    }))
    .where('status', 'in', unfinishedStatuses)
    .where('post_id', 'in', (posts) => posts.selectFrom('post').select('id').where('site_id', '=', siteId))
    .returning('id')
    .execute();
  await db.updateTable('version').set({ expires_at: now }).where('id', 'in', selectSiteVersions(db, siteId)).execute();
  await markSiteObjectsForDeletion(db, siteId);
  await db
    .insertInto('deleted_media')
    .columns(['media_key', 'deleted_at'])
    .expression((from) =>
      from
        .selectFrom('version')
        .select((row) => ['media_key', row.val(now).as('deleted_at')])
        .where('id', 'in', selectSiteVersions(db, siteId))
        .where('media_key', 'is not', null)
        .$narrowType<{ media_key: string }>(),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return dropped.map(({ id }) => id);
}

/** @returns the sites that were deleted before a time and still have rows */
async function listDeletedSiteIds(db: Queries, before: string): Promise<number[]> {
  const rows = await db.selectFrom('site').select('id').where('deleted_at', '<=', before).execute();
  return rows.map(({ id }) => id);
}

async function listMediaKeys(db: Queries, siteId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('version')
    .select('media_key')
    .where('id', 'in', selectSiteVersions(db, siteId))
    .execute();
  return rows.flatMap(({ media_key }) => media_key ?? []);
}

/** Deletes some rows of a deleted site. @returns whether there may be more */
async function deleteSiteBatch(db: Queries, siteId: number): Promise<boolean> {
  const audios = await db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select('audio.id')
    .where('post.site_id', '=', siteId)
    .limit(audioBatchSize)
    .execute();
  const audioIds = audios.map(({ id }) => id);
  if (audioIds.length > 0) {
    // Audio and version refer to each other; version and plan are deleted with the audio.
    await db.updateTable('audio').set({ version_id: null }).where('id', 'in', audioIds).execute();
    await db.deleteFrom('audio').where('id', 'in', audioIds).execute();
    return true;
  }
  for (const [table, keys] of await listSiteTables(db)) {
    const key = sql.join(keys.map((column) => sql.ref(column)));
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where (${key}) in (
        select ${key} from ${sql.table(table)} where site_id = ${siteId} limit ${rowBatchSize})
    `.execute(db);
    if (numAffectedRows > 0n) return true;
  }
  return false;
}

/** Deletes the row of a site with its few remaining dependents. */
async function deleteSiteRow(db: Queries, siteId: number): Promise<void> {
  await db.deleteFrom('site').where('id', '=', siteId).where('deleted_at', 'is not', null).execute();
}

function selectSiteVersions(db: Queries, siteId: number) {
  return db
    .selectFrom('version')
    .innerJoin('audio', 'audio.id', 'version.audio_id')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select('version.id')
    .where('post.site_id', '=', siteId);
}

/** Requests in progress when a site is deleted may still write rows of it. */
const gracePeriodMs = 2_000;
/** A deletion that failed is tried again after this time. */
const retryIntervalMs = 60_000;

/** Deletes sites: at once for everybody outside, then in batches from the database. */
export class SiteDeletion {
  readonly #services: AudioServices;
  #deleting: PeriodicJob | undefined;

  constructor(services: AudioServices) {
    this.#services = services;
  }

  /** Continues what a stop of the server left undone. */
  start(): void {
    const schedule = { intervalMs: retryIntervalMs };
    this.#deleting = this.#services.jobs.every('deleting sites', schedule, () => this.#deleteRows());
  }

  /**
   * Ends everything of the site: it is not found any more, its keys, domains and MP3 URLs are invalid,
   * its queued work is cancelled. Its rows are deleted in the background.
   */
  async deleteSite(db: Queries, siteId: number): Promise<void> {
    for (const audioId of await markSiteDeleted(db, siteId)) this.#services.queue.notifyChanged(db, audioId);
    afterCommit(db, () => this.#deleting?.wake(gracePeriodMs));
  }

  async #deleteRows(): Promise<void> {
    const { database, mediaFiles, jobs, log } = this.#services;
    const before = timestamp(currentTimeMs() - gracePeriodMs);
    for (const siteId of await listDeletedSiteIds(database.read, before)) {
      await mediaFiles.deleteFiles(await listMediaKeys(database.read, siteId));
      await jobs.repeat(() => database.write(siteId, (db) => deleteSiteBatch(db, siteId), { sync: 'normal' }));
      if (jobs.isStopping) return;
      await database.write(siteId, (db) => deleteSiteRow(db, siteId));
      log.info({ site: siteId }, 'site deleted');
    }
  }
}
