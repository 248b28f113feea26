import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { parseRssFeed } from 'feedsmith';
import type { PublicAudio } from '../../src/audio/schema.ts';
import { podcastCategories } from '../../src/sites/settings.ts';
import { isOnPostgres } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { holdWorkers } from '../fixtures/held-workers.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';
import type { Envelope } from '../fixtures/server.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';
import { buildArticle } from './articles.ts';

const domain = 'www.news.example';
const formatMinutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

const oldestAt = formatMinutesAgo(120);

let site: PublicSite;

beforeAll(async () => {
  site = await startPublicSite([domain, 'news.example'], {
    ...{ rates: 'usual', env: { LECTERN_RATE_KEY: '1000000' } },
  });
  await post('oldest', { publish_at: oldestAt });
  await post('middle', { publish_at: formatMinutesAgo(60), post_title: null });
  await post('hostile', {
    post_title: ' “A” & <b>\n\u0001 ]]> 🦊 ',
    post_url: 'https://www.news.example/a?b=1&c="2"',
    content: '<p>Ham &amp; eggs are a &lt;b&gt; dish that everybody likes to eat.</p>',
  });
});
afterAll(() => site.stop('SIGKILL'));

async function post(postId: string, members: Record<string, unknown> = {}): Promise<void> {
  const body = { post_id: postId, post_title: `The ${postId} one`, content: buildArticle(postId) };
  const response = await site.generate({ ...body, ...members });
  if (!response.ok) throw new Error(await response.text());
  expect((await site.waitUntilFinished(postId)).status).toBe('ready');
}

function request(query = `domain=${domain}`, init: RequestInit = {}): Promise<Response> {
  return site.open(`feed.xml?${query}`, init);
}

async function read(query?: string) {
  const response = await request(query);
  expect(response.status).toBe(200);
  return parseRssFeed(await response.text());
}

async function listTitles(query?: string): Promise<(string | undefined)[]> {
  return ((await read(query)).items ?? []).map(({ title }) => title);
}

