import { PostgresAdapter, type RawBuilder, SqliteAdapter, sql } from 'kysely';
import type { Queries } from './database.ts';

/*
 * The SQL of stores that differs between SQLite and PostgreSQL. Everything else in them is standard SQL:
 * test/database/portable-sql.test.ts checks the rules. The schema is translated by postgres-migrate.ts. An empty list of `in` is
 * none of them: Kysely's HandleEmptyInListsPlugin rewrites it for PostgreSQL.
 */

export function isPostgres(db: Queries): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/** Also runs statements directly on the driver: taking one of Kysely's connections costs as much as a small query. */
export class DirectSqliteAdapter extends SqliteAdapter {
  /** @returns the rows of a statement */
  readonly run: <Row>(statement: string, parameters: readonly unknown[]) => Row[];

  constructor(run: DirectSqliteAdapter['run']) {
    super();
    this.run = run;
  }
}

type ColumnType = 'integer' | 'real' | 'text';

const postgresTypes: Readonly<Record<ColumnType, string>> = {
  integer: 'bigint',
  real: 'double precision',
  text: 'text',
};

/**
 * Many rows as one parameter: a statement for each row would cost more than the row, and a statement for each number of
 * rows would fill the statement cache.
 * @param columns names and types of the values of a row, in their order; SQLite takes the types from the values
 * @returns a table for `from`, which needs an alias
 */
export function rowsOf(
  db: Queries,
  rows: readonly (readonly unknown[])[],
  columns: Record<string, ColumnType>,
): RawBuilder<unknown> {
  // As text: Kysely would take longer to build it of parts than SQLite to run it.
  const json = JSON.stringify(rows);
  if (isPostgres(db)) {
    const selected = Object.entries(columns).map(
      ([name, type], place) => `(value ->> ${place})::${postgresTypes[type]} as "${name}"`,
    );
    return sql`(select ${sql.raw(selected.join(', '))} from json_array_elements(${json}::json))`;
  }
  const selected = Object.keys(columns).map((name, place) => `value ->> ${place} as ${name}`);
  return sql`(select ${sql.raw(selected.join(', '))} from json_each(${json}))`;
}

/** @returns a table of the numbers in a column with a JSON list, as `value` */
export function listNumbers(db: Queries, column: string): RawBuilder<{ value: number }> {
  const list = sql.ref(column);
  return isPostgres(db)
    ? sql`(select value::bigint as value from json_array_elements_text(${list}::json))`
    : sql`json_each(${list})`;
}

/** @returns a text member of a column with a JSON object; null when it is missing */
export function textMember(db: Queries, column: string, member: string): RawBuilder<string | null> {
  const object = sql.ref(column);
  return isPostgres(db) ? sql`(${object}::json ->> ${sql.lit(member)})` : sql`${object} ->> ${sql.lit(member)}`;
}

/** Whether a member of a column with a JSON object is `true`. */
export function isTrueMember(db: Queries, column: string, member: string): RawBuilder<boolean> {
  return sql`${textMember(db, column, member)} = ${isPostgres(db) ? sql.lit('true') : sql.lit(1)}`;
}

/** Whether a column contains a text, which has no wildcards. */
export function containsText(db: Queries, column: string, text: string): RawBuilder<boolean> {
  return isPostgres(db) ? sql`strpos(${sql.ref(column)}, ${text}) > 0` : sql`instr(${sql.ref(column)}, ${text}) > 0`;
}

/** @returns a title for comparison without regard to case, of ASCII at least; a column of SQLite compares so by itself */
export function foldTitle(db: Queries, title: RawBuilder<string>): RawBuilder<string> {
  return isPostgres(db) ? sql`lower(${title})` : title;
}

/** The index of posts has no shorter words. */
export const minSearchWordLength = 3;

/**
 * Whether a row of `post_search` contains all words, without regard to case and accents. Only words with a dot or slash are
 * searched in URLs, as the domain is part of every URL of a site.
 */
