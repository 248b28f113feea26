import { exactValues } from './exact-values.ts';
import {
  type Convolution,
  convolutionOf,
  isOperation,
  numberOf,
  replaceValues,
  type Use,
  unnamed,
  useOf,
} from './graph-edits.ts';
import { type Graph, type Node, node, tensorOf } from './onnx-graph.ts';

/**
 * Takes out what changes nothing: zeros that are added and ones that are multiplied, as a network of one speaker has
 * where one of several would have its own, and the masks of sequences. A mask hides what pads a short text beside a
 * long one, and here each text is alone.
 */
export function dropNeutral(graph: Graph): void {
  const use = useOf(graph);
  const replacements = new Map<string, string>();
  for (const node of graph.nodes) {
    const kept = keptInput(node, graph, use);
    const [output] = node.output;
    if (kept !== undefined && output !== undefined && !graph.outputs.has(output)) {
      replacements.set(output, kept);
    }
  }
  replaceValues(graph, replacements);
}

/** @returns the input that is the output as well */
function keptInput({ opType, input, domain }: Node, graph: Graph, use: Use): string | undefined {
  const [one, other] = input;
  if (domain || one === undefined || other === undefined) return undefined;
  const isNeutral = opType === 'Add' ? isZeros : opType === 'Mul' ? isOnes : undefined;
  if (isNeutral === undefined) return undefined;
  const isFirst = isNeutral(one, graph, use);
  const isSecond = isNeutral(other, graph, use);
  // Of two masks, a row and a column, a square comes out.
  if (isFirst === isSecond) return undefined;
  return isFirst ? other : one;
}

/** As `zeros_like` of PyTorch stands in a graph. */
function isZeros(value: string, graph: Graph, use: Use): boolean {
  const node = use.producerOf(value);
  if (isOperation(node, 'Neg')) return isZeros(node.input[0] ?? '', graph, use);
  if (!isOperation(node, 'ConstantOfShape')) return false;
  if (!isOperation(use.producerOf(node.input[0]), 'Shape')) return false;
  const filling = tensorOf(node, 'value');
  // Without a value it is filled with zeros.
  return filling === undefined || filling.values?.every((one) => one === 0) === true;
}

function isOnes(value: string, graph: Graph, use: Use): boolean {
  const node = use.producerOf(value);
  if (isOperation(node, 'Exp')) return isZeros(node.input[0] ?? '', graph, use);
  return isMask(node, graph, use);
}

/** `positions < length` as numbers, for as many positions as the only text of the batch is long. */
function isMask(node: Node | undefined, graph: Graph, use: Use): boolean {
  if (isOperation(node, 'Unsqueeze', 'Cast')) {
    return isMask(use.producerOf(node.input[0]), graph, use);
  }
  if (!isOperation(node, 'Less')) return false;
  const [positions, length = ''] = node.input;
  return isPositions(use.producerOf(positions), use) && isLength(length, graph, use);
}

function isPositions(node: Node | undefined, use: Use): boolean {
  if (isOperation(node, 'Unsqueeze')) return isPositions(use.producerOf(node.input[0]), use);
  return isOperation(node, 'Range');
}

/** How many ids there are, which is given, or frames: the sum of all durations, in contrast to the sums up to each. */
function isLength(value: string, graph: Graph, use: Use): boolean {
  if (graph.inputs.has(value)) return true;
  const node = use.producerOf(value);
  if (isOperation(node, 'ReduceSum')) return true;
  return (
    isOperation(node, 'Unsqueeze', 'Cast', 'Clip', 'Max') &&
    isLength(node.input[0] ?? '', graph, use)
  );
}

/**
 * Where a signal is scaled by a fixed positive number before convolutions, scales their weights instead. `LeakyRelu` may stand
 * between: it scales with its input.
 */
export function foldScales(graph: Graph): void {
  const use = useOf(graph);
  const exact = exactValues(graph);
  const scales = new Map<Node, number>();
  const replacements = new Map<string, string>();
  for (const node of graph.nodes) {
    const [input = ''] = node.input;
    const [output = ''] = node.output;
    const scale = exact.has(output) ? undefined : scaleOf(node, graph);
    const convolutions = scale === undefined ? undefined : convolutionsBehind(output, graph, use);
    if (scale === undefined || convolutions === undefined) continue;
    for (const one of convolutions) scales.set(one, (scales.get(one) ?? 1) * scale);
    replacements.set(output, input);
  }
  graph.nodes = graph.nodes.map((node) => {
    const scale = scales.get(node);
    return scale === undefined ? node : scaled(node, scale, graph);
  });
  replaceValues(graph, replacements);
}

function scaleOf({ opType, domain, input }: Node, graph: Graph): number | undefined {
  if (domain || (opType !== 'Div' && opType !== 'Mul')) return undefined;
  const number = numberOf(input[1] ?? '', graph);
  if (number === undefined || !(number > 0)) return undefined;
  return opType === 'Div' ? 1 / number : number;
}

