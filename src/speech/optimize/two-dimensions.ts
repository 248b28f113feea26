import { exactValues } from './exact-values.ts';
import {
  type Convolution,
  convolutionOf,
  dropUnused,
  isOperation,
  keepsLength,
  numberOf,
  type Use,
  useOf,
} from './graph-edits.ts';
import { type Graph, integersOf, type Node, node } from './onnx-graph.ts';

/** Operations on each number by itself. */
const unary = ['LeakyRelu', 'Relu', 'Tanh', 'Sigmoid'] as const;
const binary = ['Add', 'Sub', 'Mul', 'Div'] as const;

/**
 * Gives convolutions along time a second axis of length one, and what lies between them too. ONNX Runtime has its fast way, in
 * blocks of channels, for convolutions along two axes only.
 * @returns how many convolutions it found
 */
export function useTwoDimensions(graph: Graph): number {
  const widening = new Widening(graph);
  for (const one of graph.nodes) widening.take(one);
  for (const output of graph.outputs) widening.narrow(output);
  graph.nodes = widening.nodes;
  dropUnused(graph);
  return widening.count;
}

/** A value along two axes, in place of the same along one. */
interface Wide {
  readonly name: string;
  /** Undefined: not known. */
  readonly channels: number | undefined;
  /** What is as long bears the same name. */
  readonly length: string;
}

