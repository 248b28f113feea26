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
  readonly output: string;
  readonly scale: string;
  readonly shift: string;
  readonly epsilon: number;
}

/**
 * Replaces a normalization over time, which exporters write as nine operations, and the snake activation behind it,
 * v + sin²(αv) / α, by one of the runtime and u + sin²(u) with u = αv: α goes into the scale before it, 1/α into the weights
 * of the convolutions after it. Each operation that is saved is a pass over all samples of all channels. Normalizations
 * without a snake activation stay: they are short, and those of predictors decide on pitch.
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
    if (snake === undefined) continue;
    const output = graph.newName(`${found.output}/fused`);
    inserted.set(snake.node, createNormalizationNodes(found, snake.factors, output, graph));
    replacements.set(snake.output, output);
    for (const convolution of snake.convolutions) rescaled.set(convolution, snake.divisors);
  }
  graph.nodes = graph.nodes.flatMap((node) => {
    const divisors = rescaled.get(node);
    const replacement = divisors === undefined ? node : divideInputs(node, divisors, graph);
    return [replacement, ...(inserted.get(node) ?? [])];
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
): Pick<Normalization, 'input' | 'epsilon'> | undefined {
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
  return epsilon === undefined ? undefined : { input, epsilon };
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
const minFactor = 1e-6;
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
    (factor, index) => Math.abs(factor) >= minFactor && Math.abs(factor * (inverse[index] ?? 0) - 1) <= maxProductError,
  );
  const areFit = convolutions.every((node) => {
    const convolution = parseConvolution(node, graph);
    return convolution?.input === output && convolution.group === 1 && convolution.dims[1] === alpha.length;
  });
  if (!isInverse || !areFit || graph.outputs.has(output)) return undefined;
  return { node: sum, output, factors, divisors: alpha, convolutions };
}

function findOther({ input }: Node, value: string): string | undefined {
  const [left, right] = input;
  return left === value ? right : left;
}

/** @param factors of the snake activation behind it */
function createNormalizationNodes(
  { input, scale, shift, epsilon }: Normalization,
  factors: string,
  output: string,
  graph: Graph,
): Node[] {
  const axes = graph.addConstant(`${output}/axes`, { dims: [2], values: otherAxes });
  const named = (part: string): string => graph.newName(`${output}/${part}`);
  const [flatScale, flatShift] = [named('scale'), named('shift')];
  const flatten = (value: string, flat: string): Node[] => {
    const multiplied = named('multiplied');
    return [createNode('Mul', [value, factors], [multiplied]), createNode('Squeeze', [multiplied, axes], [flat])];
  };
  const [normalized, sine, square] = [named('normalized'), named('sine'), named('square')];
  return [
    ...flatten(scale, flatScale),
    ...flatten(shift, flatShift),
    createNode('InstanceNormalization', [input, flatScale, flatShift], [normalized], { epsilon: { float: epsilon } }),
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
