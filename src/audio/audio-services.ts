import type { Jobs } from '../background.ts';
import type { Database } from '../database/database.ts';
import type { DiskSpace } from '../disk-space.ts';
import type { Log } from '../log.ts';
import type { Catalog } from '../voices/catalog.ts';
import type { PostDeletion } from './deletion.ts';
import type { Bucket } from './media/bucket.ts';
import type { MediaFiles } from './media/media-files.ts';
import type { AudioQueue } from './queue.ts';

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
