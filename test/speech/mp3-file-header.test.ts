import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EncodedSegment, encodeSegment, frameLength, samplesPerFrame } from '../../src/speech/encode/mp3.ts';
import {
  buildFileHeader,
  buildId3Tag,
  computeSegmentTimes,
  type Id3Tags,
  toIso639_2,
} from '../../src/speech/encode/mp3-header.ts';
import { type Decoded, decodeMp3 } from '../fixtures/decode.ts';
import { decodeWithFfmpeg, probeMp3 } from '../fixtures/ffmpeg.ts';
import { createSpeechLikeNoise } from '../fixtures/noise.ts';

const DELAY = 1105;
const folder = await mkdtemp(join(tmpdir(), 'lectern-mp3-'));
afterAll(() => rm(folder, { recursive: true }));

const formats: [number, number][] = [
  [8000, 32],
  [16_000, 32],
  [16_000, 64],
  [22_050, 64],
  [22_050, 160],
  [32_000, 48],
  [44_100, 64],
];

function encodeArticle(sampleRateHz: number, bitRateKbps: number, tags: Id3Tags = {}) {
  const speech = [1.5, 0.9, 2.1, 0.3].map((seconds, i) =>
    createSpeechLikeNoise(Math.round(seconds * sampleRateHz), sampleRateHz, i + 1),
  );
  const segments = speech.map((samples) => encodeSegment(samples, { sampleRateHz, bitRateKbps, pauseMs: 400 }));
  const sizes = segments.map(({ frames, frameCount }) => ({
    byteLength: frames.length,
    frameCount,
  }));
  const header = buildFileHeader({ segments: sizes, sampleRateHz, bitRateKbps, tags });
  const mp3 = Buffer.concat([header.bytes, ...segments.map((segment) => segment.frames)]);
  return { speech, segments, header, mp3 };
}

function listSampleStarts(segments: readonly EncodedSegment[]): number[] {
  return segments.map((_, i) => segments.slice(0, i).reduce((sum, { sampleCount }) => sum + sampleCount, 0));
}

/** Delay of the second relative to the first in samples, searched within 100. */
function findLag(expected: Float32Array, decoded: Float32Array, at: number): number {
  let best = 0;
  let highest = 0;
  for (let shift = -100; shift <= 100; shift++) {
    let product = 0;
    for (let i = 0; i < 3000; i++) product += (expected[i] ?? 0) * (decoded[at + i + shift] ?? 0);
    if (product <= highest) continue;
    highest = product;
    best = shift;
  }
  return best;
}

function expectSameSound(a: Decoded, b: Decoded): void {
  expect(a.sampleRateHz).toBe(b.sampleRateHz);
  expect(a.samples.length).toBe(b.samples.length);
  const differences = a.samples.map((sample, i) => Math.abs(sample - (b.samples[i] ?? 0)));
  expect(differences.reduce((most, difference) => Math.max(most, difference), 0)).toBeLessThan(0.001);
}

