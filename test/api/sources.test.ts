import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Source, SourceItem, SourcePreview } from '../../src/sources/schema.ts';
import { decodeMp3 } from '../fixtures/decode.ts';
import { eventually, passMidnight } from '../fixtures/eventually.ts';
import {
  articleText,
  buildRss,
  createFeedResponse,
  type FeedServer,
  startFeedServer,
  type TestItem,
} from '../fixtures/feed-server.ts';
import { scale } from '../fixtures/scale.ts';
import { createTemporaryFolder, startTestServer, type TestServer } from '../fixtures/server.ts';
import { collectStatuses, createSiteUsers, type SiteUser, type SiteUsers } from '../fixtures/site-users.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';
import { readRows } from './stored-rows.ts';

interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

/** Not speakable: it becomes a post, and fails without CPU time. */
const unspeakable = '🙂'.repeat(60);

let server: TestServer;
let feeds: FeedServer;
let users: SiteUsers;
let admin: SiteUser;
let siteCount = 0;

beforeAll(async () => {
  feeds = startFeedServer();
  const data = createTemporaryFolder();
  const german = createToneVoice({ sampleRateHz: 16_000, language: 'de_DE' });
  await writeVoice(join(data, 'voices'), 'de_DE-tones-low', german);
  server = await startTestServer({
    data,
    env: {
      LECTERN_FEED_ALLOW: '127.0.0.1/32',
      LECTERN_FEED_PAUSE_S: '0',
      LECTERN_FEED_TIMEOUT_S: '5',
      LECTERN_FEED_POSTS_PER_DAY: '30',
      LECTERN_FEED_BYTE_MAX: '12000000',
      LECTERN_QUOTA_POSTS: 'starter=1,growth=3',
    },
  });
  users = createSiteUsers(server, server.siteId);
  ({ admin } = users);
});
afterAll(async () => {
  await server.stop('SIGKILL');
  await feeds.stop();
});

async function createTestSite(plan = 'enterprise'): Promise<number> {
  const name = `Site ${crypto.randomUUID().slice(0, 8)}`;
  const domains = [`${name.toLowerCase().replace(' ', '-')}.example`];
  const response = await admin.request<{ id: number }>('POST', '/v1/sites', { name, domains, plan });
  return response.data.id;
}

/** Adds a new feed, by default to a new site. */
async function addFeed(
  response: () => Response | Promise<Response>,
  settings: Record<string, unknown> = {},
  { plan = 'enterprise', site }: { plan?: string; site?: number } = {},
) {
  siteCount += 1;
  const path = `/feed-${siteCount}`;
  feeds.serve(path, response);
  const siteId = site ?? (await createTestSite(plan));
  const base = `/v1/sites/${siteId}/sources`;
  const creation = await admin.request<Source>('POST', base, { url: feeds.url + path, ...settings });
  expect([creation.status, creation.errors]).toEqual([201, undefined]);
  const sourcePath = `${base}/${creation.data.id}`;
  const getSource = async () => (await admin.request<Source>('GET', sourcePath)).data;
  const listItems = async () => (await admin.request<Page<SourceItem>>('GET', `${sourcePath}/items`)).data.items;
  const listFetches = () => feeds.requests.filter((request) => request.path === path);
  const waitUntilFetched = async (count: number) =>
    eventually(async () => {
      const { last_fetch_at, items: counts } = await getSource();
      return listFetches().length >= count && last_fetch_at !== null && counts;
    }, `${count} fetches`);
  return {
    ...{ siteId, path, base, sourcePath, getSource, listItems, listFetches, waitUntilFetched },
    /** Requests a fetch and waits until it is recorded. */
    again: async () => {
      const before = (await getSource()).last_fetch_at;
      await eventually(async () => (await admin.request('POST', `${sourcePath}/fetch`)).status === 202, 'requested');
      return eventually(async () => {
        const now = await getSource();
        return now.last_fetch_at !== before && now;
      }, 'fetched again');
    },
    /** Waits until a number of items have an outcome. */
    outcome: (outcome: SourceItem['outcome'], count: number) =>
      eventually(async () => {
        const found = (await listItems()).filter((item) => item.outcome === outcome);
        return found.length === count && found;
      }, `${count} ${outcome}`),
    listPosts: () =>
      readRows<{
        external_id: string;
        url: string | null;
        publish_at: string | null;
        title: string;
        content: string;
        language: string;
        visibility: string;
        revision: number;
      }>(
        server.data,
        `select post.*, audio.title, audio.content, audio.language, audio.revision from post
         join audio on audio.post_id = post.id where site_id = ${siteId} order by post.id`,
      ),
  };
}

function serveItems(items: readonly TestItem[], channel?: string) {
  return () => createFeedResponse(buildRss(items, channel));
}

