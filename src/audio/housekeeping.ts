import type { Database } from '../database/open.ts';
import type { Log } from '../log.ts';
import type { MediaFiles } from './media-files.ts';
import { collectSegments, expireVersions } from './media-store.ts';

const pauseMs = 10 * 60_000;
/** Few at a time, so that no request waits long for the database. */
const segmentsPerRound = 500;

/**
 * Ends the service of old versions, deletes segments nothing uses and files nobody asked for, now and every ten minutes.
 * @returns a function that ends it
 */
export function keepHouse(
  { database, mediaFiles, log }: { database: Database; mediaFiles: MediaFiles; log: Log },
  { unusedSegmentHours }: { unusedSegmentHours: number },
): () => void {
  const tidy = async (): Promise<void> => {
    try {
      const now = new Date();
      await database.writeLazily((db) => expireVersions(db, now.toISOString()));
      const olderThan = new Date(now.getTime() - unusedSegmentHours * 3_600_000).toISOString();
      const collect = () =>
        database.writeLazily((db) => collectSegments(db, olderThan, segmentsPerRound));
      mediaFiles.tidy();
      while ((await collect()) === segmentsPerRound) await Bun.sleep(50);
    } catch (error) {
      log.warn({ err: error }, 'housekeeping failed');
    }
  };
  const first = setTimeout(tidy, 30_000);
  const timer = setInterval(tidy, pauseMs);
  return () => {
    clearTimeout(first);
    clearInterval(timer);
  };
}
