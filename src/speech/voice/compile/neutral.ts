import { type Graph, type Node, tensorOf } from './onnx-graph.ts';
import { isOperation, replaceValues, type Use, useOf } from './use.ts';

/**
 * Takes out what changes nothing: zeros that are added and ones that are multiplied, as a network of one speaker has
 * where one of several would have its own, and the masks of sequences. A mask hides what pads a short text beside a
 * long one, and here each text is alone.
 */
export function dropNeutral(graph: Graph): void {
  const use = useOf(graph);
  const replacements = new Map<string, string>();
  for (const node of graph.nodes) {
    const kept = keptInput(node, graph, use);
    const [output] = node.output;
    if (kept !== undefined && output !== undefined && !graph.outputs.has(output)) {
      replacements.set(output, kept);
    }
  }
  replaceValues(graph, replacements);
}

/** @returns the input that is the output as well */
function keptInput({ opType, input, domain }: Node, graph: Graph, use: Use): string | undefined {
  const [one, other] = input;
  if (domain || one === undefined || other === undefined) return undefined;
  const isNeutral = opType === 'Add' ? isZeros : opType === 'Mul' ? isOnes : undefined;
  if (isNeutral === undefined) return undefined;
  const isFirst = isNeutral(one, graph, use);
  const isSecond = isNeutral(other, graph, use);
  // Of two masks, a row and a column, a square comes out.
  if (isFirst === isSecond) return undefined;
  return isFirst ? other : one;
}

/** As `zeros_like` of PyTorch stands in a graph. */
function isZeros(value: string, graph: Graph, use: Use): boolean {
  const node = use.producerOf(value);
  if (isOperation(node, 'Neg')) return isZeros(node.input[0] ?? '', graph, use);
  if (!isOperation(node, 'ConstantOfShape')) return false;
  if (!isOperation(use.producerOf(node.input[0]), 'Shape')) return false;
  const filling = tensorOf(node, 'value');
  // Without a value it is filled with zeros.
  return filling === undefined || filling.values?.every((one) => one === 0) === true;
}

function isOnes(value: string, graph: Graph, use: Use): boolean {
  const node = use.producerOf(value);
  if (isOperation(node, 'Exp')) return isZeros(node.input[0] ?? '', graph, use);
  return isMask(node, graph, use);
}

/** `positions < length` as numbers, for as many positions as the only text of the batch is long. */
function isMask(node: Node | undefined, graph: Graph, use: Use): boolean {
  if (isOperation(node, 'Unsqueeze', 'Cast')) {
    return isMask(use.producerOf(node.input[0]), graph, use);
  }
  if (!isOperation(node, 'Less')) return false;
  const [positions, length = ''] = node.input;
  return isPositions(use.producerOf(positions), use) && isLength(length, graph, use);
}

function isPositions(node: Node | undefined, use: Use): boolean {
  if (isOperation(node, 'Unsqueeze')) return isPositions(use.producerOf(node.input[0]), use);
  return isOperation(node, 'Range');
}

/** How many ids there are, which is given, or frames: the sum of all durations, in contrast to the sums up to each. */
function isLength(value: string, graph: Graph, use: Use): boolean {
  if (graph.inputs.has(value)) return true;
  const node = use.producerOf(value);
  if (isOperation(node, 'ReduceSum')) return true;
  return (
    isOperation(node, 'Unsqueeze', 'Cast', 'Clip', 'Max') &&
    isLength(node.input[0] ?? '', graph, use)
  );
}
