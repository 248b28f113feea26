import { beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { expireVersions } from '../../src/audio/media/store.ts';
import type { AudioRecord, Timings } from '../../src/audio/schema.ts';
import { frameLength } from '../../src/speech/encode/mp3.ts';
import { openTestDatabase } from '../fixtures/database.ts';
import { decodeMp3 } from '../fixtures/decode.ts';
import { installVoice } from '../fixtures/default-voice.ts';
import { probeMp3 } from '../fixtures/ffmpeg.ts';
import { listenTo } from '../fixtures/post.ts';
import { createTemporaryFolder, startServerForFile } from '../fixtures/server.ts';
import { createToneVoice } from '../fixtures/voice.ts';
import { buildArticle } from './articles.ts';
import { readRows } from './stored-rows.ts';

const rateHz = 24_000;
const samplesPerFrame = 576;
const delaySamples = 1105;

let record: AudioRecord;
let mp3: Uint8Array;
let timings: Timings['segments'];
let etag = '';
let modified = '';

/** The first two sentences are one paragraph. */
const kitchen = buildArticle('the kitchen', 5).replace('</p>\n<p>', ' ');

// The sample rate of the built-in voices.
const data = createTemporaryFolder();
await installVoice(data, 'en_US-tones-medium', createToneVoice({ sampleRateHz: rateHz }));
const server = await startServerForFile({ data, env: { LECTERN_OLD_AUDIO_HOURS: '0' } });
beforeAll(async () => {
  await server.generate({
    ...{ post_id: 'post', post_title: 'Crème & “Brûlée” 🦊', content: kitchen },
    post_url: 'https://example.org/a?b=c',
  });
  record = await server.waitUntilFinished('post');
  const whole = await request();
  etag = whole.headers.get('etag') ?? '';
  modified = whole.headers.get('last-modified') ?? '';
  mp3 = await whole.bytes();
  timings = ((await (await request({}, 'json')).json()) as Timings).segments;
});

function request(headers: Record<string, string> = {}, kind = 'mp3', method = 'GET') {
  return fetch((record.audio_url ?? '').replace(/mp3$/, kind), { headers, method });
}

/** @returns the frames of an MP3 without the one with the Info tag */
function splitFrames(bytes: Uint8Array): Uint8Array[] {
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (bytes[at] ?? 0), 0);
  const frames: Uint8Array[] = [];
  for (let at = 10 + size; at < bytes.length; at += frames.at(-1)?.length ?? 1) {
    frames.push(bytes.subarray(at, at + frameLength(bytes, at)));
  }
  return frames.slice(1);
}

/** @returns the bytes of each segment according to the timings */
function splitByTimings(bytes: Uint8Array, segments: Timings['segments']): Buffer[] {
  const frames = splitFrames(bytes);
  const toFrameNumber = (ms: number) => Math.round((ms * rateHz) / 1000 / samplesPerFrame);
  return segments.map(({ start_ms, end_ms }, index) => {
    const end = index === segments.length - 1 ? frames.length : toFrameNumber(end_ms);
    return Buffer.concat(frames.slice(toFrameNumber(start_ms), end));
  });
}

/** @returns the offset of each segment in the file */
function findSeams(): number[] {
  const parts = splitByTimings(mp3, timings);
  const sound = parts.reduce((sum, { length }) => sum + length, 0);
  let at = mp3.length - sound;
  return parts.map(({ length }) => {
    at += length;
    return at - length;
  });
}

