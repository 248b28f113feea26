import { runInBackground } from '../background.ts';
import type { Database } from '../database/open.ts';
import type { Log } from '../log.ts';
import type { PostDeletion } from './deletion.ts';
import type { MediaFiles } from './media/media-files.ts';
import { deleteUnusedSegments, expireVersions } from './media/store.ts';

const intervalMs = 10 * 60_000;
/** Few at a time, so that no request waits long for the database. */
const segmentBatchSize = 500;

export interface CleanupDeps {
  readonly database: Database;
  readonly mediaFiles: MediaFiles;
  readonly postDeletion: Pick<PostDeletion, 'drainAffectedSites'>;
  readonly log: Log;
}

/**
 * Ends the service of old versions, deletes segments nothing uses and files nobody asked for, now and every ten minutes.
 * @returns a function that ends it
 */
export function startCleanup(
  { database, mediaFiles, postDeletion: removal, log }: CleanupDeps,
  { unusedSegmentRetentionHours }: { unusedSegmentRetentionHours: number },
): () => void {
  const tidyAll = async (): Promise<void> => {
    const now = new Date();
    await database.writeNormalSync((db) => expireVersions(db, now.toISOString()));
    const olderThan = new Date(now.getTime() - unusedSegmentRetentionHours * 3_600_000).toISOString();
    const collect = async (before: string, siteId?: number): Promise<void> => {
      const round = () => database.writeNormalSync((db) => deleteUnusedSegments(db, before, segmentBatchSize, siteId));
      while ((await round()) === segmentBatchSize) await Bun.sleep(50);
    };
    mediaFiles.evict();
    // Of a deleted post nothing stays, nor of the versions it had before.
    for (const siteId of removal.drainAffectedSites()) await collect(now.toISOString(), siteId);
    await collect(olderThan);
  };
  const tidy = () => runInBackground(tidyAll(), log, 'cleanup failed');
  const first = setTimeout(tidy, 30_000);
  const timer = setInterval(tidy, intervalMs);
  return () => {
    clearTimeout(first);
    clearInterval(timer);
  };
}
