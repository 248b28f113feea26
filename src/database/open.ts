import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { Kysely, SqliteDialect, type Transaction } from 'kysely';
import PQueue from 'p-queue';
import { resolveSqliteBinding } from '../build/native.ts';
import { AppError } from '../errors.ts';
import { migrate } from './migrations.ts';
import type { Tables } from './schema.ts';

/** Short, because a waiting driver blocks the whole server; we wait on without blocking. */
const busyTimeoutMs = 200;
const maxBusyWaitMs = 10_000;
const busyRetryIntervalMs = 25;
const maxCachedStatements = 500;
/** As SQLite numbers it. */
const incrementalVacuum = 2;

/** A connection for reading, or a transaction: what store functions take first. */
export type Queries = Kysely<Tables>;

/** The one SQLite file, opened three times. */
export interface Database {
  readonly read: Queries;
  /** @returns a number that is another one as soon as anything was written, by whatever process */
  dataVersion(): number;
  /** A transaction that survives a power cut once it returns. */
  write<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>;
  /** A transaction that survives a crash of the program; a later `write` makes it survive a power cut. */
  writeNormalSync<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Opens `{dataFolder}/lectern.db`, creating and migrating it where needed.
 * @throws AppError `operation_failed` with one plain line: folder not writable, database damaged or newer
 */
export function openDatabase(dataFolder: string): Database {
  ensureDataFolder(dataFolder);
  const path = join(dataFolder, 'lectern.db');
  return translateErrors(path, () => {
    const connections: BetterSqlite.Database[] = [];
    // Kysely's `destroy` closes only connections that ran a query. An open connection keeps the disk space of a deleted file.
    const closeConnections = (): void => {
      for (const connection of connections.toReversed()) connection.close();
    };
    const track = (connection: BetterSqlite.Database): BetterSqlite.Database => {
      connections.push(connection);
      return connection;
    };
    try {
      const durable = createQueries(track(connectAndMigrate(path)), 'full');
      const lazy = createQueries(track(connect(path)), 'normal');
      const reading = track(connect(path));
      reading.pragma('query_only = true');
      const read = createQueries(reading, 'normal');
      const version = reading.prepare<[], number>('pragma data_version').pluck();
      // One writer at a time in this process: two would block each other inside the driver.
      const writer = new PQueue({ concurrency: 1 });
      const write = async <T>(database: Queries, work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> =>
        writer.add(() => retryWhileBusy(() => runTransaction(database, work)));
      return {
        read,
        dataVersion: () => version.get() ?? 0,
        write: (work) => write(durable, work),
        writeNormalSync: (work) => write(lazy, work),
        close: async () => {
          await writer.onIdle();
          await Promise.all([read, lazy, durable].map((queries) => queries.destroy()));
          closeConnections();
        },
      };
    } catch (error) {
      closeConnections();
      throw error;
    }
  });
}

/** What to call once a transaction has ended well. */
const commitCallbacks = new WeakMap<Queries, (() => void)[]>();

async function runTransaction<T>(
  database: Queries,
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  const callbacks: (() => void)[] = [];
  const result = await database.transaction().execute((transaction) => {
    commitCallbacks.set(transaction, callbacks);
    return work(transaction);
  });
  for (const callback of callbacks) callback();
  return result;
}

/**
 * Has a function called after the commit of a transaction of `write`, and never if it is rolled back.
 * @param callback must not throw
 */
export function afterCommit(transaction: Queries, callback: () => void): void {
  const callbacks = commitCallbacks.get(transaction);
  if (callbacks === undefined) throw new Error('afterCommit needs a transaction of write()');
  callbacks.push(callback);
}

/**
 * Keeps a second server off the data folder: an exclusive transaction that ends with the process.
 * @returns a function that gives the folder free
 * @throws AppError `operation_failed` when a server runs on it
 */
export function lockDataFolder(dataFolder: string): () => void {
  ensureDataFolder(dataFolder);
  const path = join(dataFolder, 'lock.db');
  return translateErrors(path, () => {
    const lock = new BetterSqlite(path, { nativeBinding: resolveSqliteBinding(), timeout: 0 });
    try {
      lock.exec('begin exclusive');
    } catch (error) {
      lock.close();
      if (!isBusy(error)) throw error;
      throw new AppError(
        'operation_failed',
        `Data folder ${dataFolder} is in use by another Lectern server. Stop that server, or choose another folder with --data.`,
      );
    }
    return () => lock.close();
  });
}

/**
 * Looks the whole database over.
 * @returns the faults SQLite found; empty when it is sound
 */
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
 * Copies the database as it is at one moment into a new file, beside a server that goes on writing.
 * @throws AppError `operation_failed`: no database there, damaged, or no room for the copy
 */
export function snapshotDatabase(dataFolder: string, target: string): void {
  const path = join(dataFolder, 'lectern.db');
  if (!existsSync(path)) {
    throw new AppError('operation_failed', `No Lectern database found in ${dataFolder}`);
  }
  translateErrors(path, () => {
    const connection = connect(path);
    try {
      connection.prepare('vacuum into ?').run(target);
    } finally {
      connection.close();
    }
  });
}

/** Makes the data folder where there is none. @throws AppError `operation_failed` */
export function ensureDataFolder(dataFolder: string): void {
  try {
    if (existsSync(dataFolder)) return;
    mkdirSync(dataFolder, { recursive: true });
    chmodSync(dataFolder, 0o700);
  } catch (error) {
    throw toFolderError(dataFolder, error);
  }
}

/** Nobody is served yet: who migrates waits for another program as long as a write does. */
function connectAndMigrate(path: string): BetterSqlite.Database {
  return configureOrClose(connect(path, maxBusyWaitMs), (connection) => {
    // Where it is set already, to set it is a write all the same.
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
    // Where nothing but the data folder can be written, there is no place for temporary files.
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
  return new Kysely<Tables>({
    dialect: new SqliteDialect({ database: withStatementCache(connection) }),
  });
}

/** Preparing a statement costs most of a small query; Kysely alone would do it each time. */
function withStatementCache(connection: BetterSqlite.Database) {
  const statements = new Map<string, BetterSqlite.Statement<unknown[]>>();
  return {
    close: () => connection.close(),
    prepare: (asked: string) => {
      const sql = rewriteStatement(asked, connection.inTransaction);
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
  // A plain `begin` takes the write lock only at the first write, where waiting can't help any more.
  if (sql === 'begin') return 'begin immediate';
  // On a full disk SQLite has rolled back by itself; to fail at it again would hide the reason.
  if (sql === 'rollback' && !inTransaction) return 'select 1';
  return sql;
}

/** Another process (a command beside the server) may hold the write lock for a moment. */
async function retryWhileBusy<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + maxBusyWaitMs;
  // Ends: at the deadline.
  while (true) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() > deadline) {
        throw new AppError('busy', 'Database busy', undefined);
      }
      await Bun.sleep(busyRetryIntervalMs);
    }
  }
}

/** Whether another program holds the database for longer than we block for it. */
export function isBusy(error: unknown): boolean {
  return error instanceof BetterSqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/** Whether a write failed for want of space or of a writable disk, which passes when an operator helps. */
export function isDiskError(error: unknown): boolean {
  return error instanceof BetterSqlite.SqliteError && /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/.test(error.code);
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
  return new AppError('operation_failed', `Database ${path} ${reason}`);
}

function toFolderError(path: string, error: unknown): AppError {
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return new AppError('operation_failed', `Data folder ${path} is not writable${code}`);
}
