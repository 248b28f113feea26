import {
  analyzeUsage,
  blockChannels,
  type Convolution,
  createDivisorLookup,
  findExactValues,
  isOperation,
  isPlainUpsampling,
  keepsLength,
  parseConvolution,
  removeName,
  replaceValues,
  type ValueUsage,
} from './graph-edits.ts';
import { createNode, type Graph, type Node } from './onnx-graph.ts';

/**
 * Merges two consecutive convolutions if one of them is pointwise and the result needs fewer multiplications: in a flow,
 * half of the channels are expanded to all before the first layer, and reduced to half after the last one.
 */
export function mergeConvolutions(graph: Graph): void {
  narrowSums(graph);
  skipExpansions(graph);
}

/** Merges a pointwise convolution that reduces channels into each of the convolutions whose sum is its input. */
function narrowSums(graph: Graph): void {
  const use = analyzeUsage(graph);
  const exact = findExactValues(graph);
  const narrowed = new Map<Node, Node>();
  const replacements = new Map<string, string>();
  for (const node of graph.nodes) {
    const last = pointwiseOf(node, graph);
    if (last === undefined || exact.has(last.output) || graph.outputs.has(last.output)) continue;
    const [outputs, inputs] = last.dims;
    if (outputs >= inputs || outputs % blockChannels !== 0) continue;
    const addends = addendsOf(last.input, graph, use);
    if (!addends?.every(({ dims, group }) => dims[0] === inputs && group === 1)) continue;
    for (const [place, first] of addends.entries()) {
      narrowed.set(first.node, narrowedBy(last, first, place === 0, graph));
    }
    replacements.set(last.output, last.input);
  }
  graph.nodes = graph.nodes.map((node) => narrowed.get(node) ?? node);
  replaceValues(graph, replacements);
}

/** @returns the convolutions whose sum a value is; undefined for other terms, or other consumers of a term */
function addendsOf(value: string, graph: Graph, use: ValueUsage): readonly Convolution[] | undefined {
  const producer = use.producerOf(value);
  if (producer === undefined || !use.isTakenBy(value, 1)) return undefined;
  const convolution = parseConvolution(producer, graph);
  if (convolution !== undefined) return [convolution];
  const [left = '', right = ''] = producer.input;
  if (!isOperation(producer, 'Add') || left === right) return undefined;
  const [first, second] = [addendsOf(left, graph, use), addendsOf(right, graph, use)];
  return first && second && [...first, ...second];
}

/** @param takesBias whether it includes the bias of the last one */
function narrowedBy(last: Convolution, first: Convolution, takesBias: boolean, graph: Graph): Node {
  const [outputs, middles] = last.dims;
  const [, inputs, taps] = first.dims;
  const values = product(last.weights, first.weights, [outputs, middles, inputs * taps]);
  const innerBias = product(last.weights, first.bias ?? new Float32Array(middles), [outputs, middles, 1]);
  const bias = innerBias.map((value, output) => value + (takesBias ? (last.bias?.[output] ?? 0) : 0));
  const names = [
    graph.addConstant(`${first.output}/narrowed`, { dims: [outputs, inputs, taps], values }),
    graph.addConstant(`${first.output}/bias`, { dims: [outputs], values: bias }),
  ];
  return { ...removeName(first.node), input: [first.input, ...names] };
}

/** Merges a pointwise convolution that adds channels into the next one. */
function skipExpansions(graph: Graph): void {
  const use = analyzeUsage(graph);
  const exact = findExactValues(graph);
  const withOnes = new Map<string, string>();
  graph.nodes = graph.nodes.flatMap((node) => {
    const last = parseConvolution(node, graph);
    const producer = use.producerOf(last?.input);
    const first = producer && pointwiseOf(producer, graph);
    if (last === undefined || first === undefined || last.group !== 1) return [node];
    if (exact.has(last.output) || !isWorthSkipping(first, last)) return [node];
    const known = withOnes.get(first.input);
    const input = known ?? graph.newName(`${first.input}/ones`);
    withOnes.set(first.input, input);
    const skipping = skipped(first, last, input, graph);
    return known === undefined ? [withOnesAdded(first, input, graph), skipping] : [skipping];
  });
  replaceValues(graph, new Map());
}

function isWorthSkipping({ dims: first }: Convolution, { dims: last }: Convolution): boolean {
  const [middles, inputs] = first;
  const fewer = inputs + blockChannels;
  const isLess = last[0] * last[2] * (middles - fewer) > fewer * inputs;
  return isLess && inputs % blockChannels === 0;
}

/**
 * The bias of the first convolution becomes the weights of a channel of ones, as the padding of the second one must not
 * include it.
 */
