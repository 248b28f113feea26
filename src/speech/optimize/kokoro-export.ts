import { withFixedNoise } from '../synthesize/fixed-noise.ts';
import { analyzeUsage, findNumber, isOperation, type ValueUsage } from './graph-edits.ts';
import { createNode, type Graph, getInteger, type Node, parseGraph } from './onnx-graph.ts';

/** Amplitude of the noise in the excitation, in voiced and in unvoiced frames. */
const voicedNoise = 0.003;
const unvoicedNoise = 0.1 / 3;

/**
 * Adds what the ONNX export of Kokoro lacks compared with its PyTorch original, and durations as an output:
 * - noise in the excitation, without which unvoiced sounds have no source. It is the same in every run;
 * - the phase of the first and the last frequency of the excitation. Both are real; the export gives them the sign of a
 *   rounding error, −π or π, which adds tones and makes the sound depend on the version of the runtime.
 *
 * Its short-time Fourier transform becomes a convolution here and not in the optimizer: where an imaginary part is almost zero,
 * the phase has the sign of a rounding error, so the optimized model would not sound the same.
 * @returns undefined for a model of another structure
 * @throws for bytes that are no ONNX model
 */
export function completeKokoroModel(model: Uint8Array): Uint8Array | undefined {
  const graph = parseGraph(model);
  const isComplete = addNoise(graph) && fixPhases(graph) && addDurations(graph);
  if (!isComplete) return undefined;
  replaceFourierTransforms(graph);
  return withFixedNoise(graph.encode());
}

function replaceConsumers(graph: Graph, value: string, by: string): void {
  graph.nodes = graph.nodes.map((node) =>
    node.input.includes(value) ? { ...node, input: node.input.map((name) => (name === value ? by : name)) } : node,
  );
}

function insertAfter(graph: Graph, place: Node, added: readonly Node[]): void {
  graph.nodes = graph.nodes.flatMap((node) => (node === place ? [node, ...added] : [node]));
}

/**
 * The noise of each sine passes the same weights as the sines: one noise as loud as all of them together has the same
 * distribution.
 */
function addNoise(graph: Graph): boolean {
  const use = analyzeUsage(graph);
  for (const node of graph.nodes) {
    const voiced = findVoicing(node, use);
    const weights = graph.constant(node.input[1] ?? '');
    const [output = ''] = node.output;
    if (voiced === undefined || !(weights?.values instanceof Float32Array) || weights.dims[1] !== 1) continue;
    const norm = Math.hypot(...weights.values);
    const scalar = (part: string, value: number): string =>
      graph.addConstant(`${output}/${part}`, { dims: [], values: Float32Array.of(value) });
    const [noise, quieter, level, scaled, sum] = ['noise', 'quieter', 'level', 'scaled', 'noisy'].map((part) =>
      graph.newName(`${output}/${part}`),
    ) as [string, string, string, string, string];
    const added = [
      createNode('RandomNormalLike', [output], [noise]),
      createNode('Mul', [voiced, scalar('voiced', (voicedNoise - unvoicedNoise) * norm)], [quieter]),
      createNode('Add', [quieter, scalar('unvoiced', unvoicedNoise * norm)], [level]),
      createNode('Mul', [noise, level], [scaled]),
    ];
    replaceConsumers(graph, output, sum);
    insertAfter(graph, node, [...added, createNode('Add', [output, scaled], [sum])]);
    return true;
  }
  return false;
}

/** @param node the product of sines and weights @returns 1 where the voice sounds, else 0 */
function findVoicing(node: Node, use: ValueUsage): string | undefined {
  const product = use.producerOf(node.input[0]);
  if (!isOperation(node, 'MatMul') || !isOperation(product, 'Mul')) return undefined;
  const [sines, voiced] = product.input;
  const amplified = use.producerOf(sines);
  const flag = use.producerOf(voiced);
  const isSine = amplified?.input.some((value) => isOperation(use.producerOf(value), 'Sin')) === true;
  const isFlag = isOperation(flag, 'Cast') && isOperation(use.producerOf(flag.input[0]), 'Greater');
  return isSine && isFlag ? voiced : undefined;
}

/** The phase is written as a case distinction of arc tangents. */
function fixPhases(graph: Graph): boolean {
  const use = analyzeUsage(graph);
  for (const node of graph.nodes) {
    const [isNegative = '', shifted, plain] = node.input;
    const [output = ''] = node.output;
    const isPhase = isOperation(node, 'Where') && isOperation(use.producerOf(plain), 'Atan');
    if (!isPhase || !isOperation(use.producerOf(shifted), 'Where')) continue;
    const bins = countFrequencies(output, graph, use);
    if (bins === undefined) continue;
    const mask = Float32Array.from({ length: bins }, (_, bin) => (bin === 0 || bin === bins - 1 ? 1 : 0));
    const add = (part: string, dims: readonly number[], values: Float32Array): string =>
      graph.addConstant(`${output}/${part}`, { dims, values });
    const zero = add('zero', [], Float32Array.of(0));
    const [isReal, sign, fixed] = ['is_real', 'sign', 'fixed'].map((part) => graph.newName(`${output}/${part}`)) as [
      string,
      string,
      string,
    ];
    replaceConsumers(graph, output, fixed);
    insertAfter(graph, node, [
      createNode('Greater', [add('mask', [1, bins, 1], mask), zero], [isReal]),
      createNode('Where', [isNegative, add('pi', [], Float32Array.of(Math.PI)), zero], [sign]),
      createNode('Where', [isReal, sign, output], [fixed]),
    ]);
    return true;
  }
  return false;
}

/** Levels and phases of all frequencies are the channels of a convolution. */
function countFrequencies(phase: string, graph: Graph, use: ValueUsage): number | undefined {
  const joined = use.consumersOf(phase).find((node) => isOperation(node, 'Concat'));
  const convolution = use.consumersOf(joined?.output[0] ?? '').find((node) => isOperation(node, 'Conv'));
  const channels = graph.constant(convolution?.input[1] ?? '')?.dims[1];
  return channels === undefined ? undefined : channels / 2;
}

/** Frames of each token: rounded, and at least one. */
function addDurations(graph: Graph): boolean {
  const use = analyzeUsage(graph);
  const clipped = graph.nodes.find(
    (node) => isOperation(node, 'Clip') && isOperation(use.producerOf(node.input[0]), 'Round'),
  );
  const [durations] = clipped?.output ?? [];
  if (durations === undefined) return false;
  graph.nodes = [...graph.nodes, createNode('Identity', [durations], ['durations'])];
  graph.addOutput('durations', [1, 'tokens']);
  return true;
}

/**
 * Replaces a short-time Fourier transform of a real signal by a convolution with windowed cosines and sines. The runtime
 * transforms frame by frame, which takes a hundred times as long.
 */
function replaceFourierTransforms(graph: Graph): void {
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
