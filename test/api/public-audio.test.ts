import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { AudioRecord, PublicAudio } from '../../src/audio/schema.ts';
import { defaultPlayerSettings } from '../../src/sites/player-settings.ts';
import { holdWorkers } from '../fixtures/held-workers.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';
import { createTemporaryFolder, type Envelope } from '../fixtures/server.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';
import { buildArticle } from './articles.ts';

const data = createTemporaryFolder();
let site: PublicSite;
let germanId: number;
/** Rate limits are per domain: several domains, so that tests do not affect each other. */
const domains = Array.from({ length: 20 }, (_, index) => `d${index}.example`);
let requestCount = 0;

const request = (path: string, query: Record<string, string>, init?: RequestInit) => {
  requestCount += 1;
  const domain = domains[requestCount % domains.length] ?? '';
  return site.open(`${path}?${new URLSearchParams({ domain, ...query })}`, init);
};

async function readData<T>(response: Response): Promise<T> {
  expect(response.status).toBe(200);
  return ((await response.json()) as Envelope<T>).data;
}

const getPublicAudio = async (query: Record<string, string>) => readData<PublicAudio>(await request('audio', query));

async function make(postId: string, more: Record<string, unknown> = {}): Promise<AudioRecord> {
  const content = buildArticle(`the post ${postId}`);
  const response = await site.generate({ post_id: postId, content, ...more });
  expect(response.status).toBe(202);
  return ((await response.json()) as Envelope<AudioRecord>).data;
}

const notFound = { success: false, message: 'Post not found' };

beforeAll(async () => {
  const tones = createToneVoice({ sampleRateHz: 16_000, language: 'de_DE' });
  await writeVoice(join(data, 'voices'), 'de_DE-tones-low', tones);
  site = await startPublicSite(domains, { data, voices: 'built-in' });
  germanId = await findVoiceId(data, 'de_DE-tones-low');
  await make('ready', { post_title: 'A title', post_url: 'https://d0.example/ready?x=1#y' });
  await site.waitUntilFinished('ready');
});
afterAll(() => site.stop('SIGKILL'));

