import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import type { Subprocess } from 'bun';
import { undoableSince } from '../auth/undo.ts';
import type { Jobs } from '../background.ts';
import { buildProgramCommand, lowerPriority } from '../build/processes.ts';
import { currentTimeMs, hourMs, timestamp } from '../clock.ts';
import type { Config } from '../config.ts';
import { findOutdatedSchema, lockDataFolder, openSqlite } from '../database/sqlite.ts';
import { type DiskSpace, getDatabaseSize } from '../disk-space.ts';
import { AppError, notFound, operationFailed } from '../errors.ts';
import { publishFile } from '../files.ts';
import { literalUnion, nullable } from '../http/validation.ts';
import type { Log } from '../log.ts';
import { createBackup, postgresBackupHint } from './backup.ts';

/** Like a speech worker: requests go first. */
const niceness = 10;
/** Of a deleted backup, while the deletion can be undone. */
const deletedSuffix = '.deleted';
/** With the schema: created before an upgrade. */
const namePattern = /^lectern-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z(?:-schema-\d+)?\.tar$/;
/** In the data folder. */
const backupFolder = 'backups';
/** A copy of the database, and the tar file. */
const spaceFactor = 2;
const scheduleIntervalMs = 60_000;
/** The start of the server goes first. */
const scheduleDelayMs = 5_000;

/** A backup in the data folder. */
export const BackupRecord = Type.Object(
  {
    name: Type.String(),
    state: literalUnion(['running', 'ready', 'failed']),
    created_at: Type.String({ description: 'Start time' }),
    byte_count: nullable(Type.Integer(), { description: 'Null until it is ready' }),
    error: nullable(Type.String(), { description: 'Why it failed' }),
  },
  { title: 'Backup' },
);
export type BackupRecord = Static<typeof BackupRecord>;

/** Backups that the server creates itself, in `{data}/backups`. */
export class BackupManager {
  /** How many are kept; older ones are deleted when another is ready. */
  readonly limit: number;
  /** 0: backups are created on request only. */
  readonly intervalHours: number;
  /** Why this installation has no backups. */
  readonly unavailable: string | undefined;
  /** Since the start, for the metrics. */
  failureCount = 0;
  readonly #data: string;
  readonly #folder: string;
  readonly #diskSpace: DiskSpace;
  readonly #log: Log;
  #running: { readonly backup: BackupRecord; readonly child: Subprocess } | undefined;
  #failed: BackupRecord | undefined;