describe('buildFileHeader', () => {
  test.each(formats)(
    'makes players trim to the planned length at %i Hz and %i kbit/s',
    async (sampleRateHz, bitRateKbps) => {
      const { speech, segments, header, mp3 } = encodeArticle(sampleRateHz, bitRateKbps);
      const decoded = await decodeMp3(mp3);
      expect(decoded.warnings).toBe('');
      const byFfmpeg = await decodeWithFfmpeg(mp3);
      expect(byFfmpeg.warnings).toBe('');
      expectSameSound(byFfmpeg, decoded);
      const frames = segments.reduce((sum, { frameCount }) => sum + frameCount, 0);
      expect(header.durationSamples).toBe(frames * samplesPerFrame(sampleRateHz) - DELAY);
      expect(decoded.samples.length).toBe(header.durationSamples);
      for (const [i, start] of listSampleStarts(segments).entries()) {
        expect(findLag(speech[i] ?? new Float32Array(), decoded.samples, start)).toBe(0);
      }
    },
  );

  test.each(formats)(
    'can be missing: the frames alone are decoded whole at %i Hz and %i kbit/s',
    async (sampleRateHz, bitRateKbps) => {
      const { segments } = encodeArticle(sampleRateHz, bitRateKbps);
      const frames = Buffer.concat(segments.map((segment) => segment.frames));
      const decoded = await decodeMp3(frames);
      expect(decoded.warnings).toBe('');
      const byFfmpeg = await decodeWithFfmpeg(frames);
      // Bare frames have no length; ffmpeg must report nothing else.
      expect(byFfmpeg.warnings).toMatch(/^(\[mp3 @ \w+\] Estimating duration from bitrate.*)?$/);
      expectSameSound(byFfmpeg, decoded);
    },
  );

  test.each(formats)('has length and tags for ffprobe at %i Hz and %i kbit/s', async (sampleRateHz, bitRateKbps) => {
    const tags = {
      title: 'Grüße – 你好',
      artist: 'Äther Tagblatt',
      language: 'de-AT',
      url: 'https://example.org/a',
    };
    const { segments, mp3 } = encodeArticle(sampleRateHz, bitRateKbps, tags);
    const path = join(folder, `${sampleRateHz}-${bitRateKbps}.mp3`);
    await Bun.write(path, mp3);
    const probe = await probeMp3(path);
    // ffprobe counts the delay as time before the start.
    const samples = segments.reduce((sum, { sampleCount }) => sum + sampleCount, 0);
    expect(probe.durationSeconds).toBeCloseTo(samples / sampleRateHz, 5);
    expect(probe.startSeconds).toBeCloseTo(DELAY / sampleRateHz, 5);
    expect(probe.tags).toMatchObject({ title: tags.title, artist: tags.artist, language: 'deu' });
  });

  test.each(formats)(
    'has a seek table that leads to the right frame at %i Hz and %i kbit/s',
    (sampleRateHz, bitRateKbps) => {
      const { segments, header, mp3 } = encodeArticle(sampleRateHz, bitRateKbps);
      const info = mp3.indexOf('Info');
      const toc = mp3.subarray(info + 16, info + 116);
      const frameStarts: number[] = [];
      for (let at = header.bytes.length; at < mp3.length; at += frameLength(mp3, at)) frameStarts.push(at);
      expect(frameStarts.length).toBe(segments.reduce((sum, { frameCount }) => sum + frameCount, 0));
      expect(mp3.readUInt32BE(info + 8)).toBe(frameStarts.length);
      expect(mp3.readUInt32BE(info + 12)).toBe(mp3.length);
      for (const [percent, entry] of toc.entries()) {
        const frame = Math.floor((percent * frameStarts.length) / 100);
        const entryOffset = (entry * mp3.length) / 256;
        // An entry is rounded down to a 256th of the file; a moment may lie anywhere in its frame.
        const frameBytes = frameLength(mp3, frameStarts[frame] ?? 0);
        expect(entryOffset - (frameStarts[frame] ?? 0)).toBeLessThanOrEqual(frameBytes);
        expect((frameStarts[frame] ?? 0) - entryOffset).toBeLessThanOrEqual(mp3.length / 256);
      }
    },
  );

  test('has a seek table for uneven segments', () => {
    const segments = [
      { byteLength: 1000, frameCount: 50 },
      { byteLength: 9000, frameCount: 50 },
    ];
    const { bytes } = buildFileHeader({
      segments,
      sampleRateHz: 16_000,
      bitRateKbps: 64,
      tags: {},
    });
    const toc = bytes.subarray(Buffer.from(bytes).indexOf('Info') + 16);
    const stream = bytes.length + 10_000;
    expect(toc[0]).toBe(Math.floor((256 * bytes.length) / stream));
    expect(toc[50]).toBe(Math.floor((256 * (bytes.length + 1000)) / stream));
    expect(toc[75]).toBe(Math.floor((256 * (bytes.length + 5500)) / stream));
  });

  test('lets ffmpeg seek to a segment', async () => {
    const { segments, mp3, speech } = encodeArticle(22_050, 64, { title: 'Seek' });
    const path = join(folder, 'seek.mp3');
    await Bun.write(path, mp3);
    const start = listSampleStarts(segments)[2] ?? 0;
    const { samples } = await decodeWithFfmpeg(path, ['-ss', String(start / 22_050)]);
    expect(Math.abs(findLag(speech[2] ?? new Float32Array(), samples, 0))).toBeLessThanOrEqual(1);
  });

  test('has the checksum of the tag', () => {
    const { bytes } = buildFileHeader({
      segments: [{ byteLength: 5000, frameCount: 20 }],
      sampleRateHz: 22_050,
      bitRateKbps: 64,
      tags: {},
    });
    const lame = Buffer.from(bytes).indexOf('LAME');
    const checked = bytes.subarray(0, lame + 34);
    expect(Buffer.from(bytes).readUInt16BE(lame + 34)).toBe(computeCrc16(checked));
    expect(computeCrc16(Buffer.from('123456789'))).toBe(0xbb3d);
  });

  test('accepts any iterable of segments, also an empty one', async () => {
    function* listSizes() {
      yield { byteLength: 5000, frameCount: 20 };
    }
    const source = { sampleRateHz: 22_050, bitRateKbps: 64, tags: {} };
    expect(buildFileHeader({ ...source, segments: listSizes() }).durationSamples).toBe(20 * 576 - DELAY);
    expect(buildFileHeader({ ...source, segments: [] }).durationSamples).toBe(0);
  });
});

