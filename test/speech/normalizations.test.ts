import { describe, expect, test } from 'bun:test';
import { parseGraph } from '../../src/speech/optimize/onnx-graph.ts';
import { rewriteModel } from '../../src/speech/optimize/optimize.ts';
import { runNetwork, SmallNetwork } from './fixtures/small-network.ts';

const channels = 32;
const minSnrDb = 95;
/** Some close to zero, some negative. */
const alphas = Array.from({ length: channels }, (_, index) => (index % 2 === 0 ? 1 : -1) * (0.2 + index / 10));

/** @returns the operations of the rewritten network, which must give the same samples */
async function listRewritten(model: Uint8Array): Promise<readonly string[]> {
  const other = rewriteModel(model);
  if (other === undefined) throw new Error('model not rewritten');
  for (const idCount of [5, 17, 64, 66, 67, 68, 69]) {
    const before = await runNetwork(model, idCount);
    const after = await runNetwork(other, idCount);
    const energy = before.reduce((sum, sample) => sum + sample ** 2, 0);
    const difference = before.reduce((sum, sample, index) => sum + (sample - (after[index] ?? 0)) ** 2, 0);
    expect(after.length).toBe(before.length);
    expect(energy).toBeGreaterThan(0);
    expect(10 * Math.log10(energy / difference)).toBeGreaterThan(minSnrDb);
  }
  return parseGraph(other).nodes.map(({ opType }) => opType);
}

/** As in Kokoro's generator: normalization with a scale from the style, activation, convolution, sum. */
function createBlock(activate: (network: SmallNetwork, value: string) => string, operatorSet = 18): Uint8Array {
  const network = new SmallNetwork({ severalSpeakers: true, operatorSet });
  let sound = network.convolve(network.ids(24), 24, channels, { taps: 7 });
  for (const dilation of [1, 3]) {
    const style = network.convolve(network.speaker(8), 8, 2 * channels, { taps: 1 });
    const scale = network.add('Add', [network.channels(style, 0, channels), network.number(1)]);
    const normal = network.normalize(sound, scale, network.channels(style, channels, 2 * channels));
    const inner = network.convolve(activate(network, normal), channels, channels, { taps: 3, dilation });
    sound = network.add('Add', [inner, sound]);
  }
  return network.end(network.convolve(sound, channels, 1, { taps: 7 }));
}

/** A convolution behind a normalization with a scale from the style. */
function createLongBlock(taps: number, { wide = 128, dilation = 1, isSnake = true } = {}): Uint8Array {
  const network = new SmallNetwork({ severalSpeakers: true, operatorSet: 18 });
  const sound = network.convolve(network.ids(24), 24, wide, { taps: 7 });
  const style = network.convolve(network.speaker(8), 8, 2 * wide, { taps: 1 });
  const normal = network.normalize(sound, network.channels(style, 0, wide), network.channels(style, wide, 2 * wide));
  const active = isSnake
    ? network.snake(
        normal,
        Array.from({ length: wide }, (_, index) => 0.2 + index / 50),
      )
    : network.leaky(normal);
  const inner = network.convolve(active, wide, wide, { taps, dilation });
  return network.end(network.convolve(network.add('Add', [inner, sound]), wide, 1, { taps: 7 }));
}

const count = (operations: readonly string[], wanted: string): number =>
  operations.filter((operation) => operation === wanted).length;

describe('a normalization over time', () => {
  test('is unchanged before another activation', async () => {
    const operations = await listRewritten(createBlock((network, value) => network.leaky(value, 0.2)));
    expect(operations).not.toContain('InstanceNormalization');
  });

  test('is fused with the factors of the next snake activation, whose inverses go into the next weights', async () => {
    for (const operatorSet of [15, 18]) {
      const operations = await listRewritten(
        createBlock((network, value) => network.snake(value, alphas), operatorSet),
      );
      expect(count(operations, 'InstanceNormalization')).toBe(2);
      expect(count(operations, 'Sin')).toBe(2);
      for (const gone of ['Pow', 'ReduceMean', 'Sqrt', 'Div']) expect(operations).not.toContain(gone);
    }
  });

  test('is fused with a snake activation that is almost linear in one channel', async () => {
    const small = alphas.map((alpha, index) => (index === 3 ? 9.5e-5 : alpha));
    expect(await listRewritten(createBlock((network, value) => network.snake(value, small)))).not.toContain('Pow');
  });

  test('does not change an activation whose factors are not inverses, or zero', async () => {
    const inverses = alphas.map(() => 0.5);
    const other = await listRewritten(createBlock((network, value) => network.snake(value, alphas, inverses)));
    expect(count(other, 'Pow')).toBe(2);
    const zeros = alphas.map((alpha, index) => (index === 3 ? 0 : alpha));
    const inverted = alphas.map((alpha, index) => (index === 3 ? 0 : 1 / alpha));
    expect(
      count(await listRewritten(createBlock((network, value) => network.snake(value, zeros, inverted))), 'Pow'),
    ).toBe(2);
  });
});

describe('a convolution with many taps after a snake activation', () => {
  test.each([7, 8, 11])('is computed with fewer multiplications, for any length: %i taps', async (taps) => {
    expect(count(await listRewritten(createLongBlock(taps)), 'Gemm')).toBe(1);
  });

  test('is unchanged with few taps or channels, with a dilation, and after another activation', async () => {
    for (const model of [
      createLongBlock(3),
      createLongBlock(11, { wide: 32 }),
      createLongBlock(11, { dilation: 3 }),
      createLongBlock(11, { isSnake: false }),
    ]) {
      expect(count(await listRewritten(model), 'Gemm')).toBe(0);
    }
  });
});
