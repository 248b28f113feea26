import { describe, expect, test } from 'bun:test';
import { parseGraph } from '../../src/speech/optimize/onnx-graph.ts';
import { rewriteModel } from '../../src/speech/optimize/optimize.ts';
import { runNetwork, SmallNetwork } from './fixtures/small-network.ts';

const lengths = [1, 2, 5, 17, 64];
/** Required signal-to-noise ratio, in dB. */
const snrMin = 100;

async function expectSameSound(model: Uint8Array, rewritten: Uint8Array): Promise<void> {
  for (const [place, idCount] of lengths.entries()) {
    const before = await runNetwork(model, idCount, place % 4);
    const after = await runNetwork(rewritten, idCount, place % 4);
    expect(after.length).toBe(before.length);
    const sound = before.reduce((sum, sample) => sum + sample ** 2, 0);
    const difference = before.reduce((sum, sample, i) => sum + (sample - (after[i] ?? 0)) ** 2, 0);
    expect(sound).toBeGreaterThan(0);
    expect(10 * Math.log10(sound / difference)).toBeGreaterThan(snrMin);
  }
}

/** @returns the operations of a rewritten network, whose output must equal that of the original */
async function listRewritten(model: Uint8Array): Promise<readonly string[]> {
  const other = rewriteModel(model);
  if (other === undefined) throw new Error('model not rewritten');
  await expectSameSound(model, other);
  return listOperations(other);
}

function listOperations(model: Uint8Array): readonly string[] {
  return parseGraph(model).nodes.map(({ opType }) => opType);
}

/** The ranks of the weights of convolutions. */
function listWeightRanks(model: Uint8Array | undefined): ReadonlySet<number | undefined> {
  const graph = parseGraph(model ?? new Uint8Array());
  const convolutions = graph.nodes.filter(({ opType }) => opType === 'Conv');
  return new Set(convolutions.map(({ input }) => graph.constant(input[1] ?? '')?.dims.length));
}

const upsamplings = [
  { taps: 16, stride: 8, pads: [4, 4] },
  { taps: 8, stride: 4, pads: [2, 2] },
  { taps: 4, stride: 2, pads: [1, 1] },
  { taps: 3, stride: 3, pads: [0, 0] },
  { taps: 7, stride: 4, pads: [1, 2] },
  { taps: 11, stride: 2, pads: [4, 5] },
] as const;

/** The shapes of the weights of convolutions, in the order of the graph. */
function listWeightShapes(model: Uint8Array | undefined): readonly string[] {
  const graph = parseGraph(model ?? new Uint8Array());
  const convolutions = graph.nodes.filter(({ opType }) => opType === 'Conv');
  return convolutions.map(({ input }) => `${graph.constant(input[1] ?? '')?.dims.join('x')}`);
}

/** Like the decoder of HiFi-GAN, with one stage for each upsampling. */
function addDecoder(
  kind: 1 | 2,
  network: SmallNetwork,
  stages: readonly (typeof upsamplings)[number][],
  speaker?: string,
): string {
  let channels = 32;
  let sound = network.convolve(network.ids(24), 24, channels, { taps: 7 });
  if (speaker !== undefined) sound = network.add('Add', [sound, network.convolve(speaker, 8, channels, { taps: 1 })]);
  for (const upsampling of stages) {
    sound = network.upsample(network.leaky(sound), channels, channels / 2, upsampling);
    channels /= 2;
    sound = network.add('Div', [addResblocks(kind, network, sound, channels), network.number(3)]);
  }
  return network.add('Tanh', [network.convolve(network.leaky(sound, 0.01), channels, 1, { taps: 7, hasBias: false })]);
}

function addResblocks(kind: 1 | 2, network: SmallNetwork, input: string, channels: number): string {
  const blocks = [3, 5, 7].map((taps) => {
    let sound = input;
    for (const dilation of [1, 3]) {
      let inner = network.convolve(network.leaky(sound), channels, channels, { taps, dilation });
      if (kind === 1) inner = network.convolve(network.leaky(inner), channels, channels, { taps });
      sound = network.add('Add', [inner, sound]);
    }
    return sound;
  });
  return blocks.reduce((sum, block) => network.add('Add', [sum, block]));
}

describe('a decoder', () => {
  test.each(upsamplings.map((upsampling) => [upsampling] as const))('upsampled by %o', async (upsampling) => {
    const network = new SmallNetwork();
    const operations = await listRewritten(network.end(addDecoder(2, network, [upsampling])));
    expect(operations).not.toContain('ConvTranspose');
    expect(operations).not.toContain('Div');
  });

  test.each([1, 2] as const)('of residual blocks of kind %i, in two stages', async (kind) => {
    const network = new SmallNetwork();
    const model = network.end(addDecoder(kind, network, [upsamplings[0], upsamplings[2]]));
    const operations = await listRewritten(model);
    expect(operations).not.toContain('ConvTranspose');
    expect(listWeightRanks(model)).toEqual(new Set([3]));
    expect(listWeightRanks(rewriteModel(model))).toEqual(new Set([4]));
  });

  test('whose output is not a multiple of the block size keeps its last convolution', async () => {
    const network = new SmallNetwork();
    const model = network.end(addDecoder(2, network, upsamplings.slice(1, 3)));
    await listRewritten(model);
    expect(listWeightRanks(rewriteModel(model))).toEqual(new Set([4, 3]));
  });

  test('of several speakers', async () => {
    const network = new SmallNetwork({ severalSpeakers: true });
    await listRewritten(network.end(addDecoder(2, network, upsamplings.slice(2, 3), network.speaker(8))));
  });
});

