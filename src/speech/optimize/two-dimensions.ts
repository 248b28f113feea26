import {
  analyzeUsage,
  type Convolution,
  findExactValues,
  findNumber,
  isOperation,
  keepsLength,
  parseConvolution,
  removeUnused,
  type ValueUsage,
} from './graph-edits.ts';
import { createNode, type Graph, getInteger, getIntegers, type Node } from './onnx-graph.ts';

/** Element-wise operations. */
const unary = ['LeakyRelu', 'Relu', 'Tanh', 'Sigmoid', 'Sin'] as const;
const binary = ['Add', 'Sub', 'Mul', 'Div'] as const;

/**
 * Adds a second axis of length one to convolutions along time and the operations between them: ONNX Runtime computes only
 * two-dimensional convolutions in its fast blocked layout.
 * @returns number of converted convolutions
 */
export function convertTo2d(graph: Graph): number {
  const widening = new Converter2d(graph);
  for (const node of graph.nodes) widening.convertNode(node);
  for (const output of graph.outputs) widening.ensure1d(output);
  graph.nodes = widening.nodes;
  removeUnused(graph);
  return widening.count;
}

/** The two-dimensional form of a value. */
interface Value2d {
  readonly name: string;
  /** Undefined: unknown. */
  readonly channels: number | undefined;
  /** Equal names mean equal lengths. */
  readonly length: string;
}

