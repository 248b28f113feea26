import {
  blockChannels,
  type Convolution,
  createDivisorLookup,
  findExactValues,
  isPlainUpsampling,
  keepsLength,
  parseConvolution,
} from './graph-edits.ts';
import { createNode, type Graph, type Node } from './onnx-graph.ts';

/** Of interleaved samples, whose channels come last. */
const timeAxis = 1;

/**
 * Has several samples that follow each other, the phases of one at a lower rate, come out of a convolution as so many
 * channels, and interleaves them afterwards. So becomes
 * - a `ConvTranspose` that lengthens a signal by its stride, for which the runtime has no fast way, a convolution at the
 *   lower rate;
 * - a convolution with a single output, like the last one of a voice, which can't be done in blocks of channels, one with
 *   a block of them.
 */
export function applyPolyphase(graph: Graph): void {
  const divisorOf = createDivisorLookup(graph);
  const exact = findExactValues(graph);
  graph.nodes = graph.nodes.flatMap((one) => {
    if (one.output.some((value) => exact.has(value))) return [one];
    const transposed = parseConvolution(one, graph, 'ConvTranspose');
    if (transposed !== undefined && isPlainUpsampling(transposed)) {
      return createInterleavedNodes(decomposeUpsampling(transposed), graph);
    }
    const single = parseConvolution(one, graph);
    const isSingle = single !== undefined && single.dims[0] === 1 && keepsLength(single);
    return isSingle && divisorOf(single.input) % blockChannels === 0
      ? createInterleavedNodes(decomposeSingleOutput(single), graph)
      : [one];
  });
}

/** A convolution that gives the phases of each output, all of the first phase first. */
interface PolyphaseConvolution {
  readonly convolution: Convolution;
  readonly phases: number;
  readonly weights: Float32Array;
  /** Outputs of all phases, inputs, taps. */
  readonly dims: readonly [number, number, number];
  readonly stride: number;
  readonly pads: readonly [number, number];
  /** Of the interleaved samples: from the first to before the last, which is counted from the end; undefined: all. */
  readonly range?: readonly [number, number];
}

/**
 * Without its pads, output sample q·stride + phase is the sum over the shifts of input sample q − shift by tap
 * phase + shift·stride. What the pads cut off is cut off where whole phases are interleaved: were the phases moved instead, a
 * kernel twice as long as the stride would touch three input samples in place of two.
 */
function decomposeUpsampling(transposed: Convolution): PolyphaseConvolution {
  const { weights, stride, pads } = transposed;
  const [inputs, outputs, taps] = transposed.dims;
  const shifts = Math.ceil(taps / stride);
  const cut = pads[0] % stride;
  const dims = [outputs * stride, inputs, shifts] as const;
  return {
    convolution: transposed,
    phases: stride,
    dims,
    weights: fillWeights(dims, (output, input, place) => {
      const tap = Math.floor(output / outputs) + (shifts - 1 - place) * stride;
      return tap < taps ? weights[(input * outputs + (output % outputs)) * taps + tap] : 0;
    }),
    stride: 1,
    pads: [shifts - 1 - Math.floor(pads[0] / stride), Math.ceil(pads[0] / stride)],
    ...(cut > 0 && { range: [cut, cut - stride] }),
  };
}

/** Every block of samples is made of the input around it; each phase finds its taps further on. */
function decomposeSingleOutput(single: Convolution): PolyphaseConvolution {
  const { weights, dilation } = single;
  const [, inputs, taps] = single.dims;
  const dims = [blockChannels, inputs, blockChannels + dilation * (taps - 1)] as const;
  return {
    convolution: single,
    phases: blockChannels,
    dims,
    weights: fillWeights(dims, (phase, input, place) => {
      const tap = (place - phase) / dilation;
      const isTap = Number.isInteger(tap) && tap >= 0 && tap < taps;
      return isTap ? weights[input * taps + tap] : 0;
    }),
    stride: blockChannels,
    pads: single.pads,
  };
}

function fillWeights(
  [outputs, inputs, taps]: PolyphaseConvolution['dims'],
  weight: (output: number, input: number, tap: number) => number | undefined,
): Float32Array {
  const weights = new Float32Array(outputs * inputs * taps);
  let place = 0;
  for (let output = 0; output < outputs; output += 1) {
    for (let input = 0; input < inputs; input += 1) {
      for (let tap = 0; tap < taps; tap += 1) weights[place++] = weight(output, input, tap) ?? 0;
    }
  }
  return weights;
}

/** The convolution, and its phases interleaved. */
function createInterleavedNodes(phased: PolyphaseConvolution, graph: Graph): Node[] {
  const { convolution: from, phases, weights, dims, stride, pads, range: kept } = phased;
  const { input, output, bias } = from;
  const outputs = dims[0] / phases;
  const integers = (part: string, ...values: number[]) =>
    graph.addConstant(`${output}/${part}`, { dims: [values.length], values });
  const names = [input, graph.addConstant(`${output}/weights`, { dims, values: weights })];
  if (bias !== undefined) {
    const values = Float32Array.from({ length: dims[0] }, (_, at) => bias[at % outputs] ?? 0);
    names.push(graph.addConstant(`${output}/bias`, { dims: [dims[0]], values }));
  }
  const shape = integers('shape', 0, -1, outputs);
  const [apart, turned, joined] = ['apart', 'turned', 'joined'].map((part) => graph.newName(`${output}/${part}`)) as [
    string,
    string,
    string,
  ];
  const attributes = { kernel_shape: [dims[2]], pads, strides: [stride], dilations: [1], group: 1 };
  const nodes = [
    createNode('Conv', names, [apart], attributes),
    createNode('Transpose', [apart], [turned], { perm: [0, 2, 1] }),
    createNode('Reshape', [turned, shape], [joined]),
  ];
  if (kept === undefined) {
    return [...nodes, createNode('Transpose', [joined], [output], { perm: [0, 2, 1] })];
  }
  const cut = graph.newName(`${output}/cut`);
  const range = [integers('from', kept[0]), integers('to', kept[1]), integers('axis', timeAxis)];
  return [
    ...nodes,
    createNode('Slice', [joined, ...range], [cut]),
    createNode('Transpose', [cut], [output], { perm: [0, 2, 1] }),
  ];
}
