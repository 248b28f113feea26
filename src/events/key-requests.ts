import PQueue from 'p-queue';
import type { Database } from '../database/open.ts';
import type { Answered } from '../http/handler.ts';
import { addKeyRequests, type KeyRequests } from './store.ts';

/** Counts requests made with a key by route, status and day, without a write for each. */
export interface KeyRequestCounts {
  note(answered: Answered): void;
  /**
   * Returns once all that was noted is written down, by whichever call; what a crash loses are the counts since the last
   * time.
   */
  save(): Promise<void>;
}

export function createKeyRequestCounts(database: Database): KeyRequestCounts {
  let counts = new Map<string, KeyRequests>();
  const saves = new PQueue({ concurrency: 1 });
  const add = (requests: KeyRequests): void => {
    const { day, keyId, status, route } = requests;
    const key = `${day} ${keyId} ${status} ${route}`;
    const count = (counts.get(key)?.count ?? 0) + requests.count;
    counts.set(key, { ...requests, count });
  };
  const save = async (): Promise<void> => {
    if (counts.size === 0) return;
    const saving = [...counts.values()];
    counts = new Map();
    try {
      await database.writeLazily((db) => addKeyRequests(db, saving.map(described)));
    } catch (error) {
      // On a full disk, say: the next time will do.
      for (const requests of saving) add(requests);
      throw error;
    }
  };
  return {
    note: ({ siteId, keyId, route, method, status }) => {
      if (siteId === undefined || keyId === undefined || route === undefined) return;
      const day = new Date().toISOString().slice(0, 10);
      add({ siteId, day, keyId, route: `${method} ${route}`, status, count: 1 });
    },
    save: () => saves.add(save),
  };
}

/** The route as its description writes it: `/v1/audio/{post_id}/status`. */
function described(requests: KeyRequests): KeyRequests {
  return { ...requests, route: requests.route.replace(/:(\w+)/g, '{$1}') };
}
