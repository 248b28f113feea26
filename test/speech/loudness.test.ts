import { describe, expect, test } from 'bun:test';
import { CEILING_DBTP, fadeEdges, limit, measureGain, rmsDbfs, trimEdges } from '../../src/speech/encode/loudness.ts';
import { forEachPeakAbove, LoudnessMeter } from '../../src/speech/encode/loudness-meter.ts';
import { encodeSegment } from '../../src/speech/encode/mp3.ts';
import { resample } from '../../src/speech/encode/pcm.ts';
import { encodeWav, measureLoudness } from '../fixtures/ffmpeg.ts';
import { createSeededRandom, createSpeechLikeNoise } from '../fixtures/noise.ts';
import { BUILT_IN_RATE_HZ, speakNews } from '../fixtures/spoken.ts';

const aspen = await speakNews('aspen');
const cedar = await speakNews('cedar');

function createSine(hz: number, sampleRateHz: number, amplitude: number, seconds = 1, phase = 0): Float32Array {
  return new Float32Array(Math.round(seconds * sampleRateHz)).map(
    (_, i) => amplitude * Math.sin((2 * Math.PI * hz * i) / sampleRateHz + phase),
  );
}

function integratedLoudness(samples: Float32Array, sampleRateHz: number): number {
  const meter = new LoudnessMeter(sampleRateHz);
  meter.add(samples);
  return meter.integrated();
}

function measureTruePeak(samples: Float32Array): number {
  let highest = 0;
  forEachPeakAbove(samples, 0, (_, peak) => {
    highest = Math.max(highest, peak);
  });
  return highest;
}

function measureTruePeakDbtp(samples: Float32Array): number {
  return 20 * Math.log10(measureTruePeak(samples));
}

