import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { releaseEmbeddedPages } from '../../build/release-pages.ts';
import { AppError } from '../../errors.ts';
import { createUnreadableModelError, openVoiceSession, type Utterance, type VoiceSession } from './onnx-session.ts';
import { parseVoiceConfig, type VoiceConfig } from './voice-config.ts';

/**
 * Memory grows with the ids of one inference: on a medium voice a worker has 480 MB at 200 and 640 MB at 400, on a high one
 * 740 MB.
 */
export const maxPhonemeIds = 400;

/** The files of a voice, and the hash that their contents must have. */
export interface VoiceFiles {
  readonly modelPath: string;
  readonly configPath: string;
  /** SHA-256 over model and config, hex. */
  readonly contentHash: string;
  /** The model optimized for this machine, if there is one. */
  readonly optimized?: OptimizedModel | undefined;
}

/** A model optimized for the processor of this machine, with the same output. */
export interface OptimizedModel {
  readonly path: string;
  /** Of the file, hex. A file with another hash is not loaded. */
  readonly sha256: string;
}

/** One Piper voice, loaded. */
export interface VoiceModel {
  readonly config: VoiceConfig;
  /**
   * @param ids phoneme ids, pads included, at most `maxPhonemeIds`
   * @param speaker number of the speaker, 0 for the only one
   * @param speed 1 unless named
   * @returns samples at the voice's rate
   */
  synthesize(ids: readonly number[], speaker: number, speed?: number): Promise<Utterance>;
  close(): Promise<void>;
}

/** @returns the identity of a voice: SHA-256 over its model and config, hex */
export function hashVoice(model: Uint8Array, config: Uint8Array): string {
  return createVoiceHasher(model).hashWith(config);
}

/** Hashes a model once for several configs. */
export function createVoiceHasher(model: Uint8Array) {
  const hash = createHash('sha256');
  hash.update(`${model.byteLength} `);
  hash.update(model);
  return {
    /** Of the model alone, hex. */
    modelHash: hash.copy().digest('hex'),
    /** @returns the identity of the voice with this config */
    hashWith: (config: Uint8Array): string => hash.copy().update(config).digest('hex'),
  };
}

/**
 * @throws AppError `bad_voice` when the files are unreadable, changed, or no Piper voice
 */
export async function loadVoice(files: VoiceFiles): Promise<VoiceModel> {
  const { model, modelHash, config: configBytes } = readVerifiedVoice(files);
  const config = parseVoiceConfig(new TextDecoder().decode(configBytes));
  const session = (await openOptimized(files.optimized, config)) ?? (await openShared(model, modelHash, config));
  return {
    config,
    synthesize: (ids, speaker, speed = 1) => {
      const [noise, length, width] = config.scales;
      return session.run(ids, speaker, [noise, length / speed, width]);
    },
    close: session.close,
  };
}

/** Open sessions by model hash and by whether the config lists several speakers, which is validated when a session opens. */
const sharedSessions = new Map<string, { readonly session: Promise<VoiceSession>; users: number }>();

/** Opens a model once for all its voices, such as the built-in ones. The last voice to close releases the session. */
async function openShared(model: Uint8Array, modelHash: string, config: VoiceConfig): Promise<VoiceSession> {
  const key = `${modelHash} ${config.speakers.length > 1}`;
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
    // Another caller may have opened it again meanwhile.
    if (sharedSessions.get(key) === shared) sharedSessions.delete(key);
    throw error;
  }
}

async function openExported(model: Uint8Array, config: VoiceConfig): Promise<VoiceSession> {
  // Imported here: only speech workers need them.
  const { isSelfContained } = await import('./onnx-session.ts');
  const { withFixedNoise } = await import('./fixed-noise.ts');
  if (!isSelfContained(model)) throw createUnreadableModelError();
  return openVoiceSession(withFixedNoise(model), config);
}

/** @returns undefined if there is none, or if it is damaged; a damaged file is deleted, so that it is optimized again */
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
    // Missing, or not for this machine: the exported model is used.
  }
  try {
    rmSync(optimized.path, { force: true });
  } catch {
    // The folder is read-only: the file stays and is ignored.
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

/** @throws AppError `bad_voice` when the files are unreadable, or their hash differs */
export function readVerifiedVoice(files: VoiceFiles) {
  const voice = readVoice(files);
  const { modelHash, hashWith } = createVoiceHasher(voice.model);
  if (hashWith(voice.config) !== files.contentHash) {
    throw new AppError('bad_voice', 'the voice files have changed since installation. Reinstall the voice.');
  }
  return { ...voice, modelHash };
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

/** An error names at most this many symbols. */
const maxNamedSymbols = 5;

/**
 * Synthesizes every id of the phoneme map, with the first and the last speaker, so that no article fails later because of an
 * id that the model lacks.
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
