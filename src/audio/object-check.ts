import { timestamp } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import { AppError } from '../errors.ts';
import type { Bucket } from './media/bucket.ts';
import { listObjectRows, soundPrefix } from './media/object-store.ts';

/**
 * Compares the rows of objects with the bucket.
 * @param batchSize rows in memory at once
 * @returns the number of objects, for a person
 * @throws AppError `operation_failed`: objects are missing or unknown; `sound_unavailable`
 */
export async function checkObjects(db: Queries, bucket: Bucket, batchSize = 1_000): Promise<string> {
  const startedAt = timestamp();
  let [present, unknown, missing] = [0, 0, 0];
  let example: string | undefined;
  let after: string | undefined = '';
  while (after !== undefined) {
    // The rows first: an object that is written meanwhile has no row here, and counts as recent.
    const batch = await listObjectRows(db, after, batchSize);
    const last = batch.length < batchSize ? undefined : batch.at(-1)?.key;
    const rows = new Map(batch.map((row) => [row.key, row]));
    for await (const { key, byteCount, modifiedAt } of bucket.list(soundPrefix, after)) {
      if (last !== undefined && key > last) break;
      const row = rows.get(key);
      if (row === undefined) unknown += modifiedAt < startedAt ? 1 : 0;
      else if (row.state !== 'live' || row.byte_count === byteCount) {
        rows.delete(key);
        present += 1;
      }
    }
    const lost = [...rows.values()].filter(({ state }) => state === 'live');
    missing += lost.length;
    example ??= lost[0]?.key;
    after = last;
  }
  const problems = [
    ...(missing === 0 ? [] : [`${countObjects(missing)} missing or of another size, such as ${example}`]),
    ...(unknown === 0 ? [] : [`${countObjects(unknown)} unknown to the database`]),
  ];
  if (problems.length === 0) return `${present} ${present === 1 ? 'object' : 'objects'} in the bucket, none missing`;
  throw new AppError(
    'operation_failed',
    `the bucket differs from the database: ${problems.join('; ')}. Missing audio is generated again when it is requested; delete unknown objects if no other database uses the bucket.`,
  );
}

function countObjects(count: number): string {
  return count === 1 ? '1 object is' : `${count} objects are`;
}
