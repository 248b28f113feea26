import type { PronunciationRow } from '../../database/lexicon-tables.ts';
import type { Queries } from '../../database/open.ts';
import type { Entry } from '../entry.ts';
import { isOf, type Owner, stored } from '../store.ts';

const rowsAtOnce = 500;

/** @returns all entries of a lexicon, by language and word */
export function allEntries(
  db: Queries,
  owner: Owner,
  language?: string,
): Promise<PronunciationRow[]> {
  return db
    .selectFrom('pronunciation')
    .selectAll()
    .where(isOf(owner))
    .$if(language !== undefined, (all) => all.where('language', '=', language ?? ''))
    .orderBy('language')
    .orderBy('word_key')
    .orderBy('match_case')
    .execute();
}

export async function insertEntries(
  db: Queries,
  owner: Owner,
  entries: readonly Entry[],
  now: string,
): Promise<void> {
  for (let start = 0; start < entries.length; start += rowsAtOnce) {
    const rows = entries.slice(start, start + rowsAtOnce).map((entry) => ({
      ...stored(entry),
      ...{ site_id: owner, created_at: now, updated_at: now },
    }));
    await db.insertInto('pronunciation').values(rows).execute();
  }
}

export async function replaceEntry(
  db: Queries,
  id: number,
  entry: Entry,
  now: string,
): Promise<void> {
  await db
    .updateTable('pronunciation')
    .set({ ...stored(entry), updated_at: now })
    .where('id', '=', id)
    .execute();
}

export async function deleteEntries(db: Queries, ids: readonly number[]): Promise<void> {
  for (let start = 0; start < ids.length; start += rowsAtOnce) {
    const some = ids.slice(start, start + rowsAtOnce);
    await db.deleteFrom('pronunciation').where('id', 'in', some).execute();
  }
}
