import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { AudioRecord } from '../../src/audio/schema.ts';
import { isOnPostgres } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { holdWorkersDuring } from '../fixtures/held-workers.ts';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';
import { pauseQueue } from '../fixtures/queue-pause.ts';
import { createTemporaryFolder, type Envelope } from '../fixtures/server.ts';
import { createSiteUsers } from '../fixtures/site-users.ts';
import { createStallingVoice } from '../fixtures/stalling-voice.ts';
import { writeVoice } from '../fixtures/voice.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';
import { buildArticle, buildLongArticle } from './articles.ts';

const data = createTemporaryFolder();
const origin = 'https://news.example';
let site: PublicSite;

beforeAll(async () => {
  const stalling = createStallingVoice({ symbols: 'ə', stall: 'endless' });
  await writeVoice(join(data, 'voices'), 'en_US-stalling-low', stalling);
  site = await startPublicSite(['news.example'], { data });
});
afterAll(() => site.stop('SIGKILL'));

const open = (postId: string, init: RequestInit = {}) =>
  site.open(`audio/stream?${new URLSearchParams({ domain: 'news.example', post_id: postId })}`, {
    redirect: 'manual',
    headers: { origin },
    ...init,
  });

async function make(postId: string, content: string, voice = {}): Promise<void> {
  expect((await site.generate({ post_id: postId, content, ...voice })).status).toBe(202);
}

async function readMessage(response: Response): Promise<[number, string]> {
  const { message } = (await response.json()) as Envelope<AudioRecord>;
  return [response.status, message];
}

const buildLongPost = (postId: string) => buildLongArticle(`a long post called ${postId}`);

/** Submits a post and opens its stream before synthesis starts. */
async function listenFromTheStart(postId: string, content: string): Promise<Response> {
  const { admin } = createSiteUsers(site, site.siteId);
  await pauseQueue(admin, true);
  await make(postId, content);
  const response = open(postId);
  await pauseQueue(admin, false);
  return response;
}

/** The text does not change, so nothing is synthesized. */
async function submitAgain(postId: string, facts: Record<string, string>): Promise<void> {
  const response = await site.generate({ post_id: postId, content: buildLongPost(postId), ...facts });
  expect(response.status).toBe(200);
}

/** Reads the first sentence of a post that stays in synthesis until `release`, or until it is deleted. */
async function listenTo(postId: string) {
  await make(postId, buildLongPost(postId));
  const release = await holdWorkersDuring(site, postId);
  const response = await open(postId);
  expect(response.status).toBe(200);
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error('no body');
  const first = await reader.read();
  expect(first.value?.subarray(0, 2)).toEqual(Uint8Array.of(0xff, 0xf3));
  const readToEnd = async () => {
    while (!(await reader.read()).done);
  };
  const deletePost = async () => {
    await site.request(`/v1/audio/${postId}`, { method: 'DELETE' });
    release();
  };
  return { response, readToEnd, close: () => reader.cancel(), deletePost, release };
}

describe('a post in synthesis', () => {
  test('streams from its first sentence on, long before it is ready', async () => {
    const { response, close, deletePost } = await listenTo('long');
    const { status, progress_percent } = await site.status('long');
    expect(status).toBe('generating');
    expect(progress_percent).toBeLessThan(100);
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    await close();
    await deletePost();
  });

  test('streams to its last sentence, with exactly the frames of the MP3', async () => {
    const whole = await listenFromTheStart('whole', buildArticle('a whole post', 12));
    const streamed = new Uint8Array(await whole.arrayBuffer());
    // The stream ends only when the audio is ready.
    const record = await site.status('whole');
    expect(record.status).toBe('ready');
    const mp3 = new Uint8Array(await (await fetch(record.audio_url ?? '')).arrayBuffer());
    const headerLength = mp3.length - streamed.length;
    expect(headerLength).toBeGreaterThan(0);
    expect(headerLength).toBeLessThan(4_000);
    expect(Buffer.compare(mp3.subarray(headerLength), streamed)).toBe(0);
  });

  test('streams the same bytes to all listeners, whenever they connect', async () => {
    const first = listenFromTheStart('many', buildArticle('a post with listeners', 15));
    const streams = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        if (index > 0) await first;
        await Bun.sleep(index * 20);
        const response = index === 0 ? await first : await open('many', { redirect: 'follow' });
        const bytes = new Uint8Array(await response.arrayBuffer());
        // Late listeners received the MP3.
        return response.redirected ? undefined : Bun.hash(bytes);
      }),
    );
    const complete = streams.filter((stream) => stream !== undefined);
    expect(complete.length).toBeGreaterThan(0);
    expect(new Set(complete).size).toBe(1);
  });

  test('starts with the reused sentences when only one was corrected', async () => {
    const content = buildArticle('a post to correct', 10);
    await make('corrected', content);
    await site.waitUntilFinished('corrected');
    const correction = '<p>Correction: the bridge is open again from Monday.</p>';
    const corrected = await listenFromTheStart('corrected', `${content}${correction}`);
    const streamed = new Uint8Array(await corrected.arrayBuffer());
    expect(streamed.length).toBeGreaterThan(0);
    const { audio_url } = await site.waitUntilFinished('corrected');
    const mp3 = new Uint8Array(await (await fetch(audio_url ?? '')).arrayBuffer());
    expect(Buffer.compare(mp3.subarray(-streamed.length), streamed)).toBe(0);
  });

  test.each([
    ['replaced', () => make('replaced', buildArticle('another text'))],
    ['deleted', () => site.request('/v1/audio/deleted', { method: 'DELETE' })],
    ['failed', () => make('failed', '<b></b>'.repeat(20))],
    ['made private', () => submitAgain('made private', { visibility: 'private' })],
    ['put off', () => submitAgain('put off', { publish_at: '2100-01-01' })],
  ])('breaks off when it is %s', async (postId, change) => {
    const { readToEnd, deletePost } = await listenTo(postId);
    await change();
    await expect(readToEnd()).rejects.toThrow();
    await deletePost();
  });

  test('stops when the subscription of its site ends', async () => {
    const { readToEnd, deletePost } = await listenTo('unpaid');
    await site.runLectern('site', 'update', '1', '--subscription', 'inactive');
    await expect(readToEnd()).rejects.toThrow();
    await site.runLectern('site', 'update', '1', '--subscription', 'active');
    await deletePost();
  });

  test('uses no resources after its listener disconnects', async () => {
    const { close, deletePost } = await listenTo('left');
    await close();
    const controller = new AbortController();
    await make('queued behind', buildArticle('a post behind it'));
    const waiting = open('never', { signal: controller.signal }).catch(() => undefined);
    controller.abort();
    await waiting;
    await deletePost();
    expect((await site.waitUntilFinished('queued behind')).status).toBe('ready');
  });
});

