import { type Convolution, convolutionOf } from './convolution.ts';
import { type Graph, integersOf, type Node } from './onnx-graph.ts';
import { isOperation, numberOf } from './use.ts';

/** Whether as much comes out of a convolution as goes in. */
export function keepsLength({ stride, dilation, pads, dims }: Convolution): boolean {
  return stride === 1 && pads[0] + pads[1] === dilation * (dims[2] - 1);
}

/** Whether as much comes out of a `ConvTranspose` as goes in, times its stride. */
export function isPlainUpsampling(transposed: Convolution): boolean {
  const { node, dims, stride, dilation, group, pads } = transposed;
  const isLengthened = dims[2] - pads[0] - pads[1] === stride && stride > 1;
  const isAsked = integersOf(node, 'output_padding')?.some((padding) => padding !== 0) ?? false;
  const hasShape = integersOf(node, 'output_shape') !== undefined;
  return isLengthened && !isAsked && !hasShape && dilation === 1 && group === 1;
}

/**
 * By which number the length of a signal can be divided for certain: upsampling lengthens it by a factor, and most other
 * operations leave it as it is.
 * @returns for each value a divisor of its last axis; 1 where nothing is known
 */
export function divisorsOf(graph: Graph): (value: string) => number {
  const divisors = new Map<string, number>();
  const divisorOf = (value: string) => divisors.get(value) ?? 1;
  for (const node of graph.nodes) {
    const [output = ''] = node.output;
    const divisor = divisorAfter(node, graph, divisorOf);
    if (divisor > 1) divisors.set(output, divisor);
  }
  return divisorOf;
}

function divisorAfter(node: Node, graph: Graph, divisorOf: (value: string) => number): number {
  const [one = '', other = ''] = node.input;
  if (isOperation(node, 'LeakyRelu', 'Relu', 'Tanh', 'Sigmoid')) return divisorOf(one);
  if (isOperation(node, 'Add')) return Math.max(divisorOf(one), divisorOf(other));
  if (isOperation(node, 'Div', 'Mul') && numberOf(other, graph) !== undefined) {
    return divisorOf(one);
  }
  const convolution = convolutionOf(node, graph);
  if (convolution !== undefined) return keepsLength(convolution) ? divisorOf(one) : 1;
  const transposed = convolutionOf(node, graph, 'ConvTranspose');
  if (transposed === undefined || !isPlainUpsampling(transposed)) return 1;
  return divisorOf(one) * transposed.stride;
}
