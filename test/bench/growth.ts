import { sql } from 'kysely';
import { peopleOf } from '../fixtures/people.ts';
import { article, type BenchArticle, excerpt, longArticle, variantsMax } from './article.ts';
import { type BenchServer, type BenchSite, startBenchServer } from './bench-server.ts';
import { type Figure, type Measured, median, number } from './figure.ts';
import { load } from './load.ts';

const variants = Array.from({ length: variantsMax }, (_, variant) => variant);
/** Each about ten times as long as the one before. Several of the short ones, one after the other, as they take no time. */
const lengths = [
  { words: '100', articles: variants.map((variant) => excerpt(variant, [0])) },
  { words: '1,000', articles: [0, 1, 2].map(article) },
  { words: '10,000', articles: [longArticle()] },
];
/** Of the longest article, which takes its time. */
const articleRoundsMax = 3;

/** How the time of an article, from POST to ready, grows with its length. */
export const articleGrowth: Figure = {
  name: 'article-growth',
  measure: async ({ rounds }) => {
    const server = await startBenchServer();
    try {
      // Warms up.
      await server.make(await server.freshSite(), 'first', article(0));
      const times: ArticleTime[][] = lengths.map(() => []);
      for (let round = 0; round < Math.min(rounds, articleRoundsMax); round += 1) {
        for (const [place, { articles }] of lengths.entries()) {
          times[place]?.push(await timeOf(server, articles));
        }
      }
      return lengths.slice(1).map(({ words }, place) => {
        const [short = [], long = []] = times.slice(place, place + 2);
        return grown(`${words} words against ${lengths[place]?.words}`, short, long);
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

async function timeOf(server: BenchServer, articles: readonly BenchArticle[]): Promise<ArticleTime> {
  let seconds = 0;
  let characters = 0;
  for (const article of articles) {
    seconds += (await server.make(await server.freshSite(), 'post', article)).readyS;
    characters += article.title.length + article.content.replace(/<[^>]*>/g, '').length;
  }
  return { perArticleS: seconds / articles.length, perCharacterS: seconds / characters };
}

/** They are not exactly ten times as long: what is compared is the time a character takes. */
function grown(what: string, short: readonly ArticleTime[], long: readonly ArticleTime[]): Measured {
  const shown = (times: readonly ArticleTime[]) => `${number(median(times.map(({ perArticleS }) => perArticleS)))} s`;
  return {
    name: `Growth: time of ten times the text, ${what}`,
    unit: '×',
    values: long.map(({ perCharacterS }, round) => (10 * perCharacterS) / (short[round]?.perCharacterS ?? Number.NaN)),
    target: 10.5,
    detail: `${shown(long)} against ${shown(short)}`,
  };
}

const postCounts = [1_000, 100_000, 1_000_000] as const;
const connections = 4;
const seconds = 2;

/** What is asked where there are few posts and where there are many. */
const questions: readonly Question[] = [
  { what: 'status polls', path: () => '/v1/audio/post-RANDOM/status', target: 1.5, roundsMax: 5 },
  { what: 'the list of posts', path: ({ id }) => `/v1/sites/${id}/posts`, roundsMax: 3 },
  {
    what: 'a search for a post',
    path: ({ id }) => `/v1/sites/${id}/posts?q=post-RANDOM`,
    roundsMax: 3,
  },
  { what: 'the queue', path: () => '/v1/queue', roundsMax: 3 },
];

interface Question {
  readonly what: string;
  readonly path: (site: BenchSite) => string;
  readonly target?: number;
  readonly roundsMax: number;
}

/** The same questions to servers that have few posts and that have many, in turns. */
export const postGrowth: Figure = {
  name: 'post-growth',
  measure: async ({ rounds }) => {
    const filled: Filled[] = [];
    try {
      for (const count of postCounts) filled.push(await startFilled(count));
      const measured: Measured[] = [];
      for (const question of questions) {
        measured.push(...(await compared(question, filled, Math.min(rounds, question.roundsMax))));
      }
      return measured;
    } finally {
      for (const { server } of filled) await server.stop();
    }
  },
};

/** A server with posts of one site. */
interface Filled {
  readonly server: BenchServer;
  readonly site: BenchSite;
  readonly count: number;
  /** Of an admin's session. */
  readonly token: string;
}

async function startFilled(count: number): Promise<Filled> {
  const server = await startBenchServer();
  const site = await withPosts(server, count);
  const { token } = peopleOf(server, site.id).admin;
  return { server, site, count, token };
}

async function compared(
  { what, path, target }: Question,
  filled: readonly Filled[],
  rounds: number,
): Promise<Measured[]> {
  const times: number[][] = filled.map(() => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [place, one] of filled.entries()) {
      const { p99Ms } = await load(`${one.server.url}${path(one.site)}`, {
        ...{ key: one.site.key, token: one.token },
        ...{ connections, seconds, randomUpTo: one.count },
      });
      // The first round warms all of them up.
      if (round > 0) times[place]?.push(p99Ms);
    }
  }
  const [few = [], ...others] = times;
  return others.map((many, place) => ({
    name: `Growth: p99 of ${what}, ${shownCount(postCounts[place + 1])} posts against ${shownCount(postCounts[0])}`,
    unit: '×',
    values: many.map((ms, round) => ms / (few[round] ?? Number.NaN)),
    ...(target !== undefined && { target }),
    detail: `${number(median(many))} ms against ${number(median(few))} ms, ${connections} connections`,
  }));
}

function shownCount(count = Number.NaN): string {
  return count.toLocaleString('en-US');
}

/** Finished posts with a text each, written past the API. */
async function withPosts(server: BenchServer, count: number): Promise<BenchSite> {
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
