import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { dayMs } from '../clock.ts';
import type { NewVoice, Voice } from '../database/schema.ts';
import { AppError, invalid, invalidFields } from '../errors.ts';
import { FileError, listNames, type WrittenFile, writeFileAtomically } from '../files.ts';
import { receiveBody } from '../http/request-body.ts';
import type { VoiceFiles } from '../speech/synthesize/voice-model.ts';
import { getConfigPath } from './inspect.ts';

const modelSuffix = '.onnx';
const configSuffix = '.onnx.json';
/** A model that several voices share is stored under its SHA-256. */
const sharedModelPattern = /^[0-9a-f]{64}\.onnx$/;

/** Where a voice of the voices folder is: `NAME.onnx.json` beside `NAME.onnx`, or beside the shared model that it names. */
export interface VoicePlace extends Pick<VoiceFiles, 'modelPath' | 'configPath'> {
  /** NAME. */
  readonly stem: string;
  /** Identifies the place, also where no such file exists: `NAME.onnx` in the folder. */
  readonly path: string;
}

/** @returns the voices in a folder by name, usable or not; none when it doesn't exist */
export function listVoicePlaces(folder: string): VoicePlace[] {
  const names = listNames(folder);
  const known = new Set(names);
  const places = names.flatMap((name): VoicePlace[] => {
    if (name.endsWith(modelSuffix)) {
      // Opening a named pipe would block until something writes into it.
      if (sharedModelPattern.test(name) || !isFile(join(folder, name))) return [];
      const path = join(folder, name);
      return [{ stem: basename(name, modelSuffix), path, modelPath: path, configPath: `${path}.json` }];
    }
    const modelName = name.slice(0, -'.json'.length);
    if (!name.endsWith(configSuffix) || name.startsWith('.') || known.has(modelName)) return [];
    const configPath = join(folder, name);
    const sha256 = readModelSha256(configPath);
    if (sha256 === undefined) return [];
    const path = join(folder, modelName);
    return [{ stem: basename(name, configSuffix), path, modelPath: getSharedModelPath(folder, sha256), configPath }];
  });
  return places.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** @param sha256 hex */
export function getSharedModelPath(folder: string, sha256: string): string {
  return join(folder, `${sha256}${modelSuffix}`);
}

export function isSharedModel(modelPath: string): boolean {
  return sharedModelPattern.test(basename(modelPath));
}

/** @returns what the optimized model of a voice is stored under: one serves all voices of a shared model */
export function getOptimizerKey({ modelPath, contentHash }: Pick<VoiceFiles, 'modelPath' | 'contentHash'>): string {
  return isSharedModel(modelPath) ? basename(modelPath, modelSuffix) : contentHash;
}

/** @returns whether the model was deleted, too: no other voice of the folder has it */
export function deleteVoiceFiles(folder: string, { modelPath, configPath }: VoiceFiles): boolean {
  rmSync(configPath, { force: true });
  return deleteUnusedModel(folder, modelPath);
}

/** @returns whether it was deleted: no voice of the folder has it any more */
export function deleteUnusedModel(folder: string, modelPath: string): boolean {
  if (isSharedModel(modelPath) && listVoicePlaces(folder).some((place) => place.modelPath === modelPath)) return false;
  rmSync(modelPath, { force: true });
  return true;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** By path of a config: a config with a style is large, and the folder is listed often. */
const modelSha256s = new Map<string, { readonly stamp: string; readonly sha256: string | undefined }>();
const maxKnownConfigs = 1_000;

/** @returns SHA-256 of the shared model that a config names; undefined: none */
function readModelSha256(configPath: string): string | undefined {
  const status = statSync(configPath, { throwIfNoEntry: false });
  if (!status?.isFile() || status.size > maxConfigBytes) return undefined;
  const stamp = `${status.size} ${status.mtimeMs}`;
  const known = modelSha256s.get(configPath);
  if (known?.stamp === stamp) return known.sha256;
  const sha256 = parseModelSha256(configPath);
  if (modelSha256s.size >= maxKnownConfigs) modelSha256s.clear();
  modelSha256s.set(configPath, { stamp, sha256 });
  return sha256;
}

function parseModelSha256(configPath: string): string | undefined {
  try {
    const { model_sha256: sha256 } = JSON.parse(readFileSync(configPath, 'utf8')) as { model_sha256?: unknown };
    return typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256) ? sha256 : undefined;
  } catch {
    return undefined;
  }
}

export const maxModelBytes = 500_000_000;
export const maxConfigBytes = 1_000_000;
/** Of a model card or license text. */
export const maxLicenseTextBytes = 200_000;

/** An interrupted download can be resumed for this time. */
const staleAfterMs = 7 * dayMs;

export type VoiceMetadata = Partial<Pick<NewVoice, 'name' | 'gender' | 'license' | 'source' | 'plan_required'>>;

/** Without the undefined members: those keep their defaults. */
export function toMetadata(
  given: {
    readonly [Name in keyof VoiceMetadata]: VoiceMetadata[Name] | undefined;
  },
): VoiceMetadata {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** A voice whose files are in the voices folder under a staging name. */
export interface StagedVoice {
  /** The config is beside it, and the model is here unless it is shared. */
  readonly modelPath: string;
  /** Of a model that several voices share: staged beside another voice, or installed already. */
  readonly sharedModelPath?: string;
  /** The final file name without `.onnx`. */
  readonly stem: string;
  readonly metadata: VoiceMetadata;
  /** Model card or license; null: none. */
  readonly licenseText: string | null;
  /** By speaker number. */
  readonly speakers?: ReadonlyMap<number, Pick<Voice, 'name' | 'gender'>>;
}

/** @returns a path in the voices folder, so that installing the model is a rename */
export function createStagingPath(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  deleteStaleFiles(folder);
  return join(folder, `.import-${crypto.randomUUID()}.part`);
}

export function deleteStagedVoice(modelPath: string): void {
  for (const path of [modelPath, getConfigPath(modelPath), getModelCardPath(modelPath)]) {
    rmSync(path, { force: true });
  }
}

export function getModelCardPath(modelPath: string): string {
  return `${modelPath}.card`;
}

/** @returns the name without `.onnx`; undefined for a path, a hidden file or another ending */
export function parseStem(fileName: string): string | undefined {
  return /^([\p{L}\p{N}][\p{L}\p{N}\p{M}_.+-]{0,99})\.onnx$/u.exec(fileName)?.[1];
}

/** Files of killed programs and abandoned downloads. */
function deleteStaleFiles(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!/^\.(import|pull)-/.test(name)) continue;
    const path = join(folder, name);
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - changedAt > staleAfterMs) rmSync(path, { force: true });
  }
}

