import type { Client } from 'pg';
import { timestamp } from '../clock.ts';
import { AppError } from '../errors.ts';
import { version as programVersion } from '../version.ts';
import { getCode } from './database.ts';
import { createTooNewError, currentVersion, initialVersion, migrations, oldestCompatibleVersion } from './migrate.ts';
import { describeDatabase, toOpenError } from './postgres-errors.ts';
import { connectOnce, lockClass, lockServers, withMigrationLock } from './postgres-lock.ts';
import { toPostgres } from './postgres-schema.ts';

const minServerVersion = 15;
/** Who waits for the lock of a table holds up all others who want it, so that a migration waits in turns. */
const lockTimeoutMs = 2_000;
const lockedPauseMs = 1_000;
const maxLockedMs = 60_000;
const lockedCode = '55P03';

/**
 * Checks a database, and brings its schema up to this program's version, in one transaction.
 * Servers may run meanwhile if their program also runs on the new schema.
 * @param mayChange false: an older schema is refused
 * @throws AppError `operation_failed` with the reason
 */
export async function migratePostgres(address: string, mayChange: boolean): Promise<void> {
  const client = await connectOnce(address);
  try {
    await requireSuitableServer(client, address);
    const before = await readSchemaVersion(client);
    if (before >= currentVersion) return;
    if (!mayChange) throw outdatedError(address, before);
    await withMigrationLock(client, async () => {
      // Another process may have migrated since.
      const version = await readSchemaVersion(client);
      if (version >= currentVersion) return;
      if (version > 0 && version < oldestCompatibleVersion) await lockServers(client, address, 'exclusive');
      await migrateBesideOthers(client, address, version);
    });
  } catch (error) {
    throw toOpenError(address, error);
  } finally {
    await client.end();
  }
}

async function requireSuitableServer(client: Client, address: string): Promise<void> {
  const { rows } = await client.query(
    `select current_setting('server_version_num')::int / 10000 as version, pg_encoding_to_char(encoding) as encoding,
      datcollate as collation, datctype as character_type,
      'B' < 'a' and 'a b' < 'ab' and 'z' < U&'\\00e9' and lower(U&'\\00c9') = U&'\\00e9' as is_suitable
    from pg_database where datname = current_database()`,
  );
  const { version, encoding, collation, character_type, is_suitable } = rows[0] as {
    version: number;
    encoding: string;
    collation: string;
    character_type: string;
    is_suitable: boolean;
  };
  const place = describeDatabase(address);
  if (version < minServerVersion) {
    throw new AppError(
      'operation_failed',
      `Database ${place} is PostgreSQL ${version}; Lectern needs ${minServerVersion} or later. Upgrade the database server.`,
    );
  }
  if (encoding === 'UTF8' && is_suitable) return;
  throw new AppError(
    'operation_failed',
    `Database ${place} has encoding ${encoding}, collation ${collation} and character type ${character_type}; Lectern needs UTF8, C and C.UTF-8. Create another one: create database NAME template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8'`,
  );
}

function outdatedError(address: string, version: number): AppError {
  const state =
    version === 0 ? 'is empty' : `has schema ${version}, this is Lectern ${programVersion} (schema ${currentVersion})`;
  return new AppError('operation_failed', `Database ${describeDatabase(address)} ${state}. Run: lectern migrate`);
}

/** @returns 0 for an empty database. @throws AppError `operation_failed`: this program does not run on the schema */
export async function readSchemaVersion(client: Client): Promise<number> {
  const { rows: tables } = await client.query(`select to_regclass('schema_version') is not null as exists`);
  if (!(tables[0] as { exists: boolean }).exists) return 0;
  // All columns: earlier schemas lack the last one.
  const { rows } = await client.query('select * from schema_version order by version desc limit 1');
  const newest = rows[0] as { version: string; lectern: string; oldest_compatible?: string | null } | undefined;
  const version = Number(newest?.version ?? 0);
  const oldestCompatible = Number(newest?.oldest_compatible ?? version);
  if (oldestCompatible > currentVersion) throw createTooNewError(version, newest?.lectern);
  return version;
}

/** Tries again while a statement of others holds a table. */
async function migrateBesideOthers(client: Client, address: string, version: number): Promise<void> {
  const deadline = performance.now() + maxLockedMs;
  while (true) {
    try {
      return await runMigrations(client, version);
    } catch (error) {
      if (getCode(error) !== lockedCode) throw error;
      if (performance.now() > deadline) throw lockedError(address);
      await Bun.sleep(lockedPauseMs);
    }
  }
}

function lockedError(address: string): AppError {
  return new AppError(
    'operation_failed',
    `Database ${describeDatabase(address)} was not migrated: another client holds its tables, for example a dump. Wait until it has ended, then try again.`,
  );
}

async function runMigrations(client: Client, version: number): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
    // That of the transactions of servers: none is halfway, and rows that are counted stay as they are.
    await client.query('select pg_advisory_xact_lock($1, 0)', [lockClass]);
    for (const migration of migrations.slice(version === 0 ? 0 : version + 1 - initialVersion)) {
      for (const statement of toPostgres(migration)) await client.query(statement);
    }
    await client.query(
      'insert into schema_version (version, lectern, migrated_at, oldest_compatible) values ($1, $2, $3, $4)',
      [currentVersion, programVersion, timestamp(), oldestCompatibleVersion],
    );
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}
