import {
  analyzeUsage,
  type Convolution,
  findExactValues,
  findNumber,
  isOperation,
  parseConvolution,
  removeName,
  replaceValues,
  type ValueUsage,
} from './graph-edits.ts';
import { createNode, type Graph, getTensor, type Node } from './onnx-graph.ts';

/**
 * Removes operations without effect: sums with zeros and products with ones (single-speaker models), slices of a whole axis,
 * and sequence masks, as every batch has one text without padding.
 */
export function removeNoOps(graph: Graph): void {
  const use = analyzeUsage(graph);
  const replacements = new Map<string, string>();
  for (const node of graph.nodes) {
    const kept = findIdentityInput(node, graph, use);
    const [output] = node.output;
    if (kept !== undefined && output !== undefined && !graph.outputs.has(output)) {
      replacements.set(output, kept);
    }
  }
  replaceValues(graph, replacements);
}

/** Exporters write at least this value for the end of an axis. */
const wholeAxis = 2 ** 31 - 1;

/** @returns the input that equals the output */
function findIdentityInput(node: Node, graph: Graph, use: ValueUsage): string | undefined {
  const { opType, input, domain } = node;
  const [left, right] = input;
  const slice = parseSlice(node, graph);
  if (slice !== undefined) return slice.from === 0 && slice.to >= wholeAxis ? left : undefined;
  if (domain || left === undefined || right === undefined) return undefined;
  const isNeutral = opType === 'Add' ? isZeros : opType === 'Mul' ? isOnes : undefined;
  if (isNeutral === undefined) return undefined;
  const isFirst = isNeutral(left, graph, use);
  const isSecond = isNeutral(right, graph, use);
  // The product of two masks, a row and a column, is a square.
  if (isFirst === isSecond) return undefined;
  return isFirst ? right : left;
}

/** `zeros_like` of PyTorch. */
function isZeros(value: string, graph: Graph, use: ValueUsage): boolean {
  const node = use.producerOf(value);
  if (isOperation(node, 'Neg')) return isZeros(node.input[0] ?? '', graph, use);
  if (!isOperation(node, 'ConstantOfShape')) return false;
  if (!isOperation(use.producerOf(node.input[0]), 'Shape')) return false;
  const filling = getTensor(node, 'value');
  // The default value is zero.
  return filling === undefined || filling.values?.every((value) => value === 0) === true;
}

function isOnes(value: string, graph: Graph, use: ValueUsage): boolean {
  const node = use.producerOf(value);
  if (isOperation(node, 'Exp')) return isZeros(node.input[0] ?? '', graph, use);
  return isMask(node, graph, use);
}

/** `positions < length` as numbers, always 1 for a batch of one text. */
function isMask(node: Node | undefined, graph: Graph, use: ValueUsage): boolean {
  if (isOperation(node, 'Unsqueeze', 'Cast')) {
    return isMask(use.producerOf(node.input[0]), graph, use);
  }
  if (!isOperation(node, 'Less')) return false;
  const [positions, length = ''] = node.input;
  return isPositions(use.producerOf(positions), use) && isLength(length, graph, use);
}

function isPositions(node: Node | undefined, use: ValueUsage): boolean {
  if (isOperation(node, 'Unsqueeze')) return isPositions(use.producerOf(node.input[0]), use);
  return isOperation(node, 'Range');
}

/** The number of ids (an input) or of frames: the sum of all durations, not the cumulative sums. */
function isLength(value: string, graph: Graph, use: ValueUsage): boolean {
  if (graph.inputs.has(value)) return true;
  const node = use.producerOf(value);
  if (isOperation(node, 'ReduceSum')) return true;
  return isOperation(node, 'Unsqueeze', 'Cast', 'Clip', 'Max') && isLength(node.input[0] ?? '', graph, use);
}

/**
 * Folds a fixed positive scale into the weights of the next convolutions, also through `LeakyRelu`.
 */
export function foldScales(graph: Graph): void {
  const use = analyzeUsage(graph);
  const exact = findExactValues(graph);
  const scales = new Map<Node, number>();
  const replacements = new Map<string, string>();
  for (const node of graph.nodes) {
    const [input = ''] = node.input;
    const [output = ''] = node.output;
    const scale = exact.has(output) ? undefined : findScale(node, graph);
    const convolutions = scale === undefined ? undefined : findConvolutionsAfter(output, graph, use);
    if (scale === undefined || convolutions === undefined) continue;
    for (const convolution of convolutions) scales.set(convolution, (scales.get(convolution) ?? 1) * scale);
    replacements.set(output, input);
  }
  graph.nodes = graph.nodes.map((node) => {
    const scale = scales.get(node);
    return scale === undefined ? node : scaleWeights(node, scale, graph);
  });
  replaceValues(graph, replacements);
}

function findScale({ opType, domain, input }: Node, graph: Graph): number | undefined {
  if (domain || (opType !== 'Div' && opType !== 'Mul')) return undefined;
  const number = findNumber(input[1] ?? '', graph);
  if (number === undefined || !(number > 0)) return undefined;
  return opType === 'Div' ? 1 / number : number;
}