describe('a ready post', () => {
  test('redirects to its MP3', async () => {
    await make('ready', buildArticle('a finished post'));
    const { audio_url } = await site.waitUntilFinished('ready');
    const response = await open('ready');
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe(audio_url);
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    const followed = await open('ready', { redirect: 'follow' });
    expect(followed.status).toBe(200);
    expect(followed.headers.get('content-type')).toBe('audio/mpeg');
    expect(followed.headers.get('access-control-allow-origin')).toBe('*');
  });

  test('redirects HEAD requests too', async () => {
    expect((await open('ready', { method: 'HEAD' })).status).toBe(302);
  });
});

describe('no stream is available', () => {
  test('for an unknown post', async () => {
    expect(await readMessage(await open('nothing'))).toEqual([404, 'Post not found']);
  });

  test('for a private post', async () => {
    await site.generate({ post_id: 'private', content: buildArticle('x'), visibility: 'private' });
    expect(await readMessage(await open('private'))).toEqual([404, 'Post not found']);
  });

  test('for a post without speakable text', async () => {
    await make('mute', '<b></b>'.repeat(20));
    expect(await readMessage(await open('mute'))).toEqual([404, 'Media not found']);
    await site.waitUntilFinished('mute');
    expect(await readMessage(await open('mute'))).toEqual([404, 'Media not found']);
  });

  test('for a page of another site', async () => {
    const response = await open('ready', { headers: { origin: 'https://other.example' } });
    expect(await readMessage(response)).toEqual([403, 'Origin not allowed']);
  });

  test('without a post', async () => {
    const response = await site.open('audio/stream?domain=news.example');
    expect(response.status).toBe(422);
  });
});

test('HEAD of a post in synthesis returns the headers of a stream', async () => {
  const { close, deletePost } = await listenTo('headed');
  const head = await open('headed', { method: 'HEAD' });
  expect(head.status).toBe(200);
  expect(head.headers.get('content-type')).toBe('audio/mpeg');
  await close();
  await deletePost();
});

test('a server that stops ends its streams, and sends waiting clients to another one or tells them when to retry', async () => {
  const { readToEnd, release } = await listenTo('stopped');
  const voice_id = await findVoiceId(data, 'en_US-stalling-low');
  await make('stalled', buildArticle('a post that nobody hears'), { voice_id });
  release();
  const waiting = open('stalled').then(async (response) => ({
    said: isOnPostgres ? [response.status, response.headers.get('location')] : await readMessage(response),
    later: response.headers.get('retry-after'),
  }));
  const isBegun = async () => (await site.status('stalled')).status === 'generating';
  await eventually(isBegun, 'the worker has the first sentence');
  const ended = readToEnd().then(
    () => 'whole',
    () => 'cut',
  );
  expect(await site.stop()).toBe(0);
  expect(await ended).toBe('cut');
  const sent = { said: [307, expect.stringContaining('post_id=stalled')], later: null };
  expect(await waiting).toEqual(isOnPostgres ? sent : { said: [503, 'Not ready'], later: '2' });
  const problems = site.log().match(/.*(audio stream failed|unhandled|Error:).*/g);
  expect(problems).toBeNull();
});
