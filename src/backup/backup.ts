import { closeSync, existsSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { snapshotDatabase } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { removePartialFiles, toFileError } from '../files.ts';
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
export async function createBackup({ data, voices }: BackupSource, target: string, version: string): Promise<Manifest> {
  if (existsSync(target)) {
    throw new AppError('operation_failed', `Backup failed: ${target} already exists. Choose another file name.`);
  }
  const snapshot = `${target}.database.partial`;
  try {
    // Left over from a backup that was interrupted.
    rmSync(snapshot, { force: true });
    removePartialFiles(dirname(target), new Set([target]));
    // Made before SQLite fills it: nobody else may read it meanwhile.
    closeSync(openSync(snapshot, 'wx', 0o600));
    snapshotDatabase(data, snapshot);
    return await writeArchive(
      target,
      [{ name: 'lectern.db', path: snapshot }, ...listConfigFile(data), ...listVoiceFiles(voices)],
      version,
    );
  } catch (error) {
    throw toFileError(target, error);
  } finally {
    rmSync(snapshot, { force: true });
  }
}

function listConfigFile(data: string): Part[] {
  const path = join(data, 'lectern.toml');
  return existsSync(path) ? [{ name: basename(path), path }] : [];
}

function listVoiceFiles(folder: string): Part[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.onnx') || name.endsWith('.onnx.json'))
    .map((name) => ({ name: `voices/${name}`, path: join(folder, name) }))
    .filter(({ path }) => statSync(path).isFile());
}
