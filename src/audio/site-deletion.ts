import { sql } from 'kysely';
import { deletedRetentionMs } from '../auth/undo.ts';
import type { PeriodicJob } from '../background.ts';
import { currentTimeMs, timestamp } from '../clock.ts';
import { afterCommit, type Queries } from '../database/database.ts';
import { listSiteTables } from '../database/dialect.ts';
import { hideSite, type SiteWithDomains, showSite } from '../sites/store.ts';
import type { AudioServices } from './deletion.ts';
import { markSiteObjectsForDeletion } from './media/object-store.ts';
import { unfinishedStatuses } from './store.ts';

/** Audios per transaction, with their versions and plans. */
const audioBatchSize = 50;
const rowBatchSize = 1_000;

/** Of audio that waited when its site was deleted. */
const deletionError = 'Site deleted';

function selectSitePosts(db: Queries, siteId: number) {
  return db.selectFrom('post').select('id').where('site_id', '=', siteId);
}

/** Takes the unfinished audio of a site out of the queue. @returns the ids */
async function stopAudio(db: Queries, siteId: number): Promise<number[]> {
  const stopped = await db
    .updateTable('audio')
    .set((row) => ({
      status: 'failed',
      error: deletionError,
      // Cancels work under way, which is for an older revision.
      revision: row('revision', '+', 1),
    }))
    .where('status', 'in', unfinishedStatuses)
    .where('post_id', 'in', selectSitePosts(db, siteId))
    .returning('id')
    .execute();
  return stopped.map(({ id }) => id);
}

/** Queues the audio again that `stopAudio` has stopped, at its former place. @returns the ids */
async function continueAudio(db: Queries, siteId: number): Promise<number[]> {
  const continued = await db
    .updateTable('audio')
    .set({ status: 'pending', progress_percent: 0, error: null })
    .where('status', '=', 'failed')
    .where('error', '=', deletionError)
    .where('post_id', 'in', selectSitePosts(db, siteId))
    .returning('id')
    .execute();
  return continued.map(({ id }) => id);
}

/** Before the rows of a site are deleted: the URLs of its MP3s go on to return 410. */
async function recordDeletedMedia(db: Queries, siteId: number): Promise<void> {
  await markSiteObjectsForDeletion(db, siteId);
  const now = timestamp();
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
}

/** @returns the deleted sites that could be restored until some time ago; one that an earlier version has deleted could not be */
async function listDueSiteIds(db: Queries, before: string): Promise<number[]> {
  const rows = await db
    .selectFrom('site')
    .select('id')
    .where('deleted_at', 'is not', null)
    .where((row) => row(row.fn.coalesce('purge_at', 'deleted_at'), '<=', before))
    .execute();
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
/** How often due sites are looked for. */
const purgeIntervalMs = 60_000;

/** Deletes sites: at once for everybody outside, later from the database. Until then they can be restored. */
export class SiteDeletion {
  readonly #services: AudioServices;
  readonly #retentionMs: number;
  #purging: PeriodicJob | undefined;

  /** @param retentionDays how long a site can be restored; at least a minute, as other deletions */
  constructor(services: AudioServices, retentionDays: number) {
    this.#services = services;
    this.#retentionMs = deletedRetentionMs(retentionDays);
  }

  /** Deletes the rows of sites that cannot be restored any more, and continues what a stop of the server left undone. */
  start(): void {
    const schedule = { intervalMs: purgeIntervalMs };
    this.#purging = this.#services.jobs.every('deleting sites', schedule, () => this.#deleteRows());
  }

  /**
   * Ends everything of a site at once: it is not found any more, its keys, domains and MP3 URLs are invalid, its queued work is
   * cancelled. Nothing is lost until it is purged.
   */
  async deleteSite(db: Queries, siteId: number): Promise<void> {
    await hideSite(db, siteId, timestamp(currentTimeMs() + this.#retentionMs));
    for (const audioId of await stopAudio(db, siteId)) this.#services.queue.notifyChanged(db, audioId);
  }

  /**
   * Undoes a deletion: everything is as before, also the MP3 URLs, and waiting audio continues.
   * @throws AppError as `showSite`
   */
  async restoreSite(db: Queries, siteId: number): Promise<SiteWithDomains> {
    const site = await showSite(db, siteId);
    for (const audioId of await continueAudio(db, siteId)) this.#services.queue.notifyChanged(db, audioId);
    return site;
  }

  /** Deletes the rows of a deleted site soon, in the background: it cannot be restored any more. */
  async purgeSite(db: Queries, siteId: number): Promise<void> {
    await db.updateTable('site').set({ purge_at: timestamp() }).where('id', '=', siteId).execute();
    afterCommit(db, () => this.#purging?.wake(gracePeriodMs));
  }

  async #deleteRows(): Promise<void> {
    const { database, mediaFiles, jobs, log } = this.#services;
    const before = timestamp(currentTimeMs() - gracePeriodMs);
    for (const siteId of await listDueSiteIds(database.read, before)) {
      await database.write(siteId, (db) => recordDeletedMedia(db, siteId));
      await mediaFiles.deleteFiles(await listMediaKeys(database.read, siteId));
      await jobs.repeat(() => database.write(siteId, (db) => deleteSiteBatch(db, siteId), { sync: 'normal' }));
      if (jobs.isStopping) return;
      await database.write(siteId, (db) => deleteSiteRow(db, siteId));
      log.info({ site: siteId }, 'site deleted');
    }
  }
}
