import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { AppError } from '../../errors.ts';
import { selectStyleRow } from './kokoro-style.ts';
import type { VoiceConfig } from './voice-config.ts';

/** What the inputs need of the runtime. */
type Runtime = Pick<typeof import('onnxruntime-node'), 'Tensor'>;
/** Inputs of a model by name. */
export type Feeds = Record<string, Tensor>;

/** Input of one inference. */
interface InferenceInput {
  /** Phoneme ids, pads and signs included. */
  readonly ids: readonly number[];
  /** Number of the speaker, 0 for the only one. */
  readonly speaker: number;
  /** Noise scale, length scale, noise width. */
  readonly scales: readonly [number, number, number];
}

/** Names and meaning of the inputs and outputs of a family of models. */
export interface ModelInterface {
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

export function getModelInterface({ style }: Pick<VoiceConfig, 'style'>): ModelInterface {
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
