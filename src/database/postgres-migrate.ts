import type { Client } from 'pg';
import { timestamp } from '../clock.ts';
import { AppError } from '../errors.ts';
import { version as programVersion } from '../version.ts';
import { createTooNewError, currentVersion, initialVersion, migrations } from './migrate.ts';
import { describeDatabase, toOpenError } from './postgres-errors.ts';
import { connectOnce, lockServers, withMigrationLock } from './postgres-lock.ts';
import { toPostgres } from './postgres-schema.ts';

const minServerVersion = 15;

/**
 * Checks a database, and brings its schema up to this program's version, in one transaction.
 * No server may run meanwhile.
 * @param mayChange false: an older schema is refused
 * @throws AppError `operation_failed` with the reason
 */
export async function migratePostgres(address: string, mayChange: boolean): Promise<void> {
  const client = await connectOnce(address);
  try {
    await requireSuitableServer(client, address);
    const before = await readVersion(client);
    if (before === currentVersion) return;
    if (!mayChange) throw outdatedError(address, before);
    await withMigrationLock(client, async () => {
      // Another process may have migrated since.
      const version = await readVersion(client);
      if (version === currentVersion) return;
      if (version > 0) await lockServers(client, address, 'exclusive');
      await runMigrations(client, version);
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

/** @returns 0 for an empty database */
async function readVersion(client: Client): Promise<number> {
  const { rows: tables } = await client.query(`select to_regclass('schema_version') is not null as exists`);
  if (!(tables[0] as { exists: boolean }).exists) return 0;
  const { rows } = await client.query('select version::int, lectern from schema_version order by version desc limit 1');
  const newest = rows[0] as { version: number; lectern: string } | undefined;
  if (newest !== undefined && newest.version > currentVersion) {
    throw createTooNewError(newest.version, newest.lectern);
  }
  return newest?.version ?? 0;
}

async function runMigrations(client: Client, version: number): Promise<void> {
  await client.query('begin');
  try {
    for (const migration of migrations.slice(version === 0 ? 0 : version + 1 - initialVersion)) {
      for (const statement of toPostgres(migration)) await client.query(statement);
    }
    await client.query('insert into schema_version (version, lectern, migrated_at) values ($1, $2, $3)', [
      currentVersion,
      programVersion,
      timestamp(),
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}