/** A layer of a flow: a gate of two halves, and a second convolution with a residual half and an output half. */
function addGatedLayer(network: SmallNetwork, input: string, extra: (sum: string) => string): string {
  const mask = network.mask(input);
  const allOfBatch = [0, 2 ** 31, 0, 1].map((value) => network.integers(value));
  const sum = extra(network.convolve(input, 16, 32, { taps: 5 }));
  const inside = network.add('Slice', [sum, ...allOfBatch]);
  const gate = network.add('Mul', [
    network.add('Tanh', [network.channels(inside, 0, 16)]),
    network.add('Sigmoid', [network.channels(inside, 16, 2 ** 31)]),
  ]);
  const both = network.convolve(gate, 16, 32, { taps: 1 });
  const onward = network.add('Mul', [network.add('Add', [input, network.channels(both, 0, 16)]), mask]);
  const out = network.add('Add', [network.zerosLike(input), network.channels(both, -16, 32)]);
  return network.add('Add', [onward, network.convolve(out, 16, 16)]);
}

describe('a flow', () => {
  test('of one speaker loses its masks, its zeros and the copies of halves', async () => {
    const network = new SmallNetwork();
    const start = network.convolve(network.ids(16), 16, 16);
    const layer = addGatedLayer(network, start, (sum) => network.add('Add', [sum, network.zerosLike(sum)]));
    const logarithm = network.add('Neg', [network.zerosLike(layer)]);
    const scaled = network.add('Mul', [layer, network.add('Exp', [logarithm])]);
    const operations = await listRewritten(network.end(network.convolve(scaled, 16, 1)));
    for (const gone of ['Slice', 'Less', 'Range', 'ConstantOfShape', 'Exp', 'Mul_mask']) {
      expect(operations).not.toContain(gone);
    }
  });

  test('of several speakers adds the speaker condition to each half', async () => {
    const network = new SmallNetwork({ severalSpeakers: true });
    const start = network.convolve(network.ids(16), 16, 16);
    const condition = network.convolve(network.speaker(8), 8, 64, { taps: 1 });
    const share = network.channels(condition, 32, 64);
    const layer = addGatedLayer(network, start, (sum) => network.add('Add', [sum, share]));
    await listRewritten(network.end(network.convolve(layer, 16, 1)));
  });

  test.each([true, false])('that expands half of the channels to all and back, bias: %p', async (hasBias) => {
    const network = new SmallNetwork();
    const half = network.convolve(network.ids(16), 16, 16);
    const all = network.convolve(half, 16, 64, { taps: 1, hasBias });
    const layers = [1, 2].map((dilation) =>
      network.add('Tanh', [network.convolve(all, 64, 64, { taps: 5, dilation })]),
    );
    const sum = network.add(
      'Add',
      layers.map((layer, place) => network.convolve(layer, 64, 64, { taps: 1 + 2 * place, hasBias })),
    );
    const post = network.add('Tanh', [network.convolve(sum, 64, 16, { taps: 1, hasBias })]);
    const model = network.end(network.convolve(post, 16, 1));
    await listRewritten(model);
    expect(listWeightShapes(rewriteModel(model)).filter((shape) => shape.includes('x1x'))).toEqual([
      ...['16x16x1x3', '32x16x1x1', '64x32x1x5', '64x32x1x5'],
      ...['16x64x1x1', '16x64x1x3'],
    ]);
  });
});

