import { inBackground } from '../background.ts';
import type { Database } from '../database/open.ts';
import type { Log } from '../log.ts';
import type { Removal } from './deletion.ts';
import type { MediaFiles } from './media/media-files.ts';
import { collectSegments, expireVersions } from './media/store.ts';

const pauseMs = 10 * 60_000;
/** Few at a time, so that no request waits long for the database. */
const segmentsPerRound = 500;

export interface HousekeepingDeps {
  readonly database: Database;
  readonly mediaFiles: MediaFiles;
  readonly removal: Pick<Removal, 'takeSites'>;
  readonly log: Log;
}

/**
 * Ends the service of old versions, deletes segments nothing uses and files nobody asked for, now and every ten minutes.
 * @returns a function that ends it
 */
export function keepHouse(
  { database, mediaFiles, removal, log }: HousekeepingDeps,
  { unusedSegmentHours }: { unusedSegmentHours: number },
): () => void {
  const tidyAll = async (): Promise<void> => {
    const now = new Date();
    await database.writeLazily((db) => expireVersions(db, now.toISOString()));
    const olderThan = new Date(now.getTime() - unusedSegmentHours * 3_600_000).toISOString();
    const collect = async (before: string, siteId?: number): Promise<void> => {
      const round = () =>
        database.writeLazily((db) => collectSegments(db, before, segmentsPerRound, siteId));
      while ((await round()) === segmentsPerRound) await Bun.sleep(50);
    };
    mediaFiles.tidy();
    // Of a deleted post nothing stays, nor of the versions it had before.
    for (const siteId of removal.takeSites()) await collect(now.toISOString(), siteId);
    await collect(olderThan);
  };
  const tidy = () => inBackground(tidyAll(), log, 'housekeeping failed');
  const first = setTimeout(tidy, 30_000);
  const timer = setInterval(tidy, pauseMs);
  return () => {
    clearTimeout(first);
    clearInterval(timer);
  };
}