describe('a new source', () => {
  test('gets audio for its items', async () => {
    const items = [{ guid: 'news/1', link: 'https://www.example.org/news/1' }];
    const feed = await addFeed(serveItems(items), {}, { site: server.siteId });
    await feed.outcome('queued', 1);
    const { status, audio_url } = await server.waitUntilFinished('news/1');
    expect(status).toBe('ready');
    const mp3 = await (await fetch(audio_url ?? '')).bytes();
    const { samples, sampleRateHz } = await decodeMp3(mp3);
    expect(samples.length / sampleRateHz).toBeGreaterThan(2);
    expect(feed.listPosts()).toMatchObject([
      { external_id: 'news/1', title: 'Title of news/1', url: 'https://www.example.org/news/1' },
    ]);
    expect(await feed.getSource()).toMatchObject({
      ...{ title: 'The Daily Example', problem: null, last_status_code: 200 },
      items: { posts: 1, waiting: 0, left_out: 0 },
    });
  });

  test('submits the requested number of its newest items and marks older ones as seen', async () => {
    const dated = [3, 1, 2, 5, 4].map((day) => ({
      ...{ guid: `day-${day}`, content: unspeakable, date: new Date(Date.UTC(2026, 0, day)) },
    }));
    const feed = await addFeed(serveItems(dated), { backfill: 2 });
    await feed.outcome('queued', 2);
    expect(feed.listPosts().map(({ external_id }) => external_id)).toEqual(['day-4', 'day-5']);
    feeds.serve(feed.path, serveItems([...dated, { guid: 'day-0', content: unspeakable }]));
    await feed.again();
    await feed.outcome('queued', 3);
    await feed.outcome('skipped', 3);
  });
});

