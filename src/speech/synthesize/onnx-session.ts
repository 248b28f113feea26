import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { loadOnnxRuntime } from '../../build/native.ts';
import { AppError } from '../../errors.ts';
import { parseFields, wireType } from '../optimize/onnx-graph.ts';
import type { VoiceConfig } from './voice-config.ts';
import { selectStyleRow } from './voice-config.ts';

/**
 * The parts of an ONNX file (protobuf) that lead to its tensors: for each kind of message the fields that hold another
 * one. From onnx.proto of ONNX 1.18.
 */
const messageFields = {
  model: { 7: 'graph', 20: 'training', 25: 'function' },
  graph: { 1: 'node', 5: 'tensor', 15: 'sparseTensor' },
  node: { 5: 'attribute' },
  attribute: {
    5: 'tensor',
    6: 'graph',
    10: 'tensor',
    11: 'graph',
    22: 'sparseTensor',
    23: 'sparseTensor',
  },
  sparseTensor: { 1: 'tensor', 2: 'tensor' },
  function: { 7: 'node', 11: 'attribute' },
  training: { 1: 'graph', 2: 'graph' },
  tensor: {},
} as const satisfies Record<string, Record<number, string>>;

type Message = keyof typeof messageFields;

/** Fields of a tensor: the file its numbers lie in, and whether they do (0: no). */
const externalDataField = 13;
const dataLocationField = 14;
/** Graphs lie in graphs; a real voice's only a few. */
const maxDepth = 50;

/**
 * Whether a model is all in one file. The runtime would read others: any below the folder the program was started in.
 * @returns false also for data that is no protobuf
 */
export function isSelfContained(model: Uint8Array): boolean {
  try {
    return isContained(model, 'model', 0);
  } catch {
    return false;
  }
}

/** @throws RangeError where the bytes are no protobuf */
function isContained(bytes: Uint8Array, message: Message, depth: number): boolean {
  if (depth > maxDepth) return false;
  const fields: Record<number, Message> = messageFields[message];
  for (const { id, kind, start, end } of parseFields(bytes)) {
    const child = fields[id];
    if (child !== undefined) {
      if (kind !== wireType.lengthFirst) return false;
      if (!isContained(bytes.subarray(start, end), child, depth + 1)) return false;
    }
    if (message !== 'tensor') continue;
    if (id === externalDataField) return false;
    if (id === dataLocationField && (kind !== wireType.varint || bytes[start] !== 0)) return false;
  }
  return true;
}

/** What a model makes of phoneme ids. */
export interface Utterance {
  /** Mono, −1…1. */
  readonly samples: Float32Array;
  /** Number of samples of each id; undefined: not returned by the model. */
  readonly idSamples: Float64Array | undefined;
}

/** A voice's model, ready to run. */
export interface VoiceSession {
  /**
   * @param ids phoneme ids, pads included
   * @param speaker number of the speaker, 0 for the only one
   * @param scales noise scale, length scale, noise width
   * @throws AppError `bad_voice`
   */
  run(ids: readonly number[], speaker: number, scales: readonly [number, number, number]): Promise<Utterance>;
  close(): Promise<void>;
}

/** A model that is open, for one voice or several. */
export interface ModelSession {
  /** @param config of a voice of this model */
  bind(config: VoiceConfig): VoiceSession['run'];
  close(): Promise<void>;
}

/** An ONNX file, or its path: the runtime reads it in pieces then, and less memory is used. */
export type ModelSource = Uint8Array | string;

type ModelPreparation =
  /** The runtime optimizes the graph as far as it can; into a file, too, where one is named. */
  | { readonly as: 'exported'; readonly optimizedInto?: string }
  /** The graph was optimized before, and is run as it is. */
  | { readonly as: 'optimized' };

/**
 * @param model whole in itself
 * @throws AppError `bad_voice` when it is unreadable, or no voice of this config
 */
export async function openVoiceSession(
  model: ModelSource,
  config: VoiceConfig,
  preparing: ModelPreparation = { as: 'exported' },
): Promise<VoiceSession> {
  const session = await openModelSession(model, config, preparing);
  return { run: session.bind(config), close: session.close };
}

/**
 * @param model whole in itself
 * @param config of one of its voices
 * @throws AppError `bad_voice` when it is unreadable, or no voice of this config
 */
export async function openModelSession(
  model: ModelSource,
  config: VoiceConfig,
  preparing: ModelPreparation = { as: 'exported' },
): Promise<ModelSession> {
  // Loaded here and not above: only a speech worker pays for it.
  const onnx = await loadOnnxRuntime();
  const session = await openSession(onnx, model, preparing);
  getModelInterface(config).validate(session, config);
  return {
    bind: (voiceConfig) => async (ids, speaker, scales) => {
      const { buildFeeds, output } = getModelInterface(voiceConfig);
      const outputs = await runSession(session, buildFeeds(onnx, session, voiceConfig, { ids, speaker, scales }));
      const samples = outputs[output]?.data;
      if (!(samples instanceof Float32Array)) {
        throw new AppError('bad_voice', 'the model output is not a float32 sample array');
      }
      return { samples, idSamples: toIdSamples(outputs['durations']?.data, ids.length, samples.length) };
    },
    close: () => session.release(),
  };
}

