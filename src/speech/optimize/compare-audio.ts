import type { VoiceSession } from '../synthesize/onnx-session.ts';
import type { VoiceConfig } from '../synthesize/voice-config.ts';

/** Upper edges of the critical bands of hearing (Zwicker), in Hz; the last band has no upper edge. */
const bandEdgesHz = [
  ...[100, 200, 300, 400, 510, 630, 770, 920, 1_080, 1_270, 1_480, 1_720, 2_000, 2_320, 2_700],
  ...[3_150, 3_700, 4_400, 5_300, 6_400, 7_700, 9_500, 12_000, 15_500],
];
const frameSeconds = 0.012;

/** Mean-square power of two signals in one frame, by critical band. */
interface FramePowers {
  readonly first: Float64Array;
  readonly second: Float64Array;
}

/**
 * Power of two signals of the same length by critical band, in frames of about 12 ms that overlap by half. The arrays are
 * reused.
 */
function* framePowers(
  first: Float32Array,
  second: Float32Array,
  sampleRateHz: number,
): Generator<FramePowers, undefined> {
  const size = 2 ** Math.round(Math.log2(sampleRateHz * frameSeconds));
  const bands = Array.from({ length: size / 2 + 1 }, (_, bin) => findBand((bin * sampleRateHz) / size));
  const window = Float64Array.from({ length: size }, (_, place) => 0.5 - 0.5 * Math.cos((2 * Math.PI * place) / size));
  const scale = 2 / (size * window.reduce((sum, value) => sum + value ** 2, 0));
  const [real, imaginary] = [new Float64Array(size), new Float64Array(size)];
  const transform = createFourierTransform(size);
  const powers = {
    first: new Float64Array(bandEdgesHz.length + 1),
    second: new Float64Array(bandEdgesHz.length + 1),
  };
  // The first and last frame extend beyond the sound, so that its edges have the same weight.
  for (let start = -size / 2; start < first.length; start += size / 2) {
    for (let place = 0; place < size; place += 1) {
      const weight = window[place] ?? 0;
      real[place] = weight * (first[start + place] ?? 0);
      imaginary[place] = weight * (second[start + place] ?? 0);
    }
    transform(real, imaginary);
    powers.first.fill(0);
    powers.second.fill(0);
    for (const [bin, band] of bands.entries()) {
      const mirrored = (size - bin) % size;
      const [re, im] = [real[bin] ?? 0, imaginary[bin] ?? 0];
      const [reMirrored, imMirrored] = [real[mirrored] ?? 0, imaginary[mirrored] ?? 0];
      // Two real signals in one transform: its even part is the first spectrum, its odd part the second.
      const firstPower = ((re + reMirrored) ** 2 + (im - imMirrored) ** 2) / 4;
      const secondPower = ((im + imMirrored) ** 2 + (re - reMirrored) ** 2) / 4;
      powers.first[band] = (powers.first[band] ?? 0) + firstPower * scale;
      powers.second[band] = (powers.second[band] ?? 0) + secondPower * scale;
    }
    yield powers;
  }
}

function findBand(hz: number): number {
  const band = bandEdgesHz.findIndex((edge) => hz < edge);
  return band < 0 ? bandEdgesHz.length : band;
}

/** @param size a power of two @returns an in-place FFT of complex numbers */
function createFourierTransform(size: number): (real: Float64Array, imaginary: Float64Array) => void {
  const cosines = Float64Array.from({ length: size / 2 }, (_, k) => Math.cos((2 * Math.PI * k) / size));
  const sines = Float64Array.from({ length: size / 2 }, (_, k) => Math.sin((2 * Math.PI * k) / size));
  return (real, imaginary) => {
    reorder(real, imaginary);
    for (let length = 2; length <= size; length *= 2) {
      const half = length / 2;
      const step = size / length;
      for (let start = 0; start < size; start += length) {
        for (let k = 0; k < half; k += 1) {
          const [low, high] = [start + k, start + k + half];
          const [cosine, sine] = [cosines[k * step] ?? 0, sines[k * step] ?? 0];
          const [re, im] = [real[high] ?? 0, imaginary[high] ?? 0];
          const turnedRe = re * cosine + im * sine;
          const turnedIm = im * cosine - re * sine;
          real[high] = (real[low] ?? 0) - turnedRe;
          imaginary[high] = (imaginary[low] ?? 0) - turnedIm;
          real[low] = (real[low] ?? 0) + turnedRe;
          imaginary[low] = (imaginary[low] ?? 0) + turnedIm;
        }
      }
    }
  };
}

/** Bit-reversal permutation. */
function reorder(real: Float64Array, imaginary: Float64Array): void {
  const size = real.length;
  for (let place = 1, other = 0; place < size; place += 1) {
    let bit = size >> 1;
    for (; other & bit; bit >>= 1) other ^= bit;
    other ^= bit;
    if (place >= other) continue;
    [real[place], real[other]] = [real[other] ?? 0, real[place] ?? 0];
    [imaginary[place], imaginary[other]] = [imaginary[other] ?? 0, imaginary[place] ?? 0];
  }
}

const multiplier = 1_103_515_245;
const increment = 12_345;
const frameSymbols = new Set(['^', '_', '$']);

