import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import PQueue from 'p-queue';
import { resolveSqliteBinding } from '../build/native.ts';
import { getDatabaseSize } from '../disk-space.ts';
import { AppError, operationFailed } from '../errors.ts';
import { createPrivateFile, makePrivate } from '../files.ts';
import type { Log } from '../log.ts';
import { type Database, isBusy, type Queries, runHandlers, runTransaction } from './database.ts';
import { DirectSqliteAdapter } from './dialect.ts';
import { findOutdated, migrate } from './migrate.ts';
import type { Tables } from './schema.ts';

/** Short: the driver blocks the whole server while it waits. */
const busyTimeoutMs = 200;
const maxBusyWaitMs = 10_000;
const busyRetryIntervalMs = 25;
const maxCachedStatements = 500;
const incrementalVacuum = 2;
/** A page has 4 KiB. */
const keptFreePages = 1_024;
/** In one write, which takes a few milliseconds. */
const releasedPages = 256;

/**
 * Opens `{dataFolder}/lectern.db`, creating and migrating it where needed.
 * @param log of errors in `afterCommit` handlers
 * @throws AppError `operation_failed`: folder not writable, database damaged, too old or too new
 */
export function openSqlite(dataFolder: string, log?: Log): Database {
  ensureDataFolder(dataFolder);
  const path = join(dataFolder, 'lectern.db');
  return translateErrors(path, () => {
    const connections: BetterSqlite.Database[] = [];
    // Kysely's `destroy` closes only connections that ran a query; an open one keeps the disk space of a deleted file.
    const closeConnections = (): void => {
      for (const connection of connections.toReversed()) connection.close();
    };
    const track = (connection: BetterSqlite.Database): BetterSqlite.Database => {
      connections.push(connection);
      return connection;
    };
    try {
      const full = track(connectAndMigrate(path));
      const normal = track(connect(path));
      const writable = { full: createQueries(full, 'full'), normal: createQueries(normal, 'normal') };
      const reading = track(connect(path));
      reading.pragma('query_only = true');
      const read = createQueries(reading, 'normal');
      const version = reading.prepare<[], number>('pragma data_version').pluck();
      // Two writers of this process would block each other inside the driver.
      const writer = new PQueue({ concurrency: 1 });
      return {
        read,
        dataVersion: () => version.get() ?? 0,
        write: async (_scope, work, { sync = 'full' } = {}) => {
          const committed = await writer.add(() => retryWhileBusy(() => runTransaction(writable[sync], work)));
          await runHandlers(committed.handlers, log);
          return committed.result;
        },
        releaseFreeSpace: () => writer.add(() => retryWhileBusy(async () => releasePages(normal))),
        measureSize: async () => getDatabaseSize(dataFolder),
        close: async () => {
          await writer.onIdle();
          await Promise.all([read, writable.normal, writable.full].map((queries) => queries.destroy()));
          closeConnections();
        },
      };
    } catch (error) {
      closeConnections();
      throw error;
    }
  });
}

/** Some free pages stay for the next rows. @returns whether there are more to release */
function releasePages(connection: BetterSqlite.Database): boolean {
  const countFree = (): number => Number(connection.pragma('freelist_count', { simple: true }));
  const before = countFree();
  if (before <= keptFreePages) return false;
  connection.pragma(`incremental_vacuum(${Math.min(releasedPages, before - keptFreePages)})`);
  return countFree() > keptFreePages;
}

/** SQLite gives the files beside a database its permissions. */
const databaseFileNames = ['lectern.db', 'lectern.db-wal', 'lectern.db-shm', 'lock.db', 'lock.db-journal'];

/**
 * Keeps a second server off the data folder, and other users off the database, by an exclusive transaction that ends with the process.
 * @returns a function that releases the folder
 * @throws AppError `operation_failed` while another server uses it
 */
export function lockDataFolder(dataFolder: string): () => void {
  ensureDataFolder(dataFolder);
  const path = join(dataFolder, 'lock.db');
  return translateErrors(path, () => {
    createPrivateFile(path);
    for (const name of databaseFileNames) makePrivate(join(dataFolder, name));
    const lock = new BetterSqlite(path, { nativeBinding: resolveSqliteBinding(), timeout: 0 });
    try {
      lock.exec('begin exclusive');
    } catch (error) {
      lock.close();
      if (!isBusy(error)) throw error;
      throw operationFailed(
        `Data folder ${dataFolder} is in use by another Lectern server. Stop that server, or choose another folder with --data.`,
      );
    }
    return () => lock.close();
  });
}

/** Checks the whole database. @returns the errors that SQLite found */
export function checkIntegrity(dataFolder: string): string[] {
  const path = join(dataFolder, 'lectern.db');
  return translateErrors(path, () => {
    const connection = connect(path);
    try {
      const rows = connection.pragma('integrity_check') as { integrity_check: string }[];
      const broken = connection.pragma('foreign_key_check') as { table: string }[];
      return [
        ...rows.map((row) => row.integrity_check).filter((line) => line !== 'ok'),
        ...broken.map((row) => `foreign key violation: a row in table ${row.table} references a missing row`),
      ];
    } finally {
      connection.close();
    }
  });
}

/**
 * @returns the schema of a database that `openSqlite` would migrate; undefined: it is new or current
 * @throws AppError `operation_failed`: damaged, too old or too new
 */
export function findOutdatedSchema(dataFolder: string): number | undefined {
  const path = join(dataFolder, 'lectern.db');
  if (!existsSync(path)) return undefined;
  return translateErrors(path, () => {
    const connection = connect(path, maxBusyWaitMs);
    try {
      return findOutdated(connection);
    } finally {
      connection.close();
    }
  });
}