describe('a feed', () => {
  test('has all fields that Apple requires, and its own URL', async () => {
    const feed = await read();

    expect(feed).toMatchObject({
      title: 'Public Site',
      description: 'Articles by Public Site, read aloud.',
      link: `https://${domain}/`,
      language: 'en',
      itunes: {
        image: `${site.url}/v1/public/cover.png`,
        categories: [{ text: 'News' }],
        explicit: false,
        author: 'Public Site',
        type: 'episodic',
      },
    });
    expect(feed.itunes?.owner).toBeUndefined();
    const address = `${site.url}/v1/public/feed.xml?domain=${domain}&lang=en`;
    expect(feed.atom?.links).toEqual([{ href: address, rel: 'self', type: 'application/rss+xml' }]);
    const guid = Bun.randomUUIDv5(address.replace('http://', ''), 'ead4c236-bf58-58c6-a2c6-a6b28d128cb6');
    expect(feed.podcast?.guid).toBe(guid);
    // The flag is a word in feeds; parsers accept several spellings.
    expect(await (await request()).text()).toContain('<itunes:explicit>false</itunes:explicit>');
  });

  test('is the same for every domain of the site', async () => {
    const [byName, bySpelling] = await Promise.all([request(), request('domain=NEWS.example:443&lang=en-US')]);
    expect(await bySpelling.text()).toBe(await byName.text());
  });

  test('lists episodes newest first, by publication time', async () => {
    const { items = [] } = await read();

    expect(items.map(({ title }) => title)).toEqual([
      '“A” & <b> ]]> 🦊',
      'Line 1 of middle tells of rivers, bridges and the people there.',
      'The oldest one',
    ]);
    const times = items.map(({ pubDate }) => Date.parse(pubDate ?? ''));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    // A feed has whole seconds.
    expect(times.at(-1)).toBe(Math.floor(Date.parse(oldestAt) / 1000) * 1000);
  });

  test('has URL and exact length of each MP3, and its transcripts', async () => {
    for (const item of (await read()).items ?? []) {
      const [enclosure] = item.enclosures ?? [];
      expect(enclosure?.type).toBe('audio/mpeg');
      expect(enclosure?.url).toEndWith('.mp3');
      const mp3 = await fetch(enclosure?.url ?? '');
      expect((await mp3.bytes()).length).toBe(enclosure?.length ?? 0);
      const head = await fetch(enclosure?.url ?? '', { method: 'HEAD' });
      expect(head.headers.get('content-length')).toBe(String(enclosure?.length));
      expect(item.guid?.isPermaLink).toBe(false);
      const found = await Promise.all(
        (item.podcast?.transcripts ?? []).map(async ({ url, ...rest }) => {
          const { status, headers } = await fetch(url ?? '');
          return { ...rest, status, served: headers.get('content-type')?.split(';')[0] };
        }),
      );
      const common = { language: 'en', status: 200 };
      expect(found).toEqual([
        { ...common, type: 'text/vtt', served: 'text/vtt', rel: 'captions' },
        { ...common, type: 'application/json', served: 'application/json' },
      ]);
    }
    const { items = [] } = await read();
    const response = await site.open(`audio?domain=${domain}&post_id=oldest`);
    const { data } = (await response.json()) as Envelope<PublicAudio>;
    expect(items.at(-1)?.itunes?.duration).toBe(data.duration_seconds ?? 0);
    expect(items.at(-1)?.enclosures?.[0]?.url).toBe(data.audio_url ?? '');
  });

  test('escapes texts that look like markup', async () => {
    const text = await (await request()).text();
    const { items = [] } = parseRssFeed(text);

    expect(items[0]).toMatchObject({
      link: 'https://www.news.example/a?b=1&c=%222%22',
      description: '<p>Ham &amp; eggs are a &lt;b&gt; dish that everybody likes to eat.</p>',
    });
    expect(text).not.toContain('\u0001');
    expect(text).not.toContain('<b>');
  });

  test('is available to any page and app without a rate limit', async () => {
    const getRemaining = async () => {
      const status = await site.open(`audio/status?domain=${domain}&post_id=oldest`);
      return Number(status.headers.get('x-ratelimit-remaining'));
    };
    const before = await getRemaining();
    for (let turn = 0; turn < 70; turn += 1) {
      const response = await request(undefined, { headers: { origin: 'https://reader.example' } });
      expect([turn, response.status]).toEqual([turn, 200]);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('x-ratelimit-limit')).toBeNull();
    }
    // If the minute has ended, the next one has all but this request.
    expect([before - 1, 59]).toContain(await getRemaining());
    const preflight = await request(undefined, {
      method: 'OPTIONS',
      headers: { origin: 'https://reader.example' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('If-None-Match');
  });

  test('supports conditional requests and compression', async () => {
    const plain = await request(undefined, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.headers.get('content-type')).toBe('application/rss+xml; charset=utf-8');
    const headers = new Headers(plain.headers);
    const modified = headers.get('last-modified') ?? '';
    const has: Record<string, string>[] = [
      { 'if-none-match': headers.get('etag') ?? '' },
      { 'if-modified-since': modified },
    ];
    for (const condition of has) {
      expect((await request(undefined, { headers: condition })).status).toBe(304);
    }
    const length = Number(headers.get('content-length') ?? (await plain.bytes()).length);
    const packed = await request(undefined, { headers: { 'accept-encoding': 'br, gzip' } });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(Number(packed.headers.get('content-length'))).toBeLessThan(length / 2);
    const refused = await request(undefined, { headers: { 'accept-encoding': 'gzip;q=0, identity' } });
    expect(refused.headers.get('content-encoding')).toBeNull();
    const head = await request(undefined, {
      method: 'HEAD',
      headers: { 'accept-encoding': 'identity' },
    });
    expect([head.status, (await head.bytes()).length]).toEqual([200, 0]);
    expect(head.headers.get('content-length')).toBe(String(length));
  });

  // With PostgreSQL nothing is cached.
  test.skipIf(isOnPostgres)('is cached until the next write, with a maximum age', async () => {
    const aged = await eventually(async () => {
      const { headers } = await request();
      return Number(headers.get('age')) > 0 && headers;
    }, 'a feed that is remembered');
    expect(aged.get('cache-control')).toBe('public, max-age=300');
    // Writes of another process also clear the cache.
    await site.runLectern('site', 'update', '1', '--name', 'Renamed Site');
    const response = await request();
    expect(response.headers.get('age')).toBe('0');
    expect(await response.text()).toContain('<title>Renamed Site</title>');
    await site.runLectern('site', 'update', '1', '--name', 'Public Site');
    expect((await read()).title).toBe('Public Site');
  });

  test('has a square PNG of the size that directories require', async () => {
    const head = await site.open('cover.png', { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'image/png']);
    const png = Buffer.from(await (await site.open('cover.png')).bytes());
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1400, 1400]);
    expect(png.length).toBeLessThan(60_000);
    // RGB, without transparency.
    expect(png[25]).toBe(2);
  });
});

