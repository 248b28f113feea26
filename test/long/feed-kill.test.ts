import { afterAll, expect, test } from 'bun:test';
import { storedRows } from '../api/stored-rows.ts';
import { changeRows } from '../fixtures/change-rows.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type FeedServer, feedAnswer, rss, startFeedServer } from '../fixtures/feed-server.ts';
import { seededRandom } from '../fixtures/noise.ts';
import { scale } from '../fixtures/scale.ts';
import { testSeed } from '../fixtures/seed.ts';
import { createSite, runCommand, startTestServer, type TestServer, temporaryFolder } from '../fixtures/server.ts';

const rounds = scale.feedKills;
const random = seededRandom(testSeed);
/** All of them stay in the feed, of which the newest hundred are looked at. */
const itemsPerRound = 20;
const env = { LECTERN_FEED_ALLOW: '127.0.0.1' };

let running: TestServer | undefined;
let feeds: FeedServer | undefined;
afterAll(async () => {
  await running?.stop('SIGKILL');
  await feeds?.stop();
});

interface Count {
  readonly count: number;
}

test(
  `a server killed ${rounds} times while it submits feed items creates exactly one post per item`,
  async () => {
    const data = temporaryFolder();
    const { key, siteId } = await createSite(data);
    const site = ['--site', String(siteId), '--data', data, '--json'];
    feeds = startFeedServer();
    let items: { guid: string; content: string }[] = [];
    feeds.serve('/feed', () => feedAnswer(rss(items)));
    const added = await runCommand(['source', 'add', `${feeds.url}/feed`, '--backfill', '100', ...site], { env });
    const { id } = JSON.parse(added.stdout) as { id: number };
    const countOf = (query: string) => storedRows<Count>(data, query)[0]?.count ?? 0;
    const taken = () => countOf(`select count(*) as count from feed_item where outcome = 'queued'`);
    const fetchNow = async () => {
      const fetched = await runCommand(['source', 'fetch', String(id), ...site], { env });
      expect(fetched).toMatchObject({ code: 0, stderr: '' });
    };
    const seen: number[] = [];
    // Each is to take a while: however late a kill comes, it is in the middle.
    changeRows(
      data,
      `create trigger take_long after update of outcome on feed_item begin
        select (with recursive step (n) as (select 1 union all select n + 1 from step where n < 300000)
          select count(*) from step);
      end`,
    );

    for (let round = 0; round < rounds; round += 1) {
      items = [
        ...Array.from({ length: itemsPerRound }, (_, index) => ({
          guid: `round-${round}-item-${index}`,
          content: '🙂'.repeat(60 + index),
        })),
        ...items,
      ];
      const before = taken();
      const server = await startTestServer({ data, key, env });
      running = server;
      await fetchNow();
      const enough = before + Math.floor(random() * itemsPerRound);
      await eventually(() => taken() > enough || taken() === (round + 1) * itemsPerRound, 'some');
      await server.stop('SIGKILL');
      seen.push(taken());
    }

    running = await startTestServer({ data, key, env });
    await fetchNow();
    const all = rounds * itemsPerRound;
    await eventually(() => taken() === all, 'every item');
    expect(countOf('select count(*) as count from post')).toBe(all);
    expect(countOf('select count(distinct external_id) as count from post')).toBe(all);
    expect(countOf('select count(*) as count from audio where revision > 1')).toBe(0);
    expect(countOf('select count(*) as count from feed_item')).toBe(all);
    // A kill in the middle is what this is about.
    expect(seen.some((count, round) => count < (round + 1) * itemsPerRound)).toBe(true);
  },
  120_000 + rounds * 60_000,
);
