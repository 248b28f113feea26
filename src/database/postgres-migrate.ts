import type { Client } from 'pg';
import pg from 'pg';
import { timestamp } from '../clock.ts';
import { type AppError, operationFailed } from '../errors.ts';
import { version as programVersion } from '../version.ts';
import { describeCreation, describeDatabase, getCode, toOpenError } from './database.ts';
import type { Statement } from './dialect.ts';
import { createTooNewError, currentVersion, initialVersion, migrations, oldestCompatibleVersion } from './migrate.ts';

/** First key of all advisory locks of Lectern. */
export const lockClass = 0x4c_45_43;
/** Second keys. 0 and up: transactions (0: server; else a site). */
const serverKey = -1;
const migrationKey = -2;
export const leaderKey = -3;
/** The connection of a process that was killed may live on for a moment. */
const acquireTimeoutMs = 5_000;
const retryIntervalMs = 100;

/** @returns a connection outside of the pools. @throws AppError `busy` if the database cannot be reached, else `operation_failed` */
export async function connectOnce(address: string, queryTimeoutMs?: number): Promise<pg.Client> {
  try {
    // It reads the files that the address names.
    const client = new pg.Client({
      connectionString: address,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      application_name: 'lectern',
      ...(queryTimeoutMs && { query_timeout: queryTimeoutMs }),
    });
    await client.connect();
    return client;
  } catch (error) {
    throw toOpenError(address, error);
  }
}

/**
 * Runs the statements of a connection one after another. The driver would warn of statements that wait for each other, and count
 * their wait towards the timeout.
 */
export function createSequence(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next;
    return next;
  };
}

/** Runs a change of the schema: one process at a time. */
async function withMigrationLock<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('select pg_advisory_lock($1, $2)', [lockClass, migrationKey]);
  try {
    return await work();
  } finally {
    await client.query('select pg_advisory_unlock($1, $2)', [lockClass, migrationKey]);
  }
}

/**
 * Takes a lock for the rest of a connection: `shared` by a server, `exclusive` by a migration or move, which no server may
 * see. A connection whose process was killed may keep it for a moment.
 * @throws AppError `operation_failed` while others have it
 */
export async function lockServers(client: pg.Client, address: string, mode: 'shared' | 'exclusive'): Promise<void> {
  const lock = mode === 'shared' ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';
  const deadline = performance.now() + acquireTimeoutMs;
  while (true) {
    const { rows } = await client.query(`select ${lock}($1, $2) as held`, [lockClass, serverKey]);
    if ((rows[0] as { held: boolean }).held) return;
    if (performance.now() > deadline) throw mode === 'shared' ? migratingError(address) : inUseError(address);
    await Bun.sleep(retryIntervalMs);
  }
}

/** Keeps servers off a database. @returns lets them in again. @throws AppError `operation_failed` while one runs */
export async function excludeServers(address: string): Promise<() => Promise<void>> {
  const client = await connectOnce(address);
  try {
    await lockServers(client, address, 'exclusive');
  } catch (error) {
    await client.end();
    throw error;
  }
  return () => client.end();
}

/** Takes the lock of the machine that runs the jobs of the installation. @returns whether no other has it */
export async function tryLeaderLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1, $2) as held', [lockClass, leaderKey]);
  return (rows[0] as { held: boolean }).held;
}

function inUseError(address: string): AppError {
  return operationFailed(
    `Database ${describeDatabase(address)} is in use by a Lectern server. Stop all servers, then try again.`,
  );
}

function migratingError(address: string): AppError {
  return operationFailed(
    `Database ${describeDatabase(address)} is in use by a Lectern server of an earlier version, or by a migration or move. Stop that server, or try again later.`,
  );
}

const minServerVersion = 15;
/** Who waits for the lock of a table holds up all others who want it, so that a migration waits in turns. */
const lockTimeoutMs = 2_000;
const lockedPauseMs = 1_000;
const maxLockedMs = 60_000;
const lockedCode = '55P03';

/**
 * Checks a database, and brings its schema up to this program's version, in one transaction.
 * Servers may run meanwhile if their program also runs on the new schema.
 * @param changes `mayCreate` false: an empty database is refused; `mayChange` false: an older schema, too
 * @throws AppError `operation_failed` with the reason
 */
