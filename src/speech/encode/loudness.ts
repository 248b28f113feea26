import { forEachPeakAbove, LoudnessMeter, ScratchBuffer } from './loudness-meter.ts';

/** Window of the level measurement. */
const FRAME_SECONDS = 0.005;

/** Below the loudest window by this much is silence; the softest consonants are 35 to 40 dB below. */
const SILENCE_BELOW_SPEECH_DB = 45;

const SILENCE_DBFS = -75;

/** Kept around audible sound, for soft consonants. */
const LEADING_MARGIN_SECONDS = 0.008;
const TRAILING_MARGIN_SECONDS = 0.025;

const FADE_IN_SECONDS = 0.005;
const FADE_OUT_SECONDS = 0.01;

/**
 * Trims silence at both ends.
 * @param samples mono PCM, −1…1
 * @returns a view of the samples; empty only if nothing in them is louder than −75 dBFS
 */
export function trimEdges(samples: Float32Array, sampleRateHz: number): Float32Array {
  const frameSamples = Math.max(1, Math.round(FRAME_SECONDS * sampleRateHz));
  const powers = framePowers(samples, frameSamples);
  const loudest = powers.reduce((highest, power) => Math.max(highest, power), 0);
  const threshold = Math.max(loudest * 10 ** (-SILENCE_BELOW_SPEECH_DB / 10), 10 ** (SILENCE_DBFS / 10));
  const first = powers.findIndex((power) => power >= threshold);
  if (first < 0) return samples.subarray(0, 0);
  const last = powers.findLastIndex((power) => power >= threshold);
  return samples.subarray(
    Math.max(0, first * frameSamples - Math.round(LEADING_MARGIN_SECONDS * sampleRateHz)),
    (last + 1) * frameSamples + Math.round(TRAILING_MARGIN_SECONDS * sampleRateHz),
  );
}

/** Mean square of each window; the last one may be shorter. */
function framePowers(samples: Float32Array, frameSamples: number): Float64Array {
  const powers = new Float64Array(Math.ceil(samples.length / frameSamples));
  for (let frame = 0; frame < powers.length; frame++) {
    const start = frame * frameSamples;
    const end = Math.min(samples.length, start + frameSamples);
    let sum = 0;
    for (let i = start; i < end; i++) {
      const sample = samples[i] ?? 0;
      sum += sample * sample;
    }
    powers[frame] = sum / (end - start);
  }
  return powers;
}

/**
 * Fades the ends in and out, so that silence can be put on either side without a click.
 * @param samples mono PCM; shorter samples get shorter fades
 * @param into receives the result; may be the samples themselves
 * @returns `into`, new samples unless named
 */
export function fadeEdges(
  samples: Float32Array,
  sampleRateHz: number,
  into: Float32Array = new Float32Array(samples.length),
): Float32Array {
  if (into !== samples) into.set(samples);
  const { length } = into;
  const fadeIn = Math.min(Math.round(FADE_IN_SECONDS * sampleRateHz), Math.floor(length / 2));
  const fadeOut = Math.min(Math.round(FADE_OUT_SECONDS * sampleRateHz), Math.floor(length / 2));
  for (let i = 0; i < fadeIn; i++) into[i] = (into[i] ?? 0) * raisedCosine(i / fadeIn);
  for (let i = 0; i < fadeOut; i++) {
    const at = length - 1 - i;
    into[at] = (into[at] ?? 0) * raisedCosine(i / fadeOut);
  }
  return into;
}

/** @param progress 0 at the silent end, 1 at the loud one */
function raisedCosine(progress: number): number {
  return 0.5 - 0.5 * Math.cos(Math.PI * progress);
}

/** Time constants of the gain reduction before and after a peak. */
const ATTACK_SECONDS = 0.0015;
const RELEASE_SECONDS = 0.05;

/** Hold on both sides of a peak: these samples shape the curve through it. */
const HOLD_SAMPLES = 5;

/** Further reduction, as a changing gain raises the curve a little again. */
const MARGIN_DB = 0.25;

const RECOVERED_GAIN = 0.9999;

/**
 * A ceiling for `limit` with which the MP3 of a voice, decoded, stays below −1 dBTP. The encoder's noise
 * adds up to 0.2 dB at 4 bits a sample (16 kHz, 64 kbit/s) and up to 2 dB at 1.5 bits (22 kHz, 32 kbit/s).
 */
export const CEILING_DBTP = -3;

/**
 * Amplifies and keeps the true peak below a ceiling by turning the gain down smoothly around peaks.
 * It looks ahead within the segment and carries no state to other segments.
 * @param samples mono PCM, −1…1
 * @param gainDb amplification before the ceiling is applied
 * @param ceilingDbtp highest true peak of the result
 * @param into gets the result; may be the samples themselves
 * @returns `into`, new samples unless named
 */