/** @returns undefined where anything else takes the value */
function convolutionsBehind(value: string, graph: Graph, use: Use): readonly Node[] | undefined {
  if (graph.outputs.has(value)) return undefined;
  const found: Node[] = [];
  for (const consumer of use.consumersOf(value)) {
    if (isOperation(consumer, 'LeakyRelu', 'Relu')) {
      const behind = convolutionsBehind(consumer.output[0] ?? '', graph, use);
      if (behind === undefined) return undefined;
      found.push(...behind);
    } else if (anyConvolution(consumer, graph)?.input === value) found.push(consumer);
    else return undefined;
  }
  return found;
}

function anyConvolution(node: Node, graph: Graph): Convolution | undefined {
  return convolutionOf(node, graph) ?? convolutionOf(node, graph, 'ConvTranspose');
}

function scaled(node: Node, scale: number, graph: Graph): Node {
  const convolution = anyConvolution(node, graph);
  if (convolution === undefined) return node;
  const [input = '', name = '', ...bias] = node.input;
  const values = convolution.weights.map((weight) => weight * scale);
  const weights = graph.addConstant(`${name}/scaled`, { dims: convolution.dims, values });
  return { ...node, input: [input, weights, ...bias] };
}

const channelAxis = 1;

/**
 * Where the channels of a convolution are only ever taken apart, makes several convolutions of it, one for each part:
 * nothing has to be copied then, and what follows each (`Tanh`, `Sigmoid`) becomes part of it.
 */
export function splitChannels(graph: Graph): void {
  liftSlices(graph);
  const use = useOf(graph);
  const replacements = new Map<string, string>();
  graph.nodes = graph.nodes.flatMap((one) => {
    const convolution = convolutionOf(one, graph);
    const parts = convolution && partsOf(convolution, graph, use);
    if (convolution === undefined || parts === undefined) return [one];
    return parts.map(({ from, to, slice }) => {
      const output = graph.newName(`${slice}/part`);
      replacements.set(slice, output);
      return partOf(convolution, from, to, output, graph);
    });
  });
  replaceValues(graph, replacements);
}

interface Part {
  readonly from: number;
  readonly to: number;
  /** The value that is this part. */
  readonly slice: string;
}

/** @returns undefined where anyone takes the whole, or the convolution is in groups */
function partsOf(
  { output, dims, group }: Convolution,
  graph: Graph,
  use: Use,
): readonly Part[] | undefined {
  const consumers = use.consumersOf(output);
  if (group !== 1 || graph.outputs.has(output) || consumers.length < 2) return undefined;
  const parts = consumers.map((consumer) => partTaken(consumer, dims[0], graph));
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

/** @returns the channels that a `Slice` takes; undefined for every other node */
function partTaken(slice: Node, channels: number, graph: Graph): Part | undefined {
  const range = channelRange(slice, graph);
  const [output] = slice.output;
  if (range === undefined || output === undefined || graph.outputs.has(output)) return undefined;
  const place = (end: number) => Math.min(end < 0 ? end + channels : end, channels);
  const [from, to] = [place(range.from), place(range.to)];
  return from >= 0 && to > from ? { from, to, slice: output } : undefined;
}

function channelRange(slice: Node, graph: Graph): { from: number; to: number } | undefined {
  if (!isOperation(slice, 'Slice')) return undefined;
  const [from, to, axis, step = 1] = slice.input.slice(1).map((name) => numberOf(name, graph));
  if (from === undefined || to === undefined || axis !== channelAxis || step !== 1) {
    return undefined;
  }
  return { from, to };
}

function partOf(whole: Convolution, from: number, to: number, output: string, graph: Graph): Node {
  const [, inputs, taps] = whole.dims;
  const size = inputs * taps;
  const weights = graph.addConstant(output, {
    dims: [to - from, inputs, taps],
    values: whole.weights.slice(from * size, to * size),
  });
  const bias =
    whole.bias &&
    graph.addConstant(`${output}/bias`, { dims: [to - from], values: whole.bias.slice(from, to) });
  const input = [whole.input, weights, ...(bias === undefined ? [] : [bias])];
  return { ...unnamed(whole.node), input, output: [output] };
}

/** Of a sum that is only taken apart, the parts are sums of parts: so a speaker's own share stands behind a convolution too. */
function liftSlices(graph: Graph): void {
  const use = useOf(graph);
  const split = new Map<string, readonly string[]>();
  for (const sum of graph.nodes) {
    const [output = ''] = sum.output;
    const [one, other] = sum.input;
    if (!isOperation(sum, 'Add') || one === undefined || other === undefined) continue;
    const makers = [use.producerOf(one), use.producerOf(other)];
    if (!makers.some((maker) => maker !== undefined && convolutionOf(maker, graph))) continue;
    const slices = use.consumersOf(output);
    if (graph.outputs.has(output) || slices.length < 2) continue;
    if (!slices.every((slice) => channelRange(slice, graph) !== undefined)) continue;
    for (const slice of slices) split.set(slice.output[0] ?? '', sum.input);
  }
  graph.nodes = graph.nodes.flatMap((one) => {
    const [output = ''] = one.output;
    const addends = split.get(output);
    if (addends === undefined) return [one];
    const parts = addends.map(() => graph.newName(`${output}/addend`));
    const slices = addends.map((addend, index) => ({
      ...unnamed(one),
      input: [addend, ...one.input.slice(1)],
      output: [parts[index] ?? ''],
    }));
    return [...slices, node('Add', parts, [output])];
  });
}
