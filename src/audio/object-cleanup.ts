import type { Jobs } from '../background.ts';
import { currentTimeMs, monotonicMs, timestamp } from '../clock.ts';
import { afterCommit, type Database, type Queries } from '../database/database.ts';
import { createWriteWatcher } from '../database/query-cache.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Bucket } from './media/bucket.ts';
import type { MediaFiles } from './media/media-files.ts';
import {
  deleteObjectRows,
  findObject,
  listDueObjects,
  releaseSegments,
  requireOwnBucket,
} from './media/object-store.ts';
import type { AudioQueue } from './queue.ts';
import { requeueDamagedAudios } from './regenerate.ts';

/** What a request or a command has deleted goes soon. */
const pollIntervalMs = 2_000;
/** Otherwise the age of objects is checked so often. */
const passIntervalMs = 10 * 60_000;
/** Longer than any upload. */
const maxUploadHours = 1;
const batchSize = 50;

/** @returns the versions that have an object, with the audio that plays it now */
function listObjectVersions(db: Queries, key: string) {
  return db
    .selectFrom('version')
    .leftJoin('audio', 'audio.version_id', 'version.id')
    .select(['version.media_key', 'audio.id as currentAudioId'])
    .where('version.object_key', '=', key)
    .execute();
}

export interface ObjectCleanupDeps {
  readonly database: Database;
  readonly bucket: Bucket | undefined;
  readonly queue: AudioQueue;
  readonly mediaFiles: Pick<MediaFiles, 'deleteFiles'>;
  readonly jobs: Jobs;
  readonly log: Log;
  readonly objectGraceDays: number;
}

/** Deletes objects that no version has from the bucket, and replaces those that the bucket has lost. */
export class ObjectCleanup {
  readonly #deps: ObjectCleanupDeps;

  constructor(deps: ObjectCleanupDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { bucket, database, jobs } = this.#deps;
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
    const { database, bucket, queue, mediaFiles, log } = this.#deps;
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
      await requireOwnBucket(this.#deps.database, bucket);
    } catch (error) {
      this.#deps.log.error({ err: error }, 'bucket not recognized');
      throw new AppError('sound_unavailable', 'Audio storage unavailable');
    }
  }

  async #deleteDue(bucket: Bucket): Promise<void> {
    const { database, jobs, objectGraceDays, log } = this.#deps;
    await jobs.repeat(async () => {
      const now = currentTimeMs();
      const limits = {
        writingBefore: timestamp(now - maxUploadHours * 3_600_000),
        markedBefore: timestamp(now - objectGraceDays * 86_400_000),
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
