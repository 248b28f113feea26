import { existsSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { AppError, invalid, invalidFields } from '../errors.ts';
import { FileError, type WrittenFile, writeFileAtomically } from '../files.ts';
import { receiveBody } from '../http/request-body.ts';
import { getConfigPath } from './inspect.ts';
import {
  createStagingPath,
  deleteStagedVoice,
  getModelCardPath,
  maxConfigBytes,
  maxLicenseTextBytes,
  maxModelBytes,
  parseStem,
  type StagedVoice,
} from './voice-files.ts';

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
