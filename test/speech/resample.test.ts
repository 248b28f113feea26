import { describe, expect, test } from 'bun:test';
import { resample } from '../../src/speech/encode/pcm.ts';

const pairs: [number, number][] = [
  [20_000, 22_050],
  [16_000, 22_050],
  [22_050, 16_000],
  [44_100, 22_050],
  [48_000, 44_100],
  [8000, 48_000],
];

function createSine(hz: number, sampleRateHz: number, length: number): Float32Array {
  return new Float32Array(length).map((_, i) => 0.5 * Math.sin((2 * Math.PI * hz * i) / sampleRateHz));
}

/** Power of the middle, in dB relative to a sine of 0.5. */
function measureLevelDb(samples: Float32Array): number {
  const middle = samples.subarray(samples.length / 5, (samples.length * 4) / 5);
  const power = middle.reduce((sum, sample) => sum + sample * sample, 0) / middle.length;
  return 10 * Math.log10(power / 0.125);
}

describe('resample', () => {
  test.each(pairs)('keeps a sine from %i to %i Hz with an error of −80 dB', (from, to) => {
    for (const part of [0.01, 0.2, 0.4, 0.43]) {
      const hz = part * Math.min(from, to);
      const output = resample(createSine(hz, from, from / 4), from, to);
      const error = createSine(hz, to, output.length).map((sample, i) => sample - (output[i] ?? 0));
      expect(measureLevelDb(error)).toBeLessThan(-80);
    }
  });

  test.each([
    [22_050, 16_000],
    [44_100, 22_050],
    [48_000, 8000],
  ])('suppresses aliases from %i Hz to %i Hz', (from, to) => {
    for (const hz of [to * 0.505, to * 0.55, Math.min(to * 0.9, from * 0.49)]) {
      expect(measureLevelDb(resample(createSine(hz, from, from / 4), from, to))).toBeLessThan(-80);
    }
  });

  test('returns the length by the rates, without a delay', () => {
    expect(resample(new Float32Array(20_000), 20_000, 22_050).length).toBe(22_050);
    expect(resample(new Float32Array(3), 16_000, 22_050).length).toBe(4);
    expect(resample(new Float32Array(0), 16_000, 22_050).length).toBe(0);
    const click = new Float32Array(1000);
    click[500] = 1;
    const output = resample(click, 16_000, 48_000);
    expect(output.indexOf(Math.max(...output))).toBe(1500);
  });

  test('keeps a constant', () => {
    const middle = resample(new Float32Array(4000).fill(0.5), 20_000, 22_050).subarray(200, 4200);
    expect(middle.every((sample) => Math.abs(sample - 0.5) < 1e-6)).toBe(true);
  });

  test('returns the samples for equal rates and rejects invalid rates', () => {
    const samples = createSine(300, 16_000, 100);
    expect(resample(samples, 16_000, 16_000)).toBe(samples);
    for (const hz of [0, -1, 16_000.5, Number.NaN]) {
      expect(() => resample(samples, hz, 16_000)).toThrow(RangeError);
    }
  });

  test('works after many other pairs of rates', () => {
    const samples = createSine(300, 16_000, 1000);
    const before = resample(samples, 16_000, 22_050);
    for (let hz = 8000; hz < 10_000; hz += 100) resample(samples, 16_000, hz);
    expect(resample(samples, 16_000, 22_050)).toEqual(before);
  });
});
