import { describe, expect, test } from 'bun:test';
import { loadOnnxRuntime } from '../../src/build/native.ts';
import { parseGraph } from '../../src/speech/optimize/onnx-graph.ts';
import { completeKokoroModel } from '../../src/voices/kokoro.ts';
import { SmallNetwork } from './fixtures/small-network.ts';

const harmonics = 9;
const bins = 11;
const idCount = 4_000;
/** In the network below, ids up to this have no pitch. */
const lastUnvoiced = 99;

/** The part of Kokoro's export that converts pitch to sines, levels, phases and durations. */
function excite(network: SmallNetwork) {
  const pitches = Float32Array.from({ length: 256 }, (_, id) => (id <= lastUnvoiced ? 0 : 80 + id));
  const pitch = network.add('Gather', [network.constant(pitches, [256, 1]), 'input']);
  const voiced = network.add('Cast', [network.add('Greater', [pitch, network.number(10)])], { integers: { to: 1 } });
  const multiples = network.constant(
    Float32Array.from({ length: harmonics }, (_, index) => index + 1),
    [1, 1, harmonics],
  );
  const sines = network.add('Sin', [network.add('Mul', [pitch, multiples])]);
  const excitation = network.add('Mul', [network.add('Mul', [sines, network.number(0.1)]), voiced]);
  const mixed = network.add('MatMul', [
    excitation,
    network.constant(new Float32Array(harmonics).fill(0.5), [harmonics, 1]),
  ]);
  const source = network.add('Transpose', [network.add('Identity', [mixed])], { lists: { perm: [0, 2, 1] } });
  const spectrum = network.convolve(source, 1, 2 * bins, { taps: 5, hasBias: false });
  const [real, imaginary] = [network.channels(spectrum, 0, bins), network.channels(spectrum, bins, 2 * bins)];
  const phase = network.phase(real, imaginary);
  const level = network.add('Mul', [real, real]);
  const joined = network.add('Concat', [level, phase], { integers: { axis: 1 } });
  const zero = network.add('Mul', [network.convolve(joined, 2 * bins, 1, { taps: 1 }), network.number(0)]);
  const rounded = network.add('Round', [network.add('Squeeze', [pitch, network.integers(2)])]);
  const frames = network.add('Clip', [rounded, network.number(1)]);
  const silent = network.add('Mul', [network.add('Unsqueeze', [frames, network.integers(1)]), network.number(0)]);
  return { source, phase, silent: network.add('Add', [zero, silent]) };
}

async function run(model: Uint8Array, idOf: (place: number) => number) {
  const onnx = await loadOnnxRuntime();
  const session = await onnx.InferenceSession.create(model, { intraOpNumThreads: 1, logSeverityLevel: 4 });
  const ids = Array.from({ length: idCount }, (_, place) => idOf(place));
  const outputs = await session.run({
    input: new onnx.Tensor('int64', BigInt64Array.from(ids, BigInt), [1, idCount]),
    input_lengths: new onnx.Tensor('int64', BigInt64Array.of(BigInt(idCount)), [1]),
    scales: new onnx.Tensor('float32', [0, 1, 0], [3]),
  });
  await session.release();
  return { samples: outputs['output']?.data as Float32Array, durations: outputs['durations']?.data };
}

function complete(model: Uint8Array): Uint8Array {
  const completed = completeKokoroModel(model);
  if (completed === undefined) throw new Error('the structure was not recognized');
  return completed;
}

const computeDeviation = (values: Float32Array): number => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
};

describe('a completed export of Kokoro', () => {
  const network = new SmallNetwork({ operatorSet: 18 });
  const { source, silent } = excite(network);
  const plain = network.end(network.add('Add', [source, silent]));

  test('has noise in its excitation, stronger where the voice is silent, and the same in every run', async () => {
    const model = complete(plain);
    const unvoiced = await run(model, () => 7);
    // Nine noises of 0.1 / 3, each with the weight 0.5.
    expect(computeDeviation(unvoiced.samples)).toBeCloseTo((0.1 / 3) * 0.5 * Math.sqrt(harmonics), 3);
    const sines = (await run(plain, () => 120)).samples;
    const voiced = (await run(model, () => 120)).samples;
    const noise = voiced.map((sample, place) => sample - (sines[place] ?? 0));
    expect(computeDeviation(noise)).toBeCloseTo(0.003 * 0.5 * Math.sqrt(harmonics), 4);
    expect((await run(model, () => 7)).samples).toEqual(unvoiced.samples);
  });

  test('returns durations', async () => {
    const { durations } = await run(complete(plain), (place) => (place === 0 ? 120 : 7));
    expect([durations?.length, durations?.[0], durations?.[1]]).toEqual([idCount, 200, 1]);
  });

  test('has phases of 0 and π where the spectrum is real, and unchanged ones elsewhere', async () => {
    const computePhases = async (bin: number, isComplete: boolean) => {
      const other = new SmallNetwork({ operatorSet: 18 });
      const parts = excite(other);
      const sound = other.add('Add', [other.channels(parts.phase, bin, bin + 1), parts.silent]);
      const model = other.end(sound);
      return (await run(isComplete ? complete(model) : model, (place) => 100 + (place % 50))).samples;
    };
    for (const bin of [0, bins - 1]) {
      const values = new Set((await computePhases(bin, true)).map((value) => Math.round(value * 1_000)));
      expect([...values].sort((previous, next) => previous - next)).toEqual([0, 3_142]);
    }
    expect(new Set((await computePhases(3, true)).map((value) => Math.round(value * 10))).size).toBeGreaterThan(10);
  });

  test('has a convolution in place of its short-time Fourier transform', async () => {
    const other = new SmallNetwork({ operatorSet: 18 });
    const parts = excite(other);
    const [size, bin] = [20, 3];
    const ends = other.integers(0, 0, size / 2, 0, 0, size / 2 - 1);
    const signal = other.add('Squeeze', [other.add('Pad', [parts.source, ends]), other.integers(1)]);
    const window = Float32Array.from({ length: size }, (_, place) => Math.sin((Math.PI * place) / size) ** 2);
    const [step, length] = [1, size].map((value) => other.constant(BigInt64Array.of(BigInt(value)), []));
    const inputs = [signal, `${step}`, other.constant(window, [size]), `${length}`];
    const rows = other.add('Reshape', [other.add('STFT', inputs), other.integers(0, 0, 2 * bins)]);
    const spectrum = other.add('Transpose', [rows], { lists: { perm: [0, 2, 1] } });
    const imaginary = other.add('Add', [other.channels(spectrum, 2 * bin + 1, 2 * bin + 2), parts.silent]);
    const model = complete(other.end(imaginary));
    expect(parseGraph(model).nodes.map(({ opType }) => opType)).not.toContain('STFT');
    const getId = (place: number): number => 100 + (place % 50);
    const { samples: source } = await run(complete(plain), getId);
    const { samples } = await run(model, getId);
    for (const at of [0, 11, idCount - 1]) {
      const expected = window.reduce((sum, weight, place) => {
        const sample = source[at + place - size / 2] ?? 0;
        return sum - weight * sample * Math.sin((2 * Math.PI * bin * place) / size);
      }, 0);
      expect(samples[at]).toBeCloseTo(expected, 4);
    }
  });

  test('does not change a model of another structure', () => {
    const other = new SmallNetwork();
    expect(completeKokoroModel(other.end(other.convolve(other.ids(8), 8, 1)))).toBeUndefined();
  });
});
