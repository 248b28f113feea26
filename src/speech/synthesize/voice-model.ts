import { dlopen, FFIType, type Pointer, toArrayBuffer } from 'bun:ffi';
import { createHash, type Hash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import { releaseEmbeddedPages } from '../../build/release-pages.ts';
import { AppError, passes } from '../../errors.ts';
import { getErrno } from '../../files.ts';
import {
  createUnreadableModelError,
  type ModelSession,
  type ModelSource,
  openModelSession,
  type Utterance,
} from './onnx-session.ts';
import { parseVoiceConfig, type VoiceConfig } from './voice-config.ts';

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

/** A voice, loaded. */
export interface VoiceModel {
  readonly config: VoiceConfig;
  /**
   * @param ids phoneme ids, pads included, at most `config.maxIds`
   * @param speaker number of the speaker, 0 for the only one
   * @param speed 1 unless named
   * @returns samples at the voice's rate
   */
  synthesize(ids: readonly number[], speaker: number, speed?: number): Promise<Utterance>;
  close(): Promise<void>;
}

/** The hash of a model, to which those of its configs are added. */
interface VoiceHasher {
  /** Of the model alone, hex. */
  readonly modelHash: string;
  /** @returns the identity of the voice with this config */
  hashWith(config: Uint8Array): string;
}

/** Hashes a model once for several configs. */
export function createVoiceHasher(model: Uint8Array): VoiceHasher {
  return hashPieces(model.byteLength, [model]);
}

/** @returns the hash of a voice, which needs the bytes of its model, then those of its config */
export function startVoiceHash(modelByteCount: number): Hash {
  return createHash('sha256').update(`${modelByteCount} `);
}

function hashPieces(byteCount: number, pieces: Iterable<Uint8Array>): VoiceHasher {
  const hash = startVoiceHash(byteCount);
  for (const piece of pieces) hash.update(piece);
  return {
    modelHash: hash.copy().digest('hex'),
    hashWith: (config) => hash.copy().update(config).digest('hex'),
  };
}

/** Hashes of shared models by path, as long as the file is the same: each voice of a model needs them. */
const hashedModels = new Map<string, HashedModel & { readonly stamp: string }>();
const maxHashedModels = 8;

interface HashedModel extends VoiceHasher {
  /** Of the file, hex. */
  readonly sha256: string;
}

/** Reads a model in pieces: a shared one is large. @throws AppError `bad_voice` */
function hashSharedModel(path: string): HashedModel {
  const { size, mtimeMs, ino } = statVoiceFile(path);
  const stamp = `${size} ${mtimeMs} ${ino}`;
  const hashedModel = hashedModels.get(path);
  if (hashedModel?.stamp === stamp) return hashedModel;
  const hashed = { stamp, ...hashPieces(size, readPieces(path)), sha256: hashFile(path) };
  if (hashedModels.size >= maxHashedModels) hashedModels.clear();
  hashedModels.set(path, hashed);
  return hashed;
}

/**
 * @throws AppError `bad_voice` when the files are unreadable, changed, or no voice
 */
export async function loadVoice(files: VoiceFiles): Promise<VoiceModel> {
  const { model, modelHash, config } = readVerifiedVoice(files);
  const session =
    (await openOptimized(files.optimized, config)) ??
    (await openShared(modelHash, config, () => openExported(model, config)));
  const run = session.bind(config);
  return {
    config,
    synthesize: (ids, speaker, speed = 1) => {
      const [noise, length, width] = config.scales;
      return run(ids, speaker, [noise, length / speed, width]);
    },
    close: session.close,
  };
}

/** Open sessions by hash of the file and by whether the config lists several speakers, which is validated when a session opens. */
const sharedSessions = new Map<string, { readonly session: Promise<ModelSession>; users: number }>();

/** Opens a model once for all its voices, such as the built-in ones. The last voice to close releases the session. */
async function openShared(hash: string, config: VoiceConfig, open: () => Promise<ModelSession>): Promise<ModelSession> {
  const key = `${hash} ${config.speakers.length > 1} ${config.style === undefined}`;
  const shared = sharedSessions.get(key) ?? { session: open(), users: 0 };
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
    return { bind: session.bind, close: release };
  } catch (error) {
    // Another caller may have reopened it.
    if (sharedSessions.get(key) === shared) sharedSessions.delete(key);
    throw error;
  }
}

async function openExported(model: ModelSource, config: VoiceConfig): Promise<ModelSession> {
  // Imported here: only speech workers need them.
  const { isSelfContained } = await import('./onnx-session.ts');
  const { withFixedNoise } = await import('./fixed-noise.ts');
  const bytes = typeof model === 'string' ? mapFile(model) : model;
  if (!isSelfContained(bytes)) throw createUnreadableModelError();
  const fixed = withFixedNoise(bytes);
  return openModelSession(fixed === bytes ? model : fixed, config);
}

const readable = 1;
const privateMapping = 2;
/** Bun's types omit how a buffer of foreign memory is freed: by a C function that gets its address and a value. */
const wrapMemory = toArrayBuffer as (...values: [Pointer, number, number, Pointer, Pointer]) => ArrayBuffer;

/**
 * Maps a file: of a large model little more is read than the names of its nodes. Bun.mmap would open it for writing, which the
 * sandbox refuses. The mapping ends when the bytes are collected.
 */