describe('similar but different structures are unchanged', () => {
  const cases: readonly (readonly [string, (network: SmallNetwork, start: string) => string])[] = [
    [
      'a stride, dilation and groups',
      (network, start) => {
        const strided = network.convolve(start, 16, 16, { taps: 4, stride: 2, pads: [3, 1] });
        return network.convolve(strided, 16, 16, { group: 4, dilation: 3 });
      },
    ],
    [
      'an upsampling that is longer than its stride',
      (network, start) => network.upsample(start, 16, 16, { taps: 5, stride: 2, pads: [0, 0] }),
    ],
    [
      'a dilated upsampling',
      (network, start) => network.upsample(start, 16, 16, { taps: 3, stride: 2, dilation: 2, pads: [0, 1] }),
    ],
    [
      'a negative scale before a rectifier',
      (network, start) => network.convolve(network.leaky(network.add('Mul', [start, network.number(-2)])), 16, 16),
    ],
    [
      'a scale whose result has another consumer',
      (network, start) => {
        const scaled = network.add('Div', [start, network.number(3)]);
        return network.add('Add', [network.convolve(network.leaky(scaled), 16, 16), scaled]);
      },
    ],
    [
      'a mask in the square',
      (network, start) => {
        const mask = network.mask(start);
        const turned = network.add('Transpose', [mask], { lists: { perm: [0, 2, 1] } });
        const rows = network.add('ReduceMean', [network.add('Mul', [mask, turned])], {
          lists: { axes: [1] },
        });
        return network.add('Mul', [start, rows]);
      },
    ],
    [
      'channels with two consumers or none',
      (network, start) => {
        const wide = network.convolve(start, 16, 40);
        const half = network.channels(wide, 0, 16);
        return network.add('Sub', [half, network.channels(wide, 8, 24)]);
      },
    ],
    [
      'channels with consumers of parts and of the whole',
      (network, start) => {
        const wide = network.convolve(start, 16, 32);
        const mean = network.add('ReduceMean', [wide], { lists: { axes: [1] } });
        return network.add('Add', [network.channels(wide, 0, 16), mean]);
      },
    ],
    [
      'a slice of a part of the batch',
      (network, start) => {
        const none = [1, 2 ** 31, 0, 1].map((value) => network.integers(value));
        const rest = network.add('ReduceSum', [network.add('Slice', [start, ...none])], {
          integers: { keepdims: 0 },
        });
        return network.add('Add', [start, rest]);
      },
    ],
    [
      'a sum of convolutions of which one has another consumer, and a sum of a convolution with itself',
      (network, start) => {
        const [left, right] = [network.convolve(start, 16, 32), network.convolve(start, 16, 32)];
        const sum = network.convolve(network.add('Add', [left, right]), 32, 16, { taps: 1 });
        const third = network.convolve(start, 16, 32);
        const twice = network.add('Add', [third, third]);
        const narrow = network.convolve(twice, 32, 16, { taps: 1 });
        return network.add('Add', [network.add('Add', [sum, narrow]), network.convolve(right, 32, 16)]);
      },
    ],
    [
      'a sum of convolutions in groups, and fewer channels than a block',
      (network, start) => {
        const grouped = network.convolve(start, 16, 32, { group: 2 });
        const sum = network.add('Add', [grouped, network.convolve(start, 16, 32)]);
        const narrow = network.convolve(sum, 32, 16, { taps: 1 });
        return network.convolve(network.convolve(narrow, 16, 8), 8, 16, { taps: 1 });
      },
    ],
    [
      'more output channels with a stride or padding',
      (network, start) => {
        const half = network.convolve(start, 16, 64, { taps: 1, stride: 2, pads: [0, 0] });
        const longer = network.convolve(half, 64, 16);
        const edges = network.convolve(longer, 16, 64, { taps: 1, pads: [1, 1] });
        return network.convolve(edges, 64, 16);
      },
    ],
    [
      'a value for each channel',
      (network, start) => {
        const mean = network.add('ReduceMean', [start], { lists: { axes: [2] } });
        return network.add('Add', [start, mean]);
      },
    ],
    [
      'a number that is an input',
      (network, start) => {
        const given = network.add('ReduceMean', ['scales'], { integers: { keepdims: 0 } });
        return network.leaky(network.add('Add', [start, given]));
      },
    ],
  ];

  test.each(cases)('%s', async (_, build) => {
    const network = new SmallNetwork();
    const start = network.convolve(network.ids(16), 16, 16);
    await listRewritten(network.end(network.convolve(build(network, start), 16, 1)));
  });
});

describe('rounded values, and sums over time, are unchanged to the last bit', () => {
  const roundings: readonly (readonly [string, (network: SmallNetwork, value: string) => string])[] = [
    ['Ceil', (network, value) => network.add('Ceil', [value])],
    ['Floor', (network, value) => network.add('Floor', [value])],
    ['Round', (network, value) => network.add('Round', [value])],
    ['CumSum', (network, value) => network.add('CumSum', [value, network.integers(2)])],
  ];

  test.each(roundings)('%s', async (operation, rounded) => {
    const network = new SmallNetwork();
    const before = network.upsample(network.ids(16), 16, 16, upsamplings[2]);
    const scaled = network.add('Div', [network.leaky(before), network.number(3)]);
    const wide = network.convolve(network.convolve(scaled, 16, 64, { taps: 1 }), 64, 64);
    const exact = rounded(network, network.convolve(wide, 64, 16, { taps: 1 }));
    const small = network.add('Mul', [exact, network.number(0.01)]);
    const after = network.convolve(network.leaky(small), 16, 16);
    const model = network.end(network.convolve(after, 16, 1));
    const operations = await listRewritten(model);
    // The part before is unchanged, the part after is not.
    expect(operations).toContain('ConvTranspose');
    expect(operations).toContain('Div');
    expect(listWeightRanks(rewriteModel(model))).toEqual(new Set([3, 4]));
    const shapes = ['64x16x1', '64x64x3', '16x64x1'];
    expect(listWeightShapes(rewriteModel(model))).toEqual(expect.arrayContaining(shapes));
    expect(operations).toContain(operation);
  });
});

test('a network without a convolution is not rewritten', () => {
  const network = new SmallNetwork();
  const mean = network.add('ReduceMean', [network.ids(16)], { lists: { axes: [1] } });
  expect(rewriteModel(network.end(mean))).toBeUndefined();
});
