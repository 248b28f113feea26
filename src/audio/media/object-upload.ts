import type { Database } from '../../database/database.ts';
import { AppError } from '../../errors.ts';
import type { UploadMp3 } from '../publish.ts';
import { type Bucket, ObjectLostError } from './bucket.ts';
import type { MediaFiles } from './media-files.ts';
import { createObjectKey, insertWritingObject } from './object-store.ts';
import { unpackByteStarts } from './store.ts';

/** The file in the media folder is sent, and serves the first listeners. */
export function createUploadMp3(database: Database, bucket: Bucket, mediaFiles: MediaFiles): UploadMp3 {
  return async ({ siteId, versionId, finished }, publish) => {
    const { media_key, header, byte_starts, byte_count } = finished;
    const key = createObjectKey(siteId, versionId);
    const mp3 = {
      ...{ versionId, objectKey: null, header, byteStarts: unpackByteStarts(byte_starts) },
      ...{ byteCount: byte_count, readyAt: finished.ready_at },
    };
    let isPublished = false;
    try {
      const path = await mediaFiles.createFile(media_key, mp3);
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
