import type { Services } from '../services.ts';
import { deleteUnusedSegments, expireVersions } from './media/store.ts';

const intervalMs = 10 * 60_000;
const initialDelayMs = 30_000;
/** Few at a time, so that no request waits long for the database. */
const segmentBatchSize = 500;

type CleanupDeps = Pick<Services, 'config' | 'database' | 'jobs' | 'mediaFiles' | 'postDeletion'>;

/** Every ten minutes expires old versions and deletes unused segments and files that were not requested for long. */
export function startCleanup({ config, database, jobs, mediaFiles, postDeletion }: CleanupDeps): void {
  const deleteSegments = (before: string, siteId?: number): Promise<void> =>
    jobs.repeat(async () => {
      const deleteSome = () =>
        database.writeNormalSync((db) => deleteUnusedSegments(db, before, segmentBatchSize, siteId));
      return (await deleteSome()) === segmentBatchSize;
    });
  jobs.every('cleanup', { intervalMs, delayMs: initialDelayMs }, async () => {
    const now = new Date();
    await database.writeNormalSync((db) => expireVersions(db, now.toISOString()));
    mediaFiles.evict();
    // A deleted post leaves nothing behind, nor do its earlier versions.
    for (const siteId of postDeletion.drainAffectedSites()) await deleteSegments(now.toISOString(), siteId);
    await deleteSegments(new Date(now.getTime() - config.unusedSegmentRetentionHours * 3_600_000).toISOString());
  });
}