/** @returns a fixed sequence of phoneme ids: start, symbols with pads between, end */
export function createTestIds({ phonemeIds }: VoiceConfig, count: number): readonly number[] {
  const only = (symbol: string): number => phonemeIds[symbol]?.[0] ?? 0;
  const symbols = Object.entries(phonemeIds).flatMap(([symbol, ids]) => (frameSymbols.has(symbol) ? [] : ids));
  let state = count;
  const next = (): number => {
    state = (Math.imul(state, multiplier) + increment) >>> 0;
    return symbols[(state >>> 8) % symbols.length] ?? only('_');
  };
  const hasPads = phonemeIds['_'] !== undefined;
  const body = Array.from({ length: count - 2 }, (_, i) => (hasPads && i % 2 === 0 ? only('_') : next()));
  return [only('^'), ...body, only('$')];
}

/**
 * Both limits are below the threshold of hearing with a margin, and above the error of float32: an exported Piper voice is
 * 88 to 104 dB from the same graph in float64 (docs/voices.md, "How alike is alike enough").
 *
 * Over a whole sentence: −60 dB is a millionth of the power. MP3 at 64 kbit/s has 20 to 30 dB.
 */
const minSnrDb = 60;
/**
 * In each frame and critical band, for differences that the average hides: a click, a wrong quiet passage. A sound masks
 * what is 5 to 38 dB below it in its band and frame (psychoacoustic models of MPEG-1, ISO 11172-3, annex D); here 40 dB are
 * required.
 */
const maskingDb = 40;
/**
 * Without masking, the threshold in quiet is at least −5 dB SPL (near 3.5 kHz), 75 dB below speech at 70 dB SPL. The noise of
 * 16-bit PCM is about 80 dB below speech.
 */
const hearingThresholdDb = 75;
/** For equal signals, as JSON has no infinity. */
const maxSnrDb = 200;

const shortIdCount = 15;
/** A sentence of average length; half of the ids of a Piper voice are pads. */
const usualIdCount = { piper: 100, kokoro: 50 };

/** @returns ids of a sentence of average length */
export function createUsualIds(config: VoiceConfig): readonly number[] {
  return createTestIds(config, config.style === undefined ? usualIdCount.piper : usualIdCount.kokoro);
}

/** Synthesizes sentences of several lengths, those of a Piper voice with and without noise, with the first and the last speaker; closes the voice. */
export async function synthesizeTestSentences(
  session: VoiceSession,
  config: VoiceConfig,
): Promise<readonly Float32Array[]> {
  const [, length] = config.scales;
  const quiet = [0, length, 0] as const;
  const last = config.speakers.length - 1;
  const synthesize = async (ids: readonly number[], speaker: number, scales: VoiceConfig['scales']) => {
    const { samples } = await session.run(ids, speaker, scales);
    return samples;
  };
  try {
    return [
      await synthesize(createTestIds(config, shortIdCount), 0, quiet),
      await synthesize(createUsualIds(config), 0, quiet),
      ...(config.style === undefined ? [await synthesize(createUsualIds(config), 0, config.scales)] : []),
      ...(last > 0 ? [await synthesize(createUsualIds(config), last, quiet)] : []),
      await synthesize(createTestIds(config, config.maxIds), 0, quiet),
    ];
  } finally {
    await session.close();
  }
}

export interface AudioDifference {
  /** Signal-to-noise ratio in dB, 200 at most. */
  readonly snrDb: number;
  /** Maximum of the difference over the masking threshold in any frame and band, in dB; negative: inaudible. */
  readonly audibleDb: number;
}

/** @returns undefined if the lengths differ, or the expected sound is silent or not finite */
export function compareAudio(
  expected: Float32Array,
  actual: Float32Array | undefined,
  sampleRateHz: number,
): AudioDifference | undefined {
  if (actual?.length !== expected.length) return undefined;
  const difference = expected.map((sample, place) => sample - (actual[place] ?? 0));
  const [signal, noise] = [energy(expected), energy(difference)];
  if (!(signal > 0) || !Number.isFinite(signal + noise)) return undefined;
  const threshold = (signal / expected.length) * toPower(-hearingThresholdDb);
  let highest = 0;
  for (const { first, second } of framePowers(expected, difference, sampleRateHz)) {
    for (const [band, noisePower] of second.entries()) {
      const hidden = Math.max((first[band] ?? 0) * toPower(-maskingDb), threshold);
      highest = Math.max(highest, noisePower / hidden);
    }
  }
  return {
    snrDb: noise === 0 ? maxSnrDb : Math.min(maxSnrDb, toDecibels(signal / noise)),
    audibleDb: highest === 0 ? -maxSnrDb : Math.max(-maxSnrDb, toDecibels(highest)),
  };
}

/** @returns the largest difference of all sentences; undefined if one cannot be compared */
export function findWorstDifference(
  expected: readonly Float32Array[],
  actual: readonly Float32Array[],
  sampleRateHz: number,
): AudioDifference | undefined {
  const worst = { snrDb: maxSnrDb, audibleDb: -maxSnrDb };
  for (const [place, samples] of expected.entries()) {
    const comparison = compareAudio(samples, actual[place], sampleRateHz);
    if (comparison === undefined) return undefined;
    worst.snrDb = Math.min(worst.snrDb, comparison.snrDb);
    worst.audibleDb = Math.max(worst.audibleDb, comparison.audibleDb);
  }
  return worst;
}

export function isInaudible({ snrDb, audibleDb }: AudioDifference): boolean {
  return snrDb >= minSnrDb && audibleDb <= 0;
}

function energy(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample ** 2;
  return sum;
}

function toDecibels(ratio: number): number {
  return 10 * Math.log10(ratio);
}

function toPower(dB: number): number {
  return 10 ** (dB / 10);
}
