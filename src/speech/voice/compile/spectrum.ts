/** Upper edges of the critical bands of hearing (Zwicker), in Hz; the last band has what lies above. */
const bandEdgesHz = [
  ...[100, 200, 300, 400, 510, 630, 770, 920, 1_080, 1_270, 1_480, 1_720, 2_000, 2_320, 2_700],
  ...[3_150, 3_700, 4_400, 5_300, 6_400, 7_700, 9_500, 12_000, 15_500],
];
const frameSeconds = 0.012;

/** The power of two signals in one short frame, by critical band, as mean squares. */
export interface FramePowers {
  readonly first: Float64Array;
  readonly second: Float64Array;
}

/**
 * Cuts two signals of the same length into frames of about 12 ms that overlap by half, and tells their power in each
 * critical band. The arrays are reused from frame to frame.
 */
export function* framePowers(
  first: Float32Array,
  second: Float32Array,
  sampleRateHz: number,
): Generator<FramePowers, undefined> {
  const size = 2 ** Math.round(Math.log2(sampleRateHz * frameSeconds));
  const bands = Array.from({ length: size / 2 + 1 }, (_, bin) =>
    bandAt((bin * sampleRateHz) / size),
  );
  const window = Float64Array.from(
    { length: size },
    (_, place) => 0.5 - 0.5 * Math.cos((2 * Math.PI * place) / size),
  );
  const scale = 2 / (size * window.reduce((sum, value) => sum + value ** 2, 0));
  const [real, imaginary] = [new Float64Array(size), new Float64Array(size)];
  const transform = fourierTransform(size);
  const powers = {
    first: new Float64Array(bandEdgesHz.length + 1),
    second: new Float64Array(bandEdgesHz.length + 1),
  };
  // The first and the last frame reach beyond the sound, so that its edges weigh as much as its middle.
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
      // Two real signals in one transform: the even part is the first one's spectrum, the odd part the second one's.
      const firstPower = ((re + reMirrored) ** 2 + (im - imMirrored) ** 2) / 4;
      const secondPower = ((im + imMirrored) ** 2 + (re - reMirrored) ** 2) / 4;
      powers.first[band] = (powers.first[band] ?? 0) + firstPower * scale;
      powers.second[band] = (powers.second[band] ?? 0) + secondPower * scale;
    }
    yield powers;
  }
}

function bandAt(hz: number): number {
  const band = bandEdgesHz.findIndex((edge) => hz < edge);
  return band < 0 ? bandEdgesHz.length : band;
}

/** @param size a power of two @returns what transforms a signal of complex numbers in place */
function fourierTransform(size: number): (real: Float64Array, imaginary: Float64Array) => void {
  const cosines = Float64Array.from({ length: size / 2 }, (_, k) =>
    Math.cos((2 * Math.PI * k) / size),
  );
  const sines = Float64Array.from({ length: size / 2 }, (_, k) =>
    Math.sin((2 * Math.PI * k) / size),
  );
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

/** Swaps each place with the one of its bits reversed. */
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
