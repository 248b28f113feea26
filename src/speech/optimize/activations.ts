import {
  analyzeUsage,
  findExactValues,
  findNumber,
  isOperation,
  parseConvolution,
  replaceValues,
  type ValueUsage,
} from './graph-edits.ts';
import { createNode, type Graph, getIntegers, type Node } from './onnx-graph.ts';

/** Axes of one sentence's [1, channels, time]. */
const timeAxis = 2;
const otherAxes = [0, timeAxis];

/** y = scale · (x − mean) / √(variance + epsilon) + shift, over time; scale and shift are [1, channels, 1]. */
interface Normalization {
  readonly input: string;
  /** x − mean. */
  readonly centered: string;
  readonly output: string;
  readonly scale: string;
  readonly shift: string;
  readonly epsilon: number;
}

/**
 * Replaces normalizations over time, which exporters write as nine operations, by one to three of the runtime, and the snake
 * activation behind one, v + sin²(αv) / α, by u + sin²(u) with u = αv: α goes into the scale before it, 1/α into the
 * weights of the convolutions after it. Each operation that is saved is a pass over all samples of all channels.
 */
export function fuseNormalizations(graph: Graph): void {
  const use = analyzeUsage(graph);
  const exact = findExactValues(graph);
  const replacements = new Map<string, string>();
  const inserted = new Map<Node, readonly Node[]>();
  const rescaled = new Map<Node, Float32Array>();
  for (const node of graph.nodes) {
    const found = parseNormalization(node, graph, use);
    if (found === undefined || exact.has(found.output) || graph.outputs.has(found.output)) continue;
    const snake = findSnake(found.output, graph, use);
    const last = snake?.node ?? node;
    const output = graph.newName(`${found.output}/fused`);
    inserted.set(last, createNormalizationNodes(found, snake?.factors, output, graph));
    replacements.set(snake?.output ?? found.output, output);
    for (const convolution of snake?.convolutions ?? [])
      rescaled.set(convolution, snake?.divisors ?? new Float32Array(0));
  }
  graph.nodes = graph.nodes.flatMap((node) => {
    const divisors = rescaled.get(node);
    const kept = divisors === undefined ? node : divideInputs(node, divisors, graph);
    return [kept, ...(inserted.get(node) ?? [])];
  });
  replaceValues(graph, replacements);
}

/** @param node the last operation: the sum with the shift */
function parseNormalization(node: Node, graph: Graph, use: ValueUsage): Normalization | undefined {
  const [output] = node.output;
  if (!isOperation(node, 'Add') || output === undefined) return undefined;
  for (const [product = '', shift = ''] of [node.input, node.input.toReversed()]) {
    const multiplied = use.producerOf(product);
    if (!isOperation(multiplied, 'Mul')) continue;
    for (const [normal = '', scale = ''] of [multiplied.input, multiplied.input.toReversed()]) {
      const found = parseStandardScore(use.producerOf(normal), graph, use);
      if (found !== undefined) return { ...found, output, scale, shift };
    }
  }
  return undefined;
}

/** (x − mean) / √(mean of squares + epsilon) */
function parseStandardScore(
  node: Node | undefined,
  graph: Graph,
  use: ValueUsage,
): Pick<Normalization, 'input' | 'centered' | 'epsilon'> | undefined {
  if (!isOperation(node, 'Div')) return undefined;
  const [centered = '', deviation = ''] = node.input;
  const difference = use.producerOf(centered);
  const root = use.producerOf(deviation);
  if (!isOperation(difference, 'Sub') || !isOperation(root, 'Sqrt')) return undefined;
  const [input = '', mean = ''] = difference.input;
  const sum = use.producerOf(root.input[0]);
  if (!isMeanOf(use.producerOf(mean), input, graph) || !isOperation(sum, 'Add')) return undefined;
  const [variance = '', added = ''] = sum.input;
  const square = use.producerOf(use.producerOf(variance)?.input[0]);
  const isSquare = isOperation(square, 'Mul') && square.input.every((value) => value === centered);
  if (!isSquare || !isMeanOf(use.producerOf(variance), square.output[0] ?? '', graph)) return undefined;
  const epsilon = findNumber(added, graph);
  return epsilon === undefined ? undefined : { input, centered, epsilon };
}

function isMeanOf(node: Node | undefined, value: string, graph: Graph): boolean {
  if (!isOperation(node, 'ReduceMean') || node.input[0] !== value) return false;
  // Before opset 18 the axes are an attribute.
  const axes = getIntegers(node, 'axes') ?? [findNumber(node.input[1] ?? '', graph)];
  return axes.length === 1 && axes[0] === timeAxis;
}

