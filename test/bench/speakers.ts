import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setPostgres } from '../fixtures/database.ts';
import { createDatabase, execute, PostgresServer, query } from '../fixtures/postgres.ts';
import { createTemporaryFolder, startTestServer, type TestServer, withNewSite } from '../fixtures/server.ts';
import { type BenchArticle, buildArticle, buildExcerpt, paragraphCount, variantCount } from './article.ts';
import { waitUntilIdle } from './bench-server.ts';
import { limitCpu } from './cpu-limit.ts';
import { computeMedian, type Figure, formatNumber, type Measured } from './figure.ts';

/** Each poll takes 3 ms of a core. */
const pollPauseMs = 500;

/** A post for each article. A site synthesizes a repeated sentence once, so each article occurs once in a site. */
type Articles = readonly BenchArticle[];

interface Comparison {
  readonly name: string;
  readonly speakerCount: number;
  readonly min: number;
  /** Command before that of a speaker. */
  readonly wrap: (index: number) => readonly string[];
  /** By site. */
  readonly sites: readonly Articles[];
}

const variants = Array.from({ length: variantCount }, (_, variant) => variant);
/** Enough posts that the end of a run, when some speakers are idle, hardly counts. */
const twoSites = Array.from({ length: 2 }, () => variants.map(buildArticle));
/** Short posts, because slow speakers are idle longer at the end. */
const paragraphs = variants.flatMap((variant) =>
  Array.from({ length: paragraphCount }, (_, place) => buildExcerpt(variant, [place])),
);
const cpuShare = 0.2;

const comparisons: readonly Comparison[] = [
  {
    name: 'Two speakers: articles per second against one, a core each',
    ...{ speakerCount: 2, min: 1.9, sites: twoSites },
    wrap: (index) => ['taskset', '--cpu-list', String(index)],
  },
  {
    name: `Four speakers: posts per second against one, each limited to ${cpuShare * 100} % of a core`,
    ...{ speakerCount: 4, min: 3.6, sites: [paragraphs] },
    wrap: (index) => limitCpu(`lectern-bench-${index}`, cpuShare),
  },
];

/**
 * Posts synthesized by several `lectern speak`, compared with one, alternating. The server that accepts them and PostgreSQL use
 * the same cores.
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
    const speak = async (wrapper: readonly string[]): Promise<TestServer> => {
      const speaker = await startTestServer({
        data: createFolder(),
        key: server.key,
        voices: 'built-in',
        isPreloading: true,
        role: 'speak',
        env: { LECTERN_BASE_URL: server.url },
        wrapper,
      });
      await waitUntilIdle(speaker.process.pid);
      return speaker;
    };
    try {
      const measured: Measured[] = [];
      for (const comparison of comparisons) measured.push(await compare(comparison, rounds, server, speak));
      return measured;
    } finally {
      await server.stop();
      postgres.remove();
    }
  },
};

async function compare(
  { name, speakerCount, min, wrap, sites }: Comparison,
  rounds: number,
  server: TestServer,
  speak: (wrapper: readonly string[]) => Promise<TestServer>,
): Promise<Measured> {
  const first = await speak(wrap(0));
  const times = { one: [] as number[], all: [] as number[] };
  try {
    for (let round = 0; round <= rounds; round += 1) {
      // The first round is a warm-up.
      const posts = round === 0 ? [variants.map((variant) => buildExcerpt(variant, [0]))] : sites;
      const alone = await speakAll(server, posts);
      const others: TestServer[] = [];
      while (others.length < speakerCount - 1) others.push(await speak(wrap(others.length + 1)));
      const together = await speakAll(server, posts);
      await Promise.all(others.map((speaker) => speaker.stop()));
      if (round === 0) continue;
      times.one.push(alone);
      times.all.push(together);
    }
  } finally {
    await first.stop();
  }
  return {
    ...{ name, unit: '×', min },
    values: times.one.map((seconds, round) => seconds / (times.all[round] ?? Number.NaN)),
    detail: `${sites.flat().length} posts in ${formatNumber(computeMedian(times.all))} s against ${formatNumber(computeMedian(times.one))} s`,
  };
}

/** @returns seconds from the first POST until all posts of the new sites are ready */
async function speakAll(server: TestServer, sites: readonly Articles[]): Promise<number> {
  const created = await Promise.all(sites.map(async (articles) => ({ site: await withNewSite(server), articles })));
  const posts = created.flatMap(({ site, articles }) =>
    articles.map((article, index) => ({ site, article, post_id: `post-${index}` })),
  );
  const started = performance.now();
  for (const { site, article, post_id } of posts) {
    const { title, content } = article;
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