describe('computeSegmentTimes', () => {
  test('returns the decoded positions; the last segment ends with the file', () => {
    const { segments, header } = encodeArticle(22_050, 64);
    const times = computeSegmentTimes(segments, 22_050);
    expect(times.map(({ startMs }) => startMs)).toEqual(
      listSampleStarts(segments).map((start) => Math.round((start * 1000) / 22_050)),
    );
    expect(times.slice(0, -1).map(({ endMs }) => endMs)).toEqual(times.slice(1).map(({ startMs }) => startMs));
    expect(times.at(-1)?.endMs).toBe(Math.round((header.durationSamples * 1000) / 22_050));
    expect(computeSegmentTimes([], 22_050)).toEqual([]);
  });
});

describe('id3Tag', () => {
  test('is empty without tags', () => {
    expect(buildId3Tag({}).length).toBe(0);
    expect(buildId3Tag({ title: '', language: '??', url: 'no address' }).length).toBe(0);
  });

  test('writes lengths with seven bits per byte', async () => {
    const title = 'ä'.repeat(500);
    const tag = buildId3Tag({ title });
    expect([...tag.subarray(0, 6)]).toEqual([0x49, 0x44, 0x33, 4, 0, 0]);
    // 10 for the header of the frame, 1 for the encoding.
    expect([...tag.subarray(6, 10)]).toEqual([0, 0, (1011 >> 7) & 0x7f, 1011 & 0x7f]);
    expect([...tag.subarray(14, 18)]).toEqual([0, 0, (1001 >> 7) & 0x7f, 1001 & 0x7f]);
    const path = join(folder, 'long-title.mp3');
    await Bun.write(path, encodeArticle(16_000, 64, { title, artist: 'Site' }).mp3);
    expect((await probeMp3(path)).tags).toMatchObject({ title, artist: 'Site' });
  });

  test('keeps a title on one line', () => {
    const tag = Buffer.from(buildId3Tag({ title: 'One\u0000two\r\nthree ' }));
    expect(tag.subarray(21).toString()).toBe('One two three');
  });

  test('writes a URL in ASCII', () => {
    const tag = Buffer.from(buildId3Tag({ url: 'https://bücher.example/ä b?q=ü' }));
    expect(tag.subarray(10, 14).toString()).toBe('WOAS');
    expect(tag.subarray(20).toString()).toBe('https://xn--bcher-kva.example/%C3%A4%20b?q=%C3%BC');
  });

  test('has a three-letter code for every two-letter code', () => {
    expect(toIso639_2('en-US')).toBe('eng');
    expect(toIso639_2('de_DE')).toBe('deu');
    expect(toIso639_2('yue')).toBe('yue');
    expect(toIso639_2('xx')).toBeUndefined();
    for (const two of ['ar', 'cs', 'fr', 'hu', 'ka', 'nb', 'nl', 'pt', 'ro', 'uk', 'vi', 'zh']) {
      expect(new Intl.Locale(toIso639_2(two) ?? '').language).toBe(two);
    }
  });
});

function computeCrc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (0xa001 * (crc & 1));
  }
  return crc;
}
