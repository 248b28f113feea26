import { createHash, type Hash } from 'node:crypto';
import { createReadStream, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { extract, type Header } from 'tar-stream';
import { AppError } from '../errors.ts';
import { writeFileAtomically } from '../files.ts';
import { streamTar } from '../tar.ts';

const manifestName = 'manifest.json';
const maxManifestBytes = 1024 * 1024;
/** What a backup may hold: nothing that could land outside the folder it is restored into. */
const partNamePattern = /^(lectern\.db|lectern\.toml|voices\/(?!\.{1,2}$)[^/\\\0]{1,200})$/;

const Manifest = Type.Object({
  format: Type.Literal(1),
  lectern: Type.String(),
  created_at: Type.String(),
  parts: Type.Array(
    Type.Object({
      name: Type.String({ pattern: partNamePattern.source }),
      byte_count: Type.Integer({ minimum: 0 }),
      sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    }),
  ),
});
/** The last entry of a backup: what the others are. A file cut short has none. */
export type Manifest = Static<typeof Manifest>;

/** A file that goes into a backup. */
export interface Part {
  /** Its name in the archive. */
  readonly name: string;
  readonly path: string;
}

/**
 * Writes a tar file that holds the parts and, last, their sums.
 * @param target must not exist yet
 * @throws FileError
 */
export async function writeArchive(target: string, parts: readonly Part[], lectern: string): Promise<Manifest> {
  const manifest: Manifest = {
    format: 1,
    lectern,
    created_at: new Date().toISOString(),
    parts: [],
  };
  const archive = streamTar(async (tar) => {
    for (const { name, path } of parts) {
      const size = statSync(path).size;
      const hash = createHash('sha256');
      const entry = tar.entry({ name, size, mode: 0o600 });
      await pipeline(createReadStream(path), createHashStream(hash), entry);
      manifest.parts.push({ name, byte_count: size, sha256: hash.digest('hex') });
    }
    tar.entry({ name: manifestName, mode: 0o600 }, JSON.stringify(manifest, null, 2));
  });
  await writeFileAtomically(target, archive, { mode: 0o600, mustBeNew: true });
  return manifest;
}

/**
 * Unpacks a backup and compares every part with its sum.
 * @param folder empty
 * @throws AppError `operation_failed` when the file is no backup, incomplete or damaged
 */
export async function readArchive(source: string, folder: string): Promise<Manifest> {
  const found = new Map<string, { byte_count: number; sha256: string }>();
  let manifestText: string | undefined;
  const archive = extract();
  const reading = pipeline(createReadStream(source), archive);
  const unpack = async (): Promise<void> => {
    for await (const entry of archive) {
      const { name } = entry.header;
      if (name === manifestName) {
        manifestText = await readText(entry as AsyncIterable<Uint8Array>);
        continue;
      }
      if (!isPart(entry.header) || found.has(name)) throw notBackupError(source);
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const { byteCount, sha256 } = await writeFileAtomically(path, entry as AsyncIterable<Buffer>, {
        mode: 0o600,
      });
      found.set(name, { byte_count: byteCount, sha256 });
    }
  };
  const [streamed, unpacked] = await Promise.allSettled([reading, unpack()]);
  if (unpacked.status === 'rejected' && !isArchiveError(unpacked.reason)) throw unpacked.reason;
  if (streamed.status === 'rejected' && !isArchiveError(streamed.reason)) throw streamed.reason;
  if (manifestText === undefined) throw notBackupError(source);
  const manifest = readManifest(manifestText, source);
  const same =
    manifest.parts.length === found.size &&
    manifest.parts.every(({ name, byte_count, sha256 }) => {
      const part = found.get(name);
      return part?.byte_count === byte_count && part.sha256 === sha256;
    });
  if (!same)
    throw new AppError('operation_failed', `Backup ${source} is damaged: checksums do not match. Use another backup.`);
  return manifest;
}

function isPart({ name, type }: Header): boolean {
  return type === 'file' && partNamePattern.test(name);
}

function readManifest(text: string, source: string): Manifest {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    throw notBackupError(source);
  }
  if (!Value.Check(Manifest, manifest)) throw notBackupError(source);
  return manifest;
}

/** A tar file that ends early or isn't one; a full disk or a forbidden file says its own name. */
function isArchiveError(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return !(error instanceof AppError) && !/^E[A-Z]+$/.test(code);
}

function notBackupError(source: string): AppError {
  return new AppError('operation_failed', `${source} is not a complete Lectern backup`);
}

async function readText(entry: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  for await (const chunk of entry) {
    byteCount += chunk.byteLength;
    if (byteCount <= maxManifestBytes) chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function createHashStream(hash: Hash): Transform {
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk);
      done(null, chunk);
    },
  });
}
