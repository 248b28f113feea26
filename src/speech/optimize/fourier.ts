import { findNumber, isOperation } from './graph-edits.ts';
import { createNode, type Graph, getInteger, type Node } from './onnx-graph.ts';

/**
 * Replaces a short-time Fourier transform of a real signal by a convolution with windowed cosines and sines. The runtime
 * transforms frame by frame, which takes a hundred times as long.
 */
export function replaceFourierTransforms(graph: Graph): void {
  graph.nodes = graph.nodes.flatMap((node) => createFourierConvolution(node, graph) ?? [node]);
}

/** @returns undefined for other nodes, and for a computed window or step */
function createFourierConvolution(node: Node, graph: Graph): Node[] | undefined {
  if (!isOperation(node, 'STFT') || getInteger(node, 'onesided') === 0) return undefined;
  const [signal = '', stepName = '', windowName = ''] = node.input;
  const [output = ''] = node.output;
  const step = findNumber(stepName, graph);
  const window = graph.constant(windowName)?.values;
  if (step === undefined || !(window instanceof Float32Array)) return undefined;
  const size = window.length;
  if (findNumber(node.input[3] ?? '', graph) !== size) return undefined;
  const bins = Math.floor(size / 2) + 1;
  const weights = graph.addConstant(`${output}/weights`, {
    dims: [2 * bins, 1, size],
    values: createFourierWeights(window, bins),
  });
  const named = (part: string): string => graph.newName(`${output}/${part}`);
  const shape = (part: string, values: readonly number[]): string =>
    graph.addConstant(`${output}/${part}`, { dims: [values.length], values });
  const [framed, joined, turned] = [named('framed'), named('joined'), named('turned')];
  return [
    createNode('Reshape', [signal, shape('one_channel', [0, 1, -1])], [framed]),
    createNode('Conv', [framed, weights], [joined], { kernel_shape: [size], strides: [step] }),
    createNode('Transpose', [joined], [turned], { perm: [0, 2, 1] }),
    createNode('Reshape', [turned, shape('pairs', [0, 0, bins, 2])], [output]),
  ];
}

/** Real and imaginary part of each frequency in turn. */
function createFourierWeights(window: Float32Array, bins: number): Float32Array {
  const size = window.length;
  const weights = new Float32Array(2 * bins * size);
  for (let bin = 0; bin < bins; bin += 1) {
    for (const [place, weight] of window.entries()) {
      const angle = (2 * Math.PI * ((bin * place) % size)) / size;
      weights[2 * bin * size + place] = weight * Math.cos(angle);
      weights[(2 * bin + 1) * size + place] = -weight * Math.sin(angle);
    }
  }
  return weights;
}