class Widening {
  readonly nodes: Node[] = [];
  count = 0;
  readonly #graph: Graph;
  readonly #use: Use;
  readonly #exact: ReadonlySet<string>;
  readonly #axis: string;
  readonly #axisOfTime: string;
  readonly #wide = new Map<string, Wide>();
  /** Values that exist only along two axes so far. */
  readonly #onlyWide = new Set<string>();
  /** Weights of convolutions that change nothing, by the number of channels. */
  readonly #ones = new Map<number, string>();

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#use = useOf(graph);
    this.#exact = exactValues(graph);
    this.#axis = graph.addConstant('axis', { dims: [1], values: [-2] });
    this.#axisOfTime = graph.addConstant('axis/time', { dims: [1], values: [1] });
  }

  /** Nodes come in the order of the graph. */
  take(one: Node): void {
    const convolution = convolutionOf(one, this.#graph);
    if (one.output.some((value) => this.#exact.has(value))) this.#keep(one);
    // A single output, the sound itself, makes no block.
    else if (convolution !== undefined && convolution.dims[0] > 1)
      this.#widenConvolution(convolution);
    else if (isOperation(one, ...unary) && this.#isWide(one.input[0])) this.#widenUnary(one);
    else if (isOperation(one, ...binary) && this.#isWideThroughout(one)) this.#widenBinary(one);
    else if (swapsTimeAndChannels(one) && this.#isWide(one.input[0])) this.#turnChannelsLast(one);
    else if (swapsTimeAndChannels(one)) this.#turnChannelsFirst(one);
    else this.#keep(one);
  }

  /** Sees to it that a value is there along one axis. */
  narrow(value: string): void {
    const wide = this.#wide.get(value);
    if (wide === undefined || !this.#onlyWide.delete(value)) return;
    this.nodes.push(node('Squeeze', [wide.name, this.#axis], [value]));
  }

  #widenConvolution(convolution: Convolution): void {
    const { node: one, input, output, weights, stride, dilation, pads, group } = convolution;
    const [channels, inputs, taps] = convolution.dims;
    const name = this.#graph.addConstant(`${one.input[1]}`, {
      dims: [channels, inputs, 1, taps],
      values: weights,
    });
    const from = this.#widened(input);
    const length = keepsLength(convolution) ? from.length : output;
    const wide = this.#added(output, channels, length);
    this.nodes.push(
      node('Conv', [from.name, name, ...one.input.slice(2)], [wide.name], {
        kernel_shape: [1, taps],
        strides: [1, stride],
        dilations: [1, dilation],
        pads: [0, pads[0], 0, pads[1]],
        group,
      }),
    );
    this.count += 1;
  }

  #widenUnary(one: Node): void {
    const [value = '', output = ''] = [one.input[0], one.output[0]];
    const input = this.#widened(value);
    const isFused =
      isOperation(this.#use.producerOf(value), 'Conv') && this.#use.isTakenBy(value, 1);
    const needsConvolution = one.opType === 'LeakyRelu' && !isFused;
    const wide = this.#added(output, input.channels, input.length);
    this.nodes.push({
      ...one,
      input: [needsConvolution ? this.#convolved(input) : input.name],
      output: [wide.name],
    });
  }

  /**
   * The runtime leaves its blocks for a `LeakyRelu`, unless it stands behind a convolution, of which it becomes a part: so
   * it gets one that changes nothing.
   */
  #convolved({ name, channels, length }: Wide): string {
    if (channels === undefined) return name;
    const same = this.#graph.newName(`${name}/same`);
    const ones =
      this.#ones.get(channels) ??
      this.#graph.addConstant(`ones/${channels}`, {
        dims: [channels, 1, 1, 1],
        values: new Float32Array(channels).fill(1),
      });
    this.#ones.set(channels, ones);
    this.nodes.push(node('Conv', [name, ones], [same], { kernel_shape: [1, 1], group: channels }));
    this.#describe({ name: same, channels, length });
    return same;
  }

  #widenBinary(one: Node): void {
    const from = one.input.flatMap((value) => this.#wide.get(value) ?? []);
    const input = one.input.map((value) => this.#wide.get(value)?.name ?? value);
    const channels = from.map((wide) => wide.channels);
    const lengths = new Set(from.map((wide) => wide.length));
    const output = one.output[0] ?? '';
    const wide = this.#added(
      output,
      channels.every((count) => count === channels[0]) ? channels[0] : undefined,
      lengths.size === 1 ? (from[0]?.length ?? output) : output,
    );
    this.nodes.push({ ...one, input, output: [wide.name] });
  }

  /** The runtime goes from its blocks to time before channels in one step, if it is asked along two axes. */
  #turnChannelsLast(one: Node): void {
    const { name } = this.#widened(one.input[0] ?? '');
    const [output = ''] = one.output;
    const turned = this.#graph.newName(`${output}/turned`);
    this.nodes.push(
      node('Transpose', [name], [turned], { perm: [0, 2, 3, 1] }),
      node('Squeeze', [turned, this.#axisOfTime], [output]),
    );
  }

  /** And back. */
  #turnChannelsFirst(one: Node): void {
    const [output = ''] = one.output;
    const channels = this.#joinedChannels(one);
    const turned = { name: this.#graph.newName(`${output}/wide`), channels, length: output };
    const before = this.#graph.newName(`${output}/before`);
    for (const value of one.input) this.narrow(value);
    this.nodes.push(
      node('Unsqueeze', [one.input[0] ?? '', this.#axisOfTime], [before]),
      node('Transpose', [before], [turned.name], { perm: [0, 3, 1, 2] }),
    );
    this.#describe(turned);
    // Phases that were put together go into blocks once, for all who take them.
    this.#wide.set(output, { ...turned, name: this.#convolved(turned) });
    this.#onlyWide.add(output);
  }

  #keep(one: Node): void {
    for (const value of one.input) this.narrow(value);
    this.nodes.push(one);
  }

  #isWide(value: string | undefined): boolean {
    return this.#wide.has(value ?? '');
  }

  /** A single number goes with everything. */
  #isWideThroughout({ input }: Node): boolean {
    const isNumber = (value: string) => numberOf(value, this.#graph) !== undefined;
    return (
      input.some((value) => this.#isWide(value)) &&
      input.every((value) => this.#isWide(value) || isNumber(value))
    );
  }

  /** @returns how many channels a value has that was reshaped to [batch, time, channels] */
  #joinedChannels(one: Node): number | undefined {
    let producer = this.#use.producerOf(one.input[0]);
    if (isOperation(producer, 'Slice')) producer = this.#use.producerOf(producer.input[0]);
    if (!isOperation(producer, 'Reshape')) return undefined;
    const shape = this.#graph.constant(producer.input[1] ?? '')?.values ?? [];
    const channels = shape.length === 3 && shape[1] === -1 ? (shape[2] ?? 1) : 1;
    return channels > 1 ? channels : undefined;
  }

  #widened(value: string): Wide {
    const known = this.#wide.get(value);
    if (known !== undefined) return known;
    const name = this.#graph.newName(`${value}/wide`);
    const wide = { name, channels: undefined, length: value };
    this.nodes.push(node('Unsqueeze', [value, this.#axis], [wide.name]));
    this.#wide.set(value, wide);
    return wide;
  }

  /** A value that is made along two axes. */
  #added(value: string, channels: number | undefined, length: string): Wide {
    const wide = { name: this.#graph.newName(`${value}/wide`), channels, length };
    this.#wide.set(value, wide);
    this.#onlyWide.add(value);
    this.#describe(wide);
    return wide;
  }

  /** Only of what is known to be of one shape the runtime makes sums part of a convolution. */
  #describe({ name, channels, length }: Wide): void {
    if (channels === undefined) return;
    this.#graph.describe(name, ['lectern/batch', channels, 1, `lectern/${length}`]);
  }
}

function swapsTimeAndChannels(one: Node): boolean {
  const [first, second, third, ...more] = integersOf(one, 'perm') ?? [];
  const isSwap = first === 0 && second === 2 && third === 1 && more.length === 0;
  return isOperation(one, 'Transpose') && isSwap;
}