async function openSession(
  onnx: typeof import('onnxruntime-node'),
  model: ModelSource,
  preparing: ModelPreparation,
): Promise<InferenceSession> {
  const options: InferenceSession.SessionOptions = {
    // One thread: several workers side by side beat several threads in one, and don't spin.
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    logSeverityLevel: 4,
    // With it, a sentence as long as an earlier one gets a block of its own for all values, beside what is there: a
    // quarter more memory.
    enableMemPattern: false,
    ...(preparing.as === 'optimized'
      ? { graphOptimizationLevel: 'disabled' }
      : preparing.optimizedInto !== undefined && {
          graphOptimizationLevel: 'all',
          optimizedModelFilePath: preparing.optimizedInto,
        }),
  };
  try {
    return await (typeof model === 'string'
      ? onnx.InferenceSession.create(model, options)
      : onnx.InferenceSession.create(model, options));
  } catch {
    throw createUnreadableModelError();
  }
}

export function createUnreadableModelError(): AppError {
  return new AppError('bad_voice', 'the model is not a readable, self-contained ONNX file');
}

/** The runtime's own words name nodes and tensors: nothing for the owner of an article. */
async function runSession(session: InferenceSession, feeds: Feeds): Promise<Partial<Record<string, Tensor>>> {
  try {
    return await session.run(feeds);
  } catch {
    throw new AppError('bad_voice', 'inference failed');
  }
}

/**
 * @param durations of the ids, in any unit; an optional output, so that anything may stand there
 * @returns undefined if it cannot be the durations of these ids
 */
function toIdSamples(
  durations: Tensor['data'] | undefined,
  idCount: number,
  sampleCount: number,
): Float64Array | undefined {
  if (!(durations instanceof Float32Array) || durations.length !== idCount) return undefined;
  const total = durations.reduce((sum, duration) => sum + Math.max(0, duration), 0);
  if (!Number.isFinite(total) || total <= 0) return undefined;
  return Float64Array.from(durations, (duration) => (Math.max(0, duration) * sampleCount) / total);
}

/** What the inputs need of the runtime. */
type Runtime = Pick<typeof import('onnxruntime-node'), 'Tensor'>;
/** Inputs of a model by name. */
type Feeds = Record<string, Tensor>;

interface InferenceInput {
  /** Phoneme ids, pads and signs included. */
  readonly ids: readonly number[];
  /** Number of the speaker, 0 for the only one. */
  readonly speaker: number;
  /** Noise scale, length scale, noise width. */
  readonly scales: readonly [number, number, number];
}

/** Names and meaning of the inputs and outputs of a family of models. */
interface ModelInterface {
  readonly output: string;
  /** @throws AppError `bad_voice` when the model is of another family, or does not fit the config */
  validate(session: InferenceSession, config: VoiceConfig): void;
  buildFeeds(runtime: Runtime, session: InferenceSession, config: VoiceConfig, input: InferenceInput): Feeds;
}

const piper: ModelInterface = {
  output: 'output',
  validate: (session, config) => {
    validateNames(session, 'Piper', { required: ['input', 'input_lengths', 'scales'], optional: ['sid'] }, 'output');
    if (config.speakers.length > 1 && !session.inputNames.includes('sid')) {
      throw new AppError('bad_voice', 'the config lists several speakers, but the model has one');
    }
  },
  buildFeeds: ({ Tensor }, session, _config, { ids, speaker, scales }) => ({
    input: new Tensor('int64', toLongs(ids), [1, ids.length]),
    input_lengths: new Tensor('int64', toLongs([ids.length]), [1]),
    scales: new Tensor('float32', Float32Array.from(scales), [3]),
    ...(session.inputNames.includes('sid') && { sid: new Tensor('int64', toLongs([speaker]), [1]) }),
  }),
};

/** The start and end symbols, which the style does not count as tokens. */
const signCount = 2;

const kokoro: ModelInterface = {
  output: 'waveform',
  validate: (session, config) => {
    validateNames(session, 'Kokoro', { required: ['input_ids', 'style', 'speed'], optional: [] }, 'waveform');
    if (config.speakers.length > 1) {
      throw new AppError('bad_voice', 'the config lists several speakers; a Kokoro voice has one');
    }
  },
  buildFeeds: ({ Tensor }, _session, { style = new Float32Array(0) }, { ids, scales: [, length] }) => {
    const row = selectStyleRow(style, ids.length - signCount);
    return {
      input_ids: new Tensor('int64', toLongs(ids), [1, ids.length]),
      style: new Tensor('float32', row, [1, row.length]),
      speed: new Tensor('float32', Float32Array.of(1 / length), [1]),
    };
  },
};

function getModelInterface({ style }: Pick<VoiceConfig, 'style'>): ModelInterface {
  return style === undefined ? piper : kokoro;
}

function toLongs(values: readonly number[]): BigInt64Array {
  return BigInt64Array.from(values, BigInt);
}

const maxShownNames = 10;
const maxShownNameLength = 40;

/** A file may name anything. */
function formatNames(names: readonly string[]): string {
  return names
    .slice(0, maxShownNames)
    .map((name) => name.slice(0, maxShownNameLength).replace(/[^\x21-\x7e]/g, '?'))
    .join(', ');
}

function validateNames(
  session: InferenceSession,
  family: string,
  { required, optional }: { readonly required: readonly string[]; readonly optional: readonly string[] },
  output: string,
): void {
  const { inputNames, outputNames } = session;
  const isMissing = required.some((name) => !inputNames.includes(name)) || !outputNames.includes(output);
  if (isMissing || inputNames.some((name) => !required.includes(name) && !optional.includes(name))) {
    throw new AppError(
      'bad_voice',
      `the model is not a ${family} voice: its inputs are ${formatNames(inputNames)}, its outputs ${formatNames(outputNames)}`,
    );
  }
  const metadata = session.outputMetadata.find(({ name }) => name === output);
  if (!metadata?.isTensor || metadata.type !== 'float32') {
    throw new AppError('bad_voice', 'the model output is not a float32 sample array');
  }
}