describe('an MP3', () => {
  test('is served with its length, to any origin', async () => {
    const response = await request({ origin: 'https://somewhere.example' });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'audio/mpeg',
      'content-length': String(mp3.length),
      'accept-ranges': 'bytes',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
    });
    expect(response.headers.get('content-range')).toBeNull();
    expect(mp3.length).toBeGreaterThan(100_000);
    expect(await response.bytes()).toEqual(mp3);
  });

  test('has the same bytes in every range', async () => {
    const size = mp3.length;
    const [, second = 0, third = 0] = findSeams();
    const ranges: [string, number, number][] = [
      ['0-0', 0, 1],
      ['0-1', 0, 2],
      ['0-', 0, size],
      ['1-', 1, size],
      [`0-${size - 1}`, 0, size],
      [`0-${size + 5000}`, 0, size],
      [`${second - 1}-${second}`, second - 1, second + 1],
      [`${second}-${third - 1}`, second, third],
      [`${second - 300}-${third + 300}`, second - 300, third + 301],
      ['1000-70000', 1000, 70_001],
      [`${size - 1}-`, size - 1, size],
      [`${size - 1}-${size - 1}`, size - 1, size],
      ['-1', size - 1, size],
      ['-1000', size - 1000, size],
      [`-${size}`, 0, size],
      [`-${size + 1}`, 0, size],
    ];
    for (const [range, start, end] of ranges) {
      const response = await request({ range: `bytes=${range}` });
      expect([range, response.status]).toEqual([range, 206]);
      expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${size}`);
      expect(response.headers.get('content-length')).toBe(String(end - start));
      expect(response.headers.get('etag')).toBe(etag);
      expect([range, Buffer.compare(await response.bytes(), mp3.subarray(start, end))]).toEqual([range, 0]);
    }
  });

  test('equals the concatenation of its ranges, whatever their size', async () => {
    for (const step of [4096, 65_537]) {
      const pieces: Uint8Array[] = [];
      for (let start = 0; start < mp3.length; start += step) {
        const response = await request({ range: `bytes=${start}-${start + step - 1}` });
        pieces.push(await response.bytes());
      }
      expect(Buffer.compare(Buffer.concat(pieces), mp3)).toBe(0);
    }
  });

  test('returns 416 for a range past its end', async () => {
    for (const range of [`${mp3.length}-`, `${mp3.length}-${mp3.length + 9}`, '99999999999-', '-0']) {
      const response = await request({ range: `bytes=${range}` });
      expect([range, response.status]).toEqual([range, 416]);
      expect(response.headers.get('content-range')).toBe(`bytes */${mp3.length}`);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(await response.json()).toEqual({ success: false, message: 'Range not satisfiable' });
    }
  });

  test.each(['bytes=5-2', 'bytes=', 'bytes=-', 'bytes=a-b', 'bytes=0-1,5-6', 'seconds=0-1', '0-1'])(
    'comes whole to the range %j',
    async (range) => {
      const response = await request({ range });
      expect(response.status).toBe(200);
      expect(Buffer.compare(await response.bytes(), mp3)).toBe(0);
    },
  );

  test('resumes a download only if the file is the same', async () => {
    const range = 'bytes=10-19';
    for (const same of [etag, modified]) {
      expect((await request({ range, 'if-range': same })).status).toBe(206);
    }
    for (const other of ['"other"', `W/${etag}`, 'Sat, 01 Jan 2000 00:00:00 GMT', 'yesterday']) {
      expect([other, (await request({ range, 'if-range': other })).status]).toEqual([other, 200]);
    }
  });

  test('returns 304 to clients that have it', async () => {
    const later = new Date(Date.now() + 60_000).toUTCString();
    for (const headers of [
      { 'if-none-match': etag },
      { 'if-none-match': `"a", W/${etag}` },
      { 'if-none-match': '*' },
      { 'if-modified-since': modified },
      { 'if-modified-since': later },
    ]) {
      const response = await request(headers);
      expect([response.status, await response.text()]).toEqual([304, '']);
      expect(response.headers.get('etag')).toBe(etag);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
    }
    for (const headers of [
      { 'if-none-match': '"a"' },
      { 'if-none-match': '"a"', 'if-modified-since': later },
      { 'if-modified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' },
      { 'if-modified-since': 'nonsense' },
    ]) {
      expect((await request(headers)).status).toBe(200);
    }
  });

  test('has its length in HEAD responses, with or without a range', async () => {
    for (const headers of [{}, { range: 'bytes=0-9' }]) {
      const response = await request(headers, 'mp3', 'HEAD');
      expect([response.status, (await response.bytes()).length]).toEqual([200, 0]);
      expect(response.headers.get('content-length')).toBe(String(mp3.length));
      expect(response.headers.get('etag')).toBe(etag);
    }
  });

  test('allows range requests of other origins', async () => {
    const response = await request(
      { origin: 'https://a.example', 'access-control-request-headers': 'range' },
      ...(['mp3', 'OPTIONS'] as const),
    );
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-headers')).toContain('Range');
  });

  test('has exactly the duration of its record', async () => {
    const path = join(createTemporaryFolder(), 'post.mp3');
    await Bun.write(path, mp3);
    const { samples, sampleRateHz, warnings } = await decodeMp3(mp3);
    expect({ sampleRateHz, warnings }).toEqual({ sampleRateHz: rateHz, warnings: '' });
    expect(samples.length).toBe(splitFrames(mp3).length * samplesPerFrame - delaySamples);
    const probe = await probeMp3(path);
    // ffprobe includes the codec delay, which players skip.
    expect(probe.startSeconds).toBeCloseTo(delaySamples / rateHz, 4);
    expect(probe.durationSeconds - probe.startSeconds).toBeCloseTo(samples.length / rateHz, 4);
    expect(record.duration_seconds).toBe(Math.round(samples.length / rateHz));
    expect(Math.abs((timings.at(-1)?.end_ms ?? 0) - (samples.length * 1000) / rateHz)).toBeLessThan(1);
  });

  test('has tags with title, site, language and URL', async () => {
    const path = join(createTemporaryFolder(), 'post.mp3');
    await Bun.write(path, mp3);
    expect((await probeMp3(path)).tags).toMatchObject({
      ...{ title: 'Crème & “Brûlée” 🦊', artist: 'Test Site', language: 'eng' },
    });
    expect(Buffer.from(mp3.subarray(0, 2000)).includes('https://example.org/a?b=c')).toBe(true);
  });
});

describe('the timings of an MP3', () => {
  test('are available beside it, to any origin', async () => {
    const response = await request({ origin: 'https://a.example' }, 'json');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toStartWith('application/json');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const tag = response.headers.get('etag') ?? '';
    expect((await request({ 'if-none-match': tag }, 'json')).status).toBe(304);
  });

  test('list every sentence in order, without gaps', () => {
    expect(timings.map(({ index, kind, text, ends_block }) => ({ index, kind, text, ends_block }))).toEqual([
      { index: 0, kind: 'title', text: 'Crème & “Brûlée” 🦊', ends_block: true },
      ...[1, 2, 3, 4, 5].map((line) => ({
        ...{ index: line, kind: 'paragraph' },
        text: `Line ${line} of the kitchen tells of rivers, bridges and the people there.`,
        ends_block: line !== 1,
      })),
    ]);
    const ends = timings.map(({ end_ms }) => end_ms);
    expect(timings.map(({ start_ms }) => start_ms)).toEqual([0, ...ends.slice(0, -1)]);
  });

  test('match sound and silence on the timeline of a player', async () => {
    const { samples } = await decodeMp3(mp3);
    for (const { start_ms, end_ms } of timings) {
      expect(computeRms(samples, start_ms, start_ms + 150)).toBeGreaterThan(0.01);
      expect(computeRms(samples, end_ms - 200, end_ms - 20)).toBeLessThan(0.001);
    }
  });
});

function computeRms(samples: Float32Array, startMs: number, endMs: number): number {
  const range = samples.subarray((startMs * rateHz) / 1000, (endMs * rateHz) / 1000);
  return Math.sqrt(range.reduce((sum, sample) => sum + sample * sample, 0) / range.length);
}

describe('a correction of one sentence', () => {
  test('changes no byte of the other sentences', async () => {
    const listSegments = () => readRows<{ hash: string }>(server.data, 'select hash from segment');
    const text = buildArticle('the archive', 6);
    await server.generate({ post_id: 'corrected', content: text });
    const before = await listenTo(await server.waitUntilFinished('corrected'));
    const spoken = new Set(listSegments().map(({ hash }) => hash));

    const corrected = text.replace('Line 3 of the archive', 'Line 3 of the new archive');
    await server.generate({ post_id: 'corrected', content: corrected });
    const after = await listenTo(await server.waitUntilFinished('corrected'));

    expect(listSegments().filter(({ hash }) => !spoken.has(hash))).toHaveLength(1);
    const old = splitByTimings(before.mp3, before.timings);
    const fresh = splitByTimings(after.mp3, after.timings);
    expect(fresh).toHaveLength(6);
    const differing = fresh.flatMap((bytes, index) => (bytes.equals(old[index] ?? bytes) ? [] : [index]));
    expect(differing).toEqual([2]);
    expect(after.timings[2]?.text).toStartWith('Line 3 of the new archive');
  });

  test('makes the old URL return 410 at once if no grace period is set, also when its rows are deleted', async () => {
    await server.generate({ post_id: 'expiring', content: buildArticle('old news') });
    const old = (await server.waitUntilFinished('expiring')).audio_url ?? '';
    expect((await fetch(old)).status).toBe(200);
    await server.generate({ post_id: 'expiring', content: buildArticle('new news') });
    const current = (await server.waitUntilFinished('expiring')).audio_url ?? '';
    const expectGone = async () => {
      for (const address of [old, old.replace(/mp3$/, 'json')]) {
        for (const headers of [{}, { range: 'bytes=0-9' }, { 'if-none-match': '*' }]) {
          const response = await fetch(address, { headers });
          expect(response.status).toBe(410);
          expect(response.headers.get('access-control-allow-origin')).toBe('*');
          expect(await response.json()).toEqual({
            ...{ success: false, message: 'Audio replaced or deleted' },
          });
        }
      }
    };
    await expectGone();
    const database = await openTestDatabase(server.data);
    await database.write('server', (db) => expireVersions(db, new Date().toISOString()));
    await database.close();
    await expectGone();
    expect((await fetch(current)).status).toBe(200);
  });
});