describe('a feed after changes', () => {
  test('keeps guid and date of a regenerated post, and switches to the new MP3 when that is ready', async () => {
    await post('again', { publish_at: formatMinutesAgo(240) });
    const findItem = async () => {
      const { items = [] } = await read();
      const item = items.find(({ title }) => title?.startsWith('The again one'));
      return { guid: item?.guid, pubDate: item?.pubDate, url: item?.enclosures?.[0]?.url };
    };
    const before = await findItem();
    const release = holdWorkers(site);
    await site.generate({
      post_id: 'again',
      post_title: 'The again one!',
      content: buildArticle('x'),
    });
    expect(await findItem()).toEqual(before);
    release();
    await site.waitUntilFinished('again');
    const after = await findItem();
    expect(after).toMatchObject({ guid: before.guid, pubDate: before.pubDate });
    expect(after.url).not.toBe(before.url);
    await site.request('/v1/audio/again', { method: 'DELETE' });
    await post('again');
    expect((await findItem()).guid).toEqual(before.guid);
    await site.request('/v1/audio/again', { method: 'DELETE' });
  });

  test('keeps the last version of a post whose regeneration failed', async () => {
    await post('failing');
    await site.generate({
      post_id: 'failing',
      post_title: null,
      content: `<p>${'🦊'.repeat(60)}</p>`,
    });
    expect((await site.waitUntilFinished('failing')).status).toBe('failed');
    expect(await listTitles()).toContain('The failing one');
    await site.request('/v1/audio/failing', { method: 'DELETE' });
  });

  test('excludes private, embargoed, deleted and unfinished posts', async () => {
    await post('hidden', { visibility: 'private' });
    await post('later', { publish_at: new Date(Date.now() + 3_600_000).toISOString() });
    await site.generate({ post_id: 'mute', content: `<p>${'🦊'.repeat(60)}</p>` });
    await site.waitUntilFinished('mute');
    const titles = await listTitles();
    for (const name of ['hidden', 'later', 'mute']) {
      expect(titles.join()).not.toContain(name);
    }
    const soon = new Date(Date.now() + 1_000).toISOString();
    await post('later', { publish_at: soon });
    await eventually(async () => (await listTitles()).includes('The later one'), 'an end of the embargo');

    const modified = (await request()).headers.get('last-modified') ?? '';
    await site.request('/v1/audio/later', { method: 'DELETE' });
    // It contains nothing newer, but differs.
    const response = await request(undefined, { headers: { 'if-modified-since': modified } });
    expect(response.status).toBe(200);
    expect(await response.text()).not.toContain('The later one');
  });

  test('has neither excerpts nor transcripts if the site publishes no text', async () => {
    await site.runLectern('site', 'update', '1', '--timings-text', 'false');
    try {
      const { items = [] } = await read();
      expect(items.map(({ description, podcast }) => [description, podcast])).toEqual(
        items.map(() => [undefined, undefined]),
      );
      expect(items[1]?.title).toBe('middle');
    } finally {
      await site.runLectern('site', 'update', '1', '--timings-text', 'true');
    }
  });

  test('follows the feed settings of the site', async () => {
    const settings = {
      title: 'Heard & Said',
      description: 'All of it, <spoken>.',
      author: 'The Desk',
      email: 'desk@news.example',
      category: 'Society & Culture > Documentary',
      image_url: 'https://news.example/cover.jpg?a=1&b=2',
      link: 'https://news.example/listen',
      copyright: '© The Desk',
      explicit: true,
    };
    const record = await site.runLectern('site', 'update', '1', '--feed', JSON.stringify(settings));
    expect(record['feed']).toEqual({ enabled: true, ...settings });
    const feed = await read();
    expect(feed).toMatchObject({
      title: settings.title,
      description: settings.description,
      link: settings.link,
      copyright: settings.copyright,
      itunes: {
        image: settings.image_url,
        categories: [{ text: 'Society & Culture', categories: [{ text: 'Documentary' }] }],
        explicit: true,
        author: settings.author,
        owner: { name: settings.author, email: settings.email },
      },
    });
    await site.runLectern('site', 'update', '1', '--feed', '{"enabled":false}');
    const response = await request();
    expect([response.status, await response.json()]).toEqual([
      404,
      { success: false, message: 'Feed disabled for this site' },
    ]);
    await site.runLectern('site', 'update', '1', '--feed', '{"enabled":true}');
    expect((await read()).title).toBe(settings.title);
  });
});

