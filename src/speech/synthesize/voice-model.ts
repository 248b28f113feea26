import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { releaseEmbeddedPages } from '../../build/release-pages.ts';
import { AppError } from '../../errors.ts';
import { createUnreadableModelError, openVoiceSession, type VoiceSession } from './onnx-session.ts';
import { parseVoiceConfig, type VoiceConfig } from './voice-config.ts';

/**
 * Memory grows with the ids of one inference: on a medium voice a worker has 480 MB at 200 and 640 MB at 400, on a high one
 * 740 MB.
 */
export const maxPhonemeIds = 400;

/** Where a voice lies and which bytes are expected there. */
export interface VoiceFiles {
  readonly modelPath: string;
  readonly configPath: string;
  /** SHA-256 over model and config, hex. */
  readonly contentHash: string;
  /** The model made faster for this machine, where that was done. */
  readonly optimized?: OptimizedModel | undefined;
}

/** A model optimized for this machine's processor: the same voice, the same sound. */
export interface OptimizedModel {
  readonly path: string;
  /** Of the file, hex: what is not as it was written is not run. */
  readonly sha256: string;
}

/** One Piper voice, loaded. */
export interface VoiceModel {
  readonly config: VoiceConfig;
  /**
   * @param ids phoneme ids, pads included, at most `maxPhonemeIds`
   * @param speaker number of the speaker, 0 for the only one
   * @param speed 1 unless named
   * @returns mono samples, −1…1, at the voice's rate
   */
  synthesize(ids: readonly number[], speaker: number, speed?: number): Promise<Float32Array>;
  close(): Promise<void>;
}

/** @returns the identity of a voice: SHA-256 over its model and config, hex */
export function hashVoice(model: Uint8Array, config: Uint8Array): string {
  return createVoiceHasher(model)(config);
}

/** For several voices of one model, which is hashed once. @returns the identity of the voice with a config */
export function createVoiceHasher(model: Uint8Array): (config: Uint8Array) => string {
  const hash = createHash('sha256');
  hash.update(`${model.byteLength} `);
  hash.update(model);
  return (config) => hash.copy().update(config).digest('hex');
}

/**
 * @throws AppError `bad_voice` when the files are unreadable, changed, or no Piper voice
 */
export async function loadVoice(files: VoiceFiles): Promise<VoiceModel> {
  const { model, config: configBytes } = readVerifiedVoice(files);
  const config = parseVoiceConfig(new TextDecoder().decode(configBytes));
  const session = (await openOptimized(files.optimized, config)) ?? (await openShared(model, config));
  return {
    config,
    synthesize: (ids, speaker, speed = 1) => {
      const [noise, length, width] = config.scales;
      return session.run(ids, speaker, [noise, length / speed, width]);
    },
    close: session.close,
  };
}

/** Sessions of exported models by SHA-256 and whether the config has several speakers: the built-in voices are one model. */
const sharedSessions = new Map<string, { readonly session: Promise<VoiceSession>; users: number }>();

/** Opens a model once for all voices that use it; the last one to close releases it. */
async function openShared(model: Uint8Array, config: VoiceConfig): Promise<VoiceSession> {
  const key = `${createHash('sha256').update(model).digest('hex')} ${config.speakers.length > 1}`;
  const shared = sharedSessions.get(key) ?? { session: openExported(model, config), users: 0 };
  sharedSessions.set(key, shared);
  shared.users += 1;
  const release = async (): Promise<void> => {
    shared.users -= 1;
    if (shared.users > 0) return;
    sharedSessions.delete(key);
    await (await shared.session).close();
  };
  try {
    const session = await shared.session;
    return { run: session.run, close: release };
  } catch (error) {
    sharedSessions.delete(key);
    throw error;
  }
}

async function openExported(model: Uint8Array, config: VoiceConfig): Promise<VoiceSession> {
  // Loaded here and not above: only a speech worker pays for them.
  const { isSelfContained } = await import('./onnx-session.ts');
  const { withFixedNoise } = await import('./fixed-noise.ts');
  if (!isSelfContained(model)) throw createUnreadableModelError();
  return openVoiceSession(withFixedNoise(model), config);
}

/** @returns undefined where there is none, or it is damaged: then the file is deleted, so that it is made anew */
async function openOptimized(
  optimized: OptimizedModel | undefined,
  config: VoiceConfig,
): Promise<VoiceSession | undefined> {
  if (optimized === undefined) return undefined;
  try {
    const model = readFileSync(optimized.path);
    if (createHash('sha256').update(model).digest('hex') === optimized.sha256) {
      return await openVoiceSession(model, config, { as: 'optimized' });
    }
  } catch {
    // Gone, or no model for this machine: there is always the original.
  }
  try {
    rmSync(optimized.path, { force: true });
  } catch {
    // Nobody may write there: it is left out all the same.
  }
  return undefined;
}

/**
 * A voice's config alone.
 * @throws AppError `bad_voice` when the files are unreadable or changed
 */
export function readVoiceConfig(files: VoiceFiles): VoiceConfig {
  return parseVoiceConfig(new TextDecoder().decode(readVerifiedVoice(files).config));
}

/** Never other bytes than those whose name the voice bears. @throws AppError `bad_voice` */
export function readVerifiedVoice(files: VoiceFiles) {
  const voice = readVoice(files);
  if (hashVoice(voice.model, voice.config) !== files.contentHash) {
    throw new AppError('bad_voice', 'the voice files have changed since installation. Reinstall the voice.');
  }
  return voice;
}

/** @throws AppError `bad_voice` */
export function readVoice(files: Pick<VoiceFiles, 'modelPath' | 'configPath'>) {
  const voice = { model: readVoiceFile(files.modelPath, 'model'), config: readVoiceFile(files.configPath, 'config') };
  releaseEmbeddedPages();
  return voice;
}

/** @throws AppError `bad_voice` */
export function readVoiceFile(path: string, what: 'model' | 'config'): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    const reason = code === 'ENOENT' ? 'is missing' : `cannot be read (${code})`;
    throw new AppError('bad_voice', `the ${what} ${reason}`);
  }
}

/** So many symbols are named; more would say no more. */
const maxNamedSymbols = 5;

/**
 * Has a voice speak every id of its phoneme map, with its first and its last speaker: what a model doesn't know ends
 * nobody's article later.
 * @throws AppError `bad_voice` naming the symbols, or the speaker
 */
export async function smokeTestVoice(model: VoiceModel): Promise<void> {
  const { phonemeIds, speakers } = model.config;
  const ids = Object.values(phonemeIds).flat();
  if (!(await canSynthesize(model, ids, 0))) {
    const unknown: string[] = [];
    for (const [symbol, own] of Object.entries(phonemeIds)) {
      if (unknown.length >= maxNamedSymbols) break;
      if (!(await canSynthesize(model, own, 0))) unknown.push(JSON.stringify(symbol));
    }
    const named = unknown.length === 0 ? '' : `: ${unknown.join(', ')}`;
    throw new AppError('bad_voice', `inference fails for symbols of the phoneme map${named}`);
  }
  const last = speakers.length - 1;
  if (last > 0 && !(await canSynthesize(model, ids.slice(0, maxPhonemeIds), last))) {
    throw new AppError('bad_voice', `the model has no speaker ${last}, but the config lists it`);
  }
}

async function canSynthesize(model: VoiceModel, ids: readonly number[], speaker: number): Promise<boolean> {
  try {
    for (let start = 0; start < ids.length; start += maxPhonemeIds) {
      await model.synthesize(ids.slice(start, start + maxPhonemeIds), speaker);
    }
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