describe('an item', () => {
  test('of Atom has title, URL, language and text', async () => {
    const feed = await addFeed(() =>
      createFeedResponse(`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en" xml:base="/news/"><id>urn:feed</id><title>Atom</title>
        <updated>2026-01-01T00:00:00Z</updated><entry><id>urn:uuid:1</id><title type="html">Fish &amp;amp; &lt;i&gt;chips&lt;/i&gt;</title>
        <link rel="enclosure" href="https://www.example.org/a.jpg"/><link href="entries/1"/><updated>2026-01-01T00:00:00Z</updated>
        <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">${articleText}</div></content></entry></feed>`),
    );
    await feed.outcome('queued', 1);
    expect(feed.listPosts()).toMatchObject([
      {
        ...{ external_id: 'urn:uuid:1', url: `${feeds.url}/news/entries/1`, title: 'Fish & chips' },
        ...{ content: articleText, language: 'en' },
      },
    ]);
  });

  test('of JSON Feed and RSS 1.0 has the same fields', async () => {
    const plainText = 'The sign at the harbor reads a <b and &b, which puzzles every visitor of the town.';
    const json = await addFeed(() =>
      createFeedResponse(
        JSON.stringify({
          ...{ version: 'https://jsonfeed.org/version/1.1', title: 'JSON' },
          items: [
            { id: '1', title: 'A < B', url: 'https://e.example/1', content_html: articleText },
            { id: '2', content_text: plainText },
          ],
        }),
      ),
    );
    const rdf = await addFeed(() =>
      createFeedResponse(`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
        <channel rdf:about="https://e.example"><title>RDF</title></channel><item rdf:about="https://e.example/2">
        <title>Two</title><link>https://e.example/2</link><description>${unspeakable}</description></item></rdf:RDF>`),
    );
    await json.outcome('queued', 2);
    expect(json.listPosts().toSorted((a, b) => (a.external_id < b.external_id ? -1 : 1))).toMatchObject([
      { external_id: '1', title: 'A < B' },
      { external_id: '2', content: plainText.replace('&', '&amp;').replace('<', '&lt;') },
    ]);
    await rdf.outcome('queued', 1);
    expect(rdf.listPosts()).toMatchObject([{ external_id: 'https://e.example/2', title: 'Two' }]);
  });

  test('of NewsML-G2 has headline, language, guid and text', async () => {
    const item = (guid: string, more: string, body: string) => `<newsItem guid="${guid}" version="1" xml:lang="en">
      <itemMeta><itemClass qcode="ninat:text"/><versionCreated>2026-01-01T10:00:00Z</versionCreated>${more}</itemMeta>
      <contentMeta><language tag="de"/><headline>Ein Licht &amp; ein Turm</headline></contentMeta>
      <contentSet><inlineXML contenttype="application/xhtml+xml">${body}</inlineXML></contentSet></newsItem>`;
    const xhtml = `<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:head><h:title>x</h:title></h:head><h:body>${articleText.replace(/(<\/?)/g, '$1h:')}</h:body></h:html>`;
    const nitf = `<nitf><body><body.head><hedline><hl1>x</hl1></hedline></body.head><body.content>${articleText}</body.content></body></nitf>`;
    const feed = await addFeed(() =>
      createFeedResponse(`<?xml version="1.0"?><newsMessage xmlns="http://iptc.org/std/nar/2006-10-01/"><itemSet>
        ${item('urn:newsml:e.example:1', '<pubStatus qcode="stat:usable"/>', xhtml)}
        ${item('urn:newsml:e.example:2', '', nitf)}
        ${item('urn:newsml:e.example:3', '<pubStatus qcode="stat:canceled"/>', nitf)}</itemSet></newsMessage>`),
    );
    await feed.outcome('queued', 2);
    const expected = { title: 'Ein Licht & ein Turm', content: articleText, language: 'de' };
    expect(feed.listPosts().toSorted((a, b) => (a.external_id < b.external_id ? -1 : 1))).toMatchObject([
      { external_id: 'urn:newsml:e.example:1', ...expected },
      { external_id: 'urn:newsml:e.example:2', ...expected },
    ]);
  });

  test('of ninjs has the same fields in each version of the format', async () => {
    const old = { uri: 'http://n.example/1', type: 'text', language: 'en', headline: 'A < B', body_html: articleText };
    const text = articleText.replace(/<[^>]+>/g, '');
    const bodies = [{ contenttype: 'text/plain', value: text }];
    const later = { uri: 'http://n.example/2', language: 'en', headlines: [{ value: 'Two' }], bodies };
    const others = [
      { ...old, uri: 'http://n.example/3', pubstatus: 'canceled' },
      { ...old, uri: 'http://n.example/4', type: 'picture' },
    ];
    const feed = await addFeed(() => createFeedResponse(JSON.stringify({ items: [old, later, ...others] })));
    await feed.outcome('queued', 2);
    expect(feed.listPosts().toSorted((a, b) => (a.external_id < b.external_id ? -1 : 1))).toMatchObject([
      { external_id: 'http://n.example/1', title: 'A < B', content: articleText, language: 'en' },
      { external_id: 'http://n.example/2', title: 'Two', content: text, language: 'en' },
    ]);
  });

  test('beyond the first 2,000 is not parsed, even if its markup is broken', async () => {
    const kept = Array.from({ length: 2_000 }, () => `<item><guid>same</guid><title>An &lt;item></title></item>`);
    const feed = await addFeed(() =>
      createFeedResponse(buildRss([], `${kept.join('')}<item><![CDATA[ no end </item>`)),
    );
    await feed.waitUntilFetched(1);
    const { title, problem } = await feed.getSource();
    expect([title, problem]).toEqual(['The Daily Example', null]);
  });

  test('has its guid as URL if that is a URL and there is no link', async () => {
    const item = (guid: string) => `<item><guid>${guid}</guid><title>Title of ${guid}</title>
      <description>${unspeakable}</description></item>`;
    const feed = await addFeed(() => createFeedResponse(buildRss([], item('https://e.example/g') + item('4711'))));
    await feed.outcome('queued', 2);
    const addresses = new Map(feed.listPosts().map(({ external_id, url }) => [external_id, url]));
    expect(addresses.get('https://e.example/g')).toBe('https://e.example/g');
    expect(addresses.get('4711')).toBeNull();
  });

  test('becomes one post, however often and in however many feeds of the site it is seen', async () => {
    const items = [{ guid: 'same', content: unspeakable, link: 'https://e.example/same' }];
    const feed = await addFeed(serveItems(items));
    await feed.outcome('queued', 1);
    await feed.again();
    const other = `${feed.path}-again`;
    feeds.serve(other, serveItems(items));
    const creation = await admin.request<Source>('POST', feed.base, { url: feeds.url + other });
    const seen = await eventually(async () => {
      const response = await admin.request<Page<SourceItem>>('GET', `${feed.base}/${creation.data.id}/items`);
      return response.data.items[0];
    }, 'seen by the other feed');
    await eventually(async () => {
      const response = await admin.request<Source>('GET', `${feed.base}/${creation.data.id}`);
      return response.data.items.left_out === 1;
    }, 'left out');
    expect(seen.guid).toBe('same');
    expect(feed.listPosts()).toHaveLength(1);
    expect(feed.listPosts()[0]?.revision).toBe(1);
  });

  test('that is repeated under another guid becomes no second post', async () => {
    const item = { title: 'Twice', content: unspeakable, link: 'https://e.example/twice' };
    const feed = await addFeed(serveItems([{ ...item, guid: 'session-1' }]));
    await feed.outcome('queued', 1);
    feeds.serve(feed.path, serveItems([{ ...item, guid: 'session-2' }]));
    await feed.again();
    await feed.outcome('known', 1);
    expect(feed.listPosts()).toHaveLength(1);
  });

  test('whose guid is the id of another post becomes a separate post', async () => {
    const feed = await addFeed(serveItems([{ guid: '1', content: unspeakable, link: 'https://e.example/1' }]));
    await feed.outcome('queued', 1);
    const other = `${feed.path}-other`;
    feeds.serve(other, serveItems([{ guid: '1', content: unspeakable, link: 'https://e.example/other' }]));
    await admin.request('POST', feed.base, { url: feeds.url + other });
    const posts = await eventually(() => {
      const posts = feed.listPosts();
      return posts.length === 2 && posts;
    }, 'two posts');
    expect(posts[1]?.external_id).toMatch(/^feed:[0-9a-f]{64}$/);
    expect(posts[1]?.url).toBe('https://e.example/other');
  });

  test('that changes corrects its post, unless corrections are disabled', async () => {
    const before = [{ guid: 'changing', content: unspeakable }];
    const after = [{ guid: 'changing', content: `${unspeakable}!` }];
    const feed = await addFeed(serveItems(before));
    const fixed = await addFeed(serveItems(before), { updates: false });
    await feed.outcome('queued', 1);
    await fixed.outcome('queued', 1);
    feeds.serve(feed.path, serveItems(after));
    feeds.serve(fixed.path, serveItems(after));
    await feed.again();
    await feed.outcome('updated', 1);
    await fixed.again();
    expect(feed.listPosts()).toMatchObject([{ content: `${unspeakable}!`, revision: 2 }]);
    expect(fixed.listPosts()).toMatchObject([{ content: unspeakable, revision: 1 }]);
  });

  test('whose post was deleted is not submitted again', async () => {
    const feed = await addFeed(serveItems([{ guid: 'unwanted', content: unspeakable }]));
    await feed.outcome('queued', 1);
    await admin.request('DELETE', `/v1/sites/${feed.siteId}/posts/unwanted`);
    feeds.serve(feed.path, serveItems([{ guid: 'unwanted', content: `${unspeakable}?` }]));
    await feed.again();
    await feed.outcome('removed', 1);
    expect(feed.listPosts()).toEqual([]);
  });

  test('that is too short or too long is rejected with a reason', async () => {
    const feed = await addFeed(
      serveItems([
        { guid: 'short', content: '<p>Watch the <b>video</b></p>' },
        { guid: 'long', content: 'word '.repeat(200_000) },
      ]),
    );
    const [short] = await feed.outcome('too_short', 1);
    const [long] = await feed.outcome('refused', 1);
    expect(short?.reason).toBe('Text too short: 15 characters, at least 50 required');
    expect(long?.reason).toBe('Text too long: more than 500000 characters');
    expect(feed.listPosts()).toEqual([]);
    feeds.serve(feed.path, serveItems([{ guid: 'short', content: unspeakable }]));
    await feed.again();
    await feed.outcome('queued', 1);
  });

  test('that cannot become a post does not wait, and is submitted when it changes', async () => {
    // Its text is short enough, its markup is not.
    const content = `<p title="${'x'.repeat(600_000)}">${articleText}</p>`;
    const feed = await addFeed(serveItems([{ guid: 'wordy', content }]));
    const [wordy] = await feed.outcome('refused', 1);
    expect(wordy?.reason).toBe('Validation failed: must be at most 500000 characters');
    expect((await feed.getSource()).items).toEqual({ posts: 0, waiting: 0, left_out: 1 });
    feeds.serve(feed.path, serveItems([{ guid: 'wordy', content: unspeakable }]));
    await feed.again();
    await feed.outcome('queued', 1);
  });

  test('with a future publication time is not public before it', async () => {
    const date = new Date(Date.UTC(2090, 0, 1));
    const feed = await addFeed(serveItems([{ guid: 'embargo', content: unspeakable, date }]), {
      visibility: 'private',
    });
    await feed.outcome('queued', 1);
    expect(feed.listPosts()).toMatchObject([{ publish_at: '2090-01-01T00:00:00.000Z', visibility: 'private' }]);
    feeds.serve(feed.path, serveItems([{ guid: 'embargo', content: unspeakable }]));
    await feed.again();
    await feed.outcome('updated', 1);
    expect(feed.listPosts()).toMatchObject([{ publish_at: null, visibility: 'private' }]);
  });

  test('has the time zone of its date, also a European one', async () => {
    const zones = ['GMT', 'EST', 'CET', 'MESZ', 'BST'];
    const dated = zones.map((guid) => ({ guid, content: unspeakable, date: `Sun, 1 Jan 2090 12:00:00 ${guid}` }));
    const feed = await addFeed(serveItems(dated));
    await feed.outcome('queued', zones.length);
    const hours = new Map(feed.listPosts().map((post) => [post.external_id, post.publish_at?.slice(11, 13)]));
    expect(zones.map((zone) => hours.get(zone))).toEqual(['12', '17', '11', '10', '11']);
  });

  test('with an embargo without an end does not become a post', async () => {
    const item = (uri: string, embargoed: string) => ({ uri, embargoed, headline: uri, body_xhtml: articleText });
    const items = [item('held', ''), item('dated', '2090-01-01T00:00:00Z')];
    const feed = await addFeed(() => createFeedResponse(JSON.stringify(items)));
    await feed.outcome('queued', 1);
    expect(feed.listPosts()).toMatchObject([{ external_id: 'dated', publish_at: '2090-01-01T00:00:00.000Z' }]);
  });

  test('has the language of its source setting, else that of item or feed', async () => {
    const listLanguages = async (channel: string, settings: object = {}) => {
      const feed = await addFeed(serveItems([{ guid: 'a', content: unspeakable }], channel), {
        ...settings,
      });
      await feed.outcome('queued', 1);
      return feed.listPosts().map(({ language }) => language);
    };
    expect(await listLanguages('<language>de-DE</language>')).toEqual(['de']);
    expect(await listLanguages('<language>de-DE</language>', { language: 'en' })).toEqual(['en']);
    expect(await listLanguages('<language>en-us</language>', { language: 'de' })).toEqual(['de']);
    const { data } = await admin.request<{ voices: { id: number; language: string }[] }>('GET', '/v1/voices');
    const voice_id = data.voices.find(({ language }) => language === 'de')?.id;
    expect(await listLanguages('<language>en-us</language>', { voice_id })).toEqual(['de']);
  });

  test('waits for a missing voice with that reason', async () => {
    const feed = await addFeed(serveItems([{ guid: 'a', content: unspeakable }]), { voice_id: 999 });
    const reason = await eventually(async () => (await feed.getSource()).waiting_reason ?? undefined, 'a reason');
    expect(reason).toBe('Validation failed: voice 999 not found');
    await admin.request('PATCH', feed.sourcePath, { voice_id: null });
    await feed.again();
    await feed.outcome('queued', 1);
  });

  test('in a language that no voice speaks has the language of the site', async () => {
    const feed = await addFeed(serveItems([{ guid: 'unknown', content: unspeakable }], '<language>tlh</language>'));
    await feed.outcome('queued', 1);
    expect(feed.listPosts()).toMatchObject([{ language: 'en' }]);
  });

  test('waits while the quota is exceeded, and is submitted when it is not', async () => {
    await passMidnight();
    const feed = await addFeed(
      serveItems([
        { guid: 'second', link: 'https://e.example/second' },
        { guid: 'first', link: 'https://e.example/first' },
      ]),
      {},
      { plan: 'starter' },
    );
    await feed.outcome('queued', 1);
    const waiting = await eventually(async () => {
      const [found] = (await feed.listItems()).filter(({ outcome }) => outcome === 'waiting');
      return found?.reason != null && found;
    }, 'a reason');
    expect(waiting.guid).toBe('second');
    expect(waiting.reason).toMatch(/^Monthly post quota exceeded: 1 of 1 posts used in \d{4}-\d\d$/);
    expect(await feed.getSource()).toMatchObject({
      ...{ waiting_reason: waiting.reason, items: { posts: 1, waiting: 1, left_out: 0 } },
    });
    // Another language does not count, and is not delayed by waiting items before it.
    const german = { guid: 'german', link: 'https://e.example/german', content: unspeakable };
    feeds.serve(feed.path, serveItems([german], '<language>de</language>'));
    await feed.again();
    await feed.outcome('queued', 2);
    // It is no longer in the feed.
    feeds.serve(feed.path, serveItems([]));
    await admin.request('PATCH', `/v1/sites/${feed.siteId}`, { plan: 'growth' });
    await feed.again();
    await feed.outcome('queued', 3);
    expect(feed.listPosts().map(({ external_id }) => external_id)).toEqual([...['first', 'german', 'second']]);
  });
});

