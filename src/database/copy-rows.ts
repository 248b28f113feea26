import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { operationFailed } from '../errors.ts';
import type { Queries } from './database.ts';
import { listLastIds, listTables, setLastIds, type TableShape, withoutTriggers } from './dialect.ts';

/** Of one statement. The text of a post may have megabytes. */
const rowsPerBatch = 100;
/** Tables in which the migrations and the start of a program write. */
const initialTables = new Set(['installation', 'probe', 'schema_version']);
const digestModulus = 2n ** 256n;

export type CopiedRow = Readonly<Record<string, unknown>>;

/** @returns what is written for rows of a table: rows by the name of their table, which may be another one */
export type ConvertRows = (table: string, rows: readonly CopiedRow[]) => Promise<Record<string, readonly CopiedRow[]>>;

export interface CopiedTables {
  readonly tables: number;
  readonly rows: number;
}

export interface CopyTarget {
  readonly db: Queries;
  /** For errors. */
  readonly name: string;
}

/** Count and checksum of rows, whatever their order. */
interface RowSum {
  count: number;
  digest: bigint;
}

/**
 * Copies all rows of one database into another one that has none, with their ids, in its transaction. The copy is read again and
 * compared.
 * @param onProgress called with the number of rows that were read
 * @throws AppError `operation_failed`: the target is not empty, or the copy differs
 */
export async function copyRows(
  source: Queries,
  { db: target, name: targetName }: CopyTarget,
  convert: ConvertRows,
  onProgress: (done: number, total: number) => void,
): Promise<CopiedTables> {
  const tables = await listTables(source);
  if (!Bun.deepEquals(tables, await listTables(target))) {
    throw operationFailed(
      `${targetName} has other tables than the source. Move with the program that wrote both, into an empty database.`,
    );
  }
  await requireEmpty(target, tables, targetName);
  const expected = new Map(tables.map(({ name }) => [name, { count: 0, digest: 0n }]));
  await withoutTriggers(target, async () => {
    for (const name of initialTables) await sql`delete from ${sql.table(name)}`.execute(target);
    const counts = await countRows(source, tables);
    const total = counts.values().reduce((sum, count) => sum + count, 0);
    let done = 0;
    for (const table of tables) {
      for await (const rows of readRows(source, table)) {
        for (const [name, converted] of Object.entries(await convert(table.name, rows))) {
          await insertRows(target, name, converted, expected);
        }
        done += rows.length;
        onProgress(done, total);
      }
    }
    await setLastIds(target, await listLastIds(source));
  });
  for (const table of tables) await requireEqual(target, table, expected.get(table.name));
  return { tables: tables.length, rows: expected.values().reduce((sum, { count }) => sum + count, 0) };
}

async function requireEmpty(db: Queries, tables: readonly TableShape[], targetName: string): Promise<void> {
  for (const { name } of tables) {
    if (initialTables.has(name)) continue;
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db);
    if (rows.length === 0) continue;
    throw operationFailed(`${targetName} is not empty: its table ${name} has rows. Move into an empty database.`);
  }
}

async function countRows(db: Queries, tables: readonly TableShape[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { name } of tables) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`.execute(db);
    counts.set(name, rows[0]?.count ?? 0);
  }
  return counts;
}

/** Reads a table in the order of its primary key, some rows at a time. */
async function* readRows(db: Queries, { name, columns, key }: TableShape): AsyncGenerator<readonly CopiedRow[]> {
  const keyColumns = sql.join(key.map((column) => sql.ref(column)));
  let last: CopiedRow | undefined;
  // Ends: each batch begins after the last row of the one before.
  while (true) {
    const after =
      last === undefined ? sql`` : sql`where (${keyColumns}) > (${sql.join(key.map((column) => last?.[column]))})`;
    const { rows } = await sql<CopiedRow>`
      select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(name)} ${after}
      order by ${keyColumns} limit ${sql.lit(rowsPerBatch)}`.execute(db);
    if (rows.length > 0) yield rows;
    if (rows.length < rowsPerBatch) return;
    last = rows.at(-1);
  }
}

async function insertRows(
  db: Queries,
  table: string,
  rows: readonly CopiedRow[],
  expected: ReadonlyMap<string, RowSum>,
): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto(table as never)
    .values(rows as never)
    .execute();
  const sum = expected.get(table);
  if (sum !== undefined) addRows(sum, rows);
}

function addRows(sum: RowSum, rows: readonly CopiedRow[]): void {
  sum.count += rows.length;
  for (const row of rows) sum.digest = (sum.digest + digestRow(row)) % digestModulus;
}

/** The same for both databases: they return the same numbers, texts and bytes. */
function digestRow(row: CopiedRow): bigint {
  const hash = createHash('sha256');
  for (const name of Object.keys(row).sort()) {
    const value = row[name];
    const content = value instanceof Uint8Array ? value : String(value);
    hash.update(`${name} ${value === null ? 'null' : typeof value} ${content.length}:`).update(content);
  }
  return BigInt(`0x${hash.digest('hex')}`);
}

async function requireEqual(db: Queries, table: TableShape, expected: RowSum | undefined): Promise<void> {
  const sum = { count: 0, digest: 0n };
  for await (const rows of readRows(db, table)) addRows(sum, rows);
  if (Bun.deepEquals(sum, expected)) return;
  throw operationFailed(
    `The copy of table ${table.name} differs: ${sum.count} rows instead of ${expected?.count}, or other content. Nothing was moved; try again.`,
  );
}