function mapFile(path: string): Uint8Array {
  if (process.platform !== 'linux') return Bun.mmap(path);
  const { i32, i64, ptr, u64 } = FFIType;
  const { mmap, dlsym } = dlopen('libc.so.6', {
    mmap: { args: [ptr, u64, i32, i32, i32, i64], returns: i64 },
    dlsym: { args: [ptr, ptr], returns: ptr },
  }).symbols;
  const unmap = dlsym(null, Buffer.from('munmap\0'));
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const address = mmap(null, size, readable, privateMapping, file, 0);
    if (address === -1n || unmap === null) return readFileSync(file);
    // The second argument of munmap is the size.
    return new Uint8Array(wrapMemory(Number(address) as Pointer, 0, size, size as Pointer, Number(unmap) as Pointer));
  } finally {
    closeSync(file);
  }
}

/** @returns undefined if there is none, or if it is damaged; a damaged file is deleted, so that it is optimized again */
async function openOptimized(
  optimized: OptimizedModel | undefined,
  config: VoiceConfig,
): Promise<ModelSession | undefined> {
  if (optimized === undefined) return undefined;
  const { path, sha256 } = optimized;
  try {
    if (hashFile(path) === sha256) {
      return await openShared(sha256, config, () => openModelSession(path, config, { as: 'optimized' }));
    }
  } catch {
    // Missing, or not for this machine: the exported model is used.
  }
  try {
    rmSync(path, { force: true });
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
  return readVerifiedVoice(files).config;
}

/** @throws AppError `bad_voice` when the files are unreadable, or their hash differs */
export function readVerifiedVoice(files: VoiceFiles): IdentifiedVoice {
  const voice = identifyVoice(files);
  if (voice.contentHash !== files.contentHash) {
    throw new AppError('bad_voice', 'the voice files have changed since installation. Reinstall the voice.');
  }
  return voice;
}

/** A voice on the disk. */
interface IdentifiedVoice extends Pick<VoiceHasher, 'modelHash'> {
  readonly contentHash: string;
  readonly config: VoiceConfig;
  /** The path of a shared model, else the bytes. */
  readonly model: ModelSource;
}

/** @throws AppError `bad_voice` when the files are unreadable, or the model is another one than the config names */
export function identifyVoice({
  modelPath,
  configPath,
}: Pick<VoiceFiles, 'modelPath' | 'configPath'>): IdentifiedVoice {
  const configBytes = readVoiceFile(configPath, 'config');
  const config = parseVoiceConfig(new TextDecoder().decode(configBytes));
  if (config.modelSha256 !== undefined) {
    const { sha256, modelHash, hashWith } = hashSharedModel(modelPath);
    if (sha256 !== config.modelSha256) {
      throw new AppError(
        'bad_voice',
        `the model has the SHA-256 ${sha256}, but the config names ${config.modelSha256}`,
      );
    }
    return { config, modelHash, contentHash: hashWith(configBytes), model: modelPath };
  }
  const model = readVoiceFile(modelPath, 'model');
  const { modelHash, hashWith } = createVoiceHasher(model);
  releaseEmbeddedPages();
  return { config, modelHash, contentHash: hashWith(configBytes), model };
}

/** @throws AppError `bad_voice` */
export function readVoiceFile(path: string, what: 'model' | 'config'): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw createFileError(error, what);
  }
}

/** @throws AppError `bad_voice` */
function statVoiceFile(path: string) {
  try {
    return statSync(path);
  } catch (error) {
    throw createFileError(error, 'model');
  }
}

const pieceBytes = 4 * 1024 * 1024;

/** The bytes of a file; a piece is valid until the next one. */
function* readPieces(path: string): Generator<Uint8Array, void> {
  const file = openSync(path, 'r');
  try {
    const piece = new Uint8Array(pieceBytes);
    for (let count = readSync(file, piece); count > 0; count = readSync(file, piece)) yield piece.subarray(0, count);
  } finally {
    closeSync(file);
  }
}

/** @returns SHA-256, hex; the file is read in pieces */
export function hashFile(path: string): string {
  const hash = createHash('sha256');
  for (const piece of readPieces(path)) hash.update(piece);
  return hash.digest('hex');
}

function createFileError(error: unknown, what: 'model' | 'config'): AppError {
  const code = getErrno(error) || String(error);
  const reason = code === 'ENOENT' ? 'is missing' : `cannot be read (${code})`;
  return new AppError('bad_voice', `the ${what} ${reason}`);
}

/** An error names at most this many symbols. */
const maxNamedSymbols = 5;

/**
 * Synthesizes every id of the phoneme map, with the first and the last speaker, so that no article fails later because of an
 * id that the model lacks.
 * @throws AppError `bad_voice` naming the symbols, or the speaker
 */
export async function smokeTestVoice(model: VoiceModel): Promise<void> {
  const { phonemeIds, speakers, maxIds } = model.config;
  const ids = Object.values(phonemeIds).flat();
  if (!(await canSynthesize(model, ids, 0))) {
    const unknown: string[] = [];
    for (const [symbol, ids] of Object.entries(phonemeIds)) {
      if (unknown.length >= maxNamedSymbols) break;
      if (!(await canSynthesize(model, ids, 0))) unknown.push(JSON.stringify(symbol));
    }
    const named = unknown.length === 0 ? '' : `: ${unknown.join(', ')}`;
    throw new AppError('bad_voice', `inference fails for symbols of the phoneme map${named}`);
  }
  const last = speakers.length - 1;
  if (last > 0 && !(await canSynthesize(model, ids.slice(0, maxIds), last))) {
    throw new AppError('bad_voice', `the model has no speaker ${last}, but the config lists it`);
  }
}

function canSynthesize(model: VoiceModel, ids: readonly number[], speaker: number): Promise<boolean> {
  const { maxIds } = model.config;
  return passes(async () => {
    for (let start = 0; start < ids.length; start += maxIds) {
      await model.synthesize(ids.slice(start, start + maxIds), speaker);
    }
  });
}
