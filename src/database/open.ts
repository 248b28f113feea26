import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { type Database, toOpenError } from './database.ts';
import type { MachineDescription } from './installation-schema.ts';
import { openSqlite } from './sqlite.ts';

/** How long a start waits for a PostgreSQL database. A failover takes a few seconds. */
const maxWaitMs = 60_000;
const retryIntervalMs = 1_000;

/** Where the state of an installation is: in the data folder, or at an address of PostgreSQL. */
export type DatabasePlace = Pick<Config, 'data' | 'database'>;

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
export async function waitForDatabase<T>({ database }: DatabasePlace, log: Log, start: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + maxWaitMs;
  while (true) {
    try {
      return await start();
    } catch (error) {
      const isUnavailable = error instanceof AppError && error.code === 'busy';
      if (database === undefined || !isUnavailable) throw error;
      const reason = toOpenError(database, error.cause ?? error);
      if (performance.now() > deadline) throw reason;
      const waitS = maxWaitMs / 1_000;
      log.warn({ reason: (reason as Error).message, wait_s: waitS }, 'database unavailable, start delayed');
      await Bun.sleep(retryIntervalMs);
    }
  }
}
