import { join } from 'node:path';
import { Database } from '../fixtures/sqlite.ts';

const tables = ['site', 'site_domain', 'api_key', 'voice', 'post', 'audio'] as const;

/** @returns the rows of a query on the database of a data folder, while a server uses it */
export function readRows<Row>(data: string, sql: string): Row[] {
  const database = new Database(join(data, 'lectern.db'), { readonly: true });
  try {
    return database.query<Row, []>(sql).all();
  } finally {
    database.close();
  }
}

/** @returns the number of rows of each table that a request can write to */
export function countRows(data: string): Record<string, number> {
  return Object.fromEntries(
    tables.map((table) => {
      const [row] = readRows<{ count: number }>(data, `select count(*) as count from ${table}`);
      return [table, row?.count ?? 0];
    }),
  );
}