/** @returns undefined if the value has other consumers */
function findConvolutionsAfter(value: string, graph: Graph, use: ValueUsage): readonly Node[] | undefined {
  if (graph.outputs.has(value)) return undefined;
  const found: Node[] = [];
  for (const consumer of use.consumersOf(value)) {
    if (isOperation(consumer, 'LeakyRelu', 'Relu')) {
      const behind = findConvolutionsAfter(consumer.output[0] ?? '', graph, use);
      if (behind === undefined) return undefined;
      found.push(...behind);
    } else if (parseAnyConvolution(consumer, graph)?.input === value) found.push(consumer);
    else return undefined;
  }
  return found;
}

function parseAnyConvolution(node: Node, graph: Graph): Convolution | undefined {
  return parseConvolution(node, graph) ?? parseConvolution(node, graph, 'ConvTranspose');
}

function scaleWeights(node: Node, scale: number, graph: Graph): Node {
  const convolution = parseAnyConvolution(node, graph);
  if (convolution === undefined) return node;
  const [input = '', name = '', ...bias] = node.input;
  const values = convolution.weights.map((weight) => weight * scale);
  const weights = graph.addConstant(`${name}/scaled`, { dims: convolution.dims, values });
  return { ...node, input: [input, weights, ...bias] };
}

const channelAxis = 1;

/**
 * Splits a convolution whose channels are only used in slices into one per slice: no copies, and the runtime fuses the next
 * operation of each (`Tanh`, `Sigmoid`).
 */
export function splitChannels(graph: Graph): void {
  moveSlicesUp(graph);
  const use = analyzeUsage(graph);
  const replacements = new Map<string, string>();
  graph.nodes = graph.nodes.flatMap((node) => {
    const convolution = parseConvolution(node, graph);
    const parts = convolution && findChannelParts(convolution, graph, use);
    if (convolution === undefined || parts === undefined) return [node];
    return parts.map(({ from, to, slice }) => {
      const output = graph.newName(`${slice}/part`);
      replacements.set(slice, output);
      return createPartialConvolution(convolution, from, to, output, graph);
    });
  });
  replaceValues(graph, replacements);
}

interface ChannelPart {
  readonly from: number;
  readonly to: number;
  readonly slice: string;
}

/** @returns undefined if the whole output is used, or the convolution has groups */
function findChannelParts(
  { output, dims, group }: Convolution,
  graph: Graph,
  use: ValueUsage,
): readonly ChannelPart[] | undefined {
  const consumers = use.consumersOf(output);
  if (group !== 1 || graph.outputs.has(output) || consumers.length < 2) return undefined;
  const parts = consumers.map((consumer) => parseChannelSlice(consumer, dims[0], graph));
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

function parseChannelSlice(slice: Node, channels: number, graph: Graph): ChannelPart | undefined {
  const range = parseSlice(slice, graph);
  const [output] = slice.output;
  if (range?.axis !== channelAxis || output === undefined || graph.outputs.has(output)) return undefined;
  const place = (end: number) => Math.min(end < 0 ? end + channels : end, channels);
  const [from, to] = [place(range.from), place(range.to)];
  return from >= 0 && to > from ? { from, to, slice: output } : undefined;
}

/** @returns the range of a slice of a single axis with step 1; undefined for every other node */
function parseSlice(node: Node, graph: Graph): { from: number; to: number; axis: number } | undefined {
  if (!isOperation(node, 'Slice')) return undefined;
  const [from, to, axis, step] = node.input.slice(1).map((name) => findNumber(name, graph));
  const isGapless = node.input[4] === undefined || step === 1;
  if (from === undefined || to === undefined || axis === undefined || !isGapless) return undefined;
  return { from, to, axis };
}

function createPartialConvolution(whole: Convolution, from: number, to: number, output: string, graph: Graph): Node {
  const [, inputs, taps] = whole.dims;
  const size = inputs * taps;
  const weights = graph.addConstant(output, {
    dims: [to - from, inputs, taps],
    values: whole.weights.slice(from * size, to * size),
  });
  const bias =
    whole.bias && graph.addConstant(`${output}/bias`, { dims: [to - from], values: whole.bias.slice(from, to) });
  const input = [whole.input, weights, ...(bias === undefined ? [] : [bias])];
  return { ...removeName(whole.node), input, output: [output] };
}

/** Replaces slices of a sum by sums of slices, so that the slices of a speaker embedding follow a convolution, too. */
function moveSlicesUp(graph: Graph): void {
  const use = analyzeUsage(graph);
  const split = new Map<string, readonly string[]>();
  for (const sum of graph.nodes) {
    const [output = ''] = sum.output;
    const [left, right] = sum.input;
    if (!isOperation(sum, 'Add') || left === undefined || right === undefined) continue;
    const makers = [use.producerOf(left), use.producerOf(right)];
    if (!makers.some((maker) => maker !== undefined && parseConvolution(maker, graph))) continue;
    const slices = use.consumersOf(output);
    if (graph.outputs.has(output) || slices.length < 2) continue;
    if (!slices.every((slice) => parseSlice(slice, graph)?.axis === channelAxis)) continue;
    for (const slice of slices) split.set(slice.output[0] ?? '', sum.input);
  }
  graph.nodes = graph.nodes.flatMap((node) => {
    const [output = ''] = node.output;
    const addends = split.get(output);
    if (addends === undefined) return [node];
    const parts = addends.map(() => graph.newName(`${output}/addend`));
    const slices = addends.map((addend, index) => ({
      ...removeName(node),
      input: [addend, ...node.input.slice(1)],
      output: [parts[index] ?? ''],
    }));
    return [...slices, createNode('Add', parts, [output])];
  });
}
