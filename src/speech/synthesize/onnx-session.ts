import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { loadOnnxRuntime } from '../../build/native.ts';
import { AppError } from '../../errors.ts';
import { parseFields, wireType } from '../optimize/onnx-graph.ts';
import type { VoiceConfig } from './voice-config.ts';

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
 * @returns false also for what is no protobuf at all
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

const maxShownNames = 10;
const maxShownNameLength = 40;

/** What a model makes of phoneme ids. */
export interface Utterance {
  /** Mono, −1…1. */
  readonly samples: Float32Array;
  /** How many of the samples each id takes; undefined: the model does not tell. */
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

type ModelPreparation =
  /** The runtime optimizes the graph as far as it can; into a file, too, where one is named. */
  | { readonly as: 'exported'; readonly optimizedInto?: string }
  /** The graph was optimized before, and is run as it is. */
  | { readonly as: 'optimized' };

/**
 * @param model an ONNX file, whole in itself
 * @throws AppError `bad_voice` when it is unreadable, or no Piper voice of this config
 */
export async function openVoiceSession(
  model: Uint8Array,
  config: VoiceConfig,
  preparing: ModelPreparation = { as: 'exported' },
): Promise<VoiceSession> {
  // Loaded here and not above: only a speech worker pays for it.
  const onnx = await loadOnnxRuntime();
  const session = await openSession(onnx, model, preparing);
  const severalSpeakers = validateModelInterface(session, config);
  const longs = (values: readonly number[]) => BigInt64Array.from(values, BigInt);
  return {
    run: async (ids, speaker, scales) => {
      const feeds: Record<string, Tensor> = {
        input: new onnx.Tensor('int64', longs(ids), [1, ids.length]),
        input_lengths: new onnx.Tensor('int64', longs([ids.length]), [1]),
        scales: new onnx.Tensor('float32', Float32Array.from(scales), [3]),
      };
      if (severalSpeakers) feeds['sid'] = new onnx.Tensor('int64', longs([speaker]), [1]);
      const { output, durations } = await runSession(session, feeds);
      const samples = output?.data;
      if (!(samples instanceof Float32Array)) {
        throw new AppError('bad_voice', 'the model output is not a float32 sample array');
      }
      return { samples, idSamples: toIdSamples(durations?.data, ids.length, samples.length) };
    },
    close: () => session.release(),
  };
}

async function openSession(
  onnx: typeof import('onnxruntime-node'),
  model: Uint8Array,
  preparing: ModelPreparation,
): Promise<InferenceSession> {
  try {
    // One thread: several workers side by side beat several threads in one, and don't spin.
    return await onnx.InferenceSession.create(model, {
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
    });
  } catch {
    throw createUnreadableModelError();
  }
}

export function createUnreadableModelError(): AppError {
  return new AppError('bad_voice', 'the model is not a readable, self-contained ONNX file');
}

/** The runtime's own words name nodes and tensors: nothing for the owner of an article. */
async function runSession(
  session: InferenceSession,
  feeds: Record<string, Tensor>,
): Promise<Partial<Record<string, Tensor>>> {
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

/** A file may name anything. */
function formatNames(names: readonly string[]): string {
  return names
    .slice(0, maxShownNames)
    .map((name) => name.slice(0, maxShownNameLength).replace(/[^\x21-\x7e]/g, '?'))
    .join(', ');
}

/** @returns whether the model takes a speaker number */
function validateModelInterface(session: InferenceSession, config: VoiceConfig): boolean {
  const inputs = session.inputNames;
  const known = ['input', 'input_lengths', 'scales', 'sid'];
  const missing = known.slice(0, 3).filter((name) => !inputs.includes(name));
  const strange = inputs.filter((name) => !known.includes(name));
  if (missing.length > 0 || strange.length > 0 || !session.outputNames.includes('output')) {
    throw new AppError(
      'bad_voice',
      `the model is not a Piper voice: its inputs are ${formatNames(inputs)}, its outputs ${formatNames(session.outputNames)}`,
    );
  }
  const output = session.outputMetadata.find(({ name }) => name === 'output');
  if (!output?.isTensor || output.type !== 'float32') {
    throw new AppError('bad_voice', 'the model output is not a float32 sample array');
  }
  const severalSpeakers = inputs.includes('sid');
  if (!severalSpeakers && config.speakers.length > 1) {
    throw new AppError('bad_voice', 'the config lists several speakers, but the model has one');
  }
  return severalSpeakers;
}
