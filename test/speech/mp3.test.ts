import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import {
  BIT_RATES_KBPS,
  encodeSegment,
  frameLength,
  mp3SampleRate,
  samplesPerFrame,
  sideInfoBytes,
} from '../../src/speech/encode/mp3.ts';
import { decodeMp3 } from '../fixtures/decode.ts';
import { createSeededRandom, createSpeechLikeNoise } from '../fixtures/noise.ts';

const DELAY = 1105;

/** One pair of each kind of MP3 (MPEG-2.5, 2, 1), and the ends of the bit rates. */
const formats: [number, number][] = [
  [8000, 32],
  [11_025, 64],
  [16_000, 64],
  [22_050, 64],
  [22_050, 32],
  [24_000, 160],
  [32_000, 48],
  [44_100, 64],
  [48_000, 128],
];

function joinFrames(parts: readonly { readonly frames: Uint8Array }[]): Uint8Array {
  return Buffer.concat(parts.map((part) => part.frames));
}

function findPeak(samples: Float32Array): number {
  return samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
}

describe('encodeSegment', () => {
  test.each(formats)(
    'joins at %i Hz and %i kbit/s without a warning, exact to the sample',
    async (sampleRateHz, bitRateKbps) => {
      const options = { sampleRateHz, bitRateKbps, pauseMs: 300 };
      const parts = [1.234, 0.01, 0.7, 0].map((seconds, i) =>
        encodeSegment(createSpeechLikeNoise(Math.round(seconds * sampleRateHz), sampleRateHz, i + 1), options),
      );
      const decoded = await decodeMp3(joinFrames(parts));
      expect(decoded.warnings).toBe('');
      expect(decoded.sampleRateHz).toBe(sampleRateHz);
      const frames = parts.reduce((sum, part) => sum + part.frameCount, 0);
      expect(decoded.samples.length).toBe(frames * samplesPerFrame(sampleRateHz));
      expect(parts.reduce((sum, part) => sum + part.sampleCount, 0)).toBe(decoded.samples.length);
    },
  );

  test.each(formats)('uses no bits of earlier frames at %i Hz and %i kbit/s', (sampleRateHz, bitRateKbps) => {
    const speech = createSpeechLikeNoise(sampleRateHz, sampleRateHz);
    const { frames, frameCount } = encodeSegment(speech, {
      sampleRateHz,
      bitRateKbps,
      pauseMs: 0,
    });
    let count = 0;
    for (let at = 0; at < frames.length; at += frameLength(frames, at)) {
      // main_data_begin: nine bits of the side information in MPEG-1, eight before.
      const sideInfo = frames.subarray(at + 4, at + 4 + sideInfoBytes(sampleRateHz));
      expect(sideInfo[0]).toBe(0);
      if (sampleRateHz >= 32_000) expect((sideInfo[1] ?? 0) >> 7).toBe(0);
      count++;
    }
    expect(count).toBe(frameCount);
  });

  test.each([
    [16_000, 32],
    [16_000, 64],
    [22_050, 64],
    [24_000, 64],
    [44_100, 64],
  ])('keeps the planned silence between segments at %i Hz and %i kbit/s', async (sampleRateHz, bitRateKbps) => {
    const pauses = [250, 600, 0, 400];
    const speech = pauses.map((_, i) =>
      createSpeechLikeNoise(Math.round((0.8 + 0.1234 * i) * sampleRateHz), sampleRateHz, i + 1),
    );
    const parts = speech.map((samples, i) =>
      encodeSegment(samples, { sampleRateHz, bitRateKbps, pauseMs: pauses[i] ?? 0 }),
    );
    const { samples } = await decodeMp3(joinFrames(parts));
    const toMs = (count: number) => Math.round((count * sampleRateHz) / 1000);
    let start = DELAY;
    for (const [i, part] of parts.slice(0, -1).entries()) {
      const end = start + (speech[i]?.length ?? 0);
      start += part.sampleCount;
      const silence = ((start - end) * 1000) / sampleRateHz;
      const planned = Math.max(pauses[i] ?? 0, (DELAY * 1000) / sampleRateHz);
      expect(Math.abs(silence - planned)).toBeLessThan(planned > 100 ? 30 : 37);
      // Near the speech the codec leaves a trace; outside of its windows it is silent.
      const findPeakWithin = (margin: number) =>
        findPeak(samples.subarray(end + margin, Math.max(end + margin, start - margin)));
      expect(findPeakWithin(toMs(20))).toBeLessThan(0.02);
      expect(findPeakWithin(1152)).toBeLessThan(0.0001);
      // The speech has its position.
      expect(findPeak(samples.subarray(start, start + toMs(30)))).toBeGreaterThan(0.2);
      expect(findPeak(samples.subarray(end - toMs(30), end))).toBeGreaterThan(0.1);
    }
  });

  test('shortens the pause by delay and rounding', () => {
    const count = (length: number, pauseMs: number) =>
      encodeSegment(new Float32Array(length), { sampleRateHz: 16_000, bitRateKbps: 64, pauseMs }).frameCount;
    expect(count(16_000, 500)).toBe(Math.round(24_000 / 576));
    expect(count(16_000, 0)).toBe(Math.ceil((16_000 + DELAY) / 576));
    expect(count(576 * 10 - DELAY, 0)).toBe(10);
    expect(count(576 * 10 - DELAY + 1, 0)).toBe(11);
    expect(count(0, 0)).toBe(2);
  });

  test.each(formats)(
    'keeps level and place of every sample at %i Hz and %i kbit/s',
    async (sampleRateHz, bitRateKbps) => {
      const tone = new Float32Array(sampleRateHz).map(
        (_, i) => 0.97 * Math.sin((i * 2 * Math.PI * 500) / sampleRateHz),
      );
      const { frames } = encodeSegment(tone, { sampleRateHz, bitRateKbps, pauseMs: 0 });
      const { samples } = await decodeMp3(frames);
      let product = 0;
      let power = 0;
      for (let i = 2000; i < 6000; i++) {
        product += (samples[i + DELAY] ?? 0) * (tone[i] ?? 0);
        power += (tone[i] ?? 0) ** 2;
      }
      expect(product / power).toBeCloseTo(1, 2);
    },
  );

  test('keeps the last samples at any position in a frame', async () => {
    for (const extra of [0, 1, 288, 575]) {
      const length = 576 * 20 + extra;
      const speech = createSpeechLikeNoise(length, 16_000);
      const { frames } = encodeSegment(speech, {
        sampleRateHz: 16_000,
        bitRateKbps: 64,
        pauseMs: 0,
      });
      const { samples } = await decodeMp3(frames);
      expect(samples.length).toBeGreaterThanOrEqual(DELAY + length);
      const end = samples.subarray(DELAY + length - 400, DELAY + length);
      const error = end.map((sample, i) => sample - (speech[length - 400 + i] ?? 0));
      expect(findPeak(error)).toBeLessThan(0.25 * findPeak(speech.subarray(length - 400)));
    }
  });

  test('returns the same bytes after any previous segment', () => {
    const options = { sampleRateHz: 22_050, bitRateKbps: 64, pauseMs: 100 };
    const speech = createSpeechLikeNoise(10_000, 22_050);
    const once = encodeSegment(speech, options).frames;
    encodeSegment(createSpeechLikeNoise(5000, 22_050, 9), options);
    expect(Buffer.from(encodeSegment(speech, options).frames).equals(once)).toBe(true);
  });

  test('returns the same bytes on every machine', () => {
    const hash = createHash('sha256');
    for (const [sampleRateHz, bitRateKbps] of formats) {
      const random = createSeededRandom(1);
      const noise = new Float32Array(sampleRateHz).map(() => 0.6 * random() - 0.3);
      hash.update(encodeSegment(noise, { sampleRateHz, bitRateKbps, pauseMs: 100 }).frames);
    }
    // Another encoder, or another build of it? Then raise the engine version and put its hash here.
    expect(hash.digest('hex')).toBe('42380e18fbe713f05e024bd78b06df313677b7aebabaf52a87565c1ff41c7cbd');
  });

  test('treats NaN as silence', () => {
    const options = { sampleRateHz: 16_000, bitRateKbps: 64, pauseMs: 0 };
    const speech = createSpeechLikeNoise(16_000, 16_000);
    const broken = speech.map((sample, i) => (i % 100 === 0 ? Number.NaN : sample));
    const mended = speech.map((sample, i) => (i % 100 === 0 ? 0 : sample));
    const expected = encodeSegment(mended, options).frames;
    expect(Buffer.from(encodeSegment(broken, options).frames).equals(expected)).toBe(true);
  });

  test('clips loud samples without overflow', async () => {
    const loud = new Float32Array(16_000).map((_, i) => 1.5 * Math.sin((i * 2 * Math.PI * 100) / 16_000));
    const { frames } = encodeSegment(loud, { sampleRateHz: 16_000, bitRateKbps: 128, pauseMs: 0 });
    const { samples } = await decodeMp3(frames);
    for (let i = 4000; i < 8000; i++) {
      if ((loud[i] ?? 0) > 1.2) expect(samples[i + DELAY]).toBeGreaterThan(0.5);
    }
  });

  test('rejects unsupported sample rates and bit rates', () => {
    const speech = new Float32Array(1000);
    for (const [sampleRateHz, bitRateKbps] of [
      [20_000, 64],
      [44_100, 48],
      [16_000, 65],
      [Number.NaN, 64],
    ] as const) {
      expect(() => encodeSegment(speech, { sampleRateHz, bitRateKbps, pauseMs: 0 })).toThrow(RangeError);
    }
  });
});