function join(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function applyGain(samples: Float32Array, gainDb: number): Float32Array {
  return samples.map((sample) => sample * 10 ** (gainDb / 20));
}

describe('integratedLoudness', () => {
  test.each([8000, 11_025, 16_000, 22_050, 44_100, 48_000])(
    'reads a sine as the standard says at %i Hz',
    (sampleRateHz) => {
      // BS.1770: 997 Hz at 0 dBFS in one channel is −3.01 LUFS.
      expect(integratedLoudness(createSine(997, sampleRateHz, 1, 3), sampleRateHz)).toBeCloseTo(-3.01, 1);
      expect(integratedLoudness(createSine(997, sampleRateHz, 0.1, 3), sampleRateHz)).toBeCloseTo(-23.01, 1);
    },
  );

  test.each([16_000, 22_050, 44_100])('agrees with ffmpeg on speech with pauses at %i Hz', async (sampleRateHz) => {
    const pause = new Float32Array(9000);
    const speech = join(aspen.flatMap((sentence, i) => [applyGain(sentence, -i), pause]));
    const samples = resample(speech, BUILT_IN_RATE_HZ, sampleRateHz);
    const reference = await measureLoudness(encodeWav(samples, sampleRateHz));
    expect(Math.abs(integratedLoudness(samples, sampleRateHz) - reference.integratedLufs)).toBeLessThan(0.1);
  });

  test('ignores silence and much quieter parts', () => {
    const loud = createSine(997, 16_000, 0.5, 4);
    const quiet = join([loud, new Float32Array(160_000), createSine(997, 16_000, 0.01, 8)]);
    expect(Math.abs(integratedLoudness(quiet, 16_000) - integratedLoudness(loud, 16_000))).toBeLessThan(0.3);
  });

  test('measures less than a block; silence is −Infinity', () => {
    expect(integratedLoudness(createSine(997, 16_000, 1, 0.2), 16_000)).toBeCloseTo(-3.01, 0);
    expect(integratedLoudness(new Float32Array(50_000), 16_000)).toBe(-Infinity);
    expect(integratedLoudness(new Float32Array(0), 16_000)).toBe(-Infinity);
  });

  test('does not depend on the parts', () => {
    const meter = new LoudnessMeter(BUILT_IN_RATE_HZ);
    for (const sentence of aspen) meter.add(sentence);
    expect(meter.integrated()).toBeCloseTo(integratedLoudness(join(aspen), BUILT_IN_RATE_HZ), 9);
  });
});

describe('truePeak', () => {
  test('finds the peak of a sine between samples', () => {
    // At a quarter of the rate and 45° every sample lies at 0.707.
    expect(measureTruePeak(fadeEdges(createSine(4000, 16_000, 0.8, 0.1, Math.PI / 4), 16_000))).toBeCloseTo(0.8, 2);
    expect(measureTruePeak(fadeEdges(createSine(5333, 16_000, 0.8, 0.1, 0.3), 16_000))).toBeCloseTo(0.8, 1);
  });

  test('is at least the highest sample at any position', () => {
    for (const place of [0, 1, 15, 16, 31, 99]) {
      const click = new Float32Array(100);
      click[place] = -0.7;
      expect(measureTruePeak(click)).toBeCloseTo(0.7, 5);
    }
    expect(measureTruePeak(new Float32Array(100))).toBe(0);
    expect(measureTruePeakDbtp(new Float32Array(0))).toBe(-Infinity);
  });

  test.each([16_000, 22_050])('agrees with ffmpeg on speech at %i Hz', async (sampleRateHz) => {
    for (const voice of [aspen, cedar]) {
      const samples = resample(join(voice), BUILT_IN_RATE_HZ, sampleRateHz);
      const reference = await measureLoudness(encodeWav(samples, sampleRateHz));
      expect(Math.abs(measureTruePeakDbtp(samples) - reference.truePeakDbtp)).toBeLessThan(0.15);
    }
  });
});

describe('trimEdges', () => {
  const rate = 16_000;
  const createHiss = (length: number, amplitude: number, random = createSeededRandom(3)) =>
    new Float32Array(length).map(() => amplitude * (2 * random() - 1));

  test('trims silence and background noise with a margin', () => {
    const speech = createSine(300, rate, 0.3, 0.5);
    const noisy = join([createHiss(8000, 0.0005), speech, createHiss(12_000, 0.0005)]);
    const trimmed = trimEdges(noisy, rate);
    const before = (trimmed.byteOffset - noisy.byteOffset) / 4;
    expect(8000 - before).toBeGreaterThanOrEqual(0.008 * rate);
    expect(8000 - before).toBeLessThan(0.014 * rate);
    const after = before + trimmed.length - (8000 + speech.length);
    expect(after).toBeGreaterThanOrEqual(0.025 * rate);
    expect(after).toBeLessThan(0.031 * rate);
  });

  test('keeps soft consonants at both ends', () => {
    // Some 38 dB below the vowel, as an f can be.
    const consonant = createHiss(1600, 0.0046);
    const word = join([
      new Float32Array(4000),
      consonant,
      createSine(300, rate, 0.3, 0.4),
      consonant,
      new Float32Array(4000),
    ]);
    const trimmed = trimEdges(word, rate);
    const before = (trimmed.byteOffset - word.byteOffset) / 4;
    expect(before).toBeLessThanOrEqual(4000);
    expect(before + trimmed.length).toBeGreaterThanOrEqual(word.length - 4000);
  });

  test('is empty only for silence', () => {
    for (const length of [1, 50, 79, 80, 4000]) {
      expect(trimEdges(createSine(500, rate, 0.001, length / rate, 1), rate).length).toBeGreaterThan(0);
    }
    const click = new Float32Array(5000);
    click[2500] = 0.2;
    expect(trimEdges(click, rate).length).toBeGreaterThan(0);
    expect(trimEdges(new Float32Array(5000), rate).length).toBe(0);
    expect(trimEdges(new Float32Array(0), rate).length).toBe(0);
  });

  test('trims the pauses of the built-in voices, not the speech', () => {
    for (const sentence of [...aspen, ...cedar]) {
      const trimmed = trimEdges(sentence, BUILT_IN_RATE_HZ);
      // These voices end a sentence with more than a third of a second of silence.
      expect(trimmed.length).toBeLessThan(sentence.length - 0.3 * BUILT_IN_RATE_HZ);
      expect(trimmed.length).toBeGreaterThan(sentence.length - 0.75 * BUILT_IN_RATE_HZ);
      const start = (trimmed.byteOffset - sentence.byteOffset) / 4;
      // In no stretch of 10 ms: over the whole, the silence would hide a soft syllable.
      for (const cut of [sentence.subarray(0, start), sentence.subarray(start + trimmed.length)]) {
        for (let at = 0; at < cut.length; at += BUILT_IN_RATE_HZ / 100) {
          expect(rmsDbfs(cut.subarray(at, at + BUILT_IN_RATE_HZ / 100))).toBeLessThan(-50);
        }
      }
    }
  });
});

describe('fadeEdges', () => {
  test('fades without steps and changes neither the middle nor the argument', () => {
    const constant = new Float32Array(16_000).fill(0.5);
    const faded = fadeEdges(constant, 16_000);
    expect(faded[0]).toBe(0);
    expect(faded.at(-1)).toBe(0);
    expect(faded.subarray(80, 16_000 - 160).every((sample) => sample === 0.5)).toBe(true);
    expect(faded[40]).toBeCloseTo(0.25, 2);
    expect(faded[16_000 - 81]).toBeCloseTo(0.25, 2);
    expect(constant[0]).toBe(0.5);
  });

  test('shortens the fades of short samples', () => {
    for (const length of [0, 1, 2, 3, 50]) {
      const faded = fadeEdges(new Float32Array(length).fill(1), 16_000);
      expect(faded.length).toBe(length);
      expect(faded.every((sample) => sample >= 0 && sample <= 1)).toBe(true);
    }
  });
});

describe('limit', () => {
  test('only amplifies below the ceiling', () => {
    const soft = createSine(300, 16_000, 0.1, 0.5);
    const amplified = limit(soft, 6, -1, 16_000);
    expect(amplified.every((sample, i) => Math.abs(sample - (soft[i] ?? 0) * 10 ** 0.3) < 1e-6)).toBe(true);
    expect(soft[20]).toBe(createSine(300, 16_000, 0.1, 0.5)[20] ?? 0);
  });

  test.each([
    [3, -2.5],
    [12, -2.5],
    [24, -6],
  ])('keeps the true peak of speech at %i dB gain below %f dBTP', (gainDb, ceilingDbtp) => {
    for (const sentence of [...aspen, ...cedar]) {
      const limited = limit(sentence, gainDb, ceilingDbtp, BUILT_IN_RATE_HZ);
      expect(limited.length).toBe(sentence.length);
      expect(measureTruePeakDbtp(limited)).toBeLessThan(ceilingDbtp);
    }
  });

  test('limits peaks between samples', () => {
    const limited = limit(createSine(4000, 16_000, 0.9, 0.2, Math.PI / 4), 0, -3, 16_000);
    expect(measureTruePeakDbtp(limited)).toBeLessThan(-3);
    expect(measureTruePeakDbtp(limited)).toBeGreaterThan(-3.3);
  });

  test('changes the gain smoothly and only around peaks', () => {
    // A constant shows the gain at every sample.
    const samples = new Float32Array(16_000).fill(0.2).fill(0.8, 8000, 8400);
    const limited = limit(samples, 0, -6, 16_000);
    const gains = limited.map((sample, i) => sample / (samples[i] ?? 1));
    expect(Math.min(...gains)).toBeLessThan(0.65);
    for (let i = 1; i < gains.length; i++) {
      expect(Math.abs((gains[i] ?? 0) - (gains[i - 1] ?? 0))).toBeLessThan(0.03);
    }
    expect(limited.subarray(0, 7500)).toEqual(samples.subarray(0, 7500));
    expect(limited.at(-1)).toBeCloseTo(0.2, 5);
  });

  test('does not depend on previous segments', () => {
    const sentence = aspen[0] ?? new Float32Array();
    const once = limit(sentence, 9, -2, BUILT_IN_RATE_HZ);
    limit(cedar[0] ?? new Float32Array(), 20, -10, BUILT_IN_RATE_HZ);
    expect(limit(sentence, 9, -2, BUILT_IN_RATE_HZ)).toEqual(once);
    const short = sentence.subarray(4000, 4100);
    const alone = limit(short, 30, -2, BUILT_IN_RATE_HZ);
    limit(new Float32Array(16_000).fill(1), 0, -10, BUILT_IN_RATE_HZ);
    expect(limit(short, 30, -2, BUILT_IN_RATE_HZ)).toEqual(alone);
  });

  test('returns the same in place and in new samples', () => {
    for (const sentence of aspen) {
      const given = new Float32Array(sentence);
      const fresh = fadeEdges(limit(given, 9, -2, BUILT_IN_RATE_HZ), BUILT_IN_RATE_HZ);
      expect([...given]).toEqual([...sentence]);
      limit(given, 9, -2, BUILT_IN_RATE_HZ, given);
      fadeEdges(given, BUILT_IN_RATE_HZ, given);
      expect([...given]).toEqual([...fresh]);
    }
  });
});

describe('measureGain', () => {
  const rates: [string, Float32Array[], number, number][] = [
    ['aspen', aspen, 16_000, 32],
    ['aspen', aspen, 16_000, 64],
    ['aspen', aspen, 24_000, 64],
    ['aspen', aspen, 44_100, 64],
    ['cedar', cedar, 16_000, 64],
    ['cedar', cedar, 22_050, 64],
    ['cedar', cedar, 24_000, 64],
  ];

  test.each(rates)(
    'brings %s to −16 LUFS and below −1 dBTP in the MP3',
    async (_, voice, sampleRateHz, bitRateKbps) => {
      const sentences = voice.map((sentence) =>
        trimEdges(resample(sentence, BUILT_IN_RATE_HZ, sampleRateHz), sampleRateHz),
      );
      const gainDb = measureGain(sentences, sampleRateHz);
      const mp3 = sentences.map((sentence) => {
        const loud = limit(sentence, gainDb, CEILING_DBTP, sampleRateHz);
        return encodeSegment(fadeEdges(loud, sampleRateHz), {
          sampleRateHz,
          bitRateKbps,
          pauseMs: 350,
        }).frames;
      });
      const loudness = await measureLoudness(Buffer.concat(mp3));
      expect(Math.abs(loudness.integratedLufs + 16)).toBeLessThan(0.25);
      expect(loudness.truePeakDbtp).toBeLessThanOrEqual(-1);
    },
  );

  test('compensates for the limiter', () => {
    // Short peaks far above the rest: amplifying alone would leave this too soft.
    const peaky = createSpeechLikeNoise(160_000, 16_000).map((sample, i) => (i % 800 < 8 ? sample * 6 : sample * 0.4));
    const gainDb = measureGain([peaky], 16_000);
    const after = integratedLoudness(limit(peaky, gainDb, CEILING_DBTP, 16_000), 16_000);
    expect(Math.abs(after + 16)).toBeLessThan(0.25);
    expect(gainDb).toBeGreaterThan(-16 - integratedLoudness(peaky, 16_000) + 0.3);
  });

  test('supports other targets; silence gets no gain', () => {
    const at16 = measureGain(aspen, BUILT_IN_RATE_HZ);
    const at23 = measureGain(aspen, BUILT_IN_RATE_HZ, -23);
    expect(at16 - at23).toBeGreaterThan(6.5);
    expect(measureGain([new Float32Array(50_000)], 16_000)).toBe(0);
    expect(measureGain([], 16_000)).toBe(0);
  });
});

describe('rmsDbfs', () => {
  test('is the root mean square', () => {
    expect(rmsDbfs(createSine(1000, 16_000, 1))).toBeCloseTo(-3.01, 2);
    expect(rmsDbfs(new Float32Array(10).fill(0.1))).toBeCloseTo(-20, 4);
    expect(rmsDbfs(new Float32Array(10))).toBe(-Infinity);
    expect(rmsDbfs(new Float32Array(0))).toBe(-Infinity);
  });
});
