import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { AppError } from '../errors.ts';
import { configPathOf } from './examine.ts';

const modelByteMax = 500_000_000;
const configByteMax = 1_000_000;
const fieldByteMax = 2_000;
/** What stands around the parts. */
const otherByteMax = 100_000;
const fieldsMax = 10;

/** A voice on its way in. */
export interface VoiceUpload {
  /** In the folder of voices, under a name that no voice has; the config lies beside it. */
  readonly modelPath: string;
  /** What its sender calls it, without `.onnx`. */
  readonly stem: string;
  /** The text fields of the form. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Takes a form with the files `model` and `config` straight to disk, never more than a chunk of it in memory.
 * @param folder of voices: where they lie at last, so that they need only be renamed
 * @throws AppError `unsupported_media_type`, `body_too_large`, `malformed_json`, `validation_failed`; nothing is left then
 */
export async function receiveVoice(request: Request, folder: string): Promise<VoiceUpload> {
  const contentType = request.headers.get('content-type') ?? '';
  if (!/^multipart\/form-data\s*;.*boundary=/i.test(contentType)) {
    throw new AppError('unsupported_media_type', 'Content-Type must be multipart/form-data');
  }
  const byteMax = modelByteMax + configByteMax + otherByteMax;
  if (Number(request.headers.get('content-length') ?? 0) > byteMax) throw tooLarge();
  mkdirSync(folder, { recursive: true });
  const modelPath = join(folder, `.import-${crypto.randomUUID()}.part`);
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
    return { modelPath, stem: stemOf(modelName), fields };
  } catch (error) {
    forgetUpload(modelPath);
    throw error;
  }
}

/** Deletes what is left of an upload. */
export function forgetUpload(modelPath: string): void {
  for (const path of [modelPath, configPathOf(modelPath)]) rmSync(path, { force: true });
}

async function readForm(request: Request, contentType: string, modelPath: string) {
  const fields: Record<string, string> = {};
  const writing: Promise<void>[] = [];
  let modelName: string | undefined;
  let hasConfig = false;
  let isTooLarge = false;
  const streams: BusboyFileStream[] = [];
  const form = formReader(contentType);
  const keep = (stream: BusboyFileStream, path: string, byteMax: number): void => {
    streams.push(stream);
    let byteCount = 0;
    stream.on('data', (chunk: Buffer) => {
      byteCount += chunk.byteLength;
      if (byteCount > byteMax) isTooLarge = true;
    });
    stream.on('limit', () => {
      isTooLarge = true;
    });
    const written = pipeline(stream, createWriteStream(path));
    // Awaited below; until then a failure must not count as nobody's.
    written.catch(() => {});
    writing.push(written);
  };
  form.on('file', (name, stream, fileName) => {
    if (name === 'model' && modelName === undefined) {
      modelName = fileName ?? '';
      keep(stream, modelPath, modelByteMax);
    } else if (name === 'config' && !hasConfig) {
      hasConfig = true;
      keep(stream, configPathOf(modelPath), configByteMax);
    } else stream.resume();
  });
  form.on('field', (name, value) => {
    fields[name] = value;
  });
  try {
    const body = request.body ?? new Blob([]).stream();
    await pipeline(Readable.fromWeb(body as unknown as WebStream), form);
  } catch {
    for (const stream of streams) stream.destroy();
    await Promise.allSettled(writing);
    throw malformed();
  }
  await Promise.all(writing).catch(() => {
    throw new AppError('busy', 'The server cannot store anything just now');
  });
  if (isTooLarge) throw tooLarge();
  return { fields, modelName, hasConfig };
}

function formReader(contentType: string) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        ...{ files: 2, fields: fieldsMax, fieldSize: fieldByteMax, fileSize: modelByteMax },
        parts: fieldsMax + 2,
      },
    });
  } catch {
    throw malformed();
  }
}

function malformed(): AppError {
  return new AppError('malformed_json', 'Malformed form');
}

/** What a file is called must not lead anywhere else, nor be hidden. */
function stemOf(fileName: string): string {
  const [, stem] = /^([A-Za-z0-9][\w.+-]{0,99})\.onnx$/.exec(fileName) ?? [];
  if (stem !== undefined) return stem;
  throw new AppError('validation_failed', 'Validation failed', {
    model: ['must be a file named like en_US-name-medium.onnx'],
  });
}

function tooLarge(): AppError {
  return new AppError(
    'body_too_large',
    `The model may have ${modelByteMax} bytes, the config ${configByteMax}`,
  );
}
