import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { AppError } from '../../errors.ts';
import { loadOnnxRuntime } from '../../executable/onnx-runtime.ts';
import { parseVoiceConfig, type VoiceConfig } from './voice-config.ts';

/** Memory grows with the ids of one inference: 400 MB at 200, 1.2 GB at 800 on a medium voice. */
export const phonemeIdsMax = 400;
const shownNamesMax = 10;
const shownNameLengthMax = 40;

/** Where a voice lies and which bytes are expected there. */
export interface VoiceFiles {
  readonly modelPath: string;
  readonly configPath: string;
  /** SHA-256 over model and config, hex. */
  readonly contentHash: string;
}

/** One Piper voice, loaded. */
export interface VoiceModel {
  readonly config: VoiceConfig;
  /**
   * @param ids phoneme ids, pads included, at most `phonemeIdsMax`
   * @param speaker number of the speaker, 0 for the only one
   * @param speed 1 unless named
   * @returns mono samples, −1…1, at the voice's rate
   */
  speak(ids: readonly number[], speaker: number, speed?: number): Promise<Float32Array>;
  close(): Promise<void>;
}

/** @returns the identity of a voice: SHA-256 over its model and config, hex */
export function voiceContentHash(model: Uint8Array, config: Uint8Array): string {
  const hash = createHash('sha256');
  hash.update(`${model.byteLength} `);
  hash.update(model);
  hash.update(config);
  return hash.digest('hex');
}

/**
 * @throws AppError `bad_voice` when the files are unreadable, changed, or no Piper voice
 */
export async function loadVoice(files: VoiceFiles): Promise<VoiceModel> {
  const { model, config: configBytes } = readUnchanged(files);
  const config = parseVoiceConfig(new TextDecoder().decode(configBytes));
  // Loaded here and not above: only a speech worker pays for them.
  const onnx = await loadOnnxRuntime();
  const { isSelfContained } = await import('./onnx-file.ts');
  const { withSteadyNoise } = await import('./steady-noise.ts');
  if (!isSelfContained(model)) throw unreadable();
  const session = await openSession(onnx, withSteadyNoise(model));
  const severalSpeakers = checkContract(session, config);
  const longs = (values: readonly number[]) => BigInt64Array.from(values, BigInt);
  return {
    config,
    speak: async (ids, speaker, speed = 1) => {
      const [noise, length, width] = config.scales;
      const feeds: Record<string, Tensor> = {
        input: new onnx.Tensor('int64', longs(ids), [1, ids.length]),
        input_lengths: new onnx.Tensor('int64', longs([ids.length]), [1]),
        scales: new onnx.Tensor('float32', Float32Array.of(noise, length / speed, width), [3]),
      };
      if (severalSpeakers) feeds['sid'] = new onnx.Tensor('int64', longs([speaker]), [1]);
      const data = await runSession(session, feeds);
      if (!(data instanceof Float32Array)) {
        throw new AppError('bad_voice', "the model's output is not a row of float samples");
      }
      return data;
    },
    close: () => session.release(),
  };
}

/**
 * A voice's config alone.
 * @throws AppError `bad_voice` when the files are unreadable or changed
 */
export function readVoiceConfig(files: VoiceFiles): VoiceConfig {
  return parseVoiceConfig(new TextDecoder().decode(readUnchanged(files).config));
}

/** Never other bytes than those whose name the voice bears. */
function readUnchanged(files: VoiceFiles) {
  const voice = readVoice(files);
  if (voiceContentHash(voice.model, voice.config) !== files.contentHash) {
    throw new AppError('bad_voice', 'the voice was changed on disk since it was installed');
  }
  return voice;
}

/** @throws AppError `bad_voice` */
export function readVoice(files: Pick<VoiceFiles, 'modelPath' | 'configPath'>) {
  const read = (path: string, what: string): Uint8Array => {
    try {
      return readFileSync(path);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : error;
      const reason = code === 'ENOENT' ? 'is missing' : `cannot be read (${code})`;
      throw new AppError('bad_voice', `the ${what} ${reason}`);
    }
  };
  return { model: read(files.modelPath, 'model'), config: read(files.configPath, 'config') };
}

async function openSession(
  onnx: typeof import('onnxruntime-node'),
  model: Uint8Array,
): Promise<InferenceSession> {
  try {
    // One thread: several workers side by side beat several threads in one, and don't spin.
    return await onnx.InferenceSession.create(model, {
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      logSeverityLevel: 4,
    });
  } catch {
    throw unreadable();
  }
}

function unreadable(): AppError {
  return new AppError('bad_voice', 'the model is no readable ONNX file, whole in itself');
}

/** The runtime's own words name nodes and tensors: nothing for the owner of an article. */
async function runSession(session: InferenceSession, feeds: Record<string, Tensor>) {
  try {
    const { output } = await session.run(feeds);
    return output?.data;
  } catch {
    throw new AppError('bad_voice', 'its model fails on a sentence');
  }
}

/** A file may name anything. */
function shownNames(names: readonly string[]): string {
  return names
    .slice(0, shownNamesMax)
    .map((name) => name.slice(0, shownNameLengthMax).replace(/[^\x21-\x7e]/g, '?'))
    .join(', ');
}

/** @returns whether the model takes a speaker number */
function checkContract(session: InferenceSession, config: VoiceConfig): boolean {
  const inputs = session.inputNames;
  const known = ['input', 'input_lengths', 'scales', 'sid'];
  const missing = known.slice(0, 3).filter((name) => !inputs.includes(name));
  const strange = inputs.filter((name) => !known.includes(name));
  if (missing.length > 0 || strange.length > 0 || !session.outputNames.includes('output')) {
    throw new AppError(
      'bad_voice',
      `the model is no Piper voice: its inputs are ${shownNames(inputs)}, its outputs ${shownNames(session.outputNames)}`,
    );
  }
  const output = session.outputMetadata.find(({ name }) => name === 'output');
  if (!output?.isTensor || output.type !== 'float32') {
    throw new AppError('bad_voice', "the model's output is not a row of float samples");
  }
  const severalSpeakers = inputs.includes('sid');
  if (!severalSpeakers && config.speakers.length > 1) {
    throw new AppError('bad_voice', 'the config names several speakers, the model knows one');
  }
  return severalSpeakers;
}
