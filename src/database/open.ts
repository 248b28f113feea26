import { join } from 'node:path';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { type Database, describeDatabase, isPostgresError, toOpenError } from './database.ts';
import type { MachineDescription } from './installation-schema.ts';
import { openSqlite } from './sqlite.ts';

/** How long a start waits for a PostgreSQL database. A failover takes a few seconds. */
const maxWaitMs = 60_000;
const retryIntervalMs = 1_000;

/** Where the state of an installation is: in the data folder, or at an address of PostgreSQL. */
export type DatabasePlace = Pick<Config, 'data' | 'database'>;

/** @returns where it is, for a person */
export function describePlace({ data, database }: DatabasePlace): string {
  return database === undefined ? join(data, 'lectern.db') : `PostgreSQL ${describeDatabase(database)}`;
}

interface OpenOptions {
  /** Of errors in `afterCommit` handlers and of lost connections. */
  readonly log?: Log;
  /** Of a server process; undefined: a command. */
  readonly machine?: MachineDescription;
  /** Whether no server may run meanwhile; the data folder is locked apart. */
  readonly isExclusive?: boolean;
  /** Whether an empty PostgreSQL database is refused: its name may be mistyped. */
  readonly mustExist?: boolean;
}

/**
 * Opens the database of the configuration, creating and migrating it where needed.
 * @throws AppError `operation_failed` with the reason
 */
export async function openDatabase({ data, database }: DatabasePlace, options: OpenOptions = {}): Promise<Database> {
  if (database === undefined) return openSqlite(data, options.log);
  // A server on SQLite starts without it.
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(database, options);
}

/**
 * Repeats the start of a server while PostgreSQL is unavailable, as during a failover: a connection may be lost, or refused, at
 * any of its queries.
 */
export async function waitForDatabase<T>(place: DatabasePlace, log: Log, start: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + maxWaitMs;
  while (true) {
    try {
      return await start();
    } catch (thrown) {
      const error = nameDatabase(place, thrown);
      const isUnavailable = place.database !== undefined && error instanceof AppError && error.code === 'busy';
      if (!isUnavailable || performance.now() > deadline) throw error;
      const waitS = maxWaitMs / 1_000;
      log.warn({ reason: error.message, wait_s: waitS }, 'database unavailable, start delayed');
      await Bun.sleep(retryIntervalMs);
    }
  }
}

/** @returns an error for a person: one of PostgreSQL with the database and what to do, another one unchanged */
export function nameDatabase({ database }: DatabasePlace, error: unknown): unknown {
  if (database === undefined) return error;
  if (isPostgresError(error)) return toOpenError(database, error);
  // That of a request names no database.
  const isUnavailable = error instanceof AppError && error.code === 'busy' && error.cause !== undefined;
  return isUnavailable ? toOpenError(database, error.cause) : error;
}
