import { describe, expect, test } from 'bun:test';
import type { AudioRecord } from '../../src/audio/schema.ts';
import { holdWorkersWhen } from '../fixtures/held-workers.ts';
import { type Envelope, startServerForFile } from '../fixtures/server.ts';
import { buildArticle } from './articles.ts';

const server = await startServerForFile();
await server.generate({ post_id: 'ready', content: buildArticle('the museum') });
await server.generate({ post_id: 'failed', content: '🦊'.repeat(50) });
await server.waitUntilFinished('ready');
await server.waitUntilFinished('failed');

describe('the status of a post', () => {
  test('is `ready` with URL and duration when it is ready', async () => {
    const response = await server.request('/v1/audio/ready/status');
    expect(response.status).toBe(200);
    const { success, message, data } = (await response.json()) as Envelope<AudioRecord>;
    expect({ success, message }).toEqual({ success: true, message: 'OK' });
    expect(Number.isInteger(data.duration_seconds)).toBe(true);
    expect(data).not.toHaveProperty('error');
    expect(data).toMatchObject({
      ...{ post_id: 'ready', status: 'ready', progress_percent: 100, language: 'en', voice_id: 1 },
      audio_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1\/media\/[\w-]{24}\.mp3$/),
    });
  });

  test('contains the reason of a failed post in one plain sentence', async () => {
    const record = await server.status('failed');
    expect(record).toMatchObject({ status: 'failed', audio_url: null, duration_seconds: null });
    expect(record.progress_percent).toBeLessThan(100);
    expect(record.error).toBe('The content has no speakable text');
  });

  test.each(['language=en', 'lang=en', 'language=en-US', 'lang=EN_gb', 'language=en&lang=xx'])(
    'is found with %s',
    async (query) => {
      const response = await server.request(`/v1/audio/ready/status?${query}`);
      expect(response.status).toBe(200);
    },
  );

  test.each([
    ['language=it', 'it is not supported; installed voices speak: de, en, es, fr'],
    ['lang=it-CH', 'it is not supported; installed voices speak: de, en, es, fr'],
    ['language=', 'must be a language code such as en or de'],
    ['language=english', 'must be a language code such as en or de'],
  ])('is refused with %s', async (query, problem) => {
    for (const path of ['/v1/audio/ready/status', '/v1/audio/status']) {
      const response = await server.request(`${path}?post_id=ready&${query}`);
      expect(response.status).toBe(422);
      expect(await response.json()).toEqual({
        ...{ success: false, message: 'Validation failed', errors: { language: [problem] } },
      });
    }
  });

  test('returns 304 to a poll until a change', async () => {
    for (const path of ['/v1/audio/ready/status', '/v1/audio/status?post_id=ready&post_id=none']) {
      const first = await server.request(path);
      const etag = first.headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[\w-]+"$/);
      for (const match of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await server.request(path, { headers: { 'if-none-match': match } });
        expect([again.status, await again.text()]).toEqual([304, '']);
        expect(again.headers.get('etag')).toBe(etag);
      }
      const other = await server.request(path, { headers: { 'if-none-match': '"other"' } });
      expect(other.status).toBe(200);
    }
  });

  test('has another ETag after a change', async () => {
    await server.generate({ post_id: 'tagged', content: '🦊'.repeat(50) });
    await server.waitUntilFinished('tagged');
    const before = (await server.request('/v1/audio/tagged/status')).headers.get('etag') ?? '';
    await server.generate({ post_id: 'tagged', content: buildArticle('the theatre') });
    await server.waitUntilFinished('tagged');
    const after = await server.request('/v1/audio/tagged/status', {
      headers: { 'if-none-match': before },
    });
    expect(after.status).toBe(200);
    expect(after.headers.get('etag')).not.toBe(before);
  });

  test('progresses in one direction, and has a URL only at the end', async () => {
    const content = buildArticle('the long river', 60);
    const { data } = (await (await server.generate({ post_id: 'slow', content })).json()) as Envelope<AudioRecord>;
    const seen: AudioRecord[] = [data];
    const isReady = async () => {
      seen.push(await server.status('slow'));
      return seen.at(-1)?.status === 'ready';
    };
    // However slow a poll is, the audio advances little until the next one.
    const release = await holdWorkersWhen(server, isReady, 'it is ready');
    release();
    const order = ['pending', 'generating', 'ready'];
    const moves = seen.map(({ status }) => order.indexOf(status));
    const progress = seen.map((record) => record.progress_percent);
    expect(moves).toEqual(moves.toSorted());
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(new Set(progress).size).toBeGreaterThan(2);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(1);
    for (const { status, progress_percent, audio_url, duration_seconds } of seen) {
      const isOver = status === 'ready';
      expect(progress_percent === 100).toBe(isOver);
      expect(audio_url !== null).toBe(isOver);
      expect(duration_seconds !== null).toBe(isOver);
      if (status === 'pending') expect(progress_percent).toBe(0);
    }
    expect(seen.at(-1)?.status).toBe('ready');
  });
});

describe('the status of many posts', () => {
  const request = async (ids: readonly string[]) => {
    const query = ids.map((id) => `post_id=${encodeURIComponent(id)}`).join('&');
    const response = await server.request(`/v1/audio/status?${query}`);
    return { response, body: (await response.json()) as Envelope<{ items: AudioRecord[] }> };
  };

  test('has the requested order, with null for unknown posts', async () => {
    const { response, body } = await request(['none', 'ready', 'failed', 'a/b c', 'ready']);
    expect(response.status).toBe(200);
    expect(body.message).toBe('OK');
    expect(body.data.items).toEqual([
      { post_id: 'none', status: null },
      await server.status('ready'),
      await server.status('failed'),
      { post_id: 'a/b c', status: null },
    ] as AudioRecord[]);
  });

  test('is available for 1 to 100 posts', async () => {
    const buildIds = (count: number) => Array.from({ length: count }, (_, index) => `post ${index}`);
    expect((await request(buildIds(100))).body.data.items).toHaveLength(100);
    for (const [ids, problem] of [
      [buildIds(0), 'is required'],
      [buildIds(101), 'must have at most 100 items'],
    ] as const) {
      const { response, body } = await request(ids);
      expect(response.status).toBe(422);
      expect(body.errors).toEqual({ post_id: [problem] });
    }
  });
});
