import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { capitalize } from '../capitalize.ts';
import { operationFailed } from '../errors.ts';
import { getErrno } from '../files.ts';
import { analyzeUsage, findNumber, isOperation, type ValueUsage } from '../speech/optimize/graph-edits.ts';
import { createNode, type Graph, getInteger, type Node, parseGraph } from '../speech/optimize/onnx-graph.ts';
import { withFixedNoise } from '../speech/synthesize/fixed-noise.ts';
import { parseStyle } from '../speech/synthesize/voice-config.ts';

/** Language, gender, name: `af_heart.bin`. */
const stylePattern = /^([a-z])([fm])_([a-z0-9]{1,40})\.bin$/;
const license = 'Apache-2.0';
const sampleRateHz = 24_000;

/** A voice of a Kokoro model: its style, as the config that a voice of its own has. */
interface KokoroVoice {
  /** Its file name without `.onnx.json`, such as `af_heart`. */
  readonly stem: string;
  /** The text of its config; the same for the same style and model. */
  readonly config: string;
}

/** @returns names of the style files in a folder; skipped: of languages that Lectern does not speak */
export function listStyles(folder: string): { readonly known: readonly string[]; readonly skipped: readonly string[] } {
  const names = readFolder(folder).filter((name) => stylePattern.test(name));
  if (names.length === 0) {
    throw operationFailed(`${folder} has no style files named like af_heart.bin`);
  }
  const isKnown = (name: string): boolean => Object.hasOwn(kokoroLanguages, name.charAt(0));
  return { known: names.filter(isKnown), skipped: names.filter((name) => !isKnown(name)) };
}

/**
 * @param path of a style file
 * @param modelSha256 of the model, hex
 * @throws AppError `operation_failed` for a file that is no style
 */
export function buildKokoroVoice(path: string, modelSha256: string): KokoroVoice {
  const fileName = basename(path);
  const [, language = '', gender, name = ''] = stylePattern.exec(fileName) ?? [];
  if (!isLanguage(language)) throw operationFailed(`${fileName} is not named like af_heart.bin`);
  const { espeak, locale, rules } = kokoroLanguages[language];
  const bytes = readStyleFile(path);
  const config = {
    family: 'kokoro',
    display_name: capitalize(name),
    gender: gender === 'f' ? 'female' : 'male',
    model_sha256: modelSha256,
    audio: { sample_rate: sampleRateHz, quality: 'high' },
    espeak: { voice: espeak },
    language: { code: locale },
    phoneme_type: 'espeak',
    phoneme_map: buildSymbolMap(rules),
    phoneme_id_map: buildTokenMap(),
    num_speakers: 1,
    license,
    style: bytes.toString('base64'),
  };
  return { stem: basename(fileName, '.bin'), config: `${JSON.stringify(config, null, 1)}\n` };
}

/** @returns an ONNX file with what its export lacks, or as it is where that is not known. @throws AppError `operation_failed` */
export function readKokoroModel(path: string): Uint8Array {
  const model = readBytes(path);
  try {
    return completeKokoroModel(model) ?? model;
  } catch {
    throw operationFailed(`${path} is not an ONNX model`);
  }
}

function isLanguage(letter: string): letter is keyof typeof kokoroLanguages {
  return Object.hasOwn(kokoroLanguages, letter);
}

function readStyleFile(path: string): Buffer {
  const bytes = readBytes(path);
  if (parseStyle(bytes) === undefined) {
    throw operationFailed(`${path} is not a style of Kokoro: expected 510 rows of 256 float32 values`);
  }
  return bytes;
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw operationFailed(`Reading ${path} failed (${getErrno(error)})`);
  }
}

function readFolder(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    throw operationFailed(`Reading folder ${folder} failed (${getErrno(error)})`);
  }
}

/**
 * Kokoro's vocabulary: symbols by token, from 0. It writes diphthongs and affricates as one symbol each (`A I O Q W Y`,
 * `ʣ ʤ ʥ ʦ ʧ ʨ`); gaps are tokens without a symbol.
 */
