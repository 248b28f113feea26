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

/** Each synthesizes all articles: enough that the end, when one speaker has no article left, hardly counts. */
const siteCount = 2;

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
      isPreloading: true,
      env: { LECTERN_SYNTHESIS: 'off' },
    });
    const speak = async (core: number): Promise<TestServer> => {
      const speaker = await startTestServer({
        data: createFolder(),
        key: server.key,
        voices: 'built-in',
        isPreloading: true,
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
        const count = round === 0 ? { sites: 1, articles: 1 } : { sites: siteCount, articles: variantCount };
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
          detail: `${siteCount * variantCount} articles in ${formatNumber(computeMedian(times.two))} s against ${formatNumber(computeMedian(times.one))} s`,
        },
      ];
    } finally {
      await first.stop();
      await server.stop();
      postgres.remove();
    }
  },
};

/**
 * A site synthesizes a repeated sentence once, so each article occurs once in a site.
 * @returns seconds from the first POST until all articles of the new sites are ready
 */
async function speakAll(
  server: TestServer,
  { sites, articles }: { readonly sites: number; readonly articles: number },
): Promise<number> {
  const created = await Promise.all(Array.from({ length: sites }, () => withNewSite(server)));
  const posts = created.flatMap((site) =>
    Array.from({ length: articles }, (_, variant) => ({ site, variant, post_id: `post-${variant}` })),
  );
  const started = performance.now();
  for (const { site, variant, post_id } of posts) {
    const { title, content } = buildArticle(variant);
    const response = await site.generate({ post_id, post_title: title, content });
    if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`);
  }
  for (const { site, post_id } of posts) {
    let { status } = await site.status(post_id);
    while (status !== 'ready') {
      if (status === 'failed') throw new Error(`${post_id} failed`);
      await Bun.sleep(pollPauseMs);
      ({ status } = await site.status(post_id));
    }
  }
  return (performance.now() - started) / 1000;
}