test('categories are written as directories expect them', () => {
  expect(new Set(podcastCategories).size).toBe(podcastCategories.length);
  const tops = podcastCategories.filter((category) => !category.includes('>'));
  expect(tops).toHaveLength(19);
  expect(podcastCategories).toHaveLength(110);
  for (const category of podcastCategories) {
    expect(tops as string[]).toContain(category.split(' > ')[0] ?? '');
  }
});

test('unknown, empty and lapsed domains have no feed', async () => {
  const getStatusCode = async (query: string) => {
    const response = await request(query);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    return [response.status, ((await response.json()) as Envelope<unknown>).message];
  };
  expect(await getStatusCode('domain=nobody.example')).toEqual([404, 'Unknown domain']);
  expect(await getStatusCode('lang=en')).toEqual([422, 'Validation failed']);
  expect(await getStatusCode(`domain=${domain}&lang=english!`)).toEqual([422, 'Validation failed']);
  expect(await getStatusCode(`domain=${domain}&lang=xx`)).toEqual([422, 'Validation failed']);
  await site.runLectern('site', 'create', '--name', 'Lapsed', '--domain', 'lapsed.example');
  await site.runLectern('site', 'update', 'lapsed', '--subscription', 'inactive');
  expect(await getStatusCode('domain=lapsed.example')).toEqual([402, 'Subscription inactive']);
  await site.runLectern('site', 'update', 'lapsed', '--active', 'false');
  expect(await getStatusCode('domain=lapsed.example')).toEqual([404, 'Unknown domain']);
});

test('each language has its own feed; the default is the language of the default voice', async () => {
  await writeVoice(
    join(site.data, 'voices'),
    'de_DE-tones-low',
    createToneVoice({ sampleRateHz: 16_000, language: 'de_DE' }),
  );
  const german = await findVoiceId(site.data, 'de_DE-tones-low');
  const inTheirs = {
    ...{ post_id: 'oldest', voice_id: german, post_title: 'Das Älteste' },
    content: '<p>Der Leuchtturm am Hafen ist wieder offen, und alle freuen sich.</p>',
  };
  expect((await site.generate(inTheirs)).status).toBe(202);
  const inGerman = `domain=${domain}&lang=de`;
  await eventually(async () => (await listTitles(inGerman)).length > 0, 'an episode in German');
  expect(await listTitles(inGerman)).toEqual(['Das Älteste']);
  expect(await listTitles()).not.toContain('Das Älteste');
  const listGuids = async (query?: string) => (await read(query)).items?.map(({ guid }) => guid?.value);
  expect(await listGuids()).not.toContain((await listGuids(inGerman))?.[0]);

  await site.runLectern('site', 'update', '1', '--default-voice', String(german));
  const feed = await read();
  expect(feed).toMatchObject({ language: 'de', items: [{ title: 'Das Älteste' }] });
  await site.runLectern('site', 'update', '1', '--default-voice', '1');
});
