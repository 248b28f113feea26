import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { AudioRecord } from '../../src/audio/schema.ts';
import { installVoice } from '../fixtures/default-voice.ts';
import { eventually } from '../fixtures/eventually.ts';
import { holdWorkers, holdWorkersDuring, holdWorkersWhen } from '../fixtures/held-workers.ts';
import { listenTo, readSymbols } from '../fixtures/post.ts';
import { pauseQueue } from '../fixtures/queue-pause.ts';
import {
  createSite,
  createTemporaryFolder,
  type Envelope,
  startTestServer,
  type TestServer,
  withNewSite,
} from '../fixtures/server.ts';
import { createSiteUsers } from '../fixtures/site-users.ts';
import { createToneVoice } from '../fixtures/voice.ts';
import { findVoiceId } from '../fixtures/voice-list.ts';
import { buildArticle, buildLongArticle } from './articles.ts';
import { countRows, readRows } from './stored-rows.ts';

let server: TestServer;
let tones = 0;

beforeAll(async () => {
  const data = createTemporaryFolder();
  await installVoice(data, 'en_US-tones-low', createToneVoice({ sampleRateHz: 16_000 }));
  await installVoice(data, 'en_US-other-low', createToneVoice({ sampleRateHz: 22_050 }));
  tones = await findVoiceId(data, 'en_US-tones-low');
  server = await startTestServer({ data });
});
afterAll(() => server.stop('SIGKILL'));

async function generate(body: Record<string, unknown>) {
  const response = await server.generate(body);
  const { message, data } = (await response.json()) as Envelope<AudioRecord>;
  return { status: response.status, message, data };
}

function postRow(postId: string) {
  const [row] = readRows<Record<string, unknown>>(
    server.data,
    `select post.url, publish_at, visibility, revision, status
     from post join audio on audio.post_id = post.id where external_id = '${postId}'`,
  );
  return row;
}

test('a text replaced during extraction leaves no sentence of the old one', async () => {
  const before = server.log().length;
  for (const pauseMs of [150, 400]) {
    const postId = `replaced-${pauseMs}`;
    await generate({ post_id: postId, content: '<div>x'.repeat(25_000) });
    await Bun.sleep(pauseMs);
    await generate({ post_id: postId, content: buildArticle(postId) });
    expect((await server.waitUntilFinished(postId)).status).toBe('ready');
  }
  expect(server.log().slice(before)).not.toContain('interrupted');
});

