import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isOnPostgres } from '../fixtures/database.ts';
import { listenTo } from '../fixtures/post.ts';
import { watchSegments } from '../fixtures/segment-log.ts';
import { createSite, type Envelope, startTestServer, type TestServer } from '../fixtures/server.ts';
import { listFileSizes, listLevels, mountSmallDisk, pageBytes } from '../fixtures/small-disk.ts';

/** Unspoken text of every post, so that the disk is full before much is synthesized. */
const padding = `<!-- ${'x'.repeat(300_000)} -->`;
/** No reserve: posts are accepted until the disk is full. */
const withoutReserve = { LECTERN_DISK_RESERVE_MB: '0' };
/** At its full size it has space for a cached MP3, however large the write-ahead log has become. */
const disk = mountSmallDisk(64 * 1024 * 1024);
const data = join(disk.path, 'data');
const media = join(data, 'media');
/** Longer than audio that is sent without a file. */
const longArticle = Array.from(
  { length: 16 },
  (_, index) => `<p>On day ${index} the tide came in late, and the harbor master wrote it down.</p>`,
).join('');
let server: TestServer;
let mp3: Uint8Array;
let audioUrl: string;

beforeAll(async () => {
  const { key } = await createSite(data);
  server = await startTestServer({ data, key, env: withoutReserve });
  await server.generate({ post_id: 'long', content: longArticle });
  audioUrl = (await server.waitUntilFinished('long')).audio_url ?? '';
  mp3 = await (await fetch(audioUrl)).bytes();
});
afterAll(async () => {
  await server.stop('SIGKILL');
  disk.remove();
});

function buildText(number: number): string {
  return `<p>The disk filled up slowly on day ${number}. Nobody noticed it until the evening.</p>`;
}

async function submitPost(to: TestServer, number: number): Promise<Response> {
  return to.generate({ post_id: `post-${number}`, content: buildText(number) + padding });
}

describe('a server whose disk is full', () => {
  // PostgreSQL stores posts on a disk of its own.
  test.skipIf(isOnPostgres)('returns 503, loses no accepted post, and continues when space is freed', async () => {
    const log = watchSegments(data);
    disk.leave(6 * 1024 * 1024);

    const accepted: number[] = [];
    const refused: number[] = [];
    for (let number = 1; number <= 60 && refused.length < 5; number += 1) {
      const response = await submitPost(server, number);
      if (response.status === 202) accepted.push(number);
      else {
        expect(response.status).toBe(503);
        expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
        const body = (await response.json()) as Envelope<undefined>;
        expect(body).toEqual({
          success: false,
          message: 'Storage unavailable: the server cannot write to disk. Try again later.',
        } as typeof body);
        refused.push(number);
      }
    }
    expect(accepted.length).toBeGreaterThan(3);
    expect(refused).toHaveLength(5);
    expect(statfsSync(disk.path).bavail).toBeLessThan(400);
    for (const number of accepted) {
      expect((await server.status(`post-${number}`)).status).not.toBe('failed');
    }

    disk.enlarge();
    for (const number of accepted) {
      const record = await server.waitUntilFinished(`post-${number}`);
      expect(record).toMatchObject({ status: 'ready' });
      const recording = await listenTo(record);
      expect(recording.warnings).toBe('');
      expect(recording.timings.map(({ text }) => text).join(' ')).toContain(`on day ${number}.`);
    }
    for (const number of refused) {
      expect((await server.request(`/v1/audio/post-${number}/status`)).status).toBe(404);
    }
    const [first = 0] = refused;
    expect((await submitPost(server, first)).status).toBe(202);
    expect((await server.waitUntilFinished(`post-${first}`)).status).toBe('ready');
    expect(log.readRows('select * from pragma_integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });
});

/** @returns the responses to concurrent requests for the MP3 */
function requestMp3(count: number): Promise<{ status: number; cache: string; isWhole: boolean }[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const response = await fetch(audioUrl);
      const isWhole = Buffer.compare(await response.bytes(), mp3) === 0;
      return { status: response.status, cache: response.headers.get('cache-control') ?? '', isWhole };
    }),
  );
}

describe('an MP3 without a cached file', () => {
  test.each([1, 4])(
    'is sent completely, or not as an MP3, however full the disk is: %i concurrent requests',
    async (count) => {
      expect(mp3.length).toBeGreaterThan(150_000);
      const levels = listLevels(mp3.length);
      const kept: number[] = [];
      for (const free of levels) {
        disk.enlarge();
        for (const name of readdirSync(media)) rmSync(join(media, name));
        disk.leave(free);
        for (const { status, cache, isWhole } of await requestMp3(count)) {
          const isRight = status === 200 ? isWhole : status >= 500 && cache === 'no-store';
          expect([free, status, isRight]).toEqual([free, status, true]);
        }
        const files = Object.values(listFileSizes(media));
        expect([free, files]).toEqual([free, files.length === 0 ? [] : [mp3.length]]);
        kept.push(...files);
      }
      // First without space for it, then with space.
      expect(kept.length).toBeGreaterThan(0);
      expect(kept.length).toBeLessThan(levels.length);
      disk.enlarge();
      await server.waitForLogLine('writing MP3 file failed');
      expect(server.log()).not.toMatch(/unhandled rejection|uncaught exception/);
      expect(server.process.exitCode).toBeNull();
    },
  );

  test('replaces the file of an earlier process, damaged or not', async () => {
    const path = join(media, basename(audioUrl));
    await requestMp3(1);
    expect(readFileSync(path).equals(mp3)).toBe(true);
    await server.stop();
    writeFileSync(path, new Uint8Array(mp3.length));
    server = await startTestServer({ data, key: server.key, env: withoutReserve });
    audioUrl = (await server.status('long')).audio_url ?? '';
    const part = await fetch(audioUrl, { headers: { range: `bytes=0-${pageBytes - 1}` } });
    expect(Buffer.compare(await part.bytes(), mp3.subarray(0, pageBytes))).toBe(0);
    expect(await requestMp3(2)).toEqual(
      Array.from({ length: 2 }, () => expect.objectContaining({ status: 200, isWhole: true })),
    );
    expect(readFileSync(path).equals(mp3)).toBe(true);
    // It is cached from then on.
    const { ino } = statSync(path);
    await requestMp3(1);
    expect(statSync(path).ino).toBe(ino);
  });
});
