import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Database } from './database.ts';
import type { MachineDescription } from './installation-schema.ts';
import { openSqlite } from './sqlite.ts';

/** Where the state of an installation is: in the data folder, or at an address of PostgreSQL. */
export type DatabasePlace = Pick<Config, 'data' | 'database'>;

interface OpenOptions {
  /** Of errors in `afterCommit` handlers and of lost connections. */
  readonly log?: Log;
  /** Of a server process; undefined: a command. */
  readonly machine?: MachineDescription;
  /** Whether no server may run meanwhile; the data folder is locked apart. */
  readonly isExclusive?: boolean;
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
