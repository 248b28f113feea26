import { type Graph, getInteger, getIntegers, getText, type Node } from './onnx-graph.ts';

/** Producers and consumers of the values of a graph, at the time of the call. */
export interface ValueUsage {
  /** @returns undefined for inputs of the graph and constants */
  producerOf(value: string | undefined): Node | undefined;
  consumersOf(value: string): readonly Node[];
  /** Whether the value has this number of consumers and is not an output of the graph. */
  isTakenBy(value: string, count: number): boolean;
}

export function analyzeUsage(graph: Graph): ValueUsage {
  const producers = new Map<string, Node>();
  const consumers = new Map<string, Node[]>();
  for (const node of graph.nodes) {
    for (const value of node.output) producers.set(value, node);
    for (const value of new Set(node.input)) consumers.getOrInsertComputed(value, () => []).push(node);
  }
  const consumersOf = (value: string) => consumers.get(value) ?? [];
  return {
    producerOf: (value) => producers.get(value ?? ''),
    consumersOf,
    isTakenBy: (value, count) => !graph.outputs.has(value) && consumersOf(value).length === count,
  };
}

/** Whether a node is one of these operations of the ONNX domain. */
export function isOperation<OpType extends string>(
  node: Node | undefined,
  ...opTypes: readonly OpType[]
): node is Node & { readonly opType: OpType } {
  return node !== undefined && !node.domain && opTypes.some((opType) => opType === node.opType);
}

/** @returns the value of a scalar constant; undefined for other values */
export function findNumber(value: string, graph: Graph): number | undefined {
  const values = graph.constant(value)?.values;
  return values?.length === 1 ? values[0] : undefined;
}

/** Replaces values in the inputs of all nodes, and removes unused nodes. */
export function replaceValues(graph: Graph, replacements: ReadonlyMap<string, string>): void {
  const last = (value: string): string => {
    const next = replacements.get(value);
    return next === undefined ? value : last(next);
  };
  graph.nodes = graph.nodes.map((node) =>
    node.input.some((value) => replacements.has(value)) ? { ...node, input: node.input.map(last) } : node,
  );
  removeUnused(graph);
}

export function removeUnused(graph: Graph): void {
  const needed = new Set(graph.outputs);
  const remaining: Node[] = [];
  for (const node of graph.nodes.toReversed()) {
    if (!node.output.some((value) => needed.has(value))) continue;
    for (const value of node.input) needed.add(value);
    remaining.push(node);
  }
  graph.nodes = remaining.reverse();
}

/** For copies of a node: names are unique. */
export function removeName({ name: _, ...rest }: Node): Node {
  return rest;
}

/**
 * Values that must stay bit-identical: those that are rounded (durations) or summed over time (phases), and all values that
 * they depend on. There an error in the last bit can add a frame, or grows until the end of the sentence.
 */
export function findExactValues(graph: Graph): ReadonlySet<string> {
  const use = analyzeUsage(graph);
  const exact = new Set<string>();
  const waiting = graph.nodes
    .filter((node) => isOperation(node, 'Ceil', 'Floor', 'Round', 'CumSum'))
    .flatMap(({ input }) => input);
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (exact.has(value)) continue;
    exact.add(value);
    waiting.push(...(use.producerOf(value)?.input ?? []));
  }
  return exact;
}

/** Maximum channels of a block of the runtime. */
export const blockChannels = 16;

/** A convolution along time with constant weights. */
export interface Convolution {
  readonly node: Node;
  readonly input: string;
  readonly output: string;
  readonly weights: Float32Array;
  /** Of the weights. `Conv`: outputs, inputs per group, taps; `ConvTranspose`: inputs, outputs per group, taps. */
  readonly dims: readonly [number, number, number];
  /** By output; undefined: none. */
  readonly bias: Float32Array | undefined;
  readonly stride: number;
  readonly dilation: number;
  readonly group: number;
  /** Zeros before and after. */
  readonly pads: readonly [number, number];
}

/** @returns undefined for other nodes, and for computed or non-float32 weights */
export function parseConvolution(
  node: Node,
  graph: Graph,
  opType: 'Conv' | 'ConvTranspose' = 'Conv',
): Convolution | undefined {
  if (!isOperation(node, opType)) return undefined;
  const [input, weightName = '', biasName = ''] = node.input;
  const [output] = node.output;
  const weights = graph.constant(weightName);
  const bias = biasName === '' ? undefined : graph.constant(biasName);
  const [first, second, taps] = weights?.dims ?? [];
  if (!(weights?.values instanceof Float32Array) || weights.dims.length !== 3) return undefined;
  if (input === undefined || output === undefined) return undefined;
  if (first === undefined || second === undefined || taps === undefined) return undefined;
  if (biasName !== '' && !(bias?.values instanceof Float32Array)) return undefined;
  if ((getText(node, 'auto_pad') ?? 'NOTSET') !== 'NOTSET') return undefined;
  const [before = 0, after = 0] = getIntegers(node, 'pads') ?? [];
  return {
    node,
    input,
    output,
    weights: weights.values,
    dims: [first, second, taps],
    bias: bias?.values instanceof Float32Array ? bias.values : undefined,
    stride: getIntegers(node, 'strides')?.[0] ?? 1,
    dilation: getIntegers(node, 'dilations')?.[0] ?? 1,
    group: getInteger(node, 'group') ?? 1,
    pads: [before, after],
  };
}

/** Whether output and input of a convolution have the same length. */
export function keepsLength({ stride, dilation, pads, dims }: Convolution): boolean {
  return stride === 1 && pads[0] + pads[1] === dilation * (dims[2] - 1);
}

/** Whether the output length of a `ConvTranspose` is the input length times the stride. */
export function isPlainUpsampling(transposed: Convolution): boolean {
  const { node, dims, stride, dilation, group, pads } = transposed;
  const isLengthened = dims[2] - pads[0] - pads[1] === stride && stride > 1;
  const isAsked = getIntegers(node, 'output_padding')?.some((padding) => padding !== 0) ?? false;
  const hasShape = getIntegers(node, 'output_shape') !== undefined;
  return isLengthened && !isAsked && !hasShape && dilation === 1 && group === 1;
}

/**
 * @returns by value a known divisor of the length of its last axis; upsampling multiplies it, most other operations keep it
 */
export function createDivisorLookup(graph: Graph): (value: string) => number {
  const divisors = new Map<string, number>();
  const divisorOf = (value: string) => divisors.get(value) ?? 1;
  for (const node of graph.nodes) {
    const [output = ''] = node.output;
    const divisor = computeDivisor(node, graph, divisorOf);
    if (divisor > 1) divisors.set(output, divisor);
  }
  return divisorOf;
}

function computeDivisor(node: Node, graph: Graph, divisorOf: (value: string) => number): number {
  const [left = '', right = ''] = node.input;
  if (isOperation(node, 'LeakyRelu', 'Relu', 'Tanh', 'Sigmoid')) return divisorOf(left);
  if (isOperation(node, 'Add')) return Math.max(divisorOf(left), divisorOf(right));
  if (isOperation(node, 'Div', 'Mul') && findNumber(right, graph) !== undefined) {
    return divisorOf(left);
  }
  const convolution = parseConvolution(node, graph);
  if (convolution !== undefined) return keepsLength(convolution) ? divisorOf(left) : 1;
  const transposed = parseConvolution(node, graph, 'ConvTranspose');
  if (transposed === undefined || !isPlainUpsampling(transposed)) return 1;
  return divisorOf(left) * transposed.stride;
}
