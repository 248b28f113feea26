import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { extract, type Header, type Pack, pack } from 'tar-stream';
import { AppError, operationFailed } from './errors.ts';
import { getErrno, readFileChunks } from './files.ts';

/** Size and checksum of a file, as manifests name them. */
export interface FileSum {
  readonly byte_count: number;
  /** Hex. */
  readonly sha256: string;
}

export const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });

export function sumBytes(bytes: Uint8Array): FileSum {
  return { byte_count: bytes.byteLength, sha256: createHash('sha256').update(bytes).digest('hex') };
}

export async function sumFile(path: string): Promise<FileSum> {
  const hash = createHash('sha256');
  let byteCount = 0;
  for await (const chunk of readFileChunks(path)) {
    hash.update(chunk);
    byteCount += chunk.byteLength;
  }
  return { byte_count: byteCount, sha256: hash.digest('hex') };
}

/** @returns the manifest, or why the text is none */
export function parseManifest<S extends TSchema>(
  schema: S,
  text: string,
): { readonly manifest: Static<S> } | { readonly problem: string } {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    return { problem: 'the manifest is not JSON' };
  }
  if (Value.Check(schema, manifest)) return { manifest };
  const path = Value.Errors(schema, manifest).First()?.path.slice(0, 80);
  return { problem: `the manifest is invalid at ${path || 'the root'}` };
}

/**
 * The bytes of a tar file, packed as they are read.
 * @param fill adds the entries; its errors are passed to the reader
 */
export async function* streamTar(fill: (archive: Pack) => Promise<void>): AsyncGenerator<Uint8Array> {
  const archive = pack();
  const filling = fill(archive).then(
    () => archive.finalize(),
    (error: unknown) => archive.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  try {
    yield* archive as AsyncIterable<Uint8Array>;
  } finally {
    // If the reader gives up, the current entry ends too.
    archive.destroy();
    await filling;
  }
}

/** Adds a file to a tar file. @returns its SHA-256, hex */
export async function packFile(
  archive: Pack,
  path: string,
  header: { readonly name: string; readonly size: number; readonly mode?: number },
): Promise<string> {
  const hash = createHash('sha256');
  const hashChunks = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(createReadStream(path), hashChunks, archive.entry(header));
  return hash.digest('hex');
}

/** A file in a tar file; it is read to its end before the next one comes. */
export type TarEntry = { readonly header: Header } & AsyncIterable<Uint8Array>;

/**
 * Reads a tar file entry by entry.
 * @returns false when the file is no tar file, or ends early
 * @throws what `onEntry` throws; AppError `operation_failed` when the file cannot be read
 */
export async function readTar(source: string, onEntry: (entry: TarEntry) => Promise<void>): Promise<boolean> {
  const archive = extract();
  const reading = pipeline(createReadStream(source), archive);
  const unpack = async (): Promise<void> => {
    for await (const entry of archive) await onEntry(entry as TarEntry);
  };
  // The reason of `onEntry` comes before that of the stream that it ended.
  const results = await Promise.allSettled([unpack(), reading]);
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  for (const error of errors) {
    if (error instanceof AppError) throw error;
    // Errors of tar-stream have no errno.
    if (/^E[A-Z]+$/.test(getErrno(error))) {
      throw operationFailed(`Reading ${source} failed (${getErrno(error)})`);
    }
  }
  return errors.length === 0;
}

/** @returns undefined for an entry larger than `maxBytes` */
export async function readSmallEntry(entry: TarEntry, maxBytes: number): Promise<Buffer | undefined> {
  if (entry.header.size > maxBytes) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry) chunks.push(chunk);
  return Buffer.concat(chunks);
}
