import { sql } from 'kysely';
import { createSiteUsers } from '../fixtures/site-users.ts';
import { type BenchArticle, buildArticle, buildExcerpt, buildLongArticle, variantCount } from './article.ts';
import { type BenchServer, type BenchSite, startBenchServer } from './bench-server.ts';
import { computeMedian, type Figure, formatNumber, type Measured } from './figure.ts';
import { load } from './load.ts';

const variants = Array.from({ length: variantCount }, (_, variant) => variant);
/** Each about ten times as long as the previous one. Several short ones in sequence, as one is too fast to measure. */
const lengths = [
  { words: '100', articles: variants.map((variant) => buildExcerpt(variant, [0])) },
  { words: '1,000', articles: [0, 1, 2].map(buildArticle) },
  { words: '10,000', articles: [buildLongArticle()] },
];
/** Rounds of the longest article, which takes long. */
const articleRoundsMax = 3;

/** Growth of the time from POST to ready with the length of an article. */
export const articleGrowth: Figure = {
  name: 'article-growth',
  measure: async ({ rounds }) => {
    const server = await startBenchServer();
    try {
      // Warms up.
      await server.make(await server.freshSite(), 'first', buildArticle(0));
      const times: ArticleTime[][] = lengths.map(() => []);
      for (let round = 0; round < Math.min(rounds, articleRoundsMax); round += 1) {
        for (const [place, { articles }] of lengths.entries()) {
          times[place]?.push(await measureArticles(server, articles));
        }
      }
      return lengths.slice(1).map(({ words }, place) => {
        const [short = [], long = []] = times.slice(place, place + 2);
        return compareLengths(`${words} words against ${lengths[place]?.words}`, short, long);
      });
    } finally {
      await server.stop();
    }
  },
};

interface ArticleTime {
  readonly perArticleS: number;
  readonly perCharacterS: number;
}

async function measureArticles(server: BenchServer, articles: readonly BenchArticle[]): Promise<ArticleTime> {
  let seconds = 0;
  let characters = 0;
  for (const article of articles) {
    seconds += (await server.make(await server.freshSite(), 'post', article)).readyS;
    characters += article.title.length + article.content.replace(/<[^>]*>/g, '').length;
  }
  return { perArticleS: seconds / articles.length, perCharacterS: seconds / characters };
}

/** Compares the time per character, as the lengths are not exact multiples. */
function compareLengths(what: string, short: readonly ArticleTime[], long: readonly ArticleTime[]): Measured {
  const formatTimes = (times: readonly ArticleTime[]) =>
    `${formatNumber(computeMedian(times.map(({ perArticleS }) => perArticleS)))} s`;
  return {
    name: `Growth: time of ten times the text, ${what}`,
    unit: '×',
    values: long.map(({ perCharacterS }, round) => (10 * perCharacterS) / (short[round]?.perCharacterS ?? Number.NaN)),
    target: 10.5,
    detail: `${formatTimes(long)} against ${formatTimes(short)}`,
  };
}

const postCounts = [1_000, 100_000, 1_000_000] as const;
const connections = 4;
const seconds = 2;

/** A request measured with few and with many posts. */
const questions: readonly SizeComparison[] = [
  { what: 'status polls', path: () => '/v1/audio/post-RANDOM/status', target: 1.5, maxRounds: 5 },
  { what: 'the list of posts', path: ({ id }) => `/v1/sites/${id}/posts`, maxRounds: 3 },
  {
    what: 'a search for a post',
    path: ({ id }) => `/v1/sites/${id}/posts?q=post-RANDOM`,
    maxRounds: 3,
  },
  { what: 'the queue', path: () => '/v1/queue', maxRounds: 3 },
];

interface SizeComparison {
  readonly what: string;
  readonly path: (site: BenchSite) => string;
  readonly target?: number;
  readonly maxRounds: number;
}

/** Alternates the same requests between servers with few and with many posts. */
export const postGrowth: Figure = {
  name: 'post-growth',
  measure: async ({ rounds }) => {
    const filled: FilledServer[] = [];
    try {
      for (const count of postCounts) filled.push(await startFilledServer(count));
      const measured: Measured[] = [];
      for (const request of questions) {
        measured.push(...(await compareSizes(request, filled, Math.min(rounds, request.maxRounds))));
      }
      return measured;
    } finally {
      for (const { server } of filled) await server.stop();
    }
  },
};

/** A server with posts of one site. */
interface FilledServer {
  readonly server: BenchServer;
  readonly site: BenchSite;
  readonly count: number;
  /** Of an admin's session. */
  readonly token: string;
}

async function startFilledServer(count: number): Promise<FilledServer> {
  const server = await startBenchServer();
  const site = await addPosts(server, count);
  const { token } = createSiteUsers(server, site.id).admin;
  return { server, site, count, token };
}

async function compareSizes(
  { what, path, target }: SizeComparison,
  filled: readonly FilledServer[],
  rounds: number,
): Promise<Measured[]> {
  const times: number[][] = filled.map(() => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [place, prepared] of filled.entries()) {
      const { p99Ms } = await load(`${prepared.server.url}${path(prepared.site)}`, {
        ...{ key: prepared.site.key, token: prepared.token },
        ...{ connections, seconds, randomUpTo: prepared.count },
      });
      // The first round is a warm-up.
      if (round > 0) times[place]?.push(p99Ms);
    }
  }
  const [few = [], ...others] = times;
  return others.map((many, place) => ({
    name: `Growth: p99 of ${what}, ${formatCount(postCounts[place + 1])} posts against ${formatCount(postCounts[0])}`,
    unit: '×',
    values: many.map((ms, round) => ms / (few[round] ?? Number.NaN)),
    ...(target !== undefined && { target }),
    detail: `${formatNumber(computeMedian(many))} ms against ${formatNumber(computeMedian(few))} ms, ${connections} connections`,
  }));
}

function formatCount(count = Number.NaN): string {
  return count.toLocaleString('en-US');
}

/** Ready posts with a text each, written to the database directly. */
async function addPosts(server: BenchServer, count: number): Promise<BenchSite> {
  const site = await server.freshSite();
  const now = new Date().toISOString();
  await server.database.write('server', async (db) => {
    await sql`insert into post (site_id, external_id, visibility, created_at, updated_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
      select ${site.id}, 'post-' || n, 'public', ${now}, ${now} from numbers`.execute(db);
    await sql`insert into audio (post_id, language, voice_id, status, progress_percent, content, request_hash,
        is_main, priority, revision, virtual_time, created_at, updated_at)
      select id, 'en', (select min(id) from voice), 'failed', 0, hex(randomblob(200)), hex(randomblob(32)),
        1, 'normal', 1, 0, ${now}, ${now} from post where site_id = ${site.id}`.execute(db);
  });
  return site;
}