export async function migratePostgres(
  address: string,
  { mayCreate, mayChange }: { readonly mayCreate: boolean; readonly mayChange: boolean },
): Promise<void> {
  const client = await connectOnce(address);
  try {
    await requireSuitableServer(client, address);
    const before = await readSchemaVersion(client, address);
    if (before >= currentVersion) return;
    if (before === 0) await requireNoForeignTables(client, address);
    if (!mayChange || (before === 0 && !mayCreate)) throw outdatedError(address, before);
    await withMigrationLock(client, async () => {
      // Another process may have migrated since.
      const version = await readSchemaVersion(client, address);
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
    throw operationFailed(
      `Database ${place} is PostgreSQL ${version}; Lectern needs ${minServerVersion} or later. Upgrade the database server.`,
    );
  }
  if (encoding === 'UTF8' && is_suitable) return;
  throw operationFailed(
    `Database ${place} has encoding ${encoding}, collation ${collation} and character type ${character_type}; Lectern needs UTF8, C and C.UTF-8. Create another one: ${describeCreation(address)}`,
  );
}

const maxNamedTables = 3;

/**
 * Lectern would add its tables to them. Those of Lectern itself do not count: another process may have created them since.
 * @throws AppError `operation_failed`
 */
async function requireNoForeignTables(client: Client, address: string): Promise<void> {
  const { rows } = await client.query(
    `select relname::text as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'f')
      and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
      and not exists (select from pg_class as own join pg_attribute on attrelid = own.oid
        where own.relnamespace = pg_class.relnamespace and own.relname = 'schema_version' and attname = 'lectern')
    order by 1`,
  );
  if (rows.length === 0) return;
  const names = (rows as { name: string }[]).map(({ name }) => name);
  const more = names.length > maxNamedTables ? ` and ${names.length - maxNamedTables} more` : '';
  throw operationFailed(
    `Database ${describeDatabase(address)} has tables of another program: ${names.slice(0, maxNamedTables).join(', ')}${more}. Name an empty database in LECTERN_DATABASE. To create one: ${describeCreation(address)}`,
  );
}

function outdatedError(address: string, version: number): AppError {
  const place = describeDatabase(address);
  if (version === 0) {
    return operationFailed(`Database ${place} is empty. Correct LECTERN_DATABASE, or run: lectern migrate`);
  }
  return operationFailed(
    `Database ${place} has schema ${version}, this is Lectern ${programVersion} (schema ${currentVersion}). Run: lectern migrate`,
  );
}

/** @returns 0 for an empty database. @throws AppError `operation_failed`: this program does not run on the schema */
export async function readSchemaVersion(client: Client, address: string): Promise<number> {
  // Other programs have a table of this name, too.
  const { rows: tables } = await client.query(
    `select exists (select from pg_attribute where attrelid = to_regclass('schema_version') and attname = 'lectern')`,
  );
  if (!(tables[0] as { exists: boolean }).exists) return 0;
  // All columns: earlier schemas lack the last one.
  const { rows } = await client.query('select * from schema_version order by version desc limit 1');
  const newest = rows[0] as { version: string; lectern: string; oldest_compatible?: string | null } | undefined;
  const version = Number(newest?.version ?? 0);
  const oldestCompatible = Number(newest?.oldest_compatible ?? version);
  if (oldestCompatible > currentVersion) throw createTooNewError(version, newest?.lectern, describeDatabase(address));
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
  return operationFailed(
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

/** Types and functions of SQLite in migrations, and what PostgreSQL has for them. */
const replacements: readonly [RegExp, string][] = [
  [/\) strict(, without rowid)?$/, ')'],
  [/\binteger primary key(?: autoincrement\b|(?=,))/g, 'bigint generated by default as identity primary key'],
  [/\binteger\b/g, 'bigint'],
  [/\breal\b/g, 'double precision'],
  [/\bblob\b/g, 'bytea'],
  [/ collate nocase\b/g, ''],
  [/\b(table|references|into|from|update) user\b/g, '$1 "user"'],
  [/^create (unique )?index (\w+)/, 'create $1index "$2"'],
  [/\bgroup_concat\(title, char\(10\)\)/g, 'string_agg(title, chr(10))'],
  [/(\b(?:old|new)\.\w+) is not ((?:old|new)\.)/g, '$1 is distinct from $2'],
];
const triggerPattern =
  /^create trigger (\w+) after (insert|delete|update(?: of [\w, ]+)?) on (\w+)\s+(?:when ([\s\S]+?)\s+)?begin\s+([\s\S]+?);?\s+end$/;
const referencePattern = / references "?(\w+)"? \((\w+)\)( on delete cascade)?/;

/**
 * @param migration statements for SQLite, or for both
 * @returns them for PostgreSQL. Foreign keys are added at the end, as a table may reference a later one
 */
export function toPostgres(migration: readonly Statement[]): string[] {
  const statements: string[] = [];
  const foreignKeys: string[] = [];
  for (const statement of migration) {
    if (typeof statement !== 'string') {
      if (statement.postgres !== undefined) statements.push(statement.postgres);
      continue;
    }
    const translated = replacements.reduce((text, [pattern, by]) => text.replace(pattern, by), statement);
    const trigger = triggerPattern.exec(translated);
    if (trigger === null) statements.push(extractForeignKeys(translated, foreignKeys));
    else statements.push(...createTrigger(trigger));
  }
  return [...statements, ...foreignKeys];
}

/** @returns a statement without the foreign keys of its columns, which are added to the list */
function extractForeignKeys(statement: string, foreignKeys: string[]): string {
  const [, table] = /^(?:create|alter) table "?(\w+)"?/.exec(statement) ?? [];
  if (table === undefined) return statement;
  const lines = statement.split('\n').map((line) => {
    const [reference] = referencePattern.exec(line) ?? [];
    if (reference === undefined) return line;
    const [, column] = /add column (\w+)/.exec(line) ?? /^\s*(\w+)/.exec(line) ?? [];
    foreignKeys.push(
      `alter table "${table}" add foreign key ("${column}")${reference.replace(/ references (\w+)/, ' references "$1"')}`,
    );
    return line.replace(reference, '');
  });
  return lines.join('\n');
}

function createTrigger([, name, event, table, condition, body]: readonly (string | undefined)[]): string[] {
  const when = condition === undefined ? '' : ` when (${condition})`;
  return [
    `create function "${name}"() returns trigger language plpgsql as $body$ begin ${body}; return null; end $body$`,
    `create trigger "${name}" after ${event} on "${table}" for each row${when} execute function "${name}"()`,
  ];
}