  /** Deletes the files of an interrupted backup. */
  constructor(
    config: Pick<Config, 'data' | 'database' | 'maxBackups' | 'backupIntervalHours'>,
    diskSpace: DiskSpace,
    log: Log,
  ) {
    const { data } = config;
    this.limit = config.maxBackups;
    this.intervalHours = config.backupIntervalHours;
    this.unavailable = config.database === undefined ? undefined : postgresBackupHint;
    this.#data = data;
    this.#folder = join(data, backupFolder);
    this.#diskSpace = diskSpace;
    this.#log = log;
    deletePartialBackups(this.#folder);
  }

  /** @returns newest first, including the running one and the last that failed */
  list(): BackupRecord[] {
    const others = [this.#running?.backup, this.#failed].filter((backup) => backup !== undefined);
    return [...others, ...this.#listFinished()].toSorted(compareNewestFirst);
  }

  /** Start time of the newest finished backup; undefined: there is none. */
  get lastSuccessAt(): string | undefined {
    const at = this.#listFinished().toSorted(compareNewestFirst)[0]?.created_at;
    return at === undefined || at > timestamp() ? undefined : at;
  }

  /** When the next scheduled backup starts; a failed one is repeated after an hour, or the interval if that is shorter. */
  get nextAt(): string | undefined {
    if (this.intervalHours === 0) return undefined;
    const intervalMs = this.intervalHours * hourMs;
    const afterSuccess = addMs(this.lastSuccessAt, intervalMs);
    const afterFailure = addMs(this.#failed?.created_at, Math.min(intervalMs, hourMs));
    return timestamp(Math.max(afterSuccess, afterFailure, currentTimeMs()));
  }

  /** Creates backups at the interval of the configuration, and deletes deleted ones for good. */
  startSchedule(jobs: Jobs): void {
    jobs.every('purging deleted backups', { intervalMs: scheduleIntervalMs }, async () => this.#purgeDeleted());
    if (this.intervalHours === 0) return;
    const schedule = { intervalMs: scheduleIntervalMs, delayMs: scheduleDelayMs };
    jobs.every('starting scheduled backup', schedule, async () => {
      if (this.#running === undefined && (this.nextAt ?? '') <= timestamp()) this.#startOrFail();
    });
  }

  #startOrFail(): void {
    try {
      this.start();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.#fail(createRecord(), error.message);
    }
  }

  /**
   * Starts a backup in a process of its own.
   * @throws AppError `conflict` for PostgreSQL, while one is running, or when disk space is too low
   */
  start(): BackupRecord {
    if (this.unavailable !== undefined) throw new AppError('conflict', this.unavailable);
    if (this.#running !== undefined) throw new AppError('conflict', 'A backup is already running');
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#requireRoom();
    this.#failed = undefined;
    const backup = createRecord();
    const { name } = backup;
    const command = [...buildProgramCommand(), 'backup', join(this.#folder, name), '--data', this.#data, '--json'];
    const child = Bun.spawn(command, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#running = { backup, child };
    lowerPriority(niceness, child.pid);
    waitForResult(child)
      .then((error) => this.#finish(backup, error))
      .catch((error: unknown) => this.#finish(backup, String(error)));
    return backup;
  }

  /** @returns the file of a finished one. @throws AppError `not_found` */
  getPath(name: string): string {
    if (!this.#isStored(name)) throw notFound('Backup', name);
    return join(this.#folder, name);
  }

  /** For a minute it can be restored, unless it failed. @throws AppError `not_found`; `conflict` while it is running */
  async delete(name: string): Promise<void> {
    if (this.#running?.backup.name === name) {
      throw new AppError('conflict', 'Backup not deleted: it is still running');
    }
    if (this.#failed?.name === name) {
      this.#failed = undefined;
      return this.#deleteFile(name);
    }
    const path = this.getPath(name);
    await publishFile(path, `${path}${deletedSuffix}`, undefined);
  }

  /** @throws AppError `not_found` from a minute after the deletion on */
  async restore(name: string): Promise<BackupRecord> {
    const path = join(this.#folder, name);
    const deleted = `${path}${deletedSuffix}`;
    if (!namePattern.test(name) || !isUndoable(deleted)) throw notFound('Backup', name);
    await publishFile(deleted, path, undefined);
    return toReadyBackup(name, statSync(path).size);
  }

  #purgeDeleted(): void {
    const deleted = listNames(this.#folder).filter((name) => name.endsWith(deletedSuffix));
    for (const name of deleted.filter((name) => !isUndoable(join(this.#folder, name)))) this.#deleteFile(name);
  }

  async stop(): Promise<void> {
    this.#running?.child.kill();
    await this.#running?.child.exited;
  }

  /** A backup must not stop events or posts. @throws AppError `conflict` */
  #requireRoom(): void {
    const needed = spaceFactor * getDatabaseSize(this.#data);
    if (this.#diskSpace.hasRoom('events', needed)) return;
    const { freeBytes } = this.#diskSpace.measure();
    throw new AppError(
      'conflict',
      `Not enough disk space for a backup: about ${toMegabytes(needed)} MB needed temporarily beside the reserve of ${toMegabytes(this.#diskSpace.getReserve('events'))} MB, ${toMegabytes(freeBytes)} MB free`,
    );
  }

  #finish(backup: BackupRecord, error: string | undefined): void {
    this.#running = undefined;
    if (error !== undefined) {
      this.#fail(backup, error);
      return;
    }
    this.#log.info({ backup: backup.name }, 'backup created');
    deleteOldBackups(this.#folder, this.limit);
  }

  #fail(backup: BackupRecord, error: string): void {
    this.#log.warn({ backup: backup.name, error }, 'backup failed');
    this.#failed = { ...backup, state: 'failed', error };
    this.failureCount += 1;
  }

  #listFinished(): BackupRecord[] {
    // The file appears a moment before its process ends.
    return listFinished(this.#folder).filter(({ name }) => name !== this.#running?.backup.name);
  }

  #isStored(name: string): boolean {
    return namePattern.test(name) && existsSync(join(this.#folder, name));
  }

  #deleteFile(name: string): void {
    rmSync(join(this.#folder, name), { force: true });
  }
}

/** @param path of a deleted backup: renaming it has set the time of its change */
function isUndoable(path: string): boolean {
  const status = statSync(path, { throwIfNoEntry: false });
  return status !== undefined && status.ctime.toISOString() > undoableSince();
}

function createRecord(): BackupRecord {
  const created_at = timestamp();
  const name = `lectern-${created_at.replace(/[:.]/g, '-')}.tar`;
  return { name, state: 'running', created_at, byte_count: null, error: null };
}

/** @returns 0 without a time, or for one of a clock that was ahead */
function addMs(time: string | undefined, durationMs: number): number {
  return time === undefined || time > timestamp() ? 0 : Date.parse(time) + durationMs;
}

/** Deletes what interrupted backups left: as much as the database each. */
function deletePartialBackups(folder: string): void {
  for (const name of listNames(folder)) {
    if (name.endsWith('.partial')) rmSync(join(folder, name), { force: true });
  }
}

/** Deletes all but the newest ones. */
function deleteOldBackups(folder: string, limit: number): void {
  const old = listFinished(folder).toSorted(compareNewestFirst).slice(limit);
  for (const { name } of old) rmSync(join(folder, name), { force: true });
}

function listFinished(folder: string): BackupRecord[] {
  return listBackupNames(folder).flatMap((name) => {
    const stat = statSync(join(folder, name), { throwIfNoEntry: false });
    return stat === undefined ? [] : [toReadyBackup(name, stat.size)];
  });
}

/** @returns the files of finished backups */
function listBackupNames(folder: string): string[] {
  return listNames(folder).filter((name) => namePattern.test(name));
}

function listNames(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function toReadyBackup(name: string, byteCount: number): BackupRecord {
  const created_at = name.replace(namePattern, '$1T$2:$3:$4.$5Z');
  return { name, state: 'ready', created_at, byte_count: byteCount, error: null };
}

function compareNewestFirst(a: BackupRecord, b: BackupRecord): number {
  return toSortKey(a) < toSortKey(b) ? 1 : -1;
}

/** A time in the future is of a clock that was ahead: the backups since then are newer. */
function toSortKey({ created_at }: BackupRecord): string {
  return `${Number(created_at <= timestamp())} ${created_at}`;
}

function toMegabytes(byteCount: number): number {
  return Math.ceil(byteCount / 1024 / 1024);
}

/** @returns why it failed; undefined on success */
async function waitForResult(child: Subprocess<'ignore', 'ignore', 'pipe'>): Promise<string | undefined> {
  const [output, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  if (code === 0) return undefined;
  const [line = ''] = output.trim().split('\n').slice(-1);
  return line.replace(/^lectern: /, '') || 'The backup was interrupted';
}

type UpgradeConfig = Pick<Config, 'data' | 'database' | 'voices' | 'configFile' | 'backupBeforeUpgrade' | 'maxBackups'>;

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
    throw operationFailed(
      `Upgrade not started: its backup needs about ${toMegabytes(needed)} MB temporarily, ${Math.floor((bavail * bsize) / 1024 ** 2)} MB are free. Free some space, or create a backup elsewhere and set LECTERN_BACKUP_BEFORE_UPGRADE=off.`,
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