export function limit(
  samples: Float32Array,
  gainDb: number,
  ceilingDbtp: number,
  sampleRateHz: number,
  into: Float32Array = new Float32Array(samples.length),
): Float32Array {
  amplify(samples, decibelsToFactor(gainDb), into);
  const gains = computeGains(into, decibelsToFactor(ceilingDbtp));
  if (gains) applySmoothed(gains, into, sampleRateHz);
  return into;
}

function amplify(samples: Float32Array, factor: number, into: Float32Array): void {
  for (let i = 0; i < samples.length; i++) into[i] = (samples[i] ?? 0) * factor;
}

const gainBuffer = new ScratchBuffer();

/** @returns for each sample the gain that its surroundings allow; `undefined` if all stays below */
function computeGains(samples: Float32Array, ceiling: number): Float32Array | undefined {
  const lowered = ceiling * decibelsToFactor(-MARGIN_DB);
  let gains: Float32Array | undefined;
  forEachPeakAbove(samples, ceiling, (index, peak) => {
    gains ??= gainBuffer.acquire(samples.length).fill(1);
    const gain = lowered / peak;
    const end = Math.min(gains.length, index + 2 + HOLD_SAMPLES);
    for (let i = Math.max(0, index - HOLD_SAMPLES); i < end; i++) {
      gains[i] = Math.min(gains[i] ?? 1, gain);
    }
  });
  return gains;
}

/** Never raises a gain: backwards in time it makes the attack, forwards the release. */
function applySmoothed(gains: Float32Array, samples: Float32Array, sampleRateHz: number): void {
  const attack = 1 - Math.exp(-1 / (ATTACK_SECONDS * sampleRateHz));
  const release = 1 - Math.exp(-1 / (RELEASE_SECONDS * sampleRateHz));
  let gain = 1;
  for (let i = gains.length - 1; i >= 0; i--) {
    const allowed = gains[i] ?? 1;
    if (gain === 1 && allowed === 1) continue;
    gain = Math.min(allowed, recover(gain, attack));
    gains[i] = gain;
  }
  gain = 1;
  for (let i = 0; i < gains.length; i++) {
    const allowed = gains[i] ?? 1;
    if (gain === 1 && allowed === 1) continue;
    gain = Math.min(allowed, recover(gain, release));
    samples[i] = (samples[i] ?? 0) * Math.fround(gain);
  }
}

function recover(gain: number, speed: number): number {
  return gain > RECOVERED_GAIN ? 1 : gain + (1 - gain) * speed;
}

const TARGET_LUFS = -16;

/** A typical pause between sentences: gated blocks include parts of it. */
const PAUSE_SECONDS = 0.35;

const TOLERANCE_LU = 0.02;
const MAX_ROUNDS = 12;

/** A voice that needs more is broken, not quiet. */
const MAX_GAIN_DB = 40;

/**
 * Finds the gain for `limit` at which a voice has the target loudness after the limiter.
 * @param segments sentences of one voice, mono PCM, −1…1, edges trimmed; at least some ten seconds
 * @param targetLufs loudness of the sentences with pauses between them
 * @returns dB; 0 for silence; the closest gain if the limiter prevents the target
 */
export function measureGain(
  segments: readonly Float32Array[],
  sampleRateHz: number,
  targetLufs: number = TARGET_LUFS,
): number {
  let gainDb = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const missing = targetLufs - measureLoudnessAt(segments, gainDb, sampleRateHz);
    if (!Number.isFinite(missing)) return 0;
    gainDb = Math.min(MAX_GAIN_DB, gainDb + missing);
    if (Math.abs(missing) < TOLERANCE_LU) break;
  }
  return gainDb;
}

function measureLoudnessAt(segments: readonly Float32Array[], gainDb: number, sampleRateHz: number): number {
  const meter = new LoudnessMeter(sampleRateHz);
  const pause = new Float32Array(Math.round(PAUSE_SECONDS * sampleRateHz));
  for (const segment of segments) {
    meter.add(limit(segment, gainDb, CEILING_DBTP, sampleRateHz));
    meter.add(pause);
  }
  return meter.integrated();
}

function decibelsToFactor(decibels: number): number {
  return 10 ** (decibels / 20);
}

/** @returns the root mean square in dB relative to full scale; −Infinity for silence and for nothing */
export function rmsDbfs(samples: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i] ?? 0;
    sum += sample * sample;
  }
  return sum === 0 ? -Infinity : 10 * Math.log10(sum / samples.length);
}