describe('a feed', () => {
  test('has a daily limit of posts; other items wait', async () => {
    await passMidnight();
    const items = Array.from({ length: 32 }, (_, index) => ({
      ...{ guid: `many-${index}`, content: unspeakable },
    }));
    const feed = await addFeed(serveItems(items), { backfill: 100 });
    await feed.outcome('queued', 30);
    const waiting = await eventually(async () => {
      const found = (await feed.listItems()).filter(({ outcome }) => outcome === 'waiting');
      return found.every(({ reason }) => reason !== null) && found;
    }, 'reasons');
    expect(waiting.map(({ guid }) => guid)).toEqual(['many-0', 'many-1']);
    expect(waiting[0]?.reason).toContain('Daily limit of 30 posts reached');
  });

  test('is fetched one at a time per host', async () => {
    let [now, most, done] = [0, 0, 0];
    const respondSlowly = async () => {
      now += 1;
      most = Math.max(most, now);
      await Bun.sleep(50);
      now -= 1;
      done += 1;
      return createFeedResponse(buildRss([]));
    };
    for (let count = 0; count < 4; count += 1) await addFeed(respondSlowly);
    await eventually(() => done >= 4, 'all fetched');
    expect(most).toBe(1);
  });
});

describe('a fetch', () => {
  test('is conditional and has a User-Agent', async () => {
    const headers = { etag: '"v1"', 'last-modified': 'Mon, 02 Nov 2026 08:15:00 GMT' };
    const feed = await addFeed(() => createFeedResponse(buildRss([{ guid: 'a', content: unspeakable }]), headers));
    await feed.outcome('queued', 1);
    feeds.serve(feed.path, () => new Response(null, { status: 304 }));
    expect(await feed.again()).toMatchObject({
      last_status_code: 304,
      problem: null,
      title: 'The Daily Example',
    });
    await feed.again();
    const [first, ...later] = feed.listFetches();
    expect(first?.headers.get('if-none-match')).toBeNull();
    expect(first?.headers.get('user-agent')).toMatch(/^Lectern\/\d/);
    expect(later.map(({ headers }) => [headers.get('if-none-match'), headers.get('if-modified-since')])).toEqual([
      [headers.etag, headers['last-modified']],
      [headers.etag, headers['last-modified']],
    ]);
  });

  test('is delayed as the server or the feed requests', async () => {
    const getHoursToNextFetch = async (response: () => Response) => {
      const feed = await addFeed(response);
      await feed.waitUntilFetched(1);
      const { next_fetch_at } = await feed.getSource();
      return (Date.parse(next_fetch_at) - Date.now()) / 3_600_000;
    };
    expect(await getHoursToNextFetch(serveItems([]))).toBeLessThan(0.3);
    expect(await getHoursToNextFetch(serveItems([], '<ttl>120</ttl>'))).toBeWithin(1.9, 2.3);
    const daily = '<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>';
    expect(await getHoursToNextFetch(serveItems([], daily))).toBeWithin(5.9, 6.7);
    expect(
      await getHoursToNextFetch(() => createFeedResponse(buildRss([]), { 'cache-control': 'max-age=7200' })),
    ).toBeWithin(1.9, 2.3);
    const respondBusy = () => new Response('', { status: 429, headers: { 'retry-after': '10800' } });
    expect(await getHoursToNextFetch(respondBusy)).toBeWithin(2.9, 3.4);
    const respondUnavailable = () => new Response('', { status: 503, headers: { 'retry-after': '99999999' } });
    expect(await getHoursToNextFetch(respondUnavailable)).toBeWithin(23, 24.1);
  });

  test('that fails repeatedly is retried with growing delays until it succeeds', async () => {
    const feed = await addFeed(() => new Response('', { status: 500 }), { interval_minutes: 60 });
    await feed.waitUntilFetched(1);
    expect(await feed.getSource()).toMatchObject({
      ...{ failure_count: 1, last_status_code: 500, problem: 'the server returned status 500' },
    });
    await feed.again();
    const { next_fetch_at, failure_count } = await feed.again();
    expect(failure_count).toBe(3);
    expect((Date.parse(next_fetch_at) - Date.now()) / 3_600_000).toBeWithin(3.9, 4.5);
    feeds.serve(feed.path, serveItems([]));
    expect(await feed.again()).toMatchObject({
      failure_count: 0,
      problem: null,
      last_status_code: 200,
    });
  });

  test('that returns 410 disables the source', async () => {
    const feed = await addFeed(() => new Response('', { status: 410 }));
    await feed.waitUntilFetched(1);
    expect(await feed.getSource()).toMatchObject({
      ...{ enabled: false, disabled_reason: 'The server returned 410 Gone' },
    });
    expect(await admin.request('POST', `${feed.sourcePath}/fetch`)).toMatchObject({ status: 409 });
    feeds.serve(feed.path, serveItems([{ guid: 'back', content: unspeakable }]));
    await admin.request('PATCH', feed.sourcePath, { enabled: true });
    await feed.outcome('queued', 1);
    expect(await feed.getSource()).toMatchObject({ disabled_reason: null, problem: null });
  });

  test('follows redirects and stores the target of a permanent one', async () => {
    feeds.serve('/moved', serveItems([{ guid: 'moved', content: unspeakable }]));
    const to = (status: number, location: string) => () => new Response(null, { status, headers: { location } });
    const permanent = await addFeed(to(308, '/moved'));
    const temporary = await addFeed(to(302, '/moved'));
    feeds.serve('/endless', to(302, '/endless'));
    const endless = await addFeed(to(302, '/endless'));
    await permanent.outcome('queued', 1);
    await temporary.outcome('queued', 1);
    await endless.waitUntilFetched(1);
    expect((await permanent.getSource()).moved_to).toBe(`${feeds.url}/moved`);
    expect((await temporary.getSource()).moved_to).toBeNull();
    await eventually(async () => (await endless.getSource()).problem !== null, 'a problem');
    expect((await endless.getSource()).problem).toBe('too many redirects (limit 5)');
  });

  test('does not follow redirects to addresses that are not public', async () => {
    const problems: (string | null)[] = [];
    for (const location of [
      'http://127.0.0.2/',
      'http://169.254.169.254/latest',
      'http://[::1]/',
      'file:///etc/passwd',
    ]) {
      const feed = await addFeed(() => new Response(null, { status: 301, headers: { location } }));
      problems.push(await eventually(async () => (await feed.getSource()).problem ?? undefined, 'a problem'));
    }
    expect(problems).toEqual([
      'the URL must not point to 127.0.0.2 (loopback): add it to LECTERN_FEED_ALLOW to allow it',
      'the URL must not point to 169.254.169.254 (linkLocal): add it to LECTERN_FEED_ALLOW to allow it',
      'the URL must not point to ::1 (loopback): add it to LECTERN_FEED_ALLOW to allow it',
      'the URL must be a URL that begins with http:// or https://',
    ]);
  });

  test('reads compressed feeds up to the size limit', async () => {
    const respondCompressed = (bytes: Uint8Array<ArrayBuffer>) => {
      // Compressed in advance: the server has a timeout for the response.
      const body = Bun.gzipSync(bytes);
      return () => createFeedResponse(body, { 'content-encoding': 'gzip' });
    };
    const text = Buffer.from(buildRss([{ guid: 'packed', content: unspeakable }]));
    const good = await addFeed(respondCompressed(text));
    await good.outcome('queued', 1);
    const bomb = await addFeed(respondCompressed(new Uint8Array(50_000_000)));
    await bomb.waitUntilFetched(1);
    expect((await bomb.getSource()).problem).toBe('the feed is larger than 12000000 bytes');
    const cut = await addFeed(() =>
      createFeedResponse(Bun.gzipSync(text).subarray(0, 100), { 'content-encoding': 'gzip' }),
    );
    await cut.waitUntilFetched(1);
    expect((await cut.getSource()).problem).toBeString();
  });

  test('times out', async () => {
    const feed = await addFeed(() => new Promise<Response>(() => {}));
    const problem = await eventually(async () => (await feed.getSource()).problem ?? undefined, 'late');
    expect(problem).toBe('no response within 5 s');
  });

  test('pauses while the site has no subscription, with that reason', async () => {
    const feed = await addFeed(serveItems([]), { enabled: false });
    await admin.request('PATCH', `/v1/sites/${feed.siteId}`, { subscription: 'inactive' });
    await admin.request('PATCH', feed.sourcePath, { enabled: true });
    expect(await feed.getSource()).toMatchObject({ enabled: true, paused: 'Subscription inactive' });
    expect(await admin.request('POST', `${feed.sourcePath}/fetch`)).toMatchObject({
      ...{ status: 403, message: 'Subscription inactive' },
    });
    expect(feed.listFetches()).toEqual([]);
    await admin.request('PATCH', `/v1/sites/${feed.siteId}`, { subscription: 'active' });
    await feed.waitUntilFetched(1);
    expect((await feed.getSource()).paused).toBeNull();
  });
});

