import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setPostgres } from '../fixtures/database.ts';
import { createDatabase, execute, PostgresServer, query } from '../fixtures/postgres.ts';
import { createTemporaryFolder, startTestServer, type TestServer, withNewSite } from '../fixtures/server.ts';
import { buildArticle, variantCount } from './article.ts';
import { waitUntilIdle } from './bench-server.ts';
import { computeMedian, type Figure, formatNumber } from './figure.ts';

/** Each poll takes 3 ms of a core. */
const pollPauseMs = 500;

/** Enough that the end, when one speaker has no article left, hardly counts. */
const articleCount = 2 * variantCount;

/**
 * Articles synthesized by two `lectern speak`, each pinned to a core, compared with one, alternating. The server that accepts
 * them and PostgreSQL use the same cores.
 */
export const speakers: Figure = {
  name: 'speakers',
  isOnRequest: true,
  measure: async ({ rounds }) => {
    const postgres = new PostgresServer();
    setPostgres({ query, execute });
    const address = createDatabase(postgres.address);
    const createFolder = (): string => {
      const data = createTemporaryFolder();
      writeFileSync(join(data, 'lectern.toml'), `database = "${address}"\n`, { mode: 0o600 });
      return data;
    };
    const server = await startTestServer({
      data: createFolder(),
      voices: 'built-in',
      env: { LECTERN_SYNTHESIS: 'off' },
    });
    const speak = async (core: number): Promise<TestServer> => {
      const speaker = await startTestServer({
        data: createFolder(),
        key: server.key,
        voices: 'built-in',
        role: 'speak',
        env: { LECTERN_BASE_URL: server.url },
        wrapper: ['taskset', '--cpu-list', String(core)],
      });
      await waitUntilIdle(speaker.process.pid);
      return speaker;
    };
    const first = await speak(0);
    try {
      const times = { one: [] as number[], two: [] as number[] };
      for (let round = 0; round <= rounds; round += 1) {
        // The first round is a warm-up.
        const count = round === 0 ? 2 : articleCount;
        const alone = await speakAll(server, count);
        const second = await speak(1);
        const together = await speakAll(server, count);
        await second.stop();
        if (round === 0) continue;
        times.one.push(alone);
        times.two.push(together);
      }
      return [
        {
          name: 'Two speakers: articles per second against one, a core each',
          unit: '×',
          values: times.one.map((seconds, round) => seconds / (times.two[round] ?? Number.NaN)),
          min: 1.9,
          detail: `${articleCount} articles in ${formatNumber(computeMedian(times.two))} s against ${formatNumber(computeMedian(times.one))} s`,
        },
      ];
    } finally {
      await first.stop();
      await server.stop();
      postgres.remove();
    }
  },
};

/** @returns seconds from the first POST until all articles of a new site are ready */
async function speakAll(server: TestServer, count: number): Promise<number> {
  const site = await withNewSite(server);
  const started = performance.now();
  const names = Array.from({ length: count }, (_, index) => `post-${index}`);
  for (const [index, post_id] of names.entries()) {
    const { title, content } = buildArticle(index % variantCount);
    const response = await site.generate({ post_id, post_title: title, content });
    if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`);
  }
  for (const name of names) {
    let { status } = await site.status(name);
    while (status !== 'ready') {
      if (status === 'failed') throw new Error(`${name} failed`);
      await Bun.sleep(pollPauseMs);
      ({ status } = await site.status(name));
    }
  }
  return (performance.now() - started) / 1000;
}
