import { existsSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { AppError } from '../errors.ts';
import { FileError, type WrittenFile, writeFileAtomically } from '../files.ts';
import { configPathOf } from './inspect.ts';
import {
  type Arrival,
  arrivalPath,
  cardPathOf,
  configByteMax,
  forgetArrival,
  licenseTextByteMax,
  modelByteMax,
  stemOf,
} from './staged-voice.ts';

const fieldByteMax = 2_000;
/** What stands around the parts. */
const otherByteMax = 100_000;
const fieldsMax = 10;
const filesMax = 3;

/** A voice on its way in. */
export interface VoiceUpload extends Pick<Arrival, 'modelPath' | 'stem' | 'licenseText'> {
  /** The text fields of the form. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Takes a form with the files `model`, `config` and perhaps `model_card` straight to disk, never more than a chunk of it in memory.
 * @param folder of voices: where they lie at last, so that they need only be renamed
 * @throws AppError `unsupported_media_type`, `body_too_large`, `malformed_json`, `validation_failed`; nothing is left then
 */
export async function receiveVoice(request: Request, folder: string): Promise<VoiceUpload> {
  const contentType = request.headers.get('content-type') ?? '';
  if (!/^multipart\/form-data\s*;.*boundary=/i.test(contentType)) {
    throw new AppError('unsupported_media_type', 'Content-Type must be multipart/form-data');
  }
  const byteMax = modelByteMax + configByteMax + licenseTextByteMax + otherByteMax;
  if (Number(request.headers.get('content-length') ?? 0) > byteMax) throw tooLarge();
  const modelPath = arrivalPath(folder);
  try {
    const { fields, modelName, hasConfig } = await readForm(request, contentType, modelPath);
    const missing = [
      ...(modelName === undefined ? ['model'] : []),
      ...(hasConfig ? [] : ['config']),
    ];
    if (modelName === undefined || missing.length > 0) {
      throw new AppError(
        'validation_failed',
        'Validation failed',
        Object.fromEntries(missing.map((name) => [name, ['is required']])),
      );
    }
    return { modelPath, stem: readStem(modelName), fields, licenseText: readCard(modelPath) };
  } catch (error) {
    forgetArrival(modelPath);
    throw error;
  }
}

async function readForm(request: Request, contentType: string, modelPath: string) {
  const fields: Record<string, string> = {};
  const writing: Promise<WrittenFile>[] = [];
  let modelName: string | undefined;
  let hasConfig = false;
  let hasCard = false;
  let isTooLarge = false;
  const streams: BusboyFileStream[] = [];
  const form = formReader(contentType);
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
      keep(stream, modelPath, modelByteMax);
    } else if (name === 'config' && !hasConfig) {
      hasConfig = true;
      keep(stream, configPathOf(modelPath), configByteMax);
    } else if (name === 'model_card' && !hasCard) {
      hasCard = true;
      keep(stream, cardPathOf(modelPath), licenseTextByteMax);
    } else stream.resume();
  });
  form.on('field', (name, value) => {
    fields[name] = value;
  });
  const isCut = await pipeline(Readable.fromWeb(bodyOf(request)), form).then(
    () => false,
    () => true,
  );
  if (isCut) for (const stream of streams) stream.destroy();
  // All of them: nothing is deleted while it is still being written.
  const ends = await Promise.allSettled(writing);
  const isStored = ends.every(({ status }) => status === 'fulfilled');
  const isDiskToBlame = ends.some(
    (end) => end.status === 'rejected' && end.reason instanceof FileError,
  );
  if (isDiskToBlame || (!isCut && !isStored)) {
    throw new AppError('busy', 'The server cannot store anything just now');
  }
  if (isCut) throw malformed();
  if (isTooLarge) throw tooLarge();
  return { fields, modelName, hasConfig };
}

function bodyOf(request: Request): WebStream {
  return (request.body ?? new Blob([]).stream()) as unknown as WebStream;
}

function formReader(contentType: string) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        ...{ files: filesMax, fields: fieldsMax, fieldSize: fieldByteMax, fileSize: modelByteMax },
        parts: fieldsMax + filesMax,
      },
    });
  } catch {
    throw malformed();
  }
}

function malformed(): AppError {
  return new AppError('malformed_json', 'Malformed form');
}

function readCard(modelPath: string): string | null {
  const path = cardPathOf(modelPath);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

function readStem(fileName: string): string {
  const stem = stemOf(fileName);
  if (stem !== undefined) return stem;
  throw new AppError('validation_failed', 'Validation failed', {
    model: ['must be a file named like en_US-name-medium.onnx'],
  });
}

function tooLarge(): AppError {
  return new AppError(
    'body_too_large',
    `The model may have ${modelByteMax} bytes, the config ${configByteMax}, the model card ${licenseTextByteMax}`,
  );
}