/** A snake activation whose results go into convolutions only. */
interface Snake {
  /** Its last operation. */
  readonly node: Node;
  readonly output: string;
  /** Name of α, [1, channels, 1]. */
  readonly factors: string;
  /** By channel: α, as 1/α is written in the graph. */
  readonly divisors: Float32Array;
  readonly convolutions: readonly Node[];
}

/** Smaller factors would make the weights too large. */
const minFactor = 1e-4;
const maxProductError = 1e-4;

/** @param value that it is applied to */
function findSnake(value: string, graph: Graph, use: ValueUsage): Snake | undefined {
  const consumers = use.consumersOf(value);
  const sum = consumers.find((node) => isOperation(node, 'Add'));
  const product = consumers.find((node) => isOperation(node, 'Mul'));
  if (sum === undefined || product === undefined || consumers.length !== 2) return undefined;
  const factors = findOther(product, value);
  const weighted = use.producerOf(findOther(sum, value));
  const power = weighted?.input.map((input) => use.producerOf(input)).find((node) => isOperation(node, 'Pow'));
  const sine = use.producerOf(power?.input[0]);
  if (!isOperation(weighted, 'Mul') || !isOperation(sine, 'Sin') || sine.input[0] !== product.output[0])
    return undefined;
  if (findNumber(power?.input[1] ?? '', graph) !== 2) return undefined;
  const alpha = graph.constant(factors ?? '')?.values;
  const inverse = graph.constant(findOther(weighted, power?.output[0] ?? '') ?? '')?.values;
  const [output = ''] = sum.output;
  const convolutions = use.consumersOf(output);
  if (!(alpha instanceof Float32Array) || !(inverse instanceof Float32Array) || factors === undefined) return undefined;
  const isInverse = alpha.every(
    (one, index) => Math.abs(one) >= minFactor && Math.abs(one * (inverse[index] ?? 0) - 1) <= maxProductError,
  );
  const areFit = convolutions.every((node) => {
    const convolution = parseConvolution(node, graph);
    return convolution?.input === output && convolution.group === 1 && convolution.dims[1] === alpha.length;
  });
  if (!isInverse || !areFit || graph.outputs.has(output)) return undefined;
  return { node: sum, output, factors, divisors: alpha, convolutions };
}

function findOther({ input }: Node, value: string): string | undefined {
  const [one, other] = input;
  return one === value ? other : one;
}

/** @param factors of a snake activation behind it */
function createNormalizationNodes(
  { input, centered, scale, shift, epsilon }: Normalization,
  factors: string | undefined,
  output: string,
  graph: Graph,
): Node[] {
  const axes = graph.addConstant(`${output}/axes`, { dims: [2], values: otherAxes });
  const named = (part: string): string => graph.newName(`${output}/${part}`);
  const flatten = (value: string, part: string): readonly [Node[], string] => {
    const nodes: Node[] = [];
    const multiplied = factors === undefined ? value : named(`${part}/scaled`);
    if (factors !== undefined) nodes.push(createNode('Mul', [value, factors], [multiplied]));
    const flat = named(part);
    return [[...nodes, createNode('Squeeze', [multiplied, axes], [flat])], flat];
  };
  const [scaling, flatScale] = flatten(scale, 'scale');
  const [shifting, flatShift] = flatten(shift, 'shift');
  const normalized = factors === undefined ? output : named('normalized');
  // The runtime subtracts mean · scale / deviation, which cancels digits where the mean is large: in a decoder, not before
  // snake activations. There a pass over all samples is saved.
  const source = factors === undefined ? centered : input;
  const fused = createNode('InstanceNormalization', [source, flatScale, flatShift], [normalized], {
    epsilon: { float: epsilon },
  });
  if (factors === undefined) return [...scaling, ...shifting, fused];
  const [sine, square] = [named('sine'), named('square')];
  return [
    ...scaling,
    ...shifting,
    fused,
    createNode('Sin', [normalized], [sine]),
    createNode('Mul', [sine, sine], [square]),
    createNode('Add', [normalized, square], [output]),
  ];
}

/** @returns a convolution of inputs that are multiplied by these numbers */
function divideInputs(node: Node, divisors: Float32Array, graph: Graph): Node {
  const convolution = parseConvolution(node, graph);
  if (convolution === undefined) return node;
  const [, inputs, taps] = convolution.dims;
  const values = convolution.weights.map(
    (weight, place) => weight / (divisors[Math.floor(place / taps) % inputs] ?? 1),
  );
  const [input = '', name = '', ...bias] = node.input;
  return { ...node, input: [input, graph.addConstant(`${name}/divided`, { dims: convolution.dims, values }), ...bias] };
}
