import type { SegmentEncoding } from './mp3.ts';

const bytesPerSample = 2;
const fullScale = 32_767;
/** Unknown length: the data extends to the end of the stream. */
const unknownLength = 0xffff_ffff;

/**
 * Encodes a segment with its pause as signed 16-bit little-endian samples.
 * @param samples mono PCM, −1…1; clipped outside
 */
export function encodePcm(
  samples: Float32Array,
  { sampleRateHz, pauseMs }: Pick<SegmentEncoding, 'sampleRateHz' | 'pauseMs'>,
): { frames: Uint8Array; frameCount: number } {
  const frameCount = samples.length + Math.round((pauseMs * sampleRateHz) / 1000);
  const frames = new Uint8Array(frameCount * bytesPerSample);
  const view = new DataView(frames.buffer);
  for (let i = 0; i < samples.length; i++) {
    const sample = Math.round((samples[i] ?? 0) * fullScale);
    view.setInt16(i * bytesPerSample, Math.max(-fullScale, Math.min(fullScale, sample)), true);
  }
  return { frames, frameCount };
}

/** WAV header of a stream of unknown length: mono, 16 bits. */
export function buildWavStreamHeader(sampleRateHz: number): Uint8Array {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(unknownLength, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRateHz, 24);
  header.writeUInt32LE(sampleRateHz * bytesPerSample, 28);
  header.writeUInt16LE(bytesPerSample, 32);
  header.writeUInt16LE(bytesPerSample * 8, 34);
  header.write('data', 36);
  header.writeUInt32LE(unknownLength, 40);
  return header;
}

/** Zero crossings of the sinc on either side; with this window, aliases stay 90 dB down. */
const ZERO_CROSSINGS = 48;
const KAISER_BETA = 9;

/** Center of the transition band, relative to the lower Nyquist frequency. */
const CUTOFF = 0.94;

/** Polyphase filter for a pair of rates: a row of taps for each phase of an output sample. */
interface Filter {
  /** Output samples for every `down` input samples. */
  readonly up: number;
  readonly down: number;
  readonly tapsPerRow: number;
  readonly rows: Float32Array;
}

/** A process uses few voices, thus few pairs of rates. */
const MAX_CACHED_FILTERS = 8;
const filters = new Map<string, Filter>();

/**
 * Changes the sample rate with a windowed sinc, without delay; samples outside count as silence.
 * @param samples mono PCM
 * @param fromHz integer, like `toHz`
 * @returns round(length × toHz / fromHz) samples; the same array for equal rates
 * @throws RangeError for a rate that is not a positive integer
 */
export function resample(samples: Float32Array, fromHz: number, toHz: number): Float32Array {
  if (fromHz === toHz) return samples;
  const { up, down, tapsPerRow, rows } = getFilter(fromHz, toHz);
  const output = new Float32Array(Math.round((samples.length * up) / down));
  const reach = tapsPerRow / 2;
  let whole = 0;
  let fraction = 0;
  for (let n = 0; n < output.length; n++) {
    const first = whole - reach + 1;
    const row = fraction * tapsPerRow;
    const end = Math.min(tapsPerRow, samples.length - first);
    let sum = 0;
    for (let tap = Math.max(0, -first); tap < end; tap++) {
      sum += (rows[row + tap] ?? 0) * (samples[first + tap] ?? 0);
    }
    output[n] = sum;
    fraction += down;
    while (fraction >= up) {
      fraction -= up;
      whole++;
    }
  }
  return output;
}

function getFilter(fromHz: number, toHz: number): Filter {
  const key = `${fromHz}:${toHz}`;
  const cached = filters.get(key);
  if (cached) return cached;
  const oldest = filters.size >= MAX_CACHED_FILTERS ? filters.keys().next().value : undefined;
  if (oldest !== undefined) filters.delete(oldest);
  const filter = designFilter(fromHz, toHz);
  filters.set(key, filter);
  return filter;
}

function designFilter(fromHz: number, toHz: number): Filter {
  for (const rate of [fromHz, toHz]) {
    if (!Number.isInteger(rate) || rate <= 0) throw new RangeError(`${rate} Hz is not a valid sample rate`);
  }
  const divisor = greatestCommonDivisor(fromHz, toHz);
  const up = toHz / divisor;
  const down = fromHz / divisor;
  const bandwidth = CUTOFF * Math.min(1, toHz / fromHz);
  const reach = Math.ceil(ZERO_CROSSINGS / bandwidth);
  const tapsPerRow = 2 * reach;
  const rows = new Float32Array(up * tapsPerRow);
  const taps = new Float64Array(tapsPerRow);
  for (let row = 0; row < up; row++) {
    let sum = 0;
    for (let tap = 0; tap < tapsPerRow; tap++) {
      const distance = tap - reach + 1 - row / up;
      taps[tap] = sinc(bandwidth * distance) * kaiser(distance / reach);
      sum += taps[tap] ?? 0;
    }
    // Every row has the gain 1; otherwise a constant would become a hum.
    for (let tap = 0; tap < tapsPerRow; tap++) rows[row * tapsPerRow + tap] = (taps[tap] ?? 0) / sum;
  }
  return { up, down, tapsPerRow, rows };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

/** @param x position in the window, −1…1 */
function kaiser(x: number): number {
  return bessel(KAISER_BETA * Math.sqrt(Math.max(0, 1 - x * x))) / bessel(KAISER_BETA);
}

/** Modified Bessel function of the first kind, order 0. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}
