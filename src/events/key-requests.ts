import type { Database } from '../database/open.ts';
import type { Answered } from '../http/handler.ts';
import { addKeyRequests, type KeyRequests } from './store.ts';

/** Counts requests made with a key by route, status and day, without a write for each. */
export interface KeyRequestCounts {
  note(answered: Answered): void;
  /** Writes down what was noted; what a crash loses are the counts since the last time. */
  save(): Promise<void>;
}

export function createKeyRequestCounts(database: Database): KeyRequestCounts {
  let counts = new Map<string, KeyRequests>();
  return {
    note: ({ siteId, keyId, route, method, status }) => {
      if (siteId === undefined || keyId === undefined || route === undefined) return;
      const day = new Date().toISOString().slice(0, 10);
      const named = `${method} ${route.replace(/:(\w+)/g, '{$1}')}`;
      const key = `${day} ${keyId} ${status} ${named}`;
      const count = (counts.get(key)?.count ?? 0) + 1;
      counts.set(key, { siteId, day, keyId, route: named, status, count });
    },
    save: async () => {
      if (counts.size === 0) return;
      const saving = counts;
      counts = new Map();
      await database.writeLazily((db) => addKeyRequests(db, [...saving.values()]));
    },
  };
}