const maxFieldBytes = 2_000;
/** Form fields and part headers. */
const maxOtherBytes = 100_000;
const maxFields = 10;
const maxFiles = 3;

export interface VoiceUpload extends Pick<StagedVoice, 'modelPath' | 'stem' | 'licenseText'> {
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Streams a form with the files `model`, `config` and optionally `model_card` to disk, one chunk in memory at a time.
 * @throws AppError `unsupported_media_type`, `body_too_large`, `malformed_json`, `validation_failed`; then all files are deleted
 */
export async function receiveVoiceUpload(request: Request, folder: string): Promise<VoiceUpload> {
  const contentType = request.headers.get('content-type') ?? '';
  if (!/^multipart\/form-data\s*;.*boundary=/i.test(contentType)) {
    throw new AppError('unsupported_media_type', 'Content-Type must be multipart/form-data');
  }
  const byteMax = maxModelBytes + maxConfigBytes + maxLicenseTextBytes + maxOtherBytes;
  if (Number(request.headers.get('content-length') ?? 0) > byteMax) throw createTooLargeError();
  const modelPath = createStagingPath(folder);
  try {
    const { fields, modelName, missing } = await parseForm(request, contentType, modelPath);
    if (modelName === undefined || missing.length > 0) {
      const errors = Object.fromEntries(missing.map((name) => [name, ['is required']]));
      throw invalidFields(errors);
    }
    const stem = parseStem(modelName);
    if (stem === undefined) throw invalid('model', 'must be a file named like en_US-name-medium.onnx');
    return { modelPath, stem, fields, licenseText: readModelCard(modelPath) };
  } catch (error) {
    deleteStagedVoice(modelPath);
    throw error;
  }
}

async function parseForm(request: Request, contentType: string, modelPath: string) {
  const fields: Record<string, string> = {};
  const writing: Promise<WrittenFile>[] = [];
  const streams: BusboyFileStream[] = [];
  let modelName: string | undefined;
  let isTooLarge = false;
  /** The files that have not come yet. */
  const targets = new Map([
    ['model', { path: modelPath, byteMax: maxModelBytes }],
    ['config', { path: getConfigPath(modelPath), byteMax: maxConfigBytes }],
    ['model_card', { path: getModelCardPath(modelPath), byteMax: maxLicenseTextBytes }],
  ]);
  /** Excess bytes are read, so that the rest of the form comes, and not stored. */
  const limit = async function* (stream: BusboyFileStream, byteMax: number): AsyncGenerator<Buffer> {
    let byteCount = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      byteCount += chunk.byteLength;
      if (byteCount <= byteMax) yield chunk;
      else isTooLarge = true;
    }
  };
  const form = createFormParser(contentType);
  form.on('file', (name, stream, fileName) => {
    const target = targets.get(name);
    if (target === undefined) {
      stream.resume();
      return;
    }
    targets.delete(name);
    if (name === 'model') modelName = fileName ?? '';
    streams.push(stream);
    stream.on('limit', () => {
      isTooLarge = true;
    });
    // The reader gets the error too; without a listener it would end the server.
    stream.on('error', () => {});
    const written = writeFileAtomically(target.path, limit(stream, target.byteMax));
    // Awaited below. A file that cannot be stored is read to its end, or the form would never end.
    written.catch(() => stream.resume());
    writing.push(written);
  });
  form.on('field', (name, value) => {
    fields[name] = value;
  });
  const cut = await pipeline(Readable.from(receiveBody(request)), form).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  const isCut = cut !== undefined;
  if (isCut) for (const stream of streams) stream.destroy();
  // All of them: nothing is deleted while it is still being written.
  const ends = await Promise.allSettled(writing);
  const isStored = ends.every(({ status }) => status === 'fulfilled');
  const isDiskError = ends.some((end) => end.status === 'rejected' && end.reason instanceof FileError);
  if (isDiskError || (!isCut && !isStored)) throw new AppError('busy', 'The server cannot store anything just now');
  if (isCut) throw cut.error instanceof AppError ? cut.error : createMalformedFormError();
  if (isTooLarge) throw createTooLargeError();
  return { fields, modelName, missing: ['model', 'config'].filter((name) => targets.has(name)) };
}

function createFormParser(contentType: string) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        files: maxFiles,
        fields: maxFields,
        fieldSize: maxFieldBytes,
        fileSize: maxModelBytes,
        parts: maxFields + maxFiles,
      },
    });
  } catch {
    throw createMalformedFormError();
  }
}

function createMalformedFormError(): AppError {
  return new AppError('malformed_json', 'Malformed form');
}

function readModelCard(modelPath: string): string | null {
  const path = getModelCardPath(modelPath);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

function createTooLargeError(): AppError {
  return new AppError(
    'body_too_large',
    `The model may have ${maxModelBytes} bytes, the config ${maxConfigBytes}, the model card ${maxLicenseTextBytes}`,
  );
}