describe('the encoding of a feed', () => {
  const accented = 'Café, naïve façade: the résumé of a long and uneventful evening.';
  const encodeLatin1 = (declaration: string) =>
    Uint8Array.from(
      [...buildRss([{ guid: 'l', title: 'Déjà vu', content: accented }]).replace(/<\?xml[^>]*\?>/, declaration)].map(
        (character) => character.charCodeAt(0),
      ),
    );
  const cases: [string, () => Response][] = [
    [
      'Latin-1 by its declaration',
      () => createFeedResponse(encodeLatin1('<?xml version="1.0" encoding="ISO-8859-1"?>')),
    ],
    [
      'Latin-1 by Content-Type',
      () => createFeedResponse(encodeLatin1(''), { 'content-type': 'application/xml; charset="windows-1252"' }),
    ],
    [
      'UTF-8 with a byte order mark, regardless of the declaration',
      () =>
        createFeedResponse(Buffer.from(`\u{feff}${buildRss([{ guid: 'l', title: 'Déjà vu', content: accented }])}`), {
          'content-type': 'text/xml; charset=iso-8859-1',
        }),
    ],
    [
      'UTF-16',
      () =>
        createFeedResponse(
          Buffer.from(`\u{feff}${buildRss([{ guid: 'l', title: 'Déjà vu', content: accented }])}`, 'utf16le'),
        ),
    ],
    [
      'an unknown encoding',
      () =>
        createFeedResponse(buildRss([{ guid: 'l', title: 'Déjà vu', content: accented }]), {
          'content-type': 'text/xml; charset=x-none',
        }),
    ],
  ];

  test.each(cases)('%s', async (_name, response) => {
    const feed = await addFeed(response, { backfill: 1 });
    await feed.outcome('queued', 1);
    expect(feed.listPosts()).toMatchObject([{ title: 'Déjà vu', content: accented }]);
  });

  test('a document that is no feed is rejected with a reason', async () => {
    const page = await addFeed(() => createFeedResponse('<!doctype html><title>Home</title>'));
    const noise = await addFeed(() => createFeedResponse(crypto.getRandomValues(new Uint8Array(10_000))));
    await page.waitUntilFetched(1);
    await noise.waitUntilFetched(1);
    const listProblems = async () => [(await page.getSource()).problem, (await noise.getSource()).problem];
    await eventually(async () => (await listProblems()).every((problem) => problem !== null), 'problems');
    expect(await listProblems()).toEqual([
      'not a feed: the URL returns a web page',
      'not a feed: the URL returns no RSS, Atom or JSON feed, NewsML-G2 or ninjs',
    ]);
  });

  test('a hostile feed is parsed in a separate process while the server stays responsive', async () => {
    const bomb = `<!DOCTYPE rss [<!ENTITY a "${'lol'.repeat(50)}">${[...'bcdefghij'].map((name, index) => `<!ENTITY ${name} "${`&${'abcdefghi'[index]};`.repeat(10)}">`).join('')}]>`;
    const hostile = [
      buildRss([{ guid: 'bomb', title: '&j;', content: unspeakable }]).replace('?>', `?>${bomb}`),
      buildRss([{ guid: 'deep', content: unspeakable }], `${'<a>'.repeat(400_000)}${'</a>'.repeat(400_000)}`),
      buildRss([{ guid: 'many', content: unspeakable }], '<item/>'.repeat(2 * scale.characters)),
      buildRss([{ guid: 'file', title: '&x;', content: unspeakable }]).replace(
        '?>',
        '?><!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
      ),
    ];
    const named_ = await Promise.all(hostile.map((text) => addFeed(() => createFeedResponse(text))));
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    for (const feed of named_) {
      await eventually(async () => (await feed.getSource()).last_fetch_at !== null, 'read or refused');
      for (const { title } of feed.listPosts()) {
        expect(title ?? '').not.toContain('lollol');
        expect(title ?? '').not.toContain('root:');
      }
    }
  });
});

