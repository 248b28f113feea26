import { timestamp } from '../clock.ts';
import { type AppError, operationFailed } from '../errors.ts';
import { version as programVersion } from '../version.ts';
import type { Statement } from './dialect.ts';
import { initial } from './migrations/0001-initial.ts';
import { migrations2To29 } from './migrations/0002-0029.ts';

/**
 * Lists of statements, frozen once released; new ones go to the end. A text is SQL of SQLite, which `toPostgres` translates:
 * columns of the types `integer`, `real`, `text` and `blob`, foreign keys, indexes, triggers, and standard statements.
 */
export const migrations: readonly (readonly Statement[])[] = [initial, ...migrations2To29];
/** The schema after the first of them. Builds before the first release used lower ones, with other column names. */
export const initialVersion = 24;
export const currentVersion = initialVersion + migrations.length - 1;
/**
 * Programs of this schema and later also run on the current one, so that servers on PostgreSQL go on while it changes: later
 * migrations only add, or drop indexes. One that changes or removes what exists raises it to its own version.
 */
export const oldestCompatibleVersion = 41;

/** What migrations need of a connection of the driver. */
export interface MigrationConnection {
  readonly inTransaction: boolean;
  exec(sql: string): unknown;
  pragma(sql: string, options?: { readonly simple: boolean }): unknown;
  prepare(sql: string): { run(...values: unknown[]): unknown; get(...values: unknown[]): unknown };
}

/**
 * Brings the schema up to this program's version, each migration in a transaction of its own.
 * @throws AppError `operation_failed` when a newer program wrote the database, or one before the first release
 */
export function migrate(connection: MigrationConnection): void {
  if (readSchemaVersion(connection) === currentVersion) return;
  // Replacing a table drops it, which must not delete the rows that reference it.
  connection.pragma('foreign_keys = false');
  try {
    runMigrations(connection);
  } finally {
    connection.pragma('foreign_keys = true');
  }
}

/**
 * @returns the schema of a database that the next `migrate` changes; undefined: it is empty or up to date
 * @throws as `migrate`
 */
export function findOutdated(connection: MigrationConnection): number | undefined {
  const version = readSchemaVersion(connection);
  return version === 0 || version === currentVersion ? undefined : version;
}

function runMigrations(connection: MigrationConnection): void {
  // Ends: each round raises the version by one.
  while (true) {
    if (readSchemaVersion(connection) === currentVersion) return;
    connection.exec('begin immediate');
    try {
      // Another process may have migrated since.
      const version = readSchemaVersion(connection);
      if (version < currentVersion) {
        const next = Math.max(version + 1, initialVersion);
        for (const statement of migrations[next - initialVersion] ?? []) {
          connection.exec(typeof statement === 'string' ? statement : (statement.sqlite ?? ''));
        }
        connection.exec(`pragma user_version = ${next}`);
        if (next === currentVersion) recordProgram(connection);
      }
      connection.exec('commit');
    } catch (error) {
      // On a full disk SQLite has rolled back already.
      if (connection.inTransaction) connection.exec('rollback');
      throw error;
    }
  }
}

/** An older program that opens the database names this version. */
function recordProgram(connection: MigrationConnection): void {
  connection
    .prepare('insert into schema_version (version, lectern, migrated_at) values (?, ?, ?) on conflict do nothing')
    .run(currentVersion, programVersion, timestamp());
}

function readSchemaVersion(connection: MigrationConnection): number {
  const version = Number(connection.pragma('user_version', { simple: true }));
  if (version > currentVersion) throw createTooNewError(version, findProgram(connection, version));
  if (version > 0 && version < initialVersion) {
    throw operationFailed(
      `Database too old: it has schema ${version}, this program supports ${initialVersion} and later. Start with a new data folder.`,
    );
  }
  return version;
}

/** @param program that migrated the database; undefined: unknown. @param place of one of PostgreSQL */
export function createTooNewError(version: number, program: string | undefined, place = ''): AppError {
  const needed = program === undefined ? 'a newer Lectern' : `Lectern ${program} or newer`;
  return operationFailed(
    `Database ${place === '' ? '' : `${place} `}needs ${needed} (schema ${version}); this is Lectern ${programVersion} (schema ${currentVersion}). Run that version, or restore the backup from before the upgrade.`,
  );
}

/** @returns the version of the program that migrated the database to a newer schema */
function findProgram(connection: MigrationConnection, version: number): string | undefined {
  try {
    const row = connection.prepare('select lectern from schema_version where version = ?').get(version);
    return (row as { readonly lectern: string }).lectern;
  } catch {
    return undefined;
  }
}
