import type { Database, Queries } from '../../database/open.ts';
import type { Log } from '../../log.ts';
import type { MediaFiles } from '../media/files.ts';
import type { AudioQueue } from '../production/queue.ts';
import {
  closeSite,
  deletedSites,
  deleteSiteRow,
  deleteSomeOfSite,
  mediaKeysOf,
} from './site-removal-store.ts';

/** Requests under way when a site is closed may write for it a moment longer. */
const graceMs = 2_000;
/** Between two steps, so that others get at the database. */
const stepPauseMs = 20;

/** Takes a site away, from one moment to the next for everybody outside, and then step by step from the database. */
export interface SiteRemoval {
  /**
   * Ends everything of the site in one transaction: it is found by nobody any more, its keys, domains and MP3 addresses
   * are dead, its queued work is dropped. Its rows follow in the background.
   * @param also what else belongs into the transaction
   */
  begin(siteId: number, also: (db: Queries) => Promise<void>): Promise<void>;
  /** Takes up again what a stop of the server left undone. */
  resume(): Promise<void>;
  /** Ends with the step in hand. */
  stop(): Promise<void>;
}

export interface SiteRemovalDeps {
  readonly database: Database;
  readonly mediaFiles: Pick<MediaFiles, 'forget'>;
  readonly queue: Pick<AudioQueue, 'changed'>;
  /** Deletes some more rows of a site; @returns whether there may be others. */
  readonly deleteMore: (db: Queries, siteId: number) => Promise<boolean>;
  readonly log: Log;
}

export function createSiteRemoval(deps: SiteRemovalDeps): SiteRemoval {
  const { database, mediaFiles, queue, deleteMore, log } = deps;
  const stopped = Promise.withResolvers<void>();
  let stopping = false;
  let work: Promise<void> = Promise.resolve();
  const remove = async (siteId: number): Promise<void> => {
    await mediaFiles.forget(await mediaKeysOf(database.read, siteId));
    await Promise.race([Bun.sleep(graceMs), stopped.promise]);
    const deleteSome = () =>
      database.writeLazily(
        async (db) => (await deleteSomeOfSite(db, siteId)) || deleteMore(db, siteId),
      );
    while (!stopping && (await deleteSome())) await Bun.sleep(stepPauseMs);
    if (stopping) return;
    await database.write((db) => deleteSiteRow(db, siteId));
    log.info({ site: siteId }, 'site deleted');
  };
  /** One site after the other; what fails is tried again at the next start. */
  const removeLater = (siteId: number): void => {
    work = work
      .then(() => remove(siteId))
      .catch((error: unknown) => log.error({ err: error, site: siteId }, 'deleting a site failed'));
  };
  return {
    begin: async (siteId, also) => {
      const dropped = await database.write(async (db) => {
        const unfinished = await closeSite(db, siteId);
        await also(db);
        return unfinished;
      });
      for (const audioId of dropped) await queue.changed(audioId);
      removeLater(siteId);
    },
    resume: async () => {
      for (const siteId of await deletedSites(database.read)) removeLater(siteId);
    },
    stop: async () => {
      stopping = true;
      stopped.resolve();
      await work;
    },
  };
}
