import { type Convolution, convolutionOf } from './convolution.ts';
import { exactValues } from './exact-values.ts';
import type { Graph, Node } from './onnx-graph.ts';
import { isOperation, numberOf, replaceValues, type Use, useOf } from './use.ts';

/**
 * Where a signal is scaled by a fixed positive number before convolutions, scales their weights instead. `LeakyRelu` may stand
 * between: it scales with its input.
 */
export function foldScales(graph: Graph): void {
  const use = useOf(graph);
  const exact = exactValues(graph);
  const scales = new Map<Node, number>();
  const replacements = new Map<string, string>();
  for (const node of graph.nodes) {
    const [input = ''] = node.input;
    const [output = ''] = node.output;
    const scale = exact.has(output) ? undefined : scaleOf(node, graph);
    const convolutions = scale === undefined ? undefined : convolutionsBehind(output, graph, use);
    if (scale === undefined || convolutions === undefined) continue;
    for (const one of convolutions) scales.set(one, (scales.get(one) ?? 1) * scale);
    replacements.set(output, input);
  }
  graph.nodes = graph.nodes.map((node) => {
    const scale = scales.get(node);
    return scale === undefined ? node : scaled(node, scale, graph);
  });
  replaceValues(graph, replacements);
}

function scaleOf({ opType, domain, input }: Node, graph: Graph): number | undefined {
  if (domain || (opType !== 'Div' && opType !== 'Mul')) return undefined;
  const number = numberOf(input[1] ?? '', graph);
  if (number === undefined || !(number > 0)) return undefined;
  return opType === 'Div' ? 1 / number : number;
}

/** @returns undefined where anything else takes the value */
function convolutionsBehind(value: string, graph: Graph, use: Use): readonly Node[] | undefined {
  if (graph.outputs.has(value)) return undefined;
  const found: Node[] = [];
  for (const consumer of use.consumersOf(value)) {
    if (isOperation(consumer, 'LeakyRelu', 'Relu')) {
      const behind = convolutionsBehind(consumer.output[0] ?? '', graph, use);
      if (behind === undefined) return undefined;
      found.push(...behind);
    } else if (anyConvolution(consumer, graph)?.input === value) found.push(consumer);
    else return undefined;
  }
  return found;
}

function anyConvolution(node: Node, graph: Graph): Convolution | undefined {
  return convolutionOf(node, graph) ?? convolutionOf(node, graph, 'ConvTranspose');
}

function scaled(node: Node, scale: number, graph: Graph): Node {
  const convolution = anyConvolution(node, graph);
  if (convolution === undefined) return node;
  const [input = '', name = '', ...bias] = node.input;
  const values = convolution.weights.map((weight) => weight * scale);
  const weights = graph.addConstant(`${name}/scaled`, { dims: convolution.dims, values });
  return { ...node, input: [input, weights, ...bias] };
}
