import { timestamp } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import { AppError } from '../errors.ts';
import type { Bucket } from './media/bucket.ts';
import { listObjectRows, soundPrefix } from './media/object-store.ts';

const rowsPerBatch = 1_000;

/**
 * Compares the rows of objects with the bucket.
 * @returns the number of objects, for a person
 * @throws AppError `operation_failed`: objects are missing or unknown; `sound_unavailable`
 */
export async function checkObjects(db: Queries, bucket: Bucket): Promise<string> {
  // The rows first: an object that is written meanwhile has no row here, and counts as recent.
  const startedAt = timestamp();
  const rows = await listAllRows(db);
  let unknown = 0;
  let present = 0;
  let after = '';
  // Ends: each page begins after the last key of the one before.
  while (true) {
    const page = await bucket.list(soundPrefix, after);
    for (const { key, byteCount, modifiedAt } of page) {
      const row = rows.get(key);
      rows.delete(key);
      if (row === undefined) unknown += modifiedAt < startedAt ? 1 : 0;
      else if (row.state === 'live' && row.byte_count !== byteCount) rows.set(key, row);
      else present += 1;
    }
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.key;
  }
  const missing = [...rows.values()].filter(({ state }) => state === 'live').map(({ key }) => key);
  const problems = [
    ...(missing.length === 0
      ? []
      : [`${countObjects(missing.length)} missing or of another size, such as ${missing[0]}`]),
    ...(unknown === 0 ? [] : [`${countObjects(unknown)} unknown to the database`]),
  ];
  if (problems.length === 0) return `${present} ${present === 1 ? 'object' : 'objects'} in the bucket, none missing`;
  throw new AppError(
    'operation_failed',
    `the bucket differs from the database: ${problems.join('; ')}. Missing audio is generated again when it is requested; delete unknown objects if no other database uses the bucket.`,
  );
}

async function listAllRows(db: Queries) {
  const rows = new Map<string, Awaited<ReturnType<typeof listObjectRows>>[number]>();
  let after = '';
  // Ends: each batch begins after the last key of the one before.
  while (true) {
    const batch = await listObjectRows(db, after, rowsPerBatch);
    for (const row of batch) rows.set(row.key, row);
    after = batch.at(-1)?.key ?? after;
    if (batch.length < rowsPerBatch) return rows;
  }
}

function countObjects(count: number): string {
  return count === 1 ? '1 object is' : `${count} objects are`;
}
