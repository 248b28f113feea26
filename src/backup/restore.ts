import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { deleteAllSessions } from '../auth/sessions.ts';
import { checkIntegrity, ensureDataFolder, lockDataFolder, openDatabase } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { publishFile, toFileError } from '../files.ts';
import { type Manifest, readArchive } from './archive.ts';

/** Unpacked here first; it is moved to its place when all of it has been found sound. */
const stagingFolder = 'restoring';
/** What an unused folder may hold: the lock, unpacked libraries, and what an interrupted restore left. */
const ignorablePattern = /^(restoring|lock\.db(-journal)?|native-\d+)$/;

/**
 * Makes a data folder out of a backup.
 * @param data empty, or not there yet
 * @throws AppError `operation_failed`: the folder is in use or not empty, the backup is damaged or of a newer program
 */
export async function restore(source: string, data: string): Promise<Manifest> {
  if (!existsSync(source)) throw new AppError('operation_failed', `File ${source} not found`);
  ensureDataFolder(data);
  const there = readdirSync(data).filter((name) => !ignorablePattern.test(name));
  if (there.length > 0) {
    throw new AppError(
      'operation_failed',
      `Restore failed: ${data} is not empty (contains ${there[0]}). Restore into an empty folder.`,
    );
  }
  const unlock = lockDataFolder(data);
  const unpacked = join(data, stagingFolder);
  try {
    rmSync(unpacked, { recursive: true, force: true });
    mkdirSync(unpacked, { mode: 0o700 });
    const manifest = await readArchive(source, unpacked);
    if (!manifest.parts.some(({ name }) => name === 'lectern.db')) {
      throw new AppError('operation_failed', `Backup ${source} contains no database`);
    }
    await checkDatabase(unpacked, source);
    // The database last: a folder without one is still a fresh one.
    const names = readdirSync(unpacked).sort((one) => (one === 'lectern.db' ? 1 : -1));
    for (const name of names) {
      await publishFile(join(unpacked, name), join(data, name), undefined);
    }
    return manifest;
  } catch (error) {
    throw toFileError(data, error);
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
    unlock();
  }
}

/** It must be sound, and of this program or an older one; an older one is brought up to date. */
async function checkDatabase(folder: string, source: string): Promise<void> {
  const faults = checkIntegrity(folder);
  if (faults.length > 0) {
    throw new AppError(
      'operation_failed',
      `The database in backup ${source} is damaged: ${faults[0]}. Use another backup.`,
    );
  }
  const database = openDatabase(folder);
  try {
    // Whoever has signed out or changed a password since the backup must not be signed in again by it.
    await database.write(deleteAllSessions);
  } finally {
    await database.close();
  }
}