const vocabulary: readonly (readonly [firstToken: number, symbols: string])[] = [
  [1, ';:,.!?'],
  [9, '—…"()“” \u0303ʣʥʦʨᵝ\uab67AI'],
  [31, 'O'],
  [33, 'Q'],
  [35, 'ST'],
  [39, 'W'],
  [41, 'Yᵊabcdef'],
  [50, 'hijklmnopqrstuvwxyzɑɐɒæ'],
  [75, 'βɔɕç'],
  [80, 'ɖðʤə'],
  [85, 'ɚɛɜ'],
  [90, 'ɟ'],
  [92, 'ɡ'],
  [99, 'ɥ'],
  [101, 'ɨɪʝ'],
  [110, 'ɯɰŋɳɲɴø'],
  [118, 'ɸθœ'],
  [123, 'ɹ'],
  [125, 'ɾɻ'],
  [128, 'ʁɽʂʃʈʧ'],
  [135, 'ʊʋ'],
  [138, 'ʌɣɤ'],
  [142, 'χʎ'],
  [147, 'ʒʔ'],
  [156, 'ˈˌː'],
  [162, 'ʰ'],
  [164, 'ʲ'],
  [169, '↓'],
  [171, '→↗↘'],
  [177, 'ᵻ'],
];

/** It stands at both ends of an utterance. */
const sign = 0;

/** @returns tokens by symbol, with the signs for start (`^`) and end (`$`) */
function buildTokenMap(): Record<string, number[]> {
  const tokens = vocabulary.flatMap(([first, symbols]) =>
    [...symbols].map((symbol, index) => [symbol, [first + index]] as const),
  );
  return { '^': [sign], $: [sign], ...Object.fromEntries(tokens) };
}

const affricates = { dʒ: 'ʤ', tʃ: 'ʧ' };
/** Marks of espeak-ng between parts of a word, and of a dental sound. */
const silent = { '-': '', "'": '', '\u032a': '' };
/** A syllabic consonant is a consonant after a weak vowel. */
const syllabic = Object.fromEntries(
  [...'nlmɹr'].map((consonant) => [`${consonant}\u0329`, `ᵊ${consonant === 'r' ? 'ɹ' : consonant}`]),
);
const diphthongs = { aɪ: 'I', aʊ: 'W', eɪ: 'A', ɔɪ: 'Y' };
const english = {
  ...affricates,
  ...diphthongs,
  ...silent,
  ...syllabic,
  ...{ ʔn: 'tᵊn', 'ʔn\u0329': 'tᵊn', 'ʔˌn\u0329': 'tᵊn', ʔ: 't', '\u0329': '' },
  ...{ ɐ: 'ə', r: 'ɹ', x: 'k', ç: 'k', ɬ: 'l', o: 'ɔ', '\u0303': '', ʲ: '' },
};
/** Kokoro's American English has no length marks, and a symbol for the flap. */
const american = { ...english, oʊ: 'O', ɚ: 'əɹ', ɚɹ: 'əɹ', ɜːɹ: 'ɜɹ', ɜː: 'ɜɹ', ɪə: 'iə', ɾ: 'T', ː: '' };
const british = { ...english, əʊ: 'Q', eə: 'ɛː', iə: 'ɪə', ɚ: 'əɹ' };
const others = { ...affricates, ...silent, ts: 'ʦ', dz: 'ʣ', g: 'ɡ' };
const othersWithDiphthongs = { ...others, ...diphthongs, oʊ: 'O' };

/** By the first letter of a style: espeak-ng's voice and locale, and what Kokoro has in place of espeak-ng's symbols. */
const kokoroLanguages = {
  a: { espeak: 'en-us', locale: 'en_US', rules: american },
  b: { espeak: 'en-gb', locale: 'en_GB', rules: british },
  e: { espeak: 'es', locale: 'es_ES', rules: othersWithDiphthongs },
  f: { espeak: 'fr', locale: 'fr_FR', rules: others },
  h: { espeak: 'hi', locale: 'hi_IN', rules: othersWithDiphthongs },
  i: { espeak: 'it', locale: 'it_IT', rules: othersWithDiphthongs },
  p: { espeak: 'pt-br', locale: 'pt_BR', rules: othersWithDiphthongs },
} as const satisfies Record<string, { espeak: string; locale: string; rules: Readonly<Record<string, string>> }>;

/** @returns the rules as a config has them: lists of symbols */
function buildSymbolMap(rules: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(rules).map(([from, to]) => [from, [...to]]));
}

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
