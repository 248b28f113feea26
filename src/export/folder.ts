import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../errors.ts';
import { version } from '../version.ts';
import { type Manifest, manifestName, readManifest } from './manifest.ts';

/** What is known of the files written so far is kept so often: an export that breaks off loses no more. */
const keepPauseMs = 2_000;

type Entry = Manifest['files'][number];

/** What became of the files. */
export interface FileCounts {
  readonly written: number;
  readonly unchanged: number;
  readonly removed: number;
}

/** A folder that is brought to what a site is now. A file appears under its name only when it is whole. */
export interface ExportFolder {
  /** Writes a file unless it holds that already. */
  put(path: string, content: string | Uint8Array): void;
  /** Writes a file whose name says what is in it: one that is there whole stays. */
  pour(
    path: string,
    byteCount: number,
    parts: () => AsyncIterable<Uint8Array>,
    onBytes: (count: number) => void,
  ): Promise<void>;
  /** Deletes what an earlier export wrote and this one did not. */
  finish(): FileCounts;
}

/**
 * @param paths everything that may be written
 * @throws AppError `operation_failed`: a file stands there that no export made, or the folder can't be written
 */
export function openExportFolder(
  folder: string,
  site: string,
  paths: readonly string[],
): ExportFolder {
  const at = (path: string): string => join(folder, path);
  const manifestPath = at(manifestName);
  const before = readManifest(manifestPath);
  const known = new Map<string, Entry>((before?.files ?? []).map((file) => [file.path, file]));
  const foreign = paths.find((path) => !known.has(path) && existsSync(at(path)));
  if (foreign !== undefined) {
    throw new AppError(
      'operation_failed',
      `${at(foreign)} was not made by an export, and is not replaced: export into another folder`,
    );
  }
  const stays = new Set<string>();
  const counts = { written: 0, unchanged: 0, removed: 0 };
  let keptAt = 0;

  const keep = (): void => {
    const files = [...known.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
    const manifest: Manifest = { format: 1, lectern: version, site, files };
    const text = `${JSON.stringify(manifest, null, 1)}\n`;
    if (!holds(manifestPath, Buffer.from(text))) replace(manifestPath, text);
    keptAt = performance.now();
  };
  const note = (entry: Entry, isNew: boolean): void => {
    known.set(entry.path, entry);
    stays.add(entry.path);
    counts[isNew ? 'written' : 'unchanged'] += 1;
    if (performance.now() - keptAt > keepPauseMs) keep();
  };

  // Told before anything is written: whatever is found there later is known to be the export's own.
  for (const path of paths) {
    if (!known.has(path)) known.set(path, { path, byte_count: null, sha256: null });
  }
  plainly(folder, () => {
    mkdirSync(folder, { recursive: true });
    for (const parent of new Set(paths.map((path) => dirname(at(path))))) {
      mkdirSync(parent, { recursive: true });
    }
    keep();
  });
  return {
    put: (path, content) => {
      const bytes = Buffer.from(content);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const isNew = !holds(at(path), bytes);
      if (isNew) plainly(at(path), () => replace(at(path), bytes));
      note({ path, byte_count: bytes.length, sha256 }, isNew);
    },
    pour: async (path, byteCount, parts, onBytes) => {
      const entry = known.get(path);
      const isThere = statSync(at(path), { throwIfNoEntry: false })?.size === byteCount;
      if (entry !== undefined && entry.sha256 !== null && isThere) {
        onBytes(byteCount);
        note(entry, false);
        return;
      }
      const sha256 = await pourInto(at(path), parts(), onBytes);
      note({ path, byte_count: byteCount, sha256 }, true);
    },
    finish: () => {
      for (const path of [...known.keys()].filter((one) => !stays.has(one))) {
        known.delete(path);
        plainly(at(path), () => {
          if (existsSync(at(path))) counts.removed += 1;
          for (const gone of [at(path), partial(at(path))]) rmSync(gone, { force: true });
          leaveIfEmpty(dirname(at(path)), folder);
        });
      }
      plainly(folder, keep);
      return counts;
    },
  };
}

/** @returns SHA-256 of the file, hex */
async function pourInto(
  path: string,
  parts: AsyncIterable<Uint8Array>,
  onBytes: (count: number) => void,
): Promise<string> {
  const hash = createHash('sha256');
  const file = plainly(path, () => openSync(partial(path), 'w', 0o644));
  try {
    for await (const part of parts) {
      plainly(path, () => writeWhole(file, part));
      hash.update(part);
      onBytes(part.byteLength);
    }
  } catch (error) {
    closeSync(file);
    rmSync(partial(path), { force: true });
    throw error;
  }
  closeSync(file);
  plainly(path, () => renameSync(partial(path), path));
  return hash.digest('hex');
}

function writeWhole(file: number, part: Uint8Array): void {
  for (let at = 0; at < part.byteLength; ) at += writeSync(file, part, at);
}

function replace(path: string, content: string | Uint8Array): void {
  try {
    writeFileSync(partial(path), content, { mode: 0o644 });
    renameSync(partial(path), path);
  } catch (error) {
    rmSync(partial(path), { force: true });
    throw error;
  }
}

function partial(path: string): string {
  return `${path}.partial`;
}

function holds(path: string, content: Buffer): boolean {
  const isThere = statSync(path, { throwIfNoEntry: false })?.size === content.length;
  return isThere && content.equals(readFileSync(path));
}

function leaveIfEmpty(parent: string, folder: string): void {
  if (parent === folder) return;
  try {
    rmdirSync(parent);
  } catch {
    // Something is in it, or it is gone already.
  }
}

function plainly<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const reasons: Record<string, string> = {
      ENOSPC: 'the disk is full',
      EACCES: 'this user may not write there',
      EROFS: 'the disk is read-only',
      ENOTDIR: 'a file stands where a folder is needed',
      EEXIST: 'a file stands where a folder is needed',
      EISDIR: 'a folder stands where the file would be',
    };
    throw new AppError('operation_failed', `Cannot write ${path}: ${reasons[code] ?? code}`);
  }
}
