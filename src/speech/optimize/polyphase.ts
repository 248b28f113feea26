import { exactValues } from './exact-values.ts';
import {
  type Convolution,
  convolutionOf,
  divisorsOf,
  isPlainUpsampling,
  keepsLength,
} from './graph-edits.ts';
import { type Graph, type Node, node } from './onnx-graph.ts';

/** As many channels as the runtime takes at once at most. */
const blockChannels = 16;
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
export function convolveInPhases(graph: Graph): void {
  const divisorOf = divisorsOf(graph);
  const exact = exactValues(graph);
  graph.nodes = graph.nodes.flatMap((one) => {
    if (one.output.some((value) => exact.has(value))) return [one];
    const transposed = convolutionOf(one, graph, 'ConvTranspose');
    if (transposed !== undefined && isPlainUpsampling(transposed)) {
      return interleaved(upsampled(transposed), graph);
    }
    const single = convolutionOf(one, graph);
    const isSingle = single !== undefined && single.dims[0] === 1 && keepsLength(single);
    return isSingle && divisorOf(single.input) % blockChannels === 0
      ? interleaved(gathered(single), graph)
      : [one];
  });
}

/** A convolution that gives the phases of each output, all of the first phase first. */
interface Phased {
  readonly from: Convolution;
  readonly phases: number;
  readonly weights: Float32Array;
  /** Outputs of all phases, inputs, taps. */
  readonly dims: readonly [number, number, number];
  readonly stride: number;
  readonly pads: readonly [number, number];
  /** Of the interleaved samples: from the first to before the last, which is counted from the end; undefined: all. */
  readonly kept?: readonly [number, number];
}

/**
 * Without its pads, output sample q·stride + phase is the sum over the shifts of input sample q − shift by tap
 * phase + shift·stride. What the pads cut off is cut off where whole phases are interleaved: were the phases moved instead, a
 * kernel twice as long as the stride would touch three input samples in place of two.
 */
function upsampled(transposed: Convolution): Phased {
  const { weights, stride, pads } = transposed;
  const [inputs, outputs, taps] = transposed.dims;
  const shifts = Math.ceil(taps / stride);
  const cut = pads[0] % stride;
  const dims = [outputs * stride, inputs, shifts] as const;
  return {
    from: transposed,
    phases: stride,
    dims,
    weights: filled(dims, (output, input, place) => {
      const tap = Math.floor(output / outputs) + (shifts - 1 - place) * stride;
      return tap < taps ? weights[(input * outputs + (output % outputs)) * taps + tap] : 0;
    }),
    stride: 1,
    pads: [shifts - 1 - Math.floor(pads[0] / stride), Math.ceil(pads[0] / stride)],
    ...(cut > 0 && { kept: [cut, cut - stride] }),
  };
}

/** Every block of samples is made of the input around it; each phase finds its taps further on. */
function gathered(single: Convolution): Phased {
  const { weights, dilation } = single;
  const [, inputs, taps] = single.dims;
  const dims = [blockChannels, inputs, blockChannels + dilation * (taps - 1)] as const;
  return {
    from: single,
    phases: blockChannels,
    dims,
    weights: filled(dims, (phase, input, place) => {
      const tap = (place - phase) / dilation;
      const isTap = Number.isInteger(tap) && tap >= 0 && tap < taps;
      return isTap ? weights[input * taps + tap] : 0;
    }),
    stride: blockChannels,
    pads: single.pads,
  };
}

function filled(
  [outputs, inputs, taps]: Phased['dims'],
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
function interleaved(phased: Phased, graph: Graph): Node[] {
  const { from, phases, weights, dims, stride, pads, kept } = phased;
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
  const [apart, turned, joined] = ['apart', 'turned', 'joined'].map((part) =>
    graph.newName(`${output}/${part}`),
  ) as [string, string, string];
  const attributes = { kernel_shape: [dims[2]], pads, strides: [stride], dilations: [1], group: 1 };
  const nodes = [
    node('Conv', names, [apart], attributes),
    node('Transpose', [apart], [turned], { perm: [0, 2, 1] }),
    node('Reshape', [turned, shape], [joined]),
  ];
  if (kept === undefined) {
    return [...nodes, node('Transpose', [joined], [output], { perm: [0, 2, 1] })];
  }
  const cut = graph.newName(`${output}/cut`);
  const range = [integers('from', kept[0]), integers('to', kept[1]), integers('axis', timeAxis)];
  return [
    ...nodes,
    node('Slice', [joined, ...range], [cut]),
    node('Transpose', [cut], [output], { perm: [0, 2, 1] }),
  ];
}
