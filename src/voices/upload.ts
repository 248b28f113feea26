import { existsSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { AppError, invalid } from '../errors.ts';
import { FileError, type WrittenFile, writeFileAtomically } from '../files.ts';
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
} from './staged-voice.ts';

const maxFieldBytes = 2_000;
/** What stands around the parts. */
const maxOtherBytes = 100_000;
const maxFields = 10;
const maxFiles = 3;

/** A voice on its way in. */
export interface VoiceUpload extends Pick<StagedVoice, 'modelPath' | 'stem' | 'licenseText'> {
  /** The text fields of the form. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Takes a form with the files `model`, `config` and perhaps `model_card` straight to disk, never more than a chunk of it in memory.
 * @param folder of voices: where they lie at last, so that they need only be renamed
 * @throws AppError `unsupported_media_type`, `body_too_large`, `malformed_json`, `validation_failed`; nothing is left then
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
    const { fields, modelName, hasConfig } = await parseForm(request, contentType, modelPath);
    const missing = [...(modelName === undefined ? ['model'] : []), ...(hasConfig ? [] : ['config'])];
    if (modelName === undefined || missing.length > 0) {
      throw new AppError(
        'validation_failed',
        'Validation failed',
        Object.fromEntries(missing.map((name) => [name, ['is required']])),
      );
    }
    return {
      modelPath,
      stem: validateStem(modelName),
      fields,
      licenseText: readModelCard(modelPath),
    };
  } catch (error) {
    deleteStagedVoice(modelPath);
    throw error;
  }
}

async function parseForm(request: Request, contentType: string, modelPath: string) {
  const fields: Record<string, string> = {};
  const writing: Promise<WrittenFile>[] = [];
  let modelName: string | undefined;
  let hasConfig = false;
  let hasCard = false;
  let isTooLarge = false;
  const streams: BusboyFileStream[] = [];
  const form = createFormParser(contentType);
  const keep = (stream: BusboyFileStream, path: string, byteMax: number): void => {
    streams.push(stream);
    let byteCount = 0;
    /** What is too much is read, so that the rest of the form comes, but fills no disk. */
    const fitting = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        byteCount += chunk.byteLength;
        if (byteCount <= byteMax) yield chunk;
        else isTooLarge = true;
      }
    };
    stream.on('limit', () => {
      isTooLarge = true;
    });
    const written = writeFileAtomically(path, fitting(stream as AsyncIterable<Buffer>));
    // Whoever reads it is told; where nobody does, an error event must not end the server.
    stream.on('error', () => {});
    // Awaited below. What cannot be stored is read all the same, or the form would never end.
    written.catch(() => stream.resume());
    writing.push(written);
  };
  form.on('file', (name, stream, fileName) => {
    if (name === 'model' && modelName === undefined) {
      modelName = fileName ?? '';
      keep(stream, modelPath, maxModelBytes);
    } else if (name === 'config' && !hasConfig) {
      hasConfig = true;
      keep(stream, getConfigPath(modelPath), maxConfigBytes);
    } else if (name === 'model_card' && !hasCard) {
      hasCard = true;
      keep(stream, getModelCardPath(modelPath), maxLicenseTextBytes);
    } else stream.resume();
  });
  form.on('field', (name, value) => {
    fields[name] = value;
  });
  const isCut = await pipeline(Readable.fromWeb(toNodeStream(request)), form).then(
    () => false,
    () => true,
  );
  if (isCut) for (const stream of streams) stream.destroy();
  // All of them: nothing is deleted while it is still being written.
  const ends = await Promise.allSettled(writing);
  const isStored = ends.every(({ status }) => status === 'fulfilled');
  const isDiskToBlame = ends.some((end) => end.status === 'rejected' && end.reason instanceof FileError);
  if (isDiskToBlame || (!isCut && !isStored)) {
    throw new AppError('busy', 'The server cannot store anything just now');
  }
  if (isCut) throw createMalformedFormError();
  if (isTooLarge) throw createTooLargeError();
  return { fields, modelName, hasConfig };
}

function toNodeStream(request: Request): WebStream {
  return (request.body ?? new Blob([]).stream()) as unknown as WebStream;
}

function createFormParser(contentType: string) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        ...{
          files: maxFiles,
          fields: maxFields,
          fieldSize: maxFieldBytes,
          fileSize: maxModelBytes,
        },
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

function validateStem(fileName: string): string {
  const stem = parseStem(fileName);
  if (stem !== undefined) return stem;
  throw invalid('model', 'must be a file named like en_US-name-medium.onnx');
}

function createTooLargeError(): AppError {
  return new AppError(
    'body_too_large',
    `The model may have ${maxModelBytes} bytes, the config ${maxConfigBytes}, the model card ${maxLicenseTextBytes}`,
  );
}
