import { afterAll, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { listSiteTables } from '../../src/database/dialect.ts';
import { openDatabase } from '../../src/database/open.ts';
import { createDatabase, PostgresServer } from '../fixtures/postgres.ts';
import { createTemporaryFolder } from '../fixtures/server.ts';

const server = new PostgresServer();
const sqlite = await openDatabase({ data: createTemporaryFolder(), database: undefined });
const postgres = await openDatabase({ data: createTemporaryFolder(), database: createDatabase(server.address) });
afterAll(async () => {
  await Promise.all([sqlite.close(), postgres.close()]);
  server.remove();
});

/** In SQLite the full-text index is a virtual table with auxiliary tables, in PostgreSQL an ordinary one. */
const isOrdinary = (name: string) => !name.startsWith('post_search') && !name.startsWith('sqlite_');
/** Such as `post.id bigint not null`. */
type Row = { readonly line: string; readonly table: string };
const toLines = (rows: readonly Row[]) =>
  rows
    .filter(({ table }) => isOrdinary(table))
    .map(({ line }) => line)
    .sort();

async function readBoth(ofSqlite: string, ofPostgres: string): Promise<[string[], string[]]> {
  const [first, second] = await Promise.all([
    sql.raw<Row>(ofSqlite).execute(sqlite.read),
    sql.raw<Row>(ofPostgres).execute(postgres.read),
  ]);
  return [toLines(first.rows), toLines(second.rows)];
}

test('both databases have the same tables with the same columns', async () => {
  const [ofSqlite, ofPostgres] = await readBoth(
    `select tables.name as "table", tables.name || '.' || columns.name || ' ' ||
        case columns.type when 'INTEGER' then 'bigint' when 'REAL' then 'double precision' when 'BLOB' then 'bytea' else 'text' end ||
        case when columns."notnull" or columns.pk then ' not null' else '' end ||
        coalesce(' ' || replace(columns.dflt_value, '''', ''), '') as line
      from sqlite_schema as tables join pragma_table_info(tables.name) as columns where tables.type = 'table'`,
    `select table_name as "table", table_name || '.' || column_name || ' ' || data_type ||
        case is_nullable when 'NO' then ' not null' else '' end ||
        coalesce(' ' || replace(regexp_replace(column_default, '::.*', ''), '''', ''), '') as line
      from information_schema.columns where table_schema = 'public'`,
  );
  expect(ofSqlite.length).toBeGreaterThan(300);
  expect(ofPostgres).toEqual(ofSqlite);
});

test('both databases have the same keys, unique columns and foreign keys', async () => {
  const [ofSqlite, ofPostgres] = await readBoth(
    `select tables.name as "table", tables.name || ' ' || case indexes.origin when 'pk' then 'key' else 'unique' end ||
        ' (' || (select group_concat(name, ', ') from (select name from pragma_index_info(indexes.name) order by seqno)) || ')' as line
      from sqlite_schema as tables join pragma_index_list(tables.name) as indexes
      where tables.type = 'table' and indexes.origin in ('pk', 'u')
      union all select tables.name, tables.name || ' key (' || columns.name || ')'
      from sqlite_schema as tables join pragma_table_info(tables.name) as columns
      where tables.type = 'table' and columns.pk = 1 and columns.type = 'INTEGER'
        and not exists (select 1 from pragma_index_list(tables.name) where origin = 'pk')
      union all select tables.name, tables.name || ' (' || keys."from" || ') references ' || keys."table" || ' (' || keys."to" || ')' ||
        case keys.on_delete when 'CASCADE' then ' cascade' else '' end
      from sqlite_schema as tables join pragma_foreign_key_list(tables.name) as keys where tables.type = 'table'`,
    `select tables.relname as "table", tables.relname || case contype when 'p' then ' key' when 'u' then ' unique' else '' end || ' (' ||
        (select string_agg(attname, ', ' order by place) from unnest(conkey) with ordinality as keys (number, place)
          join pg_attribute on attrelid = conrelid and attnum = number) || ')' ||
        case contype when 'f' then ' references ' || targets.relname || ' (' ||
          (select attname from pg_attribute where attrelid = confrelid and attnum = confkey[1]) || ')' ||
          case confdeltype when 'c' then ' cascade' else '' end else '' end as line
      from pg_constraint join pg_class as tables on tables.oid = conrelid left join pg_class as targets on targets.oid = confrelid
      where contype in ('p', 'u', 'f') and connamespace = 'public'::regnamespace`,
  );
  expect(ofSqlite.length).toBeGreaterThan(60);
  expect(ofPostgres).toEqual(ofSqlite);
});

test('both databases have the same indexes and triggers', async () => {
  const [ofSqlite, ofPostgres] = await readBoth(
    `select tbl_name as "table", type || ' ' || tbl_name || ' ' || name as line from sqlite_schema
      where type in ('index', 'trigger') and sql is not null`,
    `select tablename as "table", 'index ' || tablename || ' ' || indexname as line from pg_indexes
      where schemaname = 'public' and not exists (select 1 from pg_constraint where conname = indexname)
      union all select relname, 'trigger ' || relname || ' ' || tgname from pg_trigger
      join pg_class on pg_class.oid = tgrelid where not tgisinternal`,
  );
  expect(ofSqlite.length).toBeGreaterThan(60);
  expect(ofPostgres).toEqual(ofSqlite);
});

test('the tables of a site are listed with their keys, referencing tables first', async () => {
  const [ofSqlite, ofPostgres] = await Promise.all([listSiteTables(sqlite.read), listSiteTables(postgres.read)]);
  expect(Object.fromEntries(ofPostgres)).toEqual(Object.fromEntries(ofSqlite));
  const names = [...ofPostgres.keys()];
  expect(names.indexOf('feed_item')).toBeLessThan(names.indexOf('feed_source'));
});
