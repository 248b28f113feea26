import { PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Queries } from './database.ts';

/*
 * The SQL of stores that differs between SQLite and PostgreSQL. Everything else in them is standard SQL:
 * test/database/portable-sql.test.ts checks the rules. The schema is translated by postgres-schema.ts. An empty list of `in` is
 * none of them: Kysely's HandleEmptyInListsPlugin rewrites it for PostgreSQL.
 */

export function isPostgres(db: Queries): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
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
