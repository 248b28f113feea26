import { AppError } from '../errors.ts';
import { initial } from './migrations/0001-initial.ts';

/** Each migration is a list of statements. Frozen once shipped; new ones go to the end. */
const migrations: readonly (readonly string[])[] = [initial];
/** `user_version` after the first of them. Builds before the first release used lower ones, with other column names. */
const initialVersion = 23;
const currentVersion = initialVersion + migrations.length - 1;

/** The few calls of the driver that a migration needs. */
interface MigrationConnection {
  exec(sql: string): unknown;
  pragma(source: string, options: { simple: true }): unknown;
}

/**
 * Brings the schema up to this program's version, each migration in a transaction of its own.
 * @throws AppError `operation_failed` when a newer program wrote the database
 */
export function migrate(connection: MigrationConnection): void {
  if (schemaVersion(connection) === currentVersion) return;
  // A table that is made anew is dropped in between: rows that name its rows must not go with it.
  connection.pragma('foreign_keys = false', { simple: true });
  try {
    runMigrations(connection);
  } finally {
    connection.pragma('foreign_keys = true', { simple: true });
  }
}

function runMigrations(connection: MigrationConnection): void {
  // Ends: each turn raises the version by one, and a version above the last one throws.
  while (true) {
    if (schemaVersion(connection) === currentVersion) return;
    connection.exec('begin immediate');
    try {
      // Read again inside the transaction: another process may have migrated meanwhile.
      const version = schemaVersion(connection);
      if (version < currentVersion) {
        const next = Math.max(version + 1, initialVersion);
        for (const statement of migrations[next - initialVersion] ?? []) connection.exec(statement);
        connection.exec(`pragma user_version = ${next}`);
      }
      connection.exec('commit');
    } catch (error) {
      connection.exec('rollback');
      throw error;
    }
  }
}

function schemaVersion(connection: MigrationConnection): number {
  const version = Number(connection.pragma('user_version', { simple: true }));
  if (version > currentVersion) {
    throw new AppError(
      'operation_failed',
      `Database too new: it has schema ${version}, this program supports up to ${currentVersion}. Run the newer Lectern, or restore a backup.`,
    );
  }
  if (version > 0 && version < initialVersion) {
    throw new AppError(
      'operation_failed',
      `Database too old: it has schema ${version}, this program supports ${initialVersion} and later. Start with a new data folder.`,
    );
  }
  return version;
}