describe('mp3SampleRate', () => {
  test('returns a supported rate unchanged, otherwise the next higher one', () => {
    expect([8000, 16_000, 22_050, 44_100, 48_000].map((hz) => mp3SampleRate(hz, 64))).toEqual([
      8000, 16_000, 22_050, 44_100, 48_000,
    ]);
    expect([4000, 9000, 20_000, 22_051, 96_000].map((hz) => mp3SampleRate(hz, 64))).toEqual([
      8000, 11_025, 22_050, 24_000, 48_000,
    ]);
  });

  test('returns only rates that the encoder uses', async () => {
    for (const bitRateKbps of BIT_RATES_KBPS) {
      const sampleRateHz = mp3SampleRate(48_000, bitRateKbps);
      const { frames } = encodeSegment(new Float32Array(5000), {
        sampleRateHz,
        bitRateKbps,
        pauseMs: 0,
      });
      expect((await decodeMp3(frames)).sampleRateHz).toBe(sampleRateHz);
    }
  });

  test('limits MPEG-2.5 to 64 kbit/s', () => {
    const { frames } = encodeSegment(new Float32Array(8000), {
      sampleRateHz: 8000,
      bitRateKbps: 160,
      pauseMs: 0,
    });
    expect(frameLength(frames, 0)).toBe((72 * 64_000) / 8000);
  });
});