export function matchesPostSearch(db: Queries, words: readonly string[]): RawBuilder<boolean> {
  const isOfUrl = (word: string) => /[./]/.test(word);
  if (isPostgres(db)) {
    const conditions = words.map((word) => {
      const column = sql.ref(isOfUrl(word) ? 'post_search.everything' : 'post_search.names');
      return sql`${column} like '%' || fold_text(${word.replaceAll(/[\\%_]/g, '\\$&')}) || '%'`;
    });
    return sql`(${sql.join(conditions, sql` and `)})`;
  }
  const phrases = words.map((word) => {
    const phrase = `"${word.replaceAll('"', '""')}"`;
    return isOfUrl(word) ? phrase : `{external_id titles} : ${phrase}`;
  });
  return sql`post_search match ${phrases.join(' AND ')}`;
}

/**
 * @returns the tables with rows of a site and the columns of their primary key, by the foreign keys of the schema. A table is
 *   before those that it references, whose rows would take its rows with them at once
 */
export async function listSiteTables(db: Queries): Promise<Map<string, string[]>> {
  // In SQLite the newest is first: a table is created after those that it references, save for a later one that refers back.
  const query = isPostgres(db)
    ? sql<{ name: string; key: string }>`
        select keys.table_name as name, columns.column_name as key
        from information_schema.columns as sites
        join information_schema.table_constraints as keys
          on keys.table_name = sites.table_name and keys.constraint_type = 'PRIMARY KEY'
        join information_schema.key_column_usage as columns on columns.constraint_name = keys.constraint_name
        where sites.table_schema = current_schema() and keys.table_schema = current_schema() and sites.column_name = 'site_id'
          and exists (
            select 1 from pg_constraint
            where contype = 'f' and conrelid = to_regclass(quote_ident(sites.table_name))
              and confrelid = to_regclass('site'))
        order by (select count(*) from pg_constraint
          where contype = 'f' and confdeltype = 'c' and confrelid = to_regclass(quote_ident(sites.table_name))),
          keys.table_name, columns.ordinal_position`
    : sql<{ name: string; key: string }>`
        select tables.name, columns.name as key
        from sqlite_schema as tables
        join pragma_foreign_key_list(tables.name) as site on site."table" = 'site' and site."from" = 'site_id'
        join pragma_table_info(tables.name) as columns on columns.pk > 0
        where tables.type = 'table'
        order by tables.rowid desc, columns.pk`;
  const { rows } = await query.execute(db);
  const byTable = Map.groupBy(rows, ({ name }) => name);
  return new Map([...byTable].map(([name, columns]) => [name, columns.map(({ key }) => key)]));
}

/**
 * Where a join compares with a bare parameter, SQLite plans anew at each run, as another value may call for another
 * plan; that takes several times as long as running. A sign before the parameter changes nothing but that. So what the
 * condition of an index asks for must be written into the statement (`sql.lit`).
 */
export function pinQueryPlan(db: Queries, statement: string): string {
  return isPostgres(db) ? statement : statement.replaceAll('?', '+?');
}

/** A table with the columns that are stored, both in order of their names, and those of its primary key. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

/** @returns every table of the schema, by the catalog of the database */
export async function listTables(db: Queries): Promise<TableShape[]> {
  const query = isPostgres(db)
    ? sql<{ name: string; column: string; place: number }>`
        select relname::text as name, attname::text as "column", coalesce(array_position(conkey, attnum), 0) as place
        from pg_class
        join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
        left join pg_constraint on conrelid = pg_class.oid and contype = 'p'
        where relkind = 'r' and relnamespace = current_schema()::regnamespace
        order by 1, 2`
    : sql<{ name: string; column: string; place: number }>`
        select tables.name, columns.name as "column", columns.pk as place
        from pragma_table_list as tables join pragma_table_info(tables.name) as columns
        where tables.schema = 'main' and tables.type in ('table', 'virtual') and tables.name not like 'sqlite_%'
        union all select 'post_search', 'rowid', 1
        order by 1, 2`;
  const { rows } = await query.execute(db);
  return [...Map.groupBy(rows, ({ name }) => name)].map(([name, columns]) => ({
    name,
    columns: columns.map(({ column }) => column),
    key: columns
      .filter(({ place }) => place > 0)
      .sort((a, b) => a.place - b.place)
      .map(({ column }) => column),
  }));
}

