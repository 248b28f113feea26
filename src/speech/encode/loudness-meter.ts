/** The gating blocks of BS.1770 are 400 ms long and start every 100 ms. */
const STEPS_PER_SECOND = 10;
const STEPS_PER_BLOCK = 4;

const ABSOLUTE_GATE_LUFS = -70;
const RELATIVE_GATE_LU = -10;

/** Loudness of a mono programme of full-scale power, by definition. */
const OFFSET_LU = -0.691;

/** Smaller filter states are set to 0: denormal numbers are slow. */
const NEGLIGIBLE = 1e-25;

/** Integrated loudness of a mono channel (ITU-R BS.1770-4), fed in parts. */
export class LoudnessMeter {
  readonly #stepSamples: number;
  readonly #filter: KWeighting;
  /** Mean square of each finished step of 100 ms. */
  readonly #steps: number[] = [];
  #sum = 0;
  #inStep = 0;

  constructor(sampleRateHz: number) {
    this.#stepSamples = Math.round(sampleRateHz / STEPS_PER_SECOND);
    this.#filter = new KWeighting(sampleRateHz);
  }

  /** @param samples the next samples; mono PCM, −1…1 */
  add(samples: Float32Array): void {
    let start = 0;
    while (start < samples.length) {
      const end = Math.min(samples.length, start + this.#stepSamples - this.#inStep);
      this.#sum += this.#filter.energy(samples, start, end);
      this.#inStep += end - start;
      start = end;
      if (this.#inStep === this.#stepSamples) {
        this.#steps.push(this.#sum / this.#stepSamples);
        this.#sum = 0;
        this.#inStep = 0;
      }
    }
  }

  /** @returns LUFS of all samples; fewer than a block count as one block */
  integrated(): number {
    const blocks = this.#blocks();
    const audible = blocks.filter((power) => powerToLufs(power) > ABSOLUTE_GATE_LUFS);
    const gate = powerToLufs(mean(audible)) + RELATIVE_GATE_LU;
    return powerToLufs(mean(audible.filter((power) => powerToLufs(power) > gate)));
  }

  #blocks(): number[] {
    const steps = this.#steps;
    if (steps.length < STEPS_PER_BLOCK) {
      const samples = steps.length * this.#stepSamples + this.#inStep;
      const energy = steps.reduce((sum, step) => sum + step * this.#stepSamples, this.#sum);
      return samples === 0 ? [] : [energy / samples];
    }
    const blocks: number[] = [];
    for (let i = STEPS_PER_BLOCK; i <= steps.length; i++) {
      blocks.push(mean(steps.slice(i - STEPS_PER_BLOCK, i)));
    }
    return blocks;
  }
}

function powerToLufs(power: number): number {
  return OFFSET_LU + 10 * Math.log10(power);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The filters of BS.1770 (head shelf and high-pass) for any sample rate. */
class KWeighting {
  readonly #shelf: Biquad;
  readonly #highPass: Biquad;
  #shelf1 = 0;
  #shelf2 = 0;
  #high1 = 0;
  #high2 = 0;

  constructor(sampleRateHz: number) {
    this.#shelf = headShelf(sampleRateHz);
    this.#highPass = highPass(sampleRateHz);
  }

  /** @returns the sum of squares of the filtered samples from `start` up to `end` */
  energy(samples: Float32Array, start: number, end: number): number {
    const { b0, b1, b2, a1, a2 } = this.#shelf;
    const { b0: c0, b1: c1, b2: c2, a1: d1, a2: d2 } = this.#highPass;
    let shelf1 = this.#shelf1;
    let shelf2 = this.#shelf2;
    let high1 = this.#high1;
    let high2 = this.#high2;
    let sum = 0;
    for (let i = start; i < end; i++) {
      const input = samples[i] ?? 0;
      const shelved = b0 * input + shelf1;
      shelf1 = b1 * input - a1 * shelved + shelf2;
      shelf2 = b2 * input - a2 * shelved;
      const output = c0 * shelved + high1;
      high1 = c1 * shelved - d1 * output + high2;
      high2 = c2 * shelved - d2 * output;
      sum += output * output;
    }
    this.#shelf1 = flushDenormal(shelf1);
    this.#shelf2 = flushDenormal(shelf2);
    this.#high1 = flushDenormal(high1);
    this.#high2 = flushDenormal(high2);
    return sum;
  }
}

function flushDenormal(state: number): number {
  return Math.abs(state) < NEGLIGIBLE ? 0 : state;
}

interface Biquad {
  readonly b0: number;
  readonly b1: number;
  readonly b2: number;
  readonly a1: number;
  readonly a2: number;
}

/** Bilinear transform of the analogue prototypes behind the 48 kHz coefficients of the standard. */
function headShelf(sampleRateHz: number): Biquad {
  const k = Math.tan((Math.PI * 1681.974450955533) / sampleRateHz);
  const q = 0.7071752369554196;
  const high = 10 ** (3.999843853973347 / 20);
  const band = high ** 0.4996667741545416;
  const a0 = 1 + k / q + k * k;
  return {
    b0: (high + (band * k) / q + k * k) / a0,
    b1: (2 * (k * k - high)) / a0,
    b2: (high - (band * k) / q + k * k) / a0,
    a1: (2 * (k * k - 1)) / a0,
    a2: (1 - k / q + k * k) / a0,
  };
}

function highPass(sampleRateHz: number): Biquad {
  const k = Math.tan((Math.PI * 38.13547087602444) / sampleRateHz);
  const q = 0.5003270373238773;
  const a0 = 1 + k / q + k * k;
  return { b0: 1, b1: -2, b2: 1, a1: (2 * (k * k - 1)) / a0, a2: (1 - k / q + k * k) / a0 };
}

/**
 * Reusable memory for one call at a time: allocation for each sentence costs more than the arithmetic.
 */
export class ScratchBuffer {
  #memory = new Float32Array(0);

  /** @returns an array of this length with arbitrary content */
  acquire(length: number): Float32Array {
    if (this.#memory.length < length) this.#memory = new Float32Array(length);
    return this.#memory.subarray(0, length);
  }
}

/** Neighbours on each side for the interpolation of a point. */
const REACH = 12;
const TAPS = 2 * REACH;

/** Points between two samples: BS.1770 requires fourfold oversampling. */
const QUARTER = interpolationTaps(1 / 4);
const MIDDLE = interpolationTaps(1 / 2);
const THREE_QUARTERS = interpolationTaps(3 / 4);

/** Interpolation is skipped per block. */
const BLOCK_SAMPLES = 16;

const MAGNITUDE_BITS = 0x7fff_ffff;

/** Upper limit of an interpolated point relative to the samples around it. */
const MAX_OVERSHOOT = Math.max(...[QUARTER, MIDDLE, THREE_QUARTERS].map(sumOfMagnitudes));

/** The same limit once the midpoints are known, as samples are then twice as dense. */
const MAX_OVERSHOOT_OF_DOUBLED = Math.SQRT2;

/** The four nearest neighbours on each side make most of a midpoint; the others at most this share. */
const [NEAREST = 0, SECOND = 0, THIRD = 0, FOURTH = 0] = MIDDLE.subarray(REACH);
const FAR_TAPS_SHARE = sumOfMagnitudes(MIDDLE) - 2 * sumOfMagnitudes(MIDDLE.subarray(REACH, REACH + 4));

/**
 * @param index of the sample before the peak
 * @param peak magnitude of the curve from that sample to the next
 */
type PeakListener = (index: number, peak: number) => void;

/** Reports each interval between two samples in which the curve through them exceeds a level. */
export function forEachPeakAbove(samples: Float32Array, level: number, listener: PeakListener): void {
  const surrounded = padWithSilence(samples);
  const highs = computeBlockPeaks(surrounded, samples.length);
  for (let block = 0; block < highs.length; block++) {
    forEachPeakInBlock(surrounded, highs, block, level, listener);
  }
}

const paddedBuffer = new ScratchBuffer();
const blockPeakBuffer = new ScratchBuffer();

/** Avoids reads outside the array, which would deoptimize all reads. */
function padWithSilence(samples: Float32Array): Float32Array {
  const surrounded = paddedBuffer.acquire(samples.length + REACH + TAPS);
  surrounded.fill(0, 0, REACH);
  surrounded.set(samples, REACH);
  surrounded.fill(0, REACH + samples.length);
  return surrounded;
}

function computeBlockPeaks(surrounded: Float32Array, sampleCount: number): Float32Array {
  const highs = blockPeakBuffer.acquire(Math.ceil(sampleCount / BLOCK_SAMPLES));
  // Magnitudes have the order of their bits, and integers compare without branches.
  const bits = new Int32Array(surrounded.buffer, surrounded.byteOffset, surrounded.length);
  const highBits = new Int32Array(highs.buffer, highs.byteOffset, highs.length);
  for (let block = 0; block < highs.length; block++) {
    const start = REACH + block * BLOCK_SAMPLES;
    let highest = 0;
    // The padding after the last sample is longer than a block.
    for (let i = start; i < start + BLOCK_SAMPLES; i++) {
      highest = Math.max(highest, (bits[i] ?? 0) & MAGNITUDE_BITS);
    }
    highBits[block] = highest;
  }
  return highs;
}

function forEachPeakInBlock(
  surrounded: Float32Array,
  highs: Float32Array,
  block: number,
  level: number,
  listener: PeakListener,
): void {
  // A point depends on the adjacent blocks only.
  const before = block === 0 ? 0 : (highs[block - 1] ?? 0);
  const after = block + 1 === highs.length ? 0 : (highs[block + 1] ?? 0);
  const highest = Math.max(before, highs[block] ?? 0, after);
  if (highest * MAX_OVERSHOOT <= level) return;
  const start = block * BLOCK_SAMPLES;
  const doubledLevel = level / MAX_OVERSHOOT_OF_DOUBLED;
  const mostOfFar = highest * FAR_TAPS_SHARE;
  const end = Math.min(surrounded.length - REACH - TAPS, start + BLOCK_SAMPLES);
  for (let i = start; i < end; i++) {
    const magnitude = Math.abs(surrounded[i + REACH] ?? 0);
    const next = Math.abs(surrounded[i + REACH + 1] ?? 0);
    if (
      magnitude <= doubledLevel &&
      next <= doubledLevel &&
      Math.abs(estimateMidpoint(surrounded, i)) + mostOfFar <= doubledLevel
    ) {
      continue;
    }
    const peak = computePeakAfter(surrounded, i, doubledLevel);
    if (peak > level) listener(i, peak);
  }
}

/** @returns the part of the nearest neighbours in a midpoint; the taps are symmetric */
function estimateMidpoint(surrounded: Float32Array, index: number): number {
  const at = index + REACH;
  return (
    NEAREST * ((surrounded[at] ?? 0) + (surrounded[at + 1] ?? 0)) +
    SECOND * ((surrounded[at - 1] ?? 0) + (surrounded[at + 2] ?? 0)) +
    THIRD * ((surrounded[at - 2] ?? 0) + (surrounded[at + 3] ?? 0)) +
    FOURTH * ((surrounded[at - 3] ?? 0) + (surrounded[at + 4] ?? 0))
  );
}

/** @returns the highest of a sample and the three points after it; 0 if none can exceed the level */
function computePeakAfter(surrounded: Float32Array, index: number, doubledLevel: number): number {
  const magnitude = Math.abs(surrounded[index + REACH] ?? 0);
  const next = Math.abs(surrounded[index + REACH + 1] ?? 0);
  if (magnitude <= doubledLevel && next <= doubledLevel) {
    if (Math.abs(interpolateMidpoint(surrounded, index)) <= doubledLevel) return 0;
  }
  return Math.max(magnitude, computeInterpolatedPeak(surrounded, index));
}

function interpolateMidpoint(surrounded: Float32Array, index: number): number {
  let middle = 0;
  for (let tap = 0; tap < TAPS; tap++) {
    middle += (MIDDLE[tap] ?? 0) * (surrounded[index + 1 + tap] ?? 0);
  }
  return middle;
}

/** @returns the highest magnitude of the three points after a sample; summed in parallel, as each sum depends on itself */
function computeInterpolatedPeak(surrounded: Float32Array, index: number): number {
  let quarter = 0;
  let middle = 0;
  let threeQuarters = 0;
  for (let tap = 0; tap < TAPS; tap++) {
    const sample = surrounded[index + 1 + tap] ?? 0;
    quarter += (QUARTER[tap] ?? 0) * sample;
    middle += (MIDDLE[tap] ?? 0) * sample;
    threeQuarters += (THREE_QUARTERS[tap] ?? 0) * sample;
  }
  return Math.max(Math.abs(quarter), Math.abs(middle), Math.abs(threeQuarters));
}

/** @param fraction of the way from one sample to the next */
function interpolationTaps(fraction: number): Float64Array {
  const taps = Float64Array.from({ length: TAPS }, (_, tap) => {
    const distance = tap - REACH + 1 - fraction;
    const window = Math.cos((Math.PI * distance) / (2 * (REACH + 0.5))) ** 2;
    return (window * Math.sin(Math.PI * distance)) / (Math.PI * distance);
  });
  // A constant signal must stay constant.
  const sum = taps.reduce((total, tap) => total + tap, 0);
  return taps.map((tap) => tap / sum);
}

function sumOfMagnitudes(taps: Float64Array): number {
  return taps.reduce((sum, tap) => sum + Math.abs(tap), 0);
}
