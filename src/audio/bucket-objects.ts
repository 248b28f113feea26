import { currentTimeMs, dayMs, hourMs, monotonicMs, timestamp } from '../clock.ts';
import { afterCommit, type Database, type Queries } from '../database/database.ts';
import { createWriteWatcher } from '../database/query-cache.ts';
import { AppError } from '../errors.ts';
import type { AudioServices } from './audio-services.ts';
import { type Bucket, ObjectLostError } from './media/bucket.ts';
import type { MediaFiles } from './media/media-files.ts';
import {
  createObjectKey,
  deleteObjectRows,
  findObject,
  insertWritingObject,
  listDueObjects,
  releaseSegments,
  requireOwnBucket,
} from './media/object-store.ts';
import { unpackByteStarts } from './media/store.ts';
import type { UploadMp3 } from './publish.ts';
import { requeueDamagedAudios } from './regenerate.ts';

/** For objects that a request or a command has deleted. */
const pollIntervalMs = 2_000;
/** For objects that have become old enough. */
const passIntervalMs = 10 * 60_000;
/** Longer than any upload. */
const maxUploadHours = 1;
const batchSize = 50;

/** Uploads the file in the media folder, which serves the first listeners. */
export function createUploadMp3(database: Database, bucket: Bucket, mediaFiles: MediaFiles): UploadMp3 {
  return async ({ siteId, versionId, finished }, publish) => {
    const { media_key, header, byte_starts, byte_count } = finished;
    const key = createObjectKey(siteId, versionId);
    const layout = { header, byteStarts: unpackByteStarts(byte_starts) };
    let isPublished = false;
    try {
      const path = await mediaFiles.createFile(media_key, { versionId, byteCount: byte_count, layout });
      await database.write(siteId, (db) => insertWritingObject(db, { key, site_id: siteId, byte_count }));
      await bucket.put(key, Bun.file(path));
      const result = await publish(key);
      isPublished = result.end === 'ready';
      return result;
    } catch (error) {
      // Its sentences are synthesized again.
      if (error instanceof ObjectLostError) throw new AppError('busy', 'An object is missing in the bucket');
      throw error;
    } finally {
      if (!isPublished) await mediaFiles.deleteFiles([media_key]);
    }
  };
}

/** @returns the versions that have an object, with the audio that plays it now */
function listObjectVersions(db: Queries, key: string) {
  return db
    .selectFrom('version')
    .leftJoin('audio', 'audio.version_id', 'version.id')
    .select(['version.media_key', 'audio.id as currentAudioId'])
    .where('version.object_key', '=', key)
    .execute();
}

/** Deletes objects that no version has from the bucket, and replaces those that the bucket has lost. */
export class ObjectCleanup {
  readonly #services: AudioServices;
  readonly #graceDays: number;

  constructor(services: AudioServices, graceDays: number) {
    this.#services = services;
    this.#graceDays = graceDays;
  }

  start(): void {
    const { bucket, database, jobs } = this.#services;
    if (bucket === undefined) return;
    const hasChanged = createWriteWatcher(database);
    let nextPassMs = 0;
    const isDue = (): boolean => hasChanged() || monotonicMs() >= nextPassMs;
    jobs.every('deleting objects', { intervalMs: pollIntervalMs, isDue }, () => {
      nextPassMs = monotonicMs() + passIntervalMs;
      return this.#deleteDue(bucket);
    });
  }

  /** An object is lost or damaged: its audio is generated again from its text, once. */
  async replaceLost(key: string): Promise<void> {
    const { database, bucket, queue, mediaFiles, log } = this.#services;
    if (bucket !== undefined) await this.#requireOwnBucket(bucket);
    await database.write('server', async (db) => {
      const object = await findObject(db, key);
      if (object?.state !== 'live') return releaseSegments(db, [key]);
      const versions = await listObjectVersions(db, key);
      await releaseSegments(db, [key]);
      const audioIds = versions.flatMap(({ currentAudioId }) => currentAudioId ?? []);
      log.error({ key, audios: audioIds }, 'object lost');
      await requeueDamagedAudios(db, queue, audioIds);
      const mediaKeys = versions.flatMap(({ media_key }) => media_key ?? []);
      afterCommit(db, () => mediaFiles.deleteFiles(mediaKeys));
    });
  }

  /** In another bucket everything would be lost. */
  async #requireOwnBucket(bucket: Bucket): Promise<void> {
    try {
      await requireOwnBucket(this.#services.database, bucket);
    } catch (error) {
      this.#services.log.error({ err: error }, 'bucket not recognized');
      throw new AppError('sound_unavailable', 'Audio storage unavailable');
    }
  }

  async #deleteDue(bucket: Bucket): Promise<void> {
    const { database, jobs, log } = this.#services;
    await jobs.repeat(async () => {
      const now = currentTimeMs();
      const limits = {
        writingBefore: timestamp(now - maxUploadHours * hourMs),
        markedBefore: timestamp(now - this.#graceDays * dayMs),
      };
      if ((await listDueObjects(database.read, limits, 1)).length === 0) return false;
      // The rows first: nothing plays from an object that is being deleted. In one transaction: an upload may be published meanwhile.
      const keys = await database.write('server', async (db) => {
        const due = await listDueObjects(db, limits, batchSize);
        await releaseSegments(db, due);
        return due;
      });
      await Promise.all(keys.map((key) => bucket.drop(key)));
      await database.write('server', (db) => deleteObjectRows(db, keys), { sync: 'normal' });
      log.info({ objects: keys.length }, 'objects deleted');
      return keys.length === batchSize;
    });
  }
}
