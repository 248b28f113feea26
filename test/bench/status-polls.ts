import { join } from 'node:path';
import { hashKey } from '../../src/auth/api-keys.ts';
import { compareWithBare, onServerCore, startBare } from './against-bare.ts';
import { buildArticle } from './article.ts';
import { startBenchServer } from './bench-server.ts';
import type { Figure } from './figure.ts';
import { measureWhileSpeaking } from './while-speaking.ts';

const main = join(import.meta.dir, '../../src/main.ts');
const connections = 32;

/** Status polls, compared with the minimal cost of a poll. */
export const statusPolls: Figure = {
  name: 'status-polls',
  measure: async ({ rounds }) => {
    const server = await startBenchServer({ command: [...onServerCore, process.execPath, main] });
    const site = await server.freshSite();
    await server.make(site, 'post', buildArticle(0));
    const args = [join(server.data, 'lectern.db'), hashKey(site.key), String(site.id)];
    const bare = await startBare('bare-status-process.ts', args);
    const name = 'HTTP: status polls a second against bare Bun.serve + SQLite';
    try {
      return [
        await compareWithBare({ name, rounds, min: 60 }, server, bare, (url) => ({
          ...{ url: `${url}/v1/audio/post/status`, key: site.key, connections },
        })),
      ];
    } finally {
      bare.end();
      await server.stop();
    }
  },
};

/** Duration of the slowest polls during synthesis. */
export const busyPolls: Figure = {
  name: 'busy-polls',
  measure: async ({ rounds }) => {
    const server = await startBenchServer();
    const name = 'HTTP: p99 of status polls while every worker is busy';
    try {
      return [
        await measureWhileSpeaking({ name, what: 'polls', rounds, target: 20 }, server, ({ key }) => ({
          ...{ path: '/v1/audio/long/status', key },
        })),
      ];
    } finally {
      await server.stop();
    }
  },
};