describe('sources', () => {
  test('are counted in the metrics', async () => {
    const feed = await addFeed(serveItems([]));
    await feed.waitUntilFetched(1);
    const text = await (await fetch(`${server.url}/metrics`)).text();
    expect(text).toMatch(/^lectern_feed_fetches_total\{outcome="fetched"\} [1-9]/m);
    expect(text).toMatch(/^lectern_feed_items_waiting \d/m);
  });

  test('can be read by viewers and changed by editors', async () => {
    const feed = await addFeed(serveItems([]));
    const siteUsers = createSiteUsers(server, feed.siteId);
    const url = `${feeds.url}/other-${feed.siteId}`;
    feeds.serve(new URL(url).pathname, serveItems([]));
    const requests: [string, string, unknown][] = [
      ['GET', feed.base, undefined],
      ['GET', feed.sourcePath, undefined],
      ['GET', `${feed.sourcePath}/items`, undefined],
      ['POST', `${feed.base}/preview`, { url }],
      ['PATCH', feed.sourcePath, { backfill: 3 }],
      ['POST', `${feed.sourcePath}/fetch`, undefined],
    ];
    const statuses: number[][] = [];
    for (const [method, path, body] of requests) {
      statuses.push(await collectStatuses(siteUsers, (user) => user.request(method, path, body)));
    }
    expect(statuses).toEqual([
      [401, 404, 200, 200, 200],
      [401, 404, 200, 200, 200],
      [401, 404, 200, 200, 200],
      [401, 404, 403, 200, 200],
      [401, 404, 403, 200, 200],
      [401, 404, 403, 202, 202],
    ]);
    expect(await collectStatuses(siteUsers, (user) => user.request('POST', feed.base, { url }))).toEqual([
      401, 404, 403, 201, 409,
    ]);
    expect(await collectStatuses(siteUsers, (user) => user.request('DELETE', feed.sourcePath))).toEqual([
      401, 404, 403, 200, 404,
    ]);
  });

  test('show viewers their URL without possible secrets', async () => {
    const siteId = await createTestSite();
    feeds.serve('/moved', () => new Response('', { status: 301, headers: { location: '/to?k=2' } }));
    feeds.serve('/to', serveItems([]));
    const base = `/v1/sites/${siteId}/sources`;
    const url = `${feeds.url}/moved?key=secret`;
    const response = await admin.request<Source>('POST', base, { url });
    expect(response.data.url).toBe(url);
    const sourcePath = `${base}/${response.data.id}`;
    const listUrls = async (user: SiteUser) => {
      const source = (await user.request<Source>('GET', sourcePath)).data;
      const all = (await user.request<Page<Source>>('GET', base)).data.items;
      return [source, ...all].map((source) => [source.url, source.moved_to]);
    };
    await eventually(async () => (await admin.request<Source>('GET', sourcePath)).data.moved_to !== null, 'a redirect');
    const { viewer, editor } = createSiteUsers(server, siteId);
    const whole = [url, `${feeds.url}/to?k=2`];
    expect(await listUrls(editor)).toEqual([whole, whole]);
    const bare = [`${feeds.url}/moved`, `${feeds.url}/to`];
    expect(await listUrls(viewer)).toEqual([bare, bare]);
  });

  test('are validated before they are stored', async () => {
    const siteId = await createTestSite();
    const getErrors = async (body: object) => (await admin.request('POST', `/v1/sites/${siteId}/sources`, body)).errors;
    expect(await getErrors({ url: 'http://10.0.0.1/feed' })).toEqual({
      url: ['must not point to 10.0.0.1 (private): add it to LECTERN_FEED_ALLOW to allow it'],
    });
    expect(await getErrors({ url: 'ftp://example.org/feed' })).toEqual({
      url: ['must be a URL that begins with http:// or https://'],
    });
    expect(await getErrors({ url: 'https://me:secret@example.org/feed' })).toEqual({
      url: ['must not contain a user name or password'],
    });
    expect(await getErrors({ url: feeds.url, interval_minutes: 4, backfill: 101, language: '??' })).toEqual({
      ...{ interval_minutes: ['must be at least 5'], backfill: ['must be at most 100'] },
    });
    expect(await getErrors({ url: feeds.url, language: '??' })).toEqual({
      language: ['must be a language code such as en or de'],
    });
  });

  test('have a preview', async () => {
    feeds.serve(
      '/preview',
      serveItems([
        { guid: 'p3', content: articleText, link: 'https://e.example/3' },
        { guid: 'p2', content: 'short' },
        { guid: 'p1', content: articleText },
      ]),
    );
    const siteId = await createTestSite();
    const request = (url: string) =>
      admin.request<SourcePreview>('POST', `/v1/sites/${siteId}/sources/preview`, { url, backfill: 2 });
    const { status, data } = await request(`${feeds.url}/preview`);
    expect(status).toBe(200);
    expect(data).toMatchObject({ format: 'rss', title: 'The Daily Example', item_count: 3 });
    expect(data.items.map(({ guid, outcome }) => [guid, outcome])).toEqual([
      ['p3', 'queued'],
      ['p2', 'too_short'],
      ['p1', 'skipped'],
    ]);
    expect(data.items[0]?.excerpt).toStartWith('The lighthouse of Port Ellery');
    expect(await request(`${feeds.url}/nowhere`)).toMatchObject({
      ...{ status: 422, errors: { url: ['the server returned status 404'] } },
    });
    const rows = readRows<{ count: number }>(
      server.data,
      `select count(*) as count from feed_source where site_id = ${siteId}`,
    );
    expect(rows).toEqual([{ count: 0 }]);
  });

  test('can be previewed at most ten times a minute', async () => {
    const feed = await addFeed(serveItems([]), { enabled: false });
    const { editor } = createSiteUsers(server, feed.siteId);
    const getPreviewStatus = async (url: string) =>
      (await editor.request('POST', `${feed.base}/preview`, { url })).status;
    const statuses = [await getPreviewStatus(feeds.url + feed.path)];
    // A missing feed needs no parser process, so all requests happen within a minute.
    for (let count = 1; count < 11; count += 1) statuses.push(await getPreviewStatus(`${feeds.url}/nowhere`));
    expect(statuses).toEqual([200, ...Array(9).fill(422), 429]);
  });

  test('with a new URL start again, without duplicates of known items', async () => {
    const feed = await addFeed(serveItems([{ guid: 'kept', content: unspeakable }]));
    await feed.outcome('queued', 1);
    const other = `${feed.path}-moved`;
    const items = ['new', 'kept', 'old'].map((guid) => ({ guid, content: unspeakable }));
    feeds.serve(other, serveItems(items));
    await admin.request('PATCH', feed.sourcePath, { url: feeds.url + other, backfill: 2 });
    await feed.outcome('queued', 2);
    await feed.outcome('skipped', 1);
    expect(feed.listPosts().map(({ external_id }) => external_id)).toEqual(['kept', 'new']);
  });

  test('keep their posts when they are deleted, and are deleted with their site', async () => {
    const feed = await addFeed(serveItems([{ guid: 'stays', content: unspeakable }]));
    await feed.outcome('queued', 1);
    await admin.request('DELETE', feed.sourcePath);
    expect(feed.listPosts()).toHaveLength(1);
    const gone = await addFeed(serveItems([{ guid: 'goes', content: unspeakable }]));
    await gone.outcome('queued', 1);
    await admin.request('DELETE', `/v1/sites/${gone.siteId}?permanently=true`);
    await eventually(() => {
      const [left] = readRows<{ count: number }>(
        server.data,
        `select count(*) as count from feed_item where site_id = ${gone.siteId}`,
      );
      return left?.count === 0;
    }, 'no item left');
  });

  test('appear in the audit log with their host only', async () => {
    const feed = await addFeed(serveItems([]));
    await admin.request('PATCH', feed.sourcePath, { interval_minutes: 30 });
    const { data } = await admin.request<Page<Record<string, unknown>>>('GET', `/v1/audit?site=${feed.siteId}`);
    const text = JSON.stringify(data);
    expect(text).toContain('source.created');
    expect(text).toContain('source.changed');
    expect(text).not.toContain(feed.path);
  });
});