function skipped(first: Convolution, last: Convolution, input: string, graph: Graph): Node {
  const [middles, inputs] = first.dims;
  const [outputs, , taps] = last.dims;
  const rows = inputs + blockChannels;
  // Weights of the first one by input channel, with its bias as another channel.
  const expanding = new Float32Array(rows * middles);
  for (let middle = 0; middle < middles; middle += 1) {
    for (let row = 0; row < inputs; row += 1) {
      expanding[row * middles + middle] = first.weights[middle * inputs + row] ?? 0;
    }
    expanding[inputs * middles + middle] = first.bias?.[middle] ?? 0;
  }
  const values = new Float32Array(outputs * rows * taps);
  for (let output = 0; output < outputs; output += 1) {
    const weights = last.weights.subarray(output * middles * taps, (output + 1) * middles * taps);
    values.set(product(expanding, weights, [rows, middles, taps]), output * rows * taps);
  }
  const dims = [outputs, rows, taps];
  const weights = graph.addConstant(`${last.output}/skipping`, { dims, values });
  return { ...removeName(last.node), input: [input, weights, ...last.node.input.slice(2)] };
}

/** The input of a convolution with another block of channels, the first of which is all ones. */
function withOnesAdded({ input, dims }: Convolution, output: string, graph: Graph): Node {
  const [, inputs] = dims;
  const rows = inputs + blockChannels;
  const values = new Float32Array(rows * inputs);
  for (let row = 0; row < inputs; row += 1) values[row * inputs + row] = 1;
  const bias = new Float32Array(rows);
  bias[inputs] = 1;
  return createNode(
    'Conv',
    [
      input,
      graph.addConstant(`${output}/weights`, { dims: [rows, inputs, 1], values }),
      graph.addConstant(`${output}/bias`, { dims: [rows], values: bias }),
    ],
    [output],
    { kernel_shape: [1] },
  );
}

/** @returns a convolution with one tap */
function pointwiseOf(node: Node, graph: Graph): Convolution | undefined {
  const found = parseConvolution(node, graph);
  const isPointwise =
    found?.dims[2] === 1 && found.group === 1 && found.stride === 1 && found.pads.every((pad) => pad === 0);
  return isPointwise ? found : undefined;
}

/** Matrix product (rows × middles, middles × columns) in double precision. */
function product(
  one: Float32Array,
  other: Float32Array,
  [rows, middles, columns]: readonly [number, number, number],
): Float32Array {
  const values = new Float32Array(rows * columns);
  const sums = new Float64Array(columns);
  for (let row = 0; row < rows; row += 1) {
    sums.fill(0);
    for (let middle = 0; middle < middles; middle += 1) {
      const factor = one[row * middles + middle] ?? 0;
      for (let column = 0; column < columns; column += 1) {
        sums[column] = (sums[column] ?? 0) + factor * (other[middle * columns + column] ?? 0);
      }
    }
    values.set(sums, row * columns);
  }
  return values;
}

const timeAxis = 1;

/**
 * Computes consecutive samples as channels (phases) of a convolution at a lower rate, and interleaves them. It replaces
 * - a `ConvTranspose` that upsamples by its stride, for which the runtime has no fast implementation;
 * - a convolution with a single output, like the last one of a voice, which has no blocks of channels.
 */
export function applyPolyphase(graph: Graph): void {
  const divisorOf = createDivisorLookup(graph);
  const exact = findExactValues(graph);
  graph.nodes = graph.nodes.flatMap((node) => {
    if (node.output.some((value) => exact.has(value))) return [node];
    const transposed = parseConvolution(node, graph, 'ConvTranspose');
    if (transposed !== undefined && isPlainUpsampling(transposed)) {
      return createInterleavedNodes(decomposeUpsampling(transposed), graph);
    }
    const single = parseConvolution(node, graph);
    const isSingle = single !== undefined && single.dims[0] === 1 && keepsLength(single);
    return isSingle && divisorOf(single.input) % blockChannels === 0
      ? createInterleavedNodes(decomposeSingleOutput(single), graph)
      : [node];
  });
}

/** A convolution whose outputs are the phases, ordered by phase. */
interface PolyphaseConvolution {
  readonly convolution: Convolution;
  readonly phases: number;
  readonly weights: Float32Array;
  /** Outputs of all phases, inputs, taps. */
  readonly dims: readonly [number, number, number];
  readonly stride: number;
  readonly pads: readonly [number, number];
  /** Of the interleaved samples: start, and exclusive end counted from the end; undefined: all. */
  readonly range?: readonly [number, number];
}

/**
 * Without its pads, output sample q·stride + phase is the sum over the shifts of input sample q − shift by tap
 * phase + shift·stride. The pads are cut off after interleaving: with shifted phases a kernel of twice the stride would need
 * three input samples instead of two.
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

/** Each block of samples depends on the input around it; each phase uses other taps. */
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