describe('a repeated request', () => {
  test('queues no audio and returns the progress', async () => {
    const busy = { post_id: 'busy', content: buildLongArticle('busy days') };
    await generate(busy);
    const release = await holdWorkersDuring(server, 'busy');
    const generating = await server.status('busy');
    expect(await generate(busy)).toMatchObject({
      ...{ status: 200, message: 'Audio already in progress', data: { id: generating.id } },
    });
    // Longer than the one before, so it waits behind it.
    const waiting = {
      post_id: 'waiting',
      content: `${busy.content} ${busy.content.slice(0, 999)}`,
    };
    await generate(waiting);
    const queued = await generate(waiting);
    expect(queued.status).toBe(200);
    expect(queued.message).toBe(
      queued.data.status === 'pending' ? 'Audio already queued' : 'Audio already in progress',
    );
    for (const post_id of ['busy', 'waiting']) await generate({ post_id, content: buildArticle('calm') });
    release();
    const ready = await server.waitUntilFinished('busy');
    const rows = countRows(server.data);
    const repeat = await generate({ post_id: 'busy', content: buildArticle('calm') });
    expect(repeat).toEqual({ status: 200, message: 'Audio already ready', data: ready });
    expect(countRows(server.data)).toEqual(rows);
    expect(await server.status('busy')).toEqual(ready);
  });

  test('is another text if its content type differs; without one, the stored type applies', async () => {
    const text = `${buildArticle('the signs')}\n\n*Listen* to [the harbor](/x).`;
    expect((await generate({ post_id: 'signs', content: text })).status).toBe(202);
    await server.waitUntilFinished('signs');
    const markdown = { post_id: 'signs', content: text, content_type: 'text/markdown' };
    expect((await generate(markdown)).status).toBe(202);
    await server.waitUntilFinished('signs');
    expect((await generate(markdown)).status).toBe(200);
    const { timings } = await listenTo(await server.status('signs'));
    expect(timings.at(-1)?.text).toBe('Listen to the harbor.');
    expect((await generate({ ...markdown, content_type: 'text/html' })).status).toBe(202);
    await server.waitUntilFinished('signs');
    expect((await generate({ post_id: 'signs', content: text, content_type: null })).status).toBe(200);
  });

  test('stores a new URL, time or visibility without synthesis', async () => {
    const post = { post_id: 'moved', content: buildArticle('the move') };
    await generate(post);
    const ready = await server.waitUntilFinished('moved');
    const facts = {
      ...{ post_url: 'https://example.org/new', publish_at: '2027-01-01', visibility: 'private' },
    };
    const response = await generate({ ...post, ...facts });
    // A post that stops being public gets a new URL.
    const data = { ...ready, audio_url: expect.stringMatching(/\/v1\/media\/[\w-]{24}\.mp3$/) };
    expect(response).toEqual({ status: 200, message: 'Audio already ready', data });
    expect(postRow('moved')).toEqual({
      ...{ url: 'https://example.org/new', publish_at: '2027-01-01T00:00:00.000Z' },
      ...{ visibility: 'private', revision: 1, status: 'ready' },
    });
  });

  test('keeps fields that it does not contain, and clears fields that are null', async () => {
    const facts = { post_url: 'https://example.org/kept', visibility: 'private' };
    await generate({ post_id: 'kept', content: buildArticle('keeping'), ...facts });
    // A correction without a visibility must not publish a private post.
    await generate({ post_id: 'kept', content: buildArticle('kept things') });
    expect(postRow('kept')).toMatchObject({
      url: 'https://example.org/kept',
      visibility: 'private',
    });
    await generate({ post_id: 'kept', content: buildArticle('kept things'), post_url: null });
    expect(postRow('kept')).toMatchObject({ url: null, visibility: 'private' });
  });

  test('queues a failed post again', async () => {
    const post = { post_id: 'hopeless', content: '🦊'.repeat(60) };
    const { data } = await generate(post);
    for (const repeat of [post, { ...post, visibility: 'private' }]) {
      expect((await server.waitUntilFinished('hopeless')).status).toBe('failed');
      const again = await generate(repeat);
      expect(again).toMatchObject({ status: 202, message: 'Audio generation queued' });
      expect(again.data).toMatchObject({ id: data.id, status: 'pending', progress_percent: 0 });
      expect(again.data).not.toHaveProperty('error');
    }
  });

  test('creates one record from fifty concurrent requests', async () => {
    const post = { post_id: 'twins', content: buildArticle('twins') };
    const before = countRows(server.data);
    const responses = await Promise.all(Array.from({ length: 50 }, () => generate(post)));
    expect(responses.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(49);
    expect(new Set(responses.map(({ data }) => data.id)).size).toBe(1);
    await server.waitUntilFinished('twins');
    const after = countRows(server.data);
    for (const table of ['post', 'audio'] as const) {
      expect([table, (after[table] ?? 0) - (before[table] ?? 0)]).toEqual([table, 1]);
    }
    expect(postRow('twins')).toMatchObject({ revision: 1, status: 'ready' });
  });
});

describe('a changed request', () => {
  test.each([
    ['content', { content: buildArticle('the second edition') }],
    ['title', { post_title: 'Another title' }],
    ['voice', { voice_id: 2 }],
  ])('with another %s goes back to the queue under the same id', async (what, change) => {
    const post = { post_id: `changed ${what}`, content: buildArticle(`the ${what}`), post_title: 'One' };
    const first = await generate(post);
    const before = await server.waitUntilFinished(post.post_id);
    const changed = await generate({ ...post, ...change });
    expect(changed).toMatchObject({ status: 202, message: 'Audio generation queued' });
    expect(changed.data).toMatchObject({
      ...{ id: first.data.id, status: 'pending', progress_percent: 0, audio_url: null },
      ...{ duration_seconds: null, created_at: first.data.created_at },
    });
    const after = await server.waitUntilFinished(post.post_id);
    expect(after.status).toBe('ready');
    expect(after.audio_url).not.toBe(before.audio_url);
    expect(after.voice_id).toBe('voice_id' in change ? 2 : 1);
  });

  test('that fails leaves the old MP3 available', async () => {
    await generate({ post_id: 'worse', content: buildArticle('good times') });
    const { audio_url } = await server.waitUntilFinished('worse');
    await generate({ post_id: 'worse', content: '🦊'.repeat(60) });
    expect(await server.waitUntilFinished('worse')).toMatchObject({ status: 'failed', audio_url: null });
    expect((await fetch(audio_url ?? '')).status).toBe(200);
  });

  test('during synthesis leaves no sentence of the old text in the MP3', async () => {
    const first = buildArticle('the first report');
    const last = buildArticle('the very last report', 2);
    await generate({ post_id: 'replaced', content: first, voice_id: tones });
    const old = await server.waitUntilFinished('replaced');
    const oldBytes = await (await fetch(old.audio_url ?? '')).bytes();

    await generate({ post_id: 'replaced', content: buildArticle('the middle', 40), voice_id: tones });
    const isGenerating = async () => (await server.status('replaced')).status === 'generating';
    const release = await holdWorkersWhen(server, isGenerating, 'the middle is generated');
    expect((await server.status('replaced')).audio_url).toBeNull();
    expect(await (await fetch(old.audio_url ?? '')).bytes()).toEqual(oldBytes);

    const body = { post_id: 'replaced', post_title: 'The end', content: last, voice_id: tones };
    expect(await generate(body)).toMatchObject({ status: 202, data: { id: old.id } });
    release();
    const record = await server.waitUntilFinished('replaced');
    const recording = await listenTo(record);
    expect(recording.timings.map(({ text }) => text)).toEqual([
      ...['The end', 'Line 1 of the very last report tells of rivers, bridges and the people there.'],
      'Line 2 of the very last report tells of rivers, bridges and the people there.',
    ]);

    // Sites share no segments: another site synthesizes the same text completely.
    const { key } = await createSite(server.data);
    const init = {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    };
    await server.request('/v1/audio/generate', { ...init, body: JSON.stringify(body) });
    const theirs = await waitUntilSettled(key, 'replaced');
    expect(readSymbols(recording)).toBe(readSymbols(await listenTo(theirs)));
    expect(readSymbols(recording).length).toBeGreaterThan(50);

    // A longer text would be ready after the middle one, if that were still in synthesis.
    await generate({ post_id: 'later', content: buildArticle('the later', 50), voice_id: tones });
    await server.waitUntilFinished('later');
    expect(await server.status('replaced')).toEqual(record);
    expect(await (await fetch(old.audio_url ?? '')).bytes()).toEqual(oldBytes);
  });

  test('many times in quick succession ends with the last text', async () => {
    const texts = Array.from({ length: 12 }, (_, index) => buildArticle(`version ${index}`, 1));
    for (const content of texts) await generate({ post_id: 'hasty', content });
    const { timings } = await listenTo(await server.waitUntilFinished('hasty'));
    expect(timings.map(({ text }) => text)).toEqual([
      'Line 1 of version 11 tells of rivers, bridges and the people there.',
    ]);
    expect(postRow('hasty')).toMatchObject({ revision: 12 });
  });
});

/** Polls with the key of another site until its post is ready. */
function waitUntilSettled(key: string, postId: string): Promise<AudioRecord> {
  return eventually(async () => {
    const response = await server.request(`/v1/audio/${postId}/status`, {
      headers: { 'x-api-key': key },
    });
    const { data } = (await response.json()) as Envelope<AudioRecord>;
    return data.status === 'ready' && data;
  }, `${postId} is ready`);
}

describe('a full queue', () => {
  test('rejects new posts without storing data, and accepts changes and repeats', async () => {
    const full = await startTestServer({
      env: { LECTERN_QUEUED_POSTS_MAX: '3', LECTERN_QUEUED_POSTS_PER_SITE_MAX: '2' },
    });
    try {
      const buildPost = (postId: string) => ({ post_id: postId, content: buildArticle(postId) });
      await full.generate({ post_id: 'early', content: buildArticle('early birds') });
      await full.waitUntilFinished('early');
      holdWorkers(full);
      expect((await full.generate(buildPost('one'))).status).toBe(202);
      expect((await full.generate(buildPost('two'))).status).toBe(202);

      const before = countRows(full.data);
      const refusals = [
        { post_id: 'three', content: buildArticle('three') },
        { post_id: 'early', content: buildArticle('late') },
      ];
      for (const body of refusals) {
        const response = await full.generate(body);
        expect(response.status).toBe(503);
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
        expect(await response.json()).toEqual({ success: false, message: 'Queue full' });
      }
      expect(countRows(full.data)).toEqual(before);
      expect((await full.status('early')).status).toBe('ready');
      expect((await full.generate(buildPost('one'))).status).toBe(200);
      expect((await full.generate({ post_id: 'two', content: buildArticle('2') })).status).toBe(202);

      // The other site can still fill the rest of the queue, but not more.
      const { key } = await createSite(full.data);
      const submitForOtherSite = (postId: string) =>
        full.request('/v1/audio/generate', {
          ...{ method: 'POST', headers: { 'x-api-key': key, 'content-type': 'application/json' } },
          body: JSON.stringify(buildPost(postId)),
        });
      expect((await submitForOtherSite('three')).status).toBe(202);
      expect((await submitForOtherSite('four')).status).toBe(503);
    } finally {
      await full.stop('SIGKILL');
    }
  });

  test('accepts some posts of every site, however many of other sites wait', async () => {
    const full = await startTestServer({ env: { LECTERN_QUEUED_POSTS_MAX: '200' } });
    try {
      const other = await withNewSite(full);
      await pauseQueue(createSiteUsers(full, full.siteId).admin, true);
      const post = (number: number) => ({ post_id: `post ${number}`, content: buildArticle(`post ${number}`) });
      const fill = Array.from({ length: 200 }, (_, number) => full.generate(post(number)));
      expect((await Promise.all(fill)).every(({ status }) => status === 202)).toBe(true);
      expect((await full.generate(post(200))).status).toBe(503);
      const statuses = [];
      for (const number of [1, 2, 3]) statuses.push((await other.generate(post(number))).status);
      expect(statuses).toEqual([202, 202, 503]);
    } finally {
      await full.stop('SIGKILL');
    }
  });
});
