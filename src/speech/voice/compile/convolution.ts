import { type Graph, integerOf, integersOf, type Node, textOf } from './onnx-graph.ts';
import { isOperation } from './use.ts';

/** A convolution along one axis, time, with weights that are part of the model. */
export interface Convolution {
  readonly node: Node;
  readonly input: string;
  readonly output: string;
  readonly weights: Float32Array;
  /** Of the weights. Of `Conv`: outputs, inputs of a group, taps; of `ConvTranspose`: inputs, outputs of a group, taps. */
  readonly dims: readonly [number, number, number];
  /** One for each output; undefined: none. */
  readonly bias: Float32Array | undefined;
  readonly stride: number;
  readonly dilation: number;
  readonly group: number;
  /** Zeros before and after. */
  readonly pads: readonly [number, number];
}

/** @returns undefined for every other node, and where weights are computed or numbers of another kind */
export function convolutionOf(
  node: Node,
  graph: Graph,
  opType: 'Conv' | 'ConvTranspose' = 'Conv',
): Convolution | undefined {
  if (!isOperation(node, opType)) return undefined;
  const [input, weightName = '', biasName = ''] = node.input;
  const [output] = node.output;
  const weights = graph.constant(weightName);
  const bias = biasName === '' ? undefined : graph.constant(biasName);
  const [one, two, taps] = weights?.dims ?? [];
  if (!(weights?.values instanceof Float32Array) || weights.dims.length !== 3) return undefined;
  if (input === undefined || output === undefined) return undefined;
  if (one === undefined || two === undefined || taps === undefined) return undefined;
  if (biasName !== '' && !(bias?.values instanceof Float32Array)) return undefined;
  if ((textOf(node, 'auto_pad') ?? 'NOTSET') !== 'NOTSET') return undefined;
  const [before = 0, after = 0] = integersOf(node, 'pads') ?? [];
  return {
    node,
    input,
    output,
    weights: weights.values,
    dims: [one, two, taps],
    bias: bias?.values instanceof Float32Array ? bias.values : undefined,
    stride: integersOf(node, 'strides')?.[0] ?? 1,
    dilation: integersOf(node, 'dilations')?.[0] ?? 1,
    group: integerOf(node, 'group') ?? 1,
    pads: [before, after],
  };
}
