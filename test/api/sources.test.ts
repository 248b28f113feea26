import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Source, SourceItem } from '../../src/ingest/schema.ts';
import { decodeMp3 } from '../fixtures/decode.ts';
import { eventually } from '../fixtures/eventually.ts';
import {
  type FeedServer,
  feedAnswer,
  rss,
  startFeedServer,
  type TestItem,
} from '../fixtures/feed-server.ts';
import { type People, type Person, peopleOf } from '../fixtures/people.ts';
import { createSite, startTestServer, type TestServer } from '../fixtures/server.ts';
import { storedRows } from './stored-rows.ts';

setDefaultTimeout(60_000);

interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

/** No word of it is spoken: it becomes a post, and fails without taking time. */
const unspeakable = '🙂'.repeat(60);

let server: TestServer;
let feeds: FeedServer;
let people: People;
let admin: Person;
let siteCount = 0;

beforeAll(async () => {
  feeds = startFeedServer();
  server = await startTestServer({
    env: {
      LECTERN_FEED_ALLOW: '127.0.0.1/32',
      LECTERN_FEED_PAUSE_S: '0',
      LECTERN_FEED_TIMEOUT_S: '3',
    },
  });
  people = peopleOf(server, server.siteId);
  ({ admin } = people);
});
afterAll(async () => {
  await server.stop('SIGKILL');
  await feeds.stop();
});

/** A feed of its own for a site of its own. */
async function named(
  answer: () => Response | Promise<Response>,
  settings: Record<string, unknown> = {},
  flags: readonly string[] = [],
) {
  siteCount += 1;
  const path = `/feed-${siteCount}`;
  feeds.serve(path, answer);
  const { siteId, key } = await createSite(server.data, flags);
  const base = `/v1/sites/${siteId}/sources`;
  const made = await admin.ask<Source>('POST', base, { url: feeds.url + path, ...settings });
  expect([made.status, made.errors]).toEqual([201, undefined]);
  const own = `${base}/${made.data.id}`;
  const source = async () => (await admin.ask<Source>('GET', own)).data;
  const items = async () => (await admin.ask<Page<SourceItem>>('GET', `${own}/items`)).data.items;
  const fetches = () => feeds.requests.filter((request) => request.path === path);
  const fetched = async (count: number) =>
    eventually(async () => {
      const { last_fetch_at, items: counts } = await source();
      return fetches().length >= count && last_fetch_at !== null && counts;
    }, `${count} fetches`);
  return {
    ...{ siteId, key, path, base, own, source, items, fetches, fetched },
    /** Has it fetched again, and waits until that was noted. */
    again: async () => {
      const before = (await source()).last_fetch_at;
      await eventually(
        async () => (await admin.ask('POST', `${own}/fetch`)).status === 202,
        'asked',
      );
      return eventually(async () => {
        const now = await source();
        return now.last_fetch_at !== before && now;
      }, 'fetched again');
    },
    /** Waits until so many items have such an outcome. */
    outcome: (outcome: SourceItem['outcome'], count: number) =>
      eventually(async () => {
        const found = (await items()).filter((item) => item.outcome === outcome);
        return found.length === count && found;
      }, `${count} ${outcome}`),
    posts: () =>
      storedRows<{
        external_id: string;
        url: string | null;
        publish_at: string | null;
        title: string;
        content: string;
        language: string;
        visibility: string;
        generation: number;
      }>(
        server.data,
        `select post.*, audio.title, audio.content, audio.language, audio.generation from post
         join audio on audio.post_id = post.id where site_id = ${siteId} order by post.id`,
      ),
  };
}

function serving(items: readonly TestItem[], channel?: string) {
  return () => feedAnswer(rss(items, channel));
}

describe('a feed that is named', () => {
  test('has its items spoken', async () => {
    const feed = await named(serving([{ guid: 'news/1', link: 'https://www.example.org/news/1' }]));
    await feed.outcome('queued', 1);
    const ask = (path: string) => server.ask(path, { headers: { 'x-api-key': feed.key } });
    const record = await eventually(async () => {
      const answer = await ask('/v1/audio/news%2F1/status');
      const { data } = (await answer.json()) as { data: { status: string; audio_url: string } };
      return data?.status === 'ready' && data;
    }, 'ready');
    const mp3 = await (await fetch(record.audio_url)).bytes();
    const { samples, sampleRateHz } = await decodeMp3(mp3);
    expect(samples.length / sampleRateHz).toBeGreaterThan(2);
    expect(feed.posts()).toMatchObject([
      { external_id: 'news/1', title: 'Title of news/1', url: 'https://www.example.org/news/1' },
    ]);
    expect(await feed.source()).toMatchObject({
      ...{ title: 'The Daily Example', problem: null, last_status_code: 200 },
      items: { posts: 1, waiting: 0, left_out: 0 },
    });
  });

  test('gives as many of its newest items as it is asked for, the older ones are seen', async () => {
    const dated = [3, 1, 2, 5, 4].map((day) => ({
      ...{ guid: `day-${day}`, content: unspeakable, date: new Date(Date.UTC(2026, 0, day)) },
    }));
    const feed = await named(serving(dated), { backfill: 2 });
    await feed.outcome('queued', 2);
    expect(feed.posts().map(({ external_id }) => external_id)).toEqual(['day-4', 'day-5']);
    feeds.serve(feed.path, serving([...dated, { guid: 'day-0', content: unspeakable }]));
    await feed.again();
    await feed.outcome('queued', 3);
    await feed.outcome('skipped', 3);
  });
});
