import { mkdirSync, statfsSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { timestamp } from '../clock.ts';
import type { Config } from '../config.ts';
import { findOutdatedSchema, lockDataFolder, openSqlite } from '../database/sqlite.ts';
import { getDatabaseSize } from '../disk-space.ts';
import { AppError } from '../errors.ts';
import { createBackup } from './backup.ts';
import { backupFolder, deleteOldBackups, deletePartialBackups, listBackupNames, spaceFactor } from './manager.ts';

type UpgradeConfig = Pick<Config, 'data' | 'database' | 'voices' | 'configFile' | 'backupBeforeUpgrade' | 'maxBackups'>;

const megabyte = 1024 * 1024;

/**
 * Migrates the database of an earlier version, with a backup before; does nothing if the schema is current. The backup can be
 * restored by the earlier version.
 * @param isLocked whether this process has locked the data folder already
 * @returns the backup; undefined: none was created
 * @throws AppError `operation_failed`: another server runs, too little disk space, or the database is too old or too new
 */
export async function upgradeDatabase(config: UpgradeConfig, isLocked = false): Promise<string | undefined> {
  // Its operator makes the backups; opening it migrates it.
  if (config.database !== undefined) return undefined;
  const schema = findOutdatedSchema(config.data);
  if (schema === undefined) return undefined;
  // A server of the earlier version could not use the new schema.
  const unlock = isLocked ? undefined : lockDataFolder(config.data);
  try {
    const backup = config.backupBeforeUpgrade ? await createUpgradeBackup(config, schema) : undefined;
    await openSqlite(config.data).close();
    return backup;
  } finally {
    unlock?.();
  }
}

async function createUpgradeBackup(config: UpgradeConfig, schema: number): Promise<string> {
  const { data, maxBackups } = config;
  const folder = join(data, backupFolder);
  deletePartialBackups(folder);
  const { mtime } = statSync(join(data, 'lectern.db'));
  const existing = findBackupOf(folder, schema, mtime);
  if (existing !== undefined) return existing;
  const { bavail, bsize } = statfsSync(data);
  const needed = spaceFactor * getDatabaseSize(data);
  if (bavail * bsize < needed) {
    throw new AppError(
      'operation_failed',
      `Upgrade not started: its backup needs about ${Math.ceil(needed / megabyte)} MB temporarily, ${Math.floor((bavail * bsize) / megabyte)} MB are free. Free some space, or create a backup elsewhere and set LECTERN_BACKUP_BEFORE_UPGRADE=off.`,
    );
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `lectern-${timestamp().replace(/[:.]/g, '-')}-schema-${schema}.tar`);
  await createBackup(config, path);
  utimesSync(path, mtime, mtime);
  deleteOldBackups(folder, maxBackups);
  return path;
}

/**
 * A migration that fails at each start must not replace all backups by copies of one state. A backup before an upgrade has the
 * modification time of its database, whose log SQLite has just moved into the file.
 */
function findBackupOf(folder: string, schema: number, mtime: Date): string | undefined {
  return listBackupNames(folder)
    .filter((name) => name.endsWith(`-schema-${schema}.tar`))
    .map((name) => join(folder, name))
    .find((path) => statSync(path).mtime.getTime() === mtime.getTime());
}
