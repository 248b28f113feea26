/** The gating blocks of BS.1770 are 400 ms long and start every 100 ms. */
const STEPS_PER_SECOND = 10;
const STEPS_PER_BLOCK = 4;

const ABSOLUTE_GATE_LUFS = -70;
const RELATIVE_GATE_LU = -10;

/** A mono programme of full-scale power has this loudness, by definition. */
const OFFSET_LU = -0.691;

/** Below this a filter state only costs time: the processor is slow on denormal numbers. */
const NEGLIGIBLE = 1e-25;

/**
 * Integrated loudness after ITU-R BS.1770-4 of one mono channel.
 * @param samples mono PCM, −1…1
 * @returns LUFS; −Infinity where nothing passes the gate
 */
export function integratedLoudness(samples: Float32Array, sampleRateHz: number): number {
  const meter = new LoudnessMeter(sampleRateHz);
  meter.add(samples);
  return meter.integrated();
}

/** Measures a programme that comes in pieces. */
export class LoudnessMeter {
  readonly #stepSamples: number;
  readonly #filter: KWeighting;
  /** Mean square of each finished step of 100 ms. */
  readonly #steps: number[] = [];
  #sum = 0;
  #inStep = 0;

  /** @param sampleRateHz rate of all samples to come */
  constructor(sampleRateHz: number) {
    this.#stepSamples = Math.round(sampleRateHz / STEPS_PER_SECOND);
    this.#filter = new KWeighting(sampleRateHz);
  }

  /** @param samples what follows the samples added before; mono PCM, −1…1 */
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

  /** @returns LUFS of everything added so far; what is shorter than a block counts as one */
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

/** The two filters of BS.1770 (a shelf for the head, a high-pass), moved to any sample rate. */
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
      const bright = b0 * input + shelf1;
      shelf1 = b1 * input - a1 * bright + shelf2;
      shelf2 = b2 * input - a2 * bright;
      const output = c0 * bright + high1;
      high1 = c1 * bright - d1 * output + high2;
      high2 = c2 * bright - d2 * output;
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

/** The analogue prototypes behind the standard's 48 kHz coefficients, by the bilinear transform. */
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
