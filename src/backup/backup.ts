import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { snapshotDatabase } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { type Manifest, type Part, writeArchive } from './archive.ts';

export interface BackupSource {
  readonly data: string;
  /** Folder of dropped-in voices. */
  readonly voices: string;
}

/**
 * Writes everything a server needs into one tar file, beside a running server: database (with every MP3), dropped-in voices,
 * config file. The file appears under its name only when it is whole.
 * @throws AppError `operation_failed`
 */
export async function backUp(
  { data, voices }: BackupSource,
  target: string,
  version: string,
): Promise<Manifest> {
  if (existsSync(target)) {
    throw new AppError('operation_failed', `${target} exists already; a backup replaces no file`);
  }
  const snapshot = `${target}.database.partial`;
  const partial = `${target}.partial`;
  try {
    // Left over from a backup that was interrupted.
    for (const path of [snapshot, partial]) rmSync(path, { force: true });
    // Made before SQLite fills it: nobody else may read it meanwhile.
    closeSync(openSync(snapshot, 'wx', 0o600));
    snapshotDatabase(data, snapshot);
    const manifest = await writeArchive(
      partial,
      [{ name: 'lectern.db', path: snapshot }, ...settingsFile(data), ...voiceFiles(voices)],
      version,
    );
    renameSync(partial, target);
    return manifest;
  } catch (error) {
    throw error instanceof AppError ? error : fileProblem(target, error);
  } finally {
    for (const path of [snapshot, partial]) rmSync(path, { force: true });
  }
}

function settingsFile(data: string): Part[] {
  const path = join(data, 'lectern.toml');
  return existsSync(path) ? [{ name: basename(path), path }] : [];
}

function voiceFiles(folder: string): Part[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.onnx') || name.endsWith('.onnx.json'))
    .map((name) => ({ name: `voices/${name}`, path: join(folder, name) }))
    .filter(({ path }) => statSync(path).isFile());
}

function fileProblem(path: string, error: unknown): AppError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  const reasons: Record<string, string> = {
    ENOSPC: 'the disk is full',
    EACCES: 'this user may not write there',
    ENOENT: 'there is no such folder',
    EROFS: 'the disk is read-only',
  };
  return new AppError('operation_failed', `Cannot write ${path}: ${reasons[code] ?? code}`);
}