/**
 * Runs work that writes rows as they are, in any order, in a transaction: triggers do not run, and foreign keys are checked at the
 * end. It may take hours.
 */
export async function withoutTriggers(db: Queries, work: () => Promise<void>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(db);
  if (!isPostgres(db)) {
    await run('pragma defer_foreign_keys = true');
    const { rows } = await sql<{ name: string; sql: string }>`
      select name, sql from sqlite_schema where type = 'trigger'`.execute(db);
    for (const { name } of rows) await run(`drop trigger "${name}"`);
    await work();
    for (const trigger of rows) await run(trigger.sql);
    return;
  }
  await allowLongTransaction(db);
  const { rows: tables } = await sql<{ name: string }>`
    select distinct tgrelid::regclass::text as name from pg_trigger
    join pg_class on pg_class.oid = tgrelid
    where not tgisinternal and relnamespace = current_schema()::regnamespace`.execute(db);
  const { rows: keys } = await sql<{ table: string; name: string; definition: string }>`
    select conrelid::regclass::text as "table", conname::text as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`.execute(db);
  for (const { name } of tables) await run(`alter table ${name} disable trigger user`);
  for (const { table, name } of keys) await run(`alter table ${table} drop constraint "${name}"`);
  await work();
  for (const { table, name, definition } of keys) {
    await run(`alter table ${table} add constraint "${name}" ${definition}`);
  }
  for (const { name } of tables) await run(`alter table ${name} enable trigger user`);
}

/** Takes the limits of time off a transaction. */
export async function allowLongTransaction(db: Queries): Promise<void> {
  if (!isPostgres(db)) return;
  const limits = ['statement_timeout', 'idle_in_transaction_session_timeout', 'lock_timeout'];
  await sql`select ${sql.join(limits.map((limit) => sql`set_config(${limit}, '0', true)`))}`.execute(db);
}

const postgresSequences = `
  select tables.relname::text as name, attname::text as "column", sequences.oid::regclass::text as sequence,
    coalesce(pg_sequence_last_value(sequences.oid), 0) as last
  from pg_depend
  join pg_class as sequences on sequences.oid = objid and sequences.relkind = 'S'
  join pg_class as tables on tables.oid = refobjid and tables.relnamespace = current_schema()::regnamespace
  join pg_attribute on attrelid = refobjid and attnum = refobjsubid
  where deptype = 'i' and classid = 'pg_class'::regclass and refclassid = 'pg_class'::regclass`;

/** @returns the highest id that each table ever gave a row; tables that may give an id again can be missing */
export async function listLastIds(db: Queries): Promise<Map<string, number>> {
  const query = isPostgres(db)
    ? sql.raw<{ name: string; last: number }>(postgresSequences)
    : sql<{ name: string; last: number }>`select name, seq as last from sqlite_sequence`;
  const { rows } = await query.execute(db);
  return new Map(rows.map(({ name, last }) => [name, last]));
}

/** Continues the ids of another database. Its rows are written already. */
export async function setLastIds(db: Queries, lastIds: ReadonlyMap<string, number>): Promise<void> {
  if (!isPostgres(db)) {
    await sql`delete from sqlite_sequence`.execute(db);
    for (const [name, last] of lastIds) {
      await sql`insert into sqlite_sequence (name, seq)
        select name, ${last} from sqlite_schema
        where name = ${name} and sql like '%autoincrement%' and ${last} > 0`.execute(db);
    }
    return;
  }
  const { rows } = await sql.raw<{ name: string; column: string; sequence: string }>(postgresSequences).execute(db);
  for (const { name, column, sequence } of rows) {
    await sql`select setval(${sequence}::regclass, last) from (
      select greatest(${sql.lit(lastIds.get(name) ?? 0)}, max(${sql.ref(column)})) as last from ${sql.table(name)}) as ids
      where last > 0`.execute(db);
  }
}

/** A statement of a migration: for both databases, or what differs; undefined: nothing to do there. */
export type Statement = string | { readonly sqlite?: string; readonly postgres?: string };
