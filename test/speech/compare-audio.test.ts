import { describe, expect, test } from 'bun:test';
import { compareAudio, createTestIds, isInaudible } from '../../src/speech/optimize/compare-audio.ts';
import { identifyVoice, loadVoice } from '../../src/speech/synthesize/voice-model.ts';
import { builtinVoices } from '../../src/voices/builtin-voices.ts';
import { createSeededRandom } from '../fixtures/noise.ts';

const [aspen] = builtinVoices;
if (aspen === undefined) throw new Error('there are built-in voices');
const voice = await loadVoice({ ...aspen, contentHash: identifyVoice(aspen).contentHash });
const rateHz = voice.config.sampleRateHz;
/** A sentence of a real voice. */
const { samples: speech } = await voice.synthesize(createTestIds(voice.config, 100), aspen.speaker);
await voice.close();
const level = Math.sqrt(speech.reduce((sum, sample) => sum + sample ** 2, 0) / speech.length);
const frame = Math.round(rateHz * 0.02);

/** Starts of the frames of 20 ms, the quietest first. */
const frames = Array.from({ length: Math.floor(speech.length / frame) }, (_, i) => i * frame).sort(
  (a, b) => computePower(a) - computePower(b),
);

function computePower(start: number): number {
  return speech.subarray(start, start + frame).reduce((sum, sample) => sum + sample ** 2, 0);
}

/** @returns the frame at this quantile of loudness */
function getFrame(share: number): number {
  return frames[Math.floor(share * (frames.length - 1))] ?? 0;
}

function toAmplitude(decibels: number): number {
  return level * 10 ** (decibels / 20);
}

function addNoise(decibels: number): Float32Array {
  const random = createSeededRandom(3);
  // Evenly distributed numbers from -1 to 1 have a third of the power.
  return speech.map((sample) => sample + toAmplitude(decibels) * Math.sqrt(3) * (2 * random() - 1));
}

function addClick(decibels: number, share: number): Float32Array {
  const samples = speech.slice();
  const place = getFrame(share) + frame / 2;
  samples[place] = (samples[place] ?? 0) + toAmplitude(decibels);
  return samples;
}

/** Changes the loudest frame whose energy is this far below that of the sentence: quiet, but not silent. */
function changeFrame(decibels: number, change: (sample: number) => number): Float32Array {
  const highest = level ** 2 * speech.length * 10 ** (decibels / 10);
  const start = frames.findLast((frame) => computePower(frame) <= highest) ?? 0;
  return speech.map((sample, i) => (i >= start && i < start + frame ? change(sample) : sample));
}

function addTone(decibels: number, hz: number): Float32Array {
  const step = (2 * Math.PI * hz) / rateHz;
  return speech.map((sample, i) => sample + toAmplitude(decibels) * Math.SQRT2 * Math.sin(step * i));
}

function computeSnr(changed: Float32Array): number {
  return compareAudio(speech, changed, rateHz)?.snrDb ?? Number.NaN;
}

function isAudible(changed: Float32Array): boolean {
  const difference = compareAudio(speech, changed, rateHz);
  return difference === undefined || !isInaudible(difference);
}

describe('compareAudio accepts', () => {
  test.each([
    ['the same sound', speech],
    ['noise at -80 dB', addNoise(-80)],
    ['noise at -75 dB', addNoise(-75)],
    ['16-bit PCM', speech.map((sample) => Math.round(sample * 32_767) / 32_767)],
    ['a gain of 0.005 dB', speech.map((sample) => sample * 10 ** (0.005 / 20))],
    ['a click at -70 dB', addClick(-70, 0.5)],
    ['a tone of 3.4 kHz at -80 dB', addTone(-80, 3_400)],
  ])('%s', (_, changed) => {
    expect(isAudible(changed)).toBe(false);
  });
});

describe('compareAudio rejects', () => {
  test.each([
    ['noise at -58 dB', addNoise(-58)],
    ['a gain of 0.1 dB', speech.map((sample) => sample * 10 ** (0.1 / 20))],
    ['a polarity that was inverted', speech.map((sample) => -sample)],
    ['a sound that is late by a sample', Float32Array.of(0, ...speech.subarray(0, -1))],
    ['a sound that was cut short', speech.subarray(0, -1)],
    ['silence', new Float32Array(speech.length)],
    ['what is no number', speech.map((sample, i) => (i === 500 ? Number.NaN : sample))],
    ['another sentence', Float32Array.from(speech).reverse()],
  ])('%s', (_, changed) => {
    expect(isAudible(changed)).toBe(true);
  });

  /** Each change is at least 60 dB below the sentence as a whole. */
  test.each([
    ['a click of one sample in a quiet passage', addClick(-16, 0.1)],
    ['a click of one sample in a usual passage', addClick(-16, 0.5)],
    ['a click of one sample in the loudest passage', addClick(-16, 1)],
    ['a click at -40 dB in a quiet passage', addClick(-40, 0.1)],
    ['a quiet passage left out', changeFrame(-67, () => 0)],
    ['a quiet passage turned round', changeFrame(-67, (sample) => -sample)],
    ['a tone of 3.4 kHz at -62 dB', addTone(-62, 3_400)],
    ['a hum of 50 Hz at -62 dB', addTone(-62, 50)],
    ['noise at -62 dB', addNoise(-62)],
  ])('%s, at 60 dB and more over the sentence', (_, changed) => {
    expect(computeSnr(changed)).toBeGreaterThan(60);
    expect(isAudible(changed)).toBe(true);
  });
});

test('silent audio and invalid samples cannot be compared', () => {
  const silence = new Float32Array(speech.length);
  expect(compareAudio(silence, silence, rateHz)).toBeUndefined();
  const broken = speech.map(() => Number.NaN);
  expect(compareAudio(broken, broken, rateHz)).toBeUndefined();
});
