/** Neighbours on either side that a point between two samples is computed from. */
const REACH = 12;
const TAPS = 2 * REACH;

/** The points between two samples: with them there are four times as many, as BS.1770 asks for. */
const QUARTER = interpolationTaps(1 / 4);
const MIDDLE = interpolationTaps(1 / 2);
const THREE_QUARTERS = interpolationTaps(3 / 4);

/** Points between the samples are computed for whole blocks of samples or not at all. */
const BLOCK_SAMPLES = 16;

/** No point between samples can be higher than the samples around it times this. */
const HIGHEST_OVERSHOOT = Math.max(...[QUARTER, MIDDLE, THREE_QUARTERS].map(sumOfMagnitudes));

/** With the points in the middle the samples are twice as dense, and a curve rises no higher above them. */
const HIGHEST_OVERSHOOT_OF_DOUBLED = Math.SQRT2;

/**
 * Called for each stretch between two samples whose curve goes above the level asked for.
 * @param index of the sample before the peak
 * @param peak magnitude of the curve between that sample and the next, both included
 */
export type PeakListener = (index: number, peak: number) => void;

/**
 * @param samples mono PCM
 * @returns the highest magnitude of the curve through the samples; 1 is full scale
 */
export function truePeak(samples: Float32Array): number {
  let highest = 0;
  for (let start = 0; start < samples.length; start += BLOCK_SAMPLES) {
    eachPeakOfBlock(samples, start, highest, (_, peak) => {
      if (peak > highest) highest = peak;
    });
  }
  return highest;
}

/** @returns `truePeak` in dB relative to full scale; −Infinity for silence */
export function truePeakDbtp(samples: Float32Array): number {
  return 20 * Math.log10(truePeak(samples));
}

/** Reports every place where the curve through the samples is higher than a level. */
export function eachPeakAbove(samples: Float32Array, level: number, listener: PeakListener): void {
  for (let start = 0; start < samples.length; start += BLOCK_SAMPLES) {
    eachPeakOfBlock(samples, start, level, listener);
  }
}

function eachPeakOfBlock(
  samples: Float32Array,
  start: number,
  level: number,
  listener: PeakListener,
): void {
  const end = Math.min(samples.length, start + BLOCK_SAMPLES);
  if (highestSample(samples, start - REACH, end + REACH) * HIGHEST_OVERSHOOT <= level) return;
  for (let i = start; i < end; i++) {
    const peak = peakAfter(samples, i, level);
    if (peak > level) listener(i, peak);
  }
}

function highestSample(samples: Float32Array, start: number, end: number): number {
  let highest = 0;
  const last = Math.min(end, samples.length);
  for (let i = Math.max(0, start); i < last; i++) {
    const magnitude = Math.abs(samples[i] ?? 0);
    if (magnitude > highest) highest = magnitude;
  }
  return highest;
}

/** The highest of a sample and the three points behind it, the outer two only where they can matter. */
function peakAfter(samples: Float32Array, index: number, level: number): number {
  const own = Math.abs(samples[index] ?? 0);
  const middle = Math.abs(pointAfter(samples, index, MIDDLE));
  const next = Math.abs(samples[index + 1] ?? 0);
  if (Math.max(own, middle, next) * HIGHEST_OVERSHOOT_OF_DOUBLED <= level) return 0;
  const quarter = Math.abs(pointAfter(samples, index, QUARTER));
  const threeQuarters = Math.abs(pointAfter(samples, index, THREE_QUARTERS));
  return Math.max(own, middle, quarter, threeQuarters);
}

function pointAfter(samples: Float32Array, index: number, taps: Float64Array): number {
  const first = index - REACH + 1;
  let point = 0;
  for (let tap = 0; tap < TAPS; tap++) point += (taps[tap] ?? 0) * (samples[first + tap] ?? 0);
  return point;
}

/** @param fraction of the way from one sample to the next */
function interpolationTaps(fraction: number): Float64Array {
  const taps = Float64Array.from({ length: TAPS }, (_, tap) => {
    const distance = tap - REACH + 1 - fraction;
    const window = Math.cos((Math.PI * distance) / (2 * (REACH + 0.5))) ** 2;
    return (window * Math.sin(Math.PI * distance)) / (Math.PI * distance);
  });
  // A constant must stay that constant.
  const sum = taps.reduce((total, tap) => total + tap, 0);
  return taps.map((tap) => tap / sum);
}

function sumOfMagnitudes(taps: Float64Array): number {
  return taps.reduce((sum, tap) => sum + Math.abs(tap), 0);
}