describe('the public status', () => {
  test('contains the same fields as the status with a key', async () => {
    const response = await request('audio/status', { post_id: 'ready' });
    expect(await readData<AudioRecord>(response)).toEqual(await site.status('ready'));
    expect(response.headers.get('cache-control')).toBe('public, max-age=60');
    expect(response.headers.get('vary')).toBe('Origin');
  });

  test('returns 304 until a change', async () => {
    const response = await request('audio/status', { post_id: 'ready' });
    const etag = response.headers.get('etag') ?? '';
    const headers = { 'if-none-match': etag, origin: 'https://d7.example' };
    const again = await request('audio/status', { post_id: 'ready' }, { headers });
    expect(again.status).toBe(304);
    expect(again.headers.get('etag')).toBe(etag);
    expect(again.headers.get('access-control-allow-origin')).toBe('https://d7.example');
  });

  test('of an unfinished post can be cached for three seconds', async () => {
    const release = holdWorkers(site);
    await make('long', { content: buildArticle('a busy worker') });
    const response = await request('audio/status', { post_id: 'long' });
    expect(response.headers.get('cache-control')).toBe('public, max-age=3');
    expect(await readData<AudioRecord>(response)).toMatchObject({ audio_url: null });
    release();
  });

  test.each(['lang', 'language'])('speaks of the language that %s names', async (name) => {
    await make(`german-${name}`, { voice_id: germanId });
    const query = { post_id: `german-${name}` };
    expect((await request('audio/status', query)).status).toBe(404);
    expect((await request('audio/status', { ...query, [name]: 'en' })).status).toBe(404);
    const record = await readData<AudioRecord>(await request('audio/status', { ...query, [name]: 'de-AT' }));
    expect(record.language).toBe('de');
  });

  test.each([
    ['a post nobody sent', { post_id: 'nothing' }],
    ['another language', { post_id: 'ready', lang: 'de' }],
  ])('of %s is not found, and not kept', async (_, query) => {
    const response = await request('audio/status', query);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual(notFound);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test.each([
    ['no post_id', {}, 'post_id'],
    ['an empty post_id', { post_id: '' }, 'post_id'],
    ['an endless post_id', { post_id: 'x'.repeat(256) }, 'post_id'],
    ['an unsupported language', { post_id: 'ready', lang: 'xx' }, 'language'],
    ['no language at all', { post_id: 'ready', lang: '???' }, 'language'],
  ])('with %s is refused', async (_, query, field) => {
    const response = await request('audio/status', query as Record<string, string>);
    expect(response.status).toBe(422);
    const { errors } = (await response.json()) as Envelope<unknown>;
    expect(Object.keys(errors ?? {})).toEqual([field]);
  });
});

describe('a post that is not public', () => {
  const routes = ['audio', 'audio/status'];

  test.each(routes)('is not found by %s while it is private', async (route) => {
    const post_id = `private-${route}`;
    await make(post_id, { visibility: 'private' });
    const response = await request(route, { post_id });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual(notFound);
    expect((await site.status(post_id)).post_id).toBe(post_id);
    const content = buildArticle(`the post ${post_id}`);
    await site.generate({ post_id, content, visibility: 'public' });
    expect((await request(route, { post_id })).status).toBe(200);
  });

  test.each(routes)('is not found by %s until it is published', async (route) => {
    const post_id = `future-${route}`;
    const publishAt = Date.now() + 2_000;
    await make(post_id, { publish_at: new Date(publishAt).toISOString() });
    const hidden = await request(route, { post_id });
    if (Date.now() < publishAt) {
      expect(hidden.status).toBe(404);
      expect(hidden.headers.get('cache-control')).toBe('no-store');
    }
    while ((await request(route, { post_id })).status === 404) await Bun.sleep(100);
    expect(Date.now()).toBeGreaterThanOrEqual(publishAt);
  });

  test('stays hidden however far its date is', async () => {
    for (const publish_at of ['9999-12-31T23:59:59Z', '2999-01-01']) {
      await make(`far-${publish_at}`, { publish_at });
      expect((await request('audio', { post_id: `far-${publish_at}` })).status).toBe(404);
    }
    const beyond = {
      post_id: 'beyond',
      content: buildArticle('a day beyond'),
      publish_at: '9999-12-31T23:59-10:00',
    };
    expect((await site.generate(beyond)).status).toBe(422);
  });
});

describe('the public audio', () => {
  test('contains the record and the settings of the player', async () => {
    const record = await site.status('ready');
    expect(await getPublicAudio({ post_id: 'ready' })).toEqual({
      ...record,
      ...{ post_title: 'A title', post_url: 'https://d0.example/ready?x=1#y' },
      ...{ title: 'A title', url: 'https://d0.example/ready?x=1#y' },
      voice: { id: 1, name: 'Aspen', language: 'en' },
      segments_url: (record.audio_url ?? '').replace(/mp3$/, 'json'),
      last_ready: null,
      variants: [],
      player: defaultPlayerSettings,
    });
  });

  test('can be cached for a minute when ready, and returns 304 until a change', async () => {
    const response = await request('audio', { post_id: 'ready' });
    expect(response.headers.get('cache-control')).toBe('public, max-age=60');
    const headers = { 'if-none-match': response.headers.get('etag') ?? '' };
    expect((await request('audio', { post_id: 'ready' }, { headers })).status).toBe(304);
  });

  test.each([
    ['the URL as it was sent', 'https://d0.example/ready?x=1#y'],
    ['another query and fragment', 'https://d0.example/ready?utm_source=mail#top'],
    ['neither', 'https://d0.example/ready'],
    ['plain http', 'http://d0.example/ready'],
    ['a port', 'https://d0.example:8443/ready'],
    ['capitals in the host', 'https://D0.Example/ready'],
    ['a dot behind the host', 'https://d0.example./ready'],
    ['a slash at the end', 'https://d0.example/ready/'],
    ['an encoded letter', 'https://d0.example/%72eady'],
  ])('is found by %s', async (_, url) => {
    expect((await getPublicAudio({ url })).post_id).toBe('ready');
  });

  test.each([
    ['another path', 'https://d0.example/ready/not'],
    ['a path in capitals', 'https://d0.example/Ready'],
    ['www before the host', 'https://www.d0.example/ready'],
    ['another host of the site', 'https://d1.example/ready'],
  ])('is not found by %s', async (_, url) => {
    const response = await request('audio', { url });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual(notFound);
  });

  test('is found by a URL with letters of many languages', async () => {
    await make('letters', { post_url: 'https://bücher.example/über uns/日本' });
    const url = 'https://xn--bcher-kva.example/%c3%bcber%20uns/%E6%97%A5%E6%9C%AC/?a';
    expect((await getPublicAudio({ url })).post_id).toBe('letters');
  });

  test('is the newest public post if several have the same URL', async () => {
    const post_url = 'https://d0.example/shared';
    for (const postId of ['shared-1', 'shared-2']) await make(postId, { post_url });
    await make('shared-3', { post_url, visibility: 'private' });
    expect((await getPublicAudio({ url: post_url })).post_id).toBe('shared-2');
  });

  test('is found by the new URL after a change', async () => {
    const content = buildArticle('a page that moves');
    await make('moves', { content, post_url: 'https://d0.example/old' });
    await site.generate({ post_id: 'moves', content, post_url: 'https://d0.example/new' });
    expect((await request('audio', { url: 'https://d0.example/old' })).status).toBe(404);
    expect((await getPublicAudio({ url: 'https://d0.example/new' })).post_id).toBe('moves');
    await site.generate({ post_id: 'moves', content });
    expect((await getPublicAudio({ url: 'https://d0.example/new' })).post_id).toBe('moves');
    await site.generate({ post_id: 'moves', content, post_url: null });
    expect((await request('audio', { url: 'https://d0.example/new' })).status).toBe(404);
  });

  test('has the old MP3 while a new one is generated', async () => {
    await make('corrected');
    const before = await site.waitUntilFinished('corrected');
    const release = holdWorkers(site);
    await make('corrected', { content: buildArticle('a correction') });
    const now = await getPublicAudio({ post_id: 'corrected' });
    expect(now).toMatchObject({ audio_url: null, duration_seconds: null, segments_url: null });
    expect(now.last_ready).toEqual({
      audio_url: before.audio_url ?? '',
      duration_seconds: before.duration_seconds ?? 0,
      segments_url: (before.audio_url ?? '').replace(/mp3$/, 'json'),
    });
    expect((await fetch(now.last_ready?.audio_url ?? '')).status).toBe(200);
    await make('corrected', { content: '<b></b>'.repeat(20) });
    release();
    expect((await site.waitUntilFinished('corrected')).status).toBe('failed');
    const failed = await getPublicAudio({ post_id: 'corrected' });
    expect(failed.error).toBe('The content has no speakable text');
    expect(failed.last_ready).toEqual(now.last_ready);
  });

  test('lists the other languages that are ready', async () => {
    await make('both');
    await make('both', { voice_id: germanId });
    const english = await site.waitUntilFinished('both');
    while ((await site.status('both', 'de')).status !== 'ready') await Bun.sleep(50);
    const german = await site.status('both', 'de');
    const buildVariant = (record: AudioRecord, id: number, name: string) => ({
      language: record.language,
      voice: { id, name, language: record.language },
      audio_url: record.audio_url ?? '',
      duration_seconds: record.duration_seconds ?? 0,
      segments_url: (record.audio_url ?? '').replace(/mp3$/, 'json'),
    });
    const inEnglish = await getPublicAudio({ post_id: 'both' });
    expect(inEnglish.variants).toEqual([buildVariant(german, germanId, 'Tones')]);
    const inGerman = await getPublicAudio({ post_id: 'both', lang: 'de' });
    expect(inGerman.language).toBe('de');
    expect(inGerman.variants).toEqual([buildVariant(english, 1, 'Aspen')]);
    expect((await getPublicAudio({ post_id: 'both', voice_id: `${germanId}` })).id).toBe(german.id);
    expect((await request('audio', { post_id: 'both', voice_id: '2' })).status).toBe(404);
  });

  test.each([
    ['neither post_id nor url', {}, 'post_id'],
    ['an address of no page', { url: 'ftp://d0.example/ready' }, 'url'],
    ['a path only', { url: '/ready' }, 'url'],
    ['a voice nobody has', { post_id: 'ready', voice_id: '999' }, 'voice_id'],
    ['a voice by name', { post_id: 'ready', voice_id: 'Aspen' }, 'voice_id'],
    ['an unsupported language', { post_id: 'ready', lang: 'xx' }, 'language'],
  ])('with %s is refused', async (_, query, field) => {
    const response = await request('audio', query as Record<string, string>);
    expect(response.status).toBe(422);
    const { errors } = (await response.json()) as Envelope<unknown>;
    expect(Object.keys(errors ?? {})).toEqual([field]);
  });
});

test('posts are not found by the domain of another site', async () => {
  await site.runLectern('site', 'create', '--name', 'Other', '--domain', 'other.example');
  for (const query of ['post_id=ready', 'url=https://d0.example/ready']) {
    expect((await site.open(`audio?domain=other.example&${query}`)).status).toBe(404);
  }
  expect((await site.open('audio/status?domain=other.example&post_id=ready')).status).toBe(404);
});

describe('the public voices', () => {
  test('are the voices of the plan, with the default', async () => {
    await site.runLectern('site', 'create', '--name', 'Small', '--domain', 'small.example', '--plan', 'starter');
    const response = await site.open('voices?domain=small.example');
    const list = await readData<{ voices: unknown[] }>(response);
    expect(list).toMatchObject({ default_voice_id: 1, allow_switch: false });
    expect(list.voices).toEqual([
      {
        id: 1,
        name: 'Aspen',
        type: 'neural',
        language: 'en',
        gender: 'female',
        plan_required: 'starter',
      },
      {
        id: 2,
        name: 'Cedar',
        type: 'neural',
        language: 'en',
        gender: 'male',
        plan_required: 'starter',
      },
      {
        id: 3,
        name: 'Saule',
        type: 'neural',
        language: 'fr',
        gender: 'female',
        plan_required: 'starter',
      },
      {
        id: 4,
        name: 'Encina',
        type: 'neural',
        language: 'es',
        gender: 'female',
        plan_required: 'starter',
      },
      {
        id: 5,
        name: 'Roble',
        type: 'neural',
        language: 'es',
        gender: 'male',
        plan_required: 'starter',
      },
      {
        id: 6,
        name: 'Buche',
        type: 'neural',
        language: 'de',
        gender: 'female',
        plan_required: 'starter',
      },
      {
        id: germanId,
        name: 'Tones',
        type: 'neural',
        language: 'de',
        gender: 'neutral',
        plan_required: 'starter',
      },
    ]);
  });

  test('follow the selection of the site', async () => {
    const before = (await site.open('voices?domain=small.example')).headers.get('etag') ?? '';
    await site.runLectern('site', 'update', '3', '--default-voice', '2', '--allow-switch', 'true');
    const headers = { 'if-none-match': before };
    const response = await site.open('voices?domain=small.example', { headers });
    expect(await readData<object>(response)).toMatchObject({ default_voice_id: 2, allow_switch: true });
  });
});
