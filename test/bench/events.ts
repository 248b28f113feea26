import { join } from 'node:path';
import { hashKey } from '../../src/auth/api-keys.ts';
import { createTemporaryFolder } from '../fixtures/server.ts';
import { compareWithBare, onServerCore, startBare } from './against-bare.ts';
import { buildArticle } from './article.ts';
import { startBenchServer } from './bench-server.ts';
import type { Figure } from './figure.ts';
import { measureWhileSpeaking } from './while-speaking.ts';

const main = join(import.meta.dir, '../../src/main.ts');
const connections = 64;
const eventsPerRequest = 10;

/** Batches of events, compared with the minimal cost of storing them, and during synthesis. */
export const events: Figure = {
  name: 'events',
  measure: async ({ rounds }) => {
    const server = await startBenchServer({ command: [...onServerCore, process.execPath, main] });
    const busy = await startBenchServer();
    const site = await server.freshSite();
    await server.make(site, 'post', buildArticle(0));
    const file = join(createTemporaryFolder(), 'events.db');
    const bare = await startBare('bare-events-process.ts', [file, hashKey(site.key)]);
    const path = '/v1/events/track';
    try {
      return [
        await compareWithBare(
          {
            name: `HTTP: batches of ${eventsPerRequest} events a second against bare Bun.serve + SQLite`,
            rounds,
          },
          server,
          bare,
          (url) => ({ url: `${url}${path}`, key: site.key, body: buildBatch('post'), connections }),
        ),
        await measureWhileSpeaking(
          {
            name: 'HTTP: p99 of these while every worker is busy',
            ...{ what: 'batches', rounds, connections },
          },
          busy,
          ({ key }) => ({ path, key, body: buildBatch('long') }),
        ),
      ];
    } finally {
      bare.end();
      await server.stop();
      await busy.stop();
    }
  },
};

/** Events of a listener: each request is of a different one, without repeats. */
function buildBatch(postId: string): string {
  const events = Array.from({ length: eventsPerRequest }, (_, place) => ({
    type: place === 0 ? 'play' : 'progress',
    post_id: postId,
    session_id: 'UNIQUE',
    event_id: `UNIQUE-${place}`,
    position_seconds: place * 15,
    heard_seconds: place === 0 ? 0 : 15,
  }));
  return JSON.stringify({ events });
}