class Converter2d {
  readonly nodes: Node[] = [];
  count = 0;
  readonly #graph: Graph;
  readonly #usage: ValueUsage;
  readonly #exact: ReadonlySet<string>;
  readonly #axis: string;
  readonly #axisOfTime: string;
  readonly #values2d = new Map<string, Value2d>();
  /** Values that exist only in two dimensions so far. */
  readonly #only2d = new Set<string>();
  /** Weights of identity convolutions, by number of channels. */
  readonly #identityWeights = new Map<number, string>();

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#usage = analyzeUsage(graph);
    this.#exact = findExactValues(graph);
    this.#axis = graph.addConstant('axis', { dims: [1], values: [-2] });
    this.#axisOfTime = graph.addConstant('axis/time', { dims: [1], values: [1] });
  }

  /** Call it in the order of the graph. */
  convertNode(node: Node): void {
    const convolution = parseConvolution(node, this.#graph);
    if (node.output.some((value) => this.#exact.has(value))) this.#copyNode(node);
    // A single output channel, the sound itself, has no blocks.
    else if (convolution !== undefined && convolution.dims[0] > 1) this.#convertConvolution(convolution);
    else if (isOperation(node, ...unary) && this.#is2d(node.input[0])) this.#convertUnary(node);
    else if (isOperation(node, ...binary) && this.#areInputs2d(node)) this.#convertBinary(node);
    else if (this.#joinsChannels(node)) this.#convertConcat(node);
    else if (isOperation(node, 'InstanceNormalization') && this.#is2d(node.input[0])) this.#convertNormalization(node);
    else if (swapsTimeAndChannels(node) && this.#is2d(node.input[0])) this.#turnChannelsLast(node);
    else if (swapsTimeAndChannels(node)) this.#turnChannelsFirst(node);
    else this.#copyNode(node);
  }

  /** Converts a value back to one dimension if needed. */
  ensure1d(value: string): void {
    const wide = this.#values2d.get(value);
    if (wide === undefined || !this.#only2d.delete(value)) return;
    this.nodes.push(createNode('Squeeze', [wide.name, this.#axis], [value]));
  }

  #convertConvolution(convolution: Convolution): void {
    const { node: convolutionNode, input, output, weights, stride, dilation, pads, group } = convolution;
    const [channels, inputs, taps] = convolution.dims;
    const name = this.#graph.addConstant(`${convolutionNode.input[1]}`, {
      dims: [channels, inputs, 1, taps],
      values: weights,
    });
    const from = this.#to2d(input);
    const length = keepsLength(convolution) ? from.length : output;
    const wide = this.#addValue(output, channels, length);
    this.nodes.push(
      createNode('Conv', [from.name, name, ...convolutionNode.input.slice(2)], [wide.name], {
        kernel_shape: [1, taps],
        strides: [1, stride],
        dilations: [1, dilation],
        pads: [0, pads[0], 0, pads[1]],
        group,
      }),
    );
    this.count += 1;
  }

  #convertUnary(node: Node): void {
    const [value = '', output = ''] = [node.input[0], node.output[0]];
    const input = this.#to2d(value);
    const isFused = isOperation(this.#usage.producerOf(value), 'Conv') && this.#usage.isTakenBy(value, 1);
    const needsConvolution = node.opType === 'LeakyRelu' && !isFused;
    const wide = this.#addValue(output, input.channels, input.length);
    this.nodes.push({
      ...node,
      input: [needsConvolution ? this.#addIdentityConvolution(input) : input.name],
      output: [wide.name],
    });
  }

  /**
   * The runtime leaves the blocked layout for a `LeakyRelu` unless it can fuse it with a convolution, so an identity
   * convolution is added.
   */
  #addIdentityConvolution({ name, channels, length }: Value2d): string {
    if (channels === undefined) return name;
    const same = this.#graph.newName(`${name}/same`);
    const ones =
      this.#identityWeights.get(channels) ??
      this.#graph.addConstant(`ones/${channels}`, {
        dims: [channels, 1, 1, 1],
        values: new Float32Array(channels).fill(1),
      });
    this.#identityWeights.set(channels, ones);
    this.nodes.push(createNode('Conv', [name, ones], [same], { kernel_shape: [1, 1], group: channels }));
    this.#declareShape({ name: same, channels, length });
    return same;
  }

  /** Its other inputs are numbers by channel. */
  #convertNormalization(node: Node): void {
    const [value = '', ...numbers] = node.input;
    const { name, channels, length } = this.#to2d(value);
    const wide = this.#addValue(node.output[0] ?? '', channels, length);
    this.nodes.push({ ...node, input: [name, ...numbers], output: [wide.name] });
  }

  #convertBinary(node: Node): void {
    const from = node.input.flatMap((value) => this.#values2d.get(value) ?? []);
    const input = node.input.map((value) => this.#values2d.get(value)?.name ?? value);
    const channels = from.map((wide) => wide.channels);
    const lengths = new Set(from.map((wide) => wide.length));
    const output = node.output[0] ?? '';
    const wide = this.#addValue(
      output,
      channels.every((count) => count === channels[0]) ? channels[0] : undefined,
      lengths.size === 1 ? (from[0]?.length ?? output) : output,
    );
    this.nodes.push({ ...node, input, output: [wide.name] });
  }

  #convertConcat(node: Node): void {
    const from = node.input.flatMap((value) => this.#values2d.get(value) ?? []);
    const wide = this.#addValue(node.output[0] ?? '', undefined, from[0]?.length ?? '');
    this.nodes.push({ ...node, input: from.map(({ name }) => name), output: [wide.name] });
  }

  /** In two dimensions the runtime converts blocks to channels-last in one step. */
  #turnChannelsLast(node: Node): void {
    const { name } = this.#to2d(node.input[0] ?? '');
    const [output = ''] = node.output;
    const turned = this.#graph.newName(`${output}/turned`);
    this.nodes.push(
      createNode('Transpose', [name], [turned], { perm: [0, 2, 3, 1] }),
      createNode('Squeeze', [turned, this.#axisOfTime], [output]),
    );
  }

  /** And back. */
  #turnChannelsFirst(node: Node): void {
    const [output = ''] = node.output;
    const channels = this.#findJoinedChannels(node);
    const turned = { name: this.#graph.newName(`${output}/wide`), channels, length: output };
    const before = this.#graph.newName(`${output}/before`);
    for (const value of node.input) this.ensure1d(value);
    this.nodes.push(
      createNode('Unsqueeze', [node.input[0] ?? '', this.#axisOfTime], [before]),
      createNode('Transpose', [before], [turned.name], { perm: [0, 3, 1, 2] }),
    );
    this.#declareShape(turned);
    // Interleaved phases are converted to blocks once for all consumers.
    this.#values2d.set(output, { ...turned, name: this.#addIdentityConvolution(turned) });
    this.#only2d.add(output);
  }

  #copyNode(node: Node): void {
    for (const value of node.input) this.ensure1d(value);
    this.nodes.push(node);
  }

  #is2d(value: string | undefined): boolean {
    return this.#values2d.has(value ?? '');
  }

  /** Of convolutions: they stay in blocks. */
  #joinsChannels(node: Node): boolean {
    const isJoin = isOperation(node, 'Concat') && getInteger(node, 'axis') === 1;
    return (
      isJoin && node.input.every((value) => this.#is2d(value) && isOperation(this.#usage.producerOf(value), 'Conv'))
    );
  }

  /** Scalars fit every shape. */
  #areInputs2d({ input }: Node): boolean {
    const isNumber = (value: string) => findNumber(value, this.#graph) !== undefined;
    return input.some((value) => this.#is2d(value)) && input.every((value) => this.#is2d(value) || isNumber(value));
  }

  /** @returns number of channels of a value reshaped to [batch, time, channels] */
  #findJoinedChannels(node: Node): number | undefined {
    let producer = this.#usage.producerOf(node.input[0]);
    if (isOperation(producer, 'Slice')) producer = this.#usage.producerOf(producer.input[0]);
    if (!isOperation(producer, 'Reshape')) return undefined;
    const shape = this.#graph.constant(producer.input[1] ?? '')?.values ?? [];
    const channels = shape.length === 3 && shape[1] === -1 ? (shape[2] ?? 1) : 1;
    return channels > 1 ? channels : undefined;
  }

  #to2d(value: string): Value2d {
    const known = this.#values2d.get(value);
    if (known !== undefined) return known;
    const name = this.#graph.newName(`${value}/wide`);
    const wide = { name, channels: undefined, length: value };
    this.nodes.push(createNode('Unsqueeze', [value, this.#axis], [wide.name]));
    this.#values2d.set(value, wide);
    return wide;
  }

  #addValue(value: string, channels: number | undefined, length: string): Value2d {
    const wide = { name: this.#graph.newName(`${value}/wide`), channels, length };
    this.#values2d.set(value, wide);
    this.#only2d.add(value);
    this.#declareShape(wide);
    return wide;
  }

  /** The runtime fuses sums with a convolution only if it knows the shapes to be equal. */
  #declareShape({ name, channels, length }: Value2d): void {
    if (channels === undefined) return;
    this.#graph.declareShape(name, ['lectern/batch', channels, 1, `lectern/${length}`]);
  }
}

function swapsTimeAndChannels(node: Node): boolean {
  const [first, second, third, ...more] = getIntegers(node, 'perm') ?? [];
  const isSwap = first === 0 && second === 2 && third === 1 && more.length === 0;
  return isOperation(node, 'Transpose') && isSwap;
}
