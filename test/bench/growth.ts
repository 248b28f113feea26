import { sql } from 'kysely';
import { article, longArticle, variantsMax } from './article.ts';
import { type BenchServer, type BenchSite, startBenchServer } from './bench-server.ts';
import { type Figure, median, number } from './figure.ts';
import { load } from './load.ts';

/** Ten times the text: the long article's time against that of its ten parts, one after the other, times ten. */
export const articleGrowth: Figure = {
  name: 'article-growth',
  measure: async ({ rounds }) => {
    const server = await startBenchServer();
    try {
      const shortS: number[] = [];
      const longS: number[] = [];
      // Warms up.
      await server.make(await server.freshSite(), 'first', article(0));
      for (let round = 0; round < rounds; round += 1) {
        const long = await server.make(await server.freshSite(), 'long', longArticle());
        longS.push(long.readyS);
        const parts: number[] = [];
        for (let variant = 0; variant < variantsMax; variant += 1) {
          const one = await server.make(await server.freshSite(), 'one', article(variant));
          parts.push(one.readyS);
        }
        shortS.push(parts.reduce((sum, seconds) => sum + seconds, 0) / variantsMax);
      }
      return [
        {
          name: 'Growth: time of a 10,000-word article against one of 1,000',
          unit: '×',
          values: longS.map((seconds, round) => seconds / (shortS[round] ?? Number.NaN)),
          target: 10.5,
          detail: `${number(median(longS))} s against ${number(median(shortS))} s`,
        },
      ];
    } finally {
      await server.stop();
    }
  },
};

const fewPosts = 1_000;
const manyPosts = 1_000_000;
const connections = 4;
const seconds = 3;

/** Status polls of random posts where there are few and where there are many, in turns. */
export const postGrowth: Figure = {
  name: 'post-growth',
  measure: async ({ rounds }) => {
    const small = await startBenchServer();
    const large = await startBenchServer();
    try {
      const few = await withPosts(small, fewPosts);
      const many = await withPosts(large, manyPosts);
      const fewMs: number[] = [];
      const manyMs: number[] = [];
      for (let round = 0; round <= rounds; round += 1) {
        const one = await poll(small, few, fewPosts);
        const other = await poll(large, many, manyPosts);
        // The first round warms both up.
        if (round === 0) continue;
        fewMs.push(one);
        manyMs.push(other);
      }
      return [
        {
          name: 'Growth: p99 of status polls with 1,000,000 posts against 1,000',
          unit: '×',
          values: manyMs.map((ms, round) => ms / (fewMs[round] ?? Number.NaN)),
          target: 1.5,
          detail: `${number(median(manyMs))} ms against ${number(median(fewMs))} ms, random posts, ${connections} connections`,
        },
      ];
    } finally {
      await small.stop();
      await large.stop();
    }
  },
};

async function poll(server: BenchServer, site: BenchSite, posts: number): Promise<number> {
  const { p99Ms } = await load(`${server.url}/v1/audio/post-RANDOM/status`, {
    key: site.key,
    connections,
    seconds,
    randomUpTo: posts,
  });
  return p99Ms;
}

/** Finished posts with a text each, written past the API. */
async function withPosts(server: BenchServer, count: number): Promise<BenchSite> {
  const site = await server.freshSite();
  const now = new Date().toISOString();
  await server.database.write(async (db) => {
    await sql`insert into post (site_id, external_id, visibility, created_at, updated_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
      select ${site.id}, 'post-' || n, 'public', ${now}, ${now} from numbers`.execute(db);
    await sql`insert into audio (post_id, language, voice_id, status, progress_percent, content, request_hash,
        priority, generation, turn, created_at, updated_at)
      select id, 'en', (select min(id) from voice), 'failed', 0, hex(randomblob(200)), hex(randomblob(32)),
        'normal', 1, 0, ${now}, ${now} from post where site_id = ${site.id}`.execute(db);
  });
  return site;
}
