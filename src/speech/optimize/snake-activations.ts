import {
  analyzeUsage,
  blockChannels,
  type Convolution,
  findExactValues,
  findNumber,
  isOperation,
  keepsLength,
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

/**
 * Computes long convolutions behind a snake activation with fewer multiplications (Toom-Cook): a block of `outputs` samples comes from
 * products of polynomials that are evaluated at several points. Each point has a depthwise convolution, which evaluates the input,
 * and a convolution of all channels with one tap for each part of the kernel. A matrix product makes the samples of it.
 *
 * Behind other activations the runtime keeps the blocked layout, which the matrix product would interrupt.
 */
export function applyFastConvolutions(graph: Graph): void {
  const use = analyzeUsage(graph);
  const exact = findExactValues(graph);
  graph.nodes = graph.nodes.flatMap((node) => {
    const found = parseConvolution(node, graph);
    if (found === undefined || exact.has(found.output) || !isBehindSnake(found.input, use)) return [node];
    const plan = planBlocks(found.dims[2]);
    return isFit(found) && isWorthIt(found, plan) ? createNodes(found, plan, graph) : [node];
  });
}

/** u + sin²(u) */
function isBehindSnake(value: string, use: ValueUsage): boolean {
  const sum = use.producerOf(value);
  if (!isOperation(sum, 'Add')) return false;
  return sum.input.some((addend) => {
    const square = use.producerOf(addend);
    return isOperation(square, 'Mul') && square.input.every((factor) => isOperation(use.producerOf(factor), 'Sin'));
  });
}

function isFit(convolution: Convolution): boolean {
  const [outputs, inputs] = convolution.dims;
  const isPlain = convolution.dilation === 1 && convolution.group === 1 && keepsLength(convolution);
  return isPlain && outputs === inputs && inputs % blockChannels === 0;
}

/** How the taps of a convolution are divided. */
interface BlockPlan {
  /** Consecutive samples that are computed together. */
  readonly outputs: number;
  /** Taps of a part of the kernel; with several parts as many as `outputs`, so that they share the evaluated input. */
  readonly taps: number;
  readonly parts: number;
}

/** More points would need fractions that lose precision. */
const points = [0, 1, -1, 1 / 2, -1 / 2, 2, -2, 3 / 2, -3 / 2, 1 / 4, -1 / 4] as const;
const maxTaps = 8;
const usualOutputs = 6;

function planBlocks(kernel: number): BlockPlan {
  const parts = Math.ceil(kernel / maxTaps);
  const taps = Math.ceil(kernel / parts);
  // With the point at infinity there are outputs + taps − 1.
  const outputs = parts > 1 ? taps : Math.min(usualOutputs, points.length + 2 - taps);
  return { outputs, taps, parts };
}

/** Multiplications for a sample of a channel. Where fewer are saved, the additional passes over all samples cost more (measured with 128 and 256 channels). */
const minSaved = 500;

function isWorthIt({ dims }: Convolution, { outputs, taps, parts }: BlockPlan): boolean {
  const count = outputs + taps - 1;
  return count - 1 <= points.length && dims[1] * (dims[2] - (count * parts) / outputs) >= minSaved;
}

/** By point: coefficients that evaluate the input and the kernel, and what its product adds to each output. */
interface PointWeights {
  readonly input: readonly number[];
  readonly kernel: readonly number[];
  readonly output: readonly number[];
}

/** The transposed form of Toom-Cook; the last point is infinity. */
function createPointWeights({ outputs, taps }: BlockPlan): PointWeights[] {
  const finite = points.slice(0, outputs + taps - 2);
  const powers = (point: number, count: number) => Array.from({ length: count }, (_, power) => point ** power);
  const last = (count: number) => Array.from({ length: count }, (_, index) => (index === count - 1 ? 1 : 0));
  const exact = finite.map((point) => {
    const others = finite.filter((other) => other !== point);
    const scale = others.reduce((product, other) => product * (point - other), 1);
    const input = [...multiplyRoots(others).map((value) => value / scale), 0];
    return { input, kernel: powers(point, taps), output: powers(point, outputs) };
  });
  const infinity = { input: multiplyRoots(finite), kernel: last(taps), output: last(outputs) };
  return [...exact, infinity].map(({ input, kernel, output }) => {
    // Of similar size, all in the weights of the kernel, so that less precision is lost.
    const inputScale = input.reduce((sum, value) => sum + Math.abs(value), 0);
    const outputScale = Math.max(...output.map(Math.abs));
    return {
      input: input.map((value) => value / inputScale),
      kernel: kernel.map((value) => value * inputScale * outputScale),
      output: output.map((value) => value / outputScale),
    };
  });
}

/** @returns coefficients of the polynomial with these roots, from the lowest power */
function multiplyRoots(roots: readonly number[]): number[] {
  let product = [1];
  for (const root of roots) {
    product = [0, ...product].map((value, power) => value - root * (product[power] ?? 0));
  }
  return product;
}

function createNodes(from: Convolution, plan: BlockPlan, graph: Graph): Node[] {
  const { input, output, dims, bias, pads } = from;
  const { outputs, taps, parts } = plan;
  const [channels] = dims;
  const weights = createPointWeights(plan);
  const named = (part: string): string => graph.newName(`${output}/${part}`);
  const constant = (part: string, size: readonly number[], values: Float32Array | number[]): string =>
    graph.addConstant(`${output}/${part}`, { dims: size, values });
  const end = outputs * parts + taps - 2 - pads[0];
  const products = weights.flatMap((point, index) => {
    const [evaluated, product] = [named(`evaluated/${index}`), named(`product/${index}`)];
    const repeated = Float32Array.from({ length: channels * point.input.length }, (_, place) => {
      return point.input[place % point.input.length] ?? 0;
    });
    const names = [
      evaluated,
      constant(`kernel/${index}`, [channels, channels, parts], evaluateKernel(from, plan, point.kernel)),
    ];
    // The product of the point 1 is in all samples.
    if (points[index] === 1 && bias !== undefined) names.push(constant('bias', [channels], bias));
    return [
      createNode(
        'Conv',
        [input, constant(`input/${index}`, [channels, 1, point.input.length], repeated)],
        [evaluated],
        { kernel_shape: [point.input.length], strides: [outputs], pads: [pads[0], end], group: channels },
      ),
      createNode('Conv', names, [product], { kernel_shape: [parts] }),
    ];
  });
  const joined = products.filter((_, index) => index % 2 === 1).flatMap((node) => node.output);
  const matrix = Float32Array.from(weights.flatMap((point) => point.output));
  const [all, rows, samples, long, shape] = ['all', 'rows', 'samples', 'long', 'shape'].map(named) as [
    ...[string, string, string, string, string],
  ];
  return [
    ...products,
    createNode('Concat', joined, [all], { axis: 1 }),
    createNode('Reshape', [all, constant('rows/shape', [2], [weights.length, -1])], [rows]),
    createNode('Gemm', [rows, constant('matrix', [weights.length, outputs], matrix)], [samples], { transA: 1 }),
    createNode('Reshape', [samples, constant('long/shape', [3], [1, channels, -1])], [long]),
    // The last block can be longer than the input.
    createNode('Shape', [input], [shape]),
    createNode('Slice', [long, constant('start', [3], [0, 0, 0]), shape], [output]),
  ];
}

/** @returns the parts of the kernel at a point, as taps: [output, input, part] */
function evaluateKernel(
  { weights, dims }: Convolution,
  { taps, parts }: BlockPlan,
  factors: readonly number[],
): Float32Array {
  const [outputs, inputs, count] = dims;
  return Float32Array.from({ length: outputs * inputs * parts }, (_, place) => {
    const first = (place % parts) * taps;
    const kernel = Math.floor(place / parts) * count;
    let sum = 0;
    for (let tap = first; tap < Math.min(first + taps, count); tap += 1) {
      sum += (factors[tap - first] ?? 0) * (weights[kernel + tap] ?? 0);
    }
    return sum;
  });
}
