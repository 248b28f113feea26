import { type RawBuilder, sql } from 'kysely';
import type { Queries } from './open.ts';

/*
 * The SQL of stores that only SQLite understands. Everything else in them is standard SQL, which PostgreSQL runs too:
 * test/database/portable-sql.test.ts checks the rules. The schema has its own dialect, in migrations/. An empty list of `in`
 * is none of them: Kysely's HandleEmptyInListsPlugin rewrites it where a database refuses it.
 */

type ColumnType = 'integer' | 'real' | 'text';

/**
 * Many rows as one parameter: a statement for each row would cost more than the row, and a statement for each number of
 * rows would fill the statement cache.
 * @param columns names and types of the values of a row, in their order; SQLite takes the types from the values
 * @returns a table for `from`, which needs an alias
 */
export function rowsOf(
  rows: readonly (readonly unknown[])[],
  columns: Record<string, ColumnType>,
): RawBuilder<unknown> {
  // As text: Kysely would take longer to build it of parts than SQLite to run it.
  const selected = Object.keys(columns).map((name, place) => `value ->> ${place} as ${name}`);
  return sql`(select ${sql.raw(selected.join(', '))} from json_each(${JSON.stringify(rows)}))`;
}

/** @returns a table of the numbers in a column with a JSON list, as `value` */
export function listNumbers(column: string): RawBuilder<{ value: number }> {
  return sql`json_each(${sql.ref(column)})`;
}

/** @returns a text member of a column with a JSON object; null when it is missing */
export function textMember(column: string, member: string): RawBuilder<string | null> {
  return sql`${sql.ref(column)} ->> ${sql.lit(member)}`;
}

/** Whether a member of a column with a JSON object is `true`. */
export function isTrueMember(column: string, member: string): RawBuilder<boolean> {
  return sql`${textMember(column, member)} = 1`;
}

/** Whether a column contains a text, which has no wildcards. */
export function containsText(column: string, text: string): RawBuilder<boolean> {
  return sql`instr(${sql.ref(column)}, ${text}) > 0`;
}

/** The index of posts has no shorter words. */
export const minSearchWordLength = 3;

/**
 * Whether a row of `post_search` contains all words, without regard to case and accents. Only words with a dot or slash are
 * searched in URLs, as the domain is part of every URL of a site.
 */
export function matchesPostSearch(words: readonly string[]): RawBuilder<boolean> {
  const phrases = words.map((word) => {
    const phrase = `"${word.replaceAll('"', '""')}"`;
    return /[./]/.test(word) ? phrase : `{external_id titles} : ${phrase}`;
  });
  return sql`post_search match ${phrases.join(' AND ')}`;
}

/**
 * @returns the tables with rows of a site and the columns of their primary key, by the foreign keys of the schema. The
 *   newest is first: a table is created after those that it references, whose rows would take its rows with them at once
 */
export async function listSiteTables(db: Queries): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ name: string; key: string }>`
    select tables.name, columns.name as key
    from sqlite_schema as tables
    join pragma_foreign_key_list(tables.name) as site on site."table" = 'site' and site."from" = 'site_id'
    join pragma_table_info(tables.name) as columns on columns.pk > 0
    where tables.type = 'table'
    order by tables.rowid desc, columns.pk
  `.execute(db);
  const byTable = Map.groupBy(rows, ({ name }) => name);
  return new Map([...byTable].map(([name, columns]) => [name, columns.map(({ key }) => key)]));
}

/**
 * Where a join compares with a bare parameter, SQLite plans anew at each run, as another value may call for another
 * plan; that takes several times as long as running. A sign before the parameter changes nothing but that. So what the
 * condition of an index asks for must be written into the statement (`sql.lit`).
 */
export function pinQueryPlan(statement: string): string {
  return statement.replaceAll('?', '+?');
}