/**
 * @returns path of the database
 * @throws AppError `operation_failed` if there is none
 */
export function requireDatabaseFile(dataFolder: string): string {
  const path = join(dataFolder, 'lectern.db');
  if (existsSync(path)) return path;
  const message = `No Lectern database found in ${dataFolder}. Name its folder with --data, or start the server to create one.`;
  throw operationFailed(message);
}

/**
 * Writes a consistent copy of the database; a server may run beside it.
 * @throws AppError `operation_failed`: no database, damaged, or the disk is full
 */
export function snapshotDatabase(dataFolder: string, target: string): void {
  const path = requireDatabaseFile(dataFolder);
  translateErrors(path, () => {
    const connection = connect(path);
    try {
      connection.prepare('vacuum into ?').run(target);
    } finally {
      connection.close();
    }
  });
}

/** Creates the data folder if it is missing. @throws AppError `operation_failed` */
export function ensureDataFolder(dataFolder: string): void {
  try {
    const existing = statSync(dataFolder, { throwIfNoEntry: false });
    if (existing?.isDirectory() === false) {
      throw operationFailed(`Data folder ${dataFolder} is a file. Name a folder with --data.`);
    }
    if (existing !== undefined) return;
    mkdirSync(dataFolder, { recursive: true });
    chmodSync(dataFolder, 0o700);
  } catch (error) {
    throw error instanceof AppError ? error : toFolderError(dataFolder, error);
  }
}

/** May block: no request is served yet. */
function connectAndMigrate(path: string): BetterSqlite.Database {
  createPrivateFile(path);
  return configureOrClose(connect(path, maxBusyWaitMs), (connection) => {
    // Setting the same value would be a write, too.
    const vacuums = connection.pragma('auto_vacuum', { simple: true });
    if (vacuums !== incrementalVacuum) connection.pragma('auto_vacuum = incremental');
    connection.pragma('journal_mode = wal');
    migrate(connection);
    connection.pragma(`busy_timeout = ${busyTimeoutMs}`);
  });
}

function connect(path: string, timeout = busyTimeoutMs): BetterSqlite.Database {
  return configureOrClose(new BetterSqlite(path, { nativeBinding: resolveSqliteBinding(), timeout }), (connection) => {
    connection.pragma('foreign_keys = true');
    connection.pragma('cache_size = -16000');
    // Only the data folder may be writable.
    connection.pragma('temp_store = memory');
  });
}

function configureOrClose(
  connection: BetterSqlite.Database,
  configure: (connection: BetterSqlite.Database) => void,
): BetterSqlite.Database {
  try {
    configure(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function createQueries(connection: BetterSqlite.Database, synchronous: 'full' | 'normal'): Queries {
  connection.pragma(`synchronous = ${synchronous}`);
  const database = withStatementCache(connection);
  const dialect = new SqliteDialect({ database });
  const adapter = new DirectSqliteAdapter((statement, parameters) => {
    const prepared = database.prepare(statement);
    if (prepared.reader) return prepared.all(parameters) as never[];
    prepared.run(parameters);
    return [];
  });
  dialect.createAdapter = () => adapter;
  return new Kysely<Tables>({ dialect });
}

/** Preparing a statement is most of the cost of a small query, and Kysely prepares each time. */
function withStatementCache(connection: BetterSqlite.Database) {
  const statements = new Map<string, BetterSqlite.Statement<unknown[]>>();
  return {
    close: () => connection.close(),
    prepare: (requested: string) => {
      const sql = rewriteStatement(requested, connection.inTransaction);
      const known = statements.get(sql);
      if (known !== undefined) return known;
      const fresh = connection.prepare<unknown[]>(sql);
      if (statements.size >= maxCachedStatements) statements.clear();
      statements.set(sql, fresh);
      return fresh;
    },
  };
}

function rewriteStatement(sql: string, inTransaction: boolean): string {
  // A plain `begin` takes the write lock at the first write, where waiting cannot help any more.
  if (sql === 'begin') return 'begin immediate';
  // On a full disk SQLite has rolled back already; a second rollback would fail and hide the reason.
  if (sql === 'rollback' && !inTransaction) return 'select 1';
  return sql;
}

/** A command beside the server may hold the write lock. */
async function retryWhileBusy<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + maxBusyWaitMs;
  while (true) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() > deadline) throw new AppError('busy');
      await Bun.sleep(busyRetryIntervalMs);
    }
  }
}

function translateErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof BetterSqlite.SqliteError) throw toDatabaseError(path, error);
    if (error instanceof TypeError) throw toFolderError(path, error);
    throw error;
  }
}

function toDatabaseError(path: string, error: InstanceType<typeof BetterSqlite.SqliteError>): AppError {
  const reasons: [RegExp, string][] = [
    [/^SQLITE_(CORRUPT|NOTADB)/, 'is damaged or not a Lectern database. Restore a backup.'],
    [/^SQLITE_(READONLY|CANTOPEN|PERM|AUTH)/, 'is not writable. Check owner and permissions.'],
    [/^SQLITE_FULL/, 'cannot be written: the disk is full. Free some space.'],
    [/^SQLITE_IOERR/, 'cannot be read or written: disk error. Check the disk.'],
    [/^SQLITE_BUSY/, 'is locked by another process'],
  ];
  const reason = reasons.find(([code]) => code.test(error.code))?.[1] ?? `failed (${error.code})`;
  return operationFailed(`Database ${path} ${reason}`);
}

function toFolderError(path: string, error: unknown): AppError {
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return operationFailed(`Data folder ${path} is not writable${code}`);
}
