import type { Jobs } from '../background.ts';
import { currentTimeMs, dayMs, hourMs, timestamp } from '../clock.ts';
import { afterCommit, type Database, type Queries } from '../database/database.ts';
import { type PlaceholderFor, prepareQuery } from '../database/query-cache.ts';
import type { DiskSpace } from '../disk-space.ts';
import type { Log } from '../log.ts';
import type { Catalog } from '../voices/catalog.ts';
import { type AudioEventHandler, findFinishedEvent } from './events.ts';
import type { Bucket } from './media/bucket.ts';
import type { MediaFiles } from './media/media-files.ts';
import { markObjectsForDeletion } from './media/object-store.ts';
import { deleteUnusedSegments, expireVersions, replaceMediaKeys } from './media/store.ts';
import { isPublicPost } from './posts/published-audio.ts';
import { insertDeletedPost, type PostRow, purgeDeletedPosts, readPostToDelete } from './posts/store.ts';
import type { AudioQueue } from './queue.ts';
import { extraFlag, type PostFields } from './store.ts';

/** SQLite takes 32,766 parameters in one statement. */
const deleteBatchSize = 5_000;

/** Deletes the MP3s and plans of audios. @returns the keys of the MP3s, whose URLs return 410 from now on */
async function deleteVersions(db: Queries, audioIds: readonly number[]): Promise<string[]> {
  const versions = await db
    .selectFrom('version')
    .select('media_key')
    .where('audio_id', 'in', audioIds)
    .where('media_key', 'is not', null)
    .execute();
  const mediaKeys = versions.flatMap(({ media_key }) => media_key ?? []);
  if (mediaKeys.length > 0) {
    const deleted_at = timestamp();
    const rows = mediaKeys.map((media_key) => ({ media_key, deleted_at }));
    await db.insertInto('deleted_media').values(rows).execute();
  }
  await markObjectsForDeletion(db, 'audio_id', audioIds);
  // Audio and version refer to each other.
  await db.updateTable('audio').set({ version_id: null }).where('id', 'in', audioIds).execute();
  await db.deleteFrom('version').where('audio_id', 'in', audioIds).execute();
  return mediaKeys;
}

function listPlannedHashes(db: Queries, audioIds: readonly number[]) {
  return db
    .selectFrom('planned_segment')
    .innerJoin('version', 'version.id', 'planned_segment.version_id')
    .select('planned_segment.hash')
    .distinct()
    .where('version.audio_id', 'in', audioIds)
    .execute();
}

/** Deletes those segments of a site that no plan uses. */
async function deleteUnplannedSegments(
  db: Queries,
  siteId: number,
  segments: readonly { readonly hash: string }[],
): Promise<void> {
  for (let start = 0; start < segments.length; start += deleteBatchSize) {
    const hashes = segments.slice(start, start + deleteBatchSize).map(({ hash }) => hash);
    await db
      .deleteFrom('segment')
      .where('site_id', '=', siteId)
      .where('hash', 'in', hashes)
      .where((row) =>
        row.not(
          row.exists(
            row.selectFrom('planned_segment').select('position').whereRef('planned_segment.hash', '=', 'segment.hash'),
          ),
        ),
      )
      .execute();
  }
}

/** @returns all audios of a post with extra voices, in one language or in all */
function listPostAudios(db: Queries, siteId: number, postId: string, language: string | null) {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select(['audio.id', 'audio.post_id', 'audio.language', 'audio.is_main'])
    .where('post.site_id', '=', siteId)
    .where('post.external_id', '=', postId)
    .$if(language !== null, (all) => all.where('audio.language', '=', language ?? ''))
    .orderBy('audio.language')
    .execute();
}

export function listExtras(db: Queries, postRowId: number, language: string) {
  return queryExtras(db, { postRowId, language });
}

const queryExtras = prepareQuery((db, value: PlaceholderFor<{ postRowId: number; language: string }>) =>
  db
    .selectFrom('audio')
    .select(['id', 'voice_id'])
    .where('post_id', '=', value('postRowId'))
    .where('language', '=', value('language'))
    .where('is_main', '=', extraFlag),
);

