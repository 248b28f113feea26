import { type Convolution, convolutionOf } from './convolution.ts';
import { type Graph, type Node, node } from './onnx-graph.ts';
import { isOperation, numberOf, replaceValues, type Use, unnamed, useOf } from './use.ts';

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
