import type { Database } from '../database/open.ts';
import type { Log } from '../log.ts';
import { allowedVoices } from '../voices/allowed.ts';
import type { Catalog } from '../voices/catalog.ts';
import type { OnAudioChange } from './change.ts';
import {
  findSwitchSettings,
  insertExtra,
  listLacking,
  listSwitchSettings,
  listUnwanted,
  type SwitchSettings,
} from './extra-voices-store.ts';
import type { AudioQueue } from './production/queue.ts';
import type { Removal } from './removal/post-removal.ts';
import { deleteAudiosWholly } from './removal/store.ts';

/** A command changes a site in another process: so often is looked. */
const lookPauseMs = 2_000;
/** Few at a time, so that no request waits long for the database. */
const removedAtOnce = 10;
const addedAtOnce = 50;
const batchPauseMs = 20;

export interface ExtraVoicesDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly queue: Pick<AudioQueue, 'turnOf' | 'changed'>;
  readonly removal: Pick<Removal, 'settle'>;
  readonly log: Log;
}

/**
 * The further voices of posts, as their sites want them: made from the text of the main audio once that is ready, taken
 * away when they are wanted no more. What is missing follows from the rows, so that nothing is lost by a restart.
 */
export interface ExtraVoices {
  /** Queues the further voices of an audio that becomes ready. */
  readonly onChange: OnAudioChange;
  /** Brings all sites to their settings, now and whenever those change; @returns a function that ends it */
  start(): () => Promise<void>;
}

export function createExtraVoices(deps: ExtraVoicesDeps): ExtraVoices {
  const { database, catalog, queue, removal, log } = deps;
  /** What each site wanted when it was brought to it. */
  const settled = new Map<number, string>();
  let stopped = false;

  /** @returns the voices a site wants that can speak now */
  const wantedVoices = async (site: SwitchSettings) => {
    const ids = wantedIds(site);
    return ids.length === 0
      ? []
      : allowedVoices(await catalog.voices(), site).filter(({ id }) => ids.includes(id));
  };
  const add = async (
    siteId: number,
    voice: { id: number; language: string },
    audioId?: number,
  ): Promise<number> => {
    const added = await database.write(async (db) => {
      const lacking = await listLacking(db, siteId, voice, addedAtOnce, audioId);
      const ids: number[] = [];
      for (const { id, cost } of lacking) {
        ids.push(await insertExtra(db, id, voice.id, queue.turnOf(siteId, 'further', cost)));
      }
      return ids;
    });
    for (const id of added) await queue.changed(id);
    return added.length;
  };
  const removeUnwanted = async (site: SwitchSettings): Promise<number> => {
    const removed = await database.write(async (db) => {
      const ids = await listUnwanted(db, site.id, wantedIds(site), removedAtOnce);
      return deleteAudiosWholly(db, site.id, ids);
    });
    await removal.settle(removed);
    return removed.audioIds.length;
  };
  const settle = async (site: SwitchSettings): Promise<void> => {
    while (!stopped && (await removeUnwanted(site)) > 0) await Bun.sleep(batchPauseMs);
    for (const voice of await wantedVoices(site)) {
      while (!stopped && (await add(site.id, voice)) > 0) await Bun.sleep(batchPauseMs);
    }
  };
  const look = async (): Promise<void> => {
    for (const site of await listSwitchSettings(database.read)) {
      if (stopped) return;
      const speaking = (await wantedVoices(site)).map(({ id }) => id);
      const wanted = JSON.stringify([wantedIds(site), speaking]);
      if (settled.get(site.id) === wanted) continue;
      await settle(site);
      settled.set(site.id, wanted);
    }
  };
  const addFor = async (siteId: number, audioId: number): Promise<void> => {
    const site = await findSwitchSettings(database.read, siteId);
    for (const voice of await wantedVoices(site)) await add(siteId, voice, audioId);
  };

  return {
    onChange: async (_db, { type, siteId, audioId }) => {
      if (type !== 'audio.ready' || stopped) return;
      // Not awaited: it writes after this transaction, as there is one writer at a time, and finds nothing if that fails.
      addFor(siteId, audioId).catch((error: unknown) => {
        settled.delete(siteId);
        if (!stopped) log.warn({ err: error, audio: audioId }, 'further voices are queued later');
      });
    },
    start: () => {
      let lookedAt: number | undefined;
      let looking = Promise.resolve();
      let busy = false;
      const lookAgain = (): void => {
        const version = database.version();
        if (busy || stopped || (version === lookedAt && settled.size > 0)) return;
        lookedAt = version;
        busy = true;
        looking = look()
          .catch((error: unknown) => {
            lookedAt = undefined;
            log.warn({ err: error }, 'further voices could not be looked after');
          })
          .finally(() => {
            busy = false;
          });
      };
      lookAgain();
      const timer = setInterval(lookAgain, lookPauseMs);
      return async () => {
        stopped = true;
        clearInterval(timer);
        await looking;
      };
    },
  };
}

function wantedIds(site: SwitchSettings): number[] {
  return site.allow_switch === 1 ? (JSON.parse(site.extra_voices) as number[]) : [];
}