/** @returns the main audios whose current version is one of some versions, and ready */
function listReadyMains(db: Queries, versions: readonly VersionOfAudio[]) {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select(['audio.id', 'audio.post_id', 'audio.language', 'post.external_id'])
    .where(
      'audio.id',
      'in',
      versions.map(({ audioId }) => audioId),
    )
    .where(
      'audio.version_id',
      'in',
      versions.map(({ versionId }) => versionId),
    )
    .where('audio.is_main', '=', 1)
    .where('audio.status', '=', 'ready')
    .execute();
}

export interface VersionOfAudio {
  readonly audioId: number;
  readonly versionId: number;
}

/** Deletes a post that has no audio left. @returns whether it was */
async function deleteEmptyPost(db: Queries, postRowId: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('post')
    .where('id', '=', postRowId)
    .where((row) =>
      row.not(row.exists(row.selectFrom('audio').select('audio.id').whereRef('audio.post_id', '=', 'post.id'))),
    )
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

const cleanupIntervalMs = 10 * 60_000;
const cleanupDelayMs = 30_000;
/** Few at a time, so that no request waits long for the database. */
const segmentBatchSize = 500;

interface PostDeletionDeps {
  readonly database: Database;
  readonly mediaFiles: Pick<MediaFiles, 'deleteFiles' | 'evict'>;
  readonly queue: Pick<AudioQueue, 'notifyChanged'>;
  readonly onAudioEvent: AudioEventHandler;
  /** 0: nothing of a deleted post is kept. */
  readonly deletedRetentionDays: number;
}

/** Deletes audio from the database, the queue and the media folder. */
export class PostDeletion {
  readonly #deps: PostDeletionDeps;
  /** Sites that may have segments which no plan uses any more. */
  readonly #affectedSites = new Set<number>();

  constructor(deps: PostDeletionDeps) {
    this.#deps = deps;
  }

  /**
   * Deletes a post's audio in every voice with its MP3s, segments and timings, and stops work for it. Of a post without
   * audio the text is kept for a time, to restore it.
   * @param language null: all languages
   * @returns the deleted languages; empty when there is no such post
   */
  async deletePost(db: Queries, siteId: number, postId: string, language: string | null): Promise<string[]> {
    const audios = await listPostAudios(db, siteId, postId, language);
    const [first] = audios;
    if (first === undefined) return [];
    const ids = audios.map(({ id }) => id);
    const post = this.#deps.deletedRetentionDays > 0 ? await readPostToDelete(db, siteId, postId) : undefined;
    await this.deleteAudiosWithSegments(db, siteId, ids);
    const main = audios.filter(({ is_main }) => is_main === 1);
    for (const { id, language } of main) {
      await this.#deps.onAudioEvent(db, {
        ...{ type: 'audio.deleted', status: 'deleted', siteId, audioId: id, postId, language },
        ...{ mediaKey: null, durationMs: null, error: null },
      });
    }
    const isEmpty = await deleteEmptyPost(db, first.post_id);
    if (isEmpty && post !== undefined) await insertDeletedPost(db, post);
    afterCommit(db, () => this.#affectedSites.add(siteId));
    return main.map(({ language }) => language);
  }

  /**
   * Deletes audios with their versions, stops their work and deletes their files. The URLs of their MP3s return 410; their
   * segments stay for reuse.
   */
  async deleteAudios(db: Queries, audioIds: readonly number[]): Promise<void> {
    if (audioIds.length === 0) return;
    const { queue, mediaFiles } = this.#deps;
    const mediaKeys = await deleteVersions(db, audioIds);
    await db.deleteFrom('audio').where('id', 'in', audioIds).execute();
    for (const id of audioIds) queue.notifyChanged(db, id);
    afterCommit(db, () => mediaFiles.deleteFiles(mediaKeys));
  }

  /**
   * Gives the MP3s of a post that stops being public new addresses, so that no cache plays an old copy once it is public
   * again. Clients get them by webhook.
   */
  async withdrawIfHidden(db: Queries, before: PostRow, changes: PostFields): Promise<void> {
    if (!isPublicPost(before) || isPublicPost({ ...before, ...changes })) return;
    const { mediaFiles, onAudioEvent } = this.#deps;
    const oldKeys = await replaceMediaKeys(db, before.id);
    afterCommit(db, () => mediaFiles.deleteFiles(oldKeys));
    const audios = await db.selectFrom('audio').select('id').where('post_id', '=', before.id).orderBy('id').execute();
    for (const { id } of audios) {
      const event = await findFinishedEvent(db, id);
      if (event?.type === 'audio.ready') await onAudioEvent(db, event);
    }
  }

  /** Deletes audios and their segments that no other plan uses. */
  async deleteAudiosWithSegments(db: Queries, siteId: number, audioIds: readonly number[]): Promise<void> {
    if (audioIds.length === 0) return;
    const planned = await listPlannedHashes(db, audioIds);
    await this.deleteAudios(db, audioIds);
    await deleteUnplannedSegments(db, siteId, planned);
  }

  /**
   * Deletes the MP3s of ready main audios with their segments and extra voices. Text and analytics stay: the audio is
   * failed with a reason, and generated again like any failed one.
   * @param versions audio that has a newer version meanwhile stays
   * @returns how many there were
   */
  async removeMp3s(db: Queries, siteId: number, versions: readonly VersionOfAudio[], reason: string): Promise<number> {
    const { mediaFiles, onAudioEvent } = this.#deps;
    const audios = await listReadyMains(db, versions);
    if (audios.length === 0) return 0;
    const ids = audios.map(({ id }) => id);
    for (const { post_id, language } of audios) {
      const extras = await listExtras(db, post_id, language);
      await this.deleteAudiosWithSegments(
        db,
        siteId,
        extras.map(({ id }) => id),
      );
    }
    const planned = await listPlannedHashes(db, ids);
    const mediaKeys = await deleteVersions(db, ids);
    await deleteUnplannedSegments(db, siteId, planned);
    const now = timestamp();
    await db
      .updateTable('audio')
      .set({ status: 'failed', progress_percent: 0, error: reason, removed_at: now, updated_at: now })
      .where('id', 'in', ids)
      .execute();
    for (const { id, external_id: postId, language } of audios) {
      await onAudioEvent(db, {
        ...{ type: 'audio.deleted', status: 'deleted', siteId, audioId: id, postId, language },
        ...{ mediaKey: null, durationMs: null, error: reason },
      });
    }
    afterCommit(db, () => mediaFiles.deleteFiles(mediaKeys));
    return audios.length;
  }

  /** Every ten minutes purges deleted posts, expires old versions, and deletes unused segments and files that were not requested for long. */
  startCleanup(jobs: Jobs, unusedSegmentRetentionHours: number): void {
    const { database, mediaFiles, deletedRetentionDays } = this.#deps;
    const deleteSegments = (before: string, siteId?: number): Promise<void> =>
      jobs.repeat(async () => {
        const deleteSome = () =>
          database.write(siteId ?? 'server', (db) => deleteUnusedSegments(db, before, segmentBatchSize, siteId), {
            sync: 'normal',
          });
        return (await deleteSome()) === segmentBatchSize;
      });
    jobs.every('cleanup', { intervalMs: cleanupIntervalMs, delayMs: cleanupDelayMs }, async () => {
      const now = new Date(currentTimeMs());
      await database.write(
        'server',
        async (db) => markObjectsForDeletion(db, 'id', await expireVersions(db, now.toISOString())),
        {
          sync: 'normal',
        },
      );
      const purgeBefore = new Date(now.getTime() - deletedRetentionDays * dayMs).toISOString();
      await jobs.repeat(() => database.write('server', (db) => purgeDeletedPosts(db, purgeBefore), { sync: 'normal' }));
      mediaFiles.evict();
      // A deleted post leaves nothing behind, nor do its earlier versions.
      const affectedSites = [...this.#affectedSites];
      this.#affectedSites.clear();
      for (const siteId of affectedSites) await deleteSegments(now.toISOString(), siteId);
      await deleteSegments(new Date(now.getTime() - unusedSegmentRetentionHours * hourMs).toISOString());
      await jobs.repeat(() => database.releaseFreeSpace());
    });
  }
}

/** Used by the background jobs that maintain the stored audio. */
export interface AudioServices {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly queue: AudioQueue;
  readonly postDeletion: PostDeletion;
  readonly mediaFiles: MediaFiles;
  /** Undefined: audio is stored in the database. */
  readonly bucket: Bucket | undefined;
  readonly diskSpace: DiskSpace;
  readonly jobs: Jobs;
  readonly log: Log;
}
