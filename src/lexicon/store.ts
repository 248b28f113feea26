import type { PronunciationRow } from '../database/lexicon-tables.ts';
import type { Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { type Alias, foldWord, writtenWord } from '../speech/lexicon.ts';
import type { Entry } from './entry.ts';

const entriesPerSiteMax = 5_000;

/** Which entries of a site are wanted. */
export interface WantedEntries {
  /** Part of word or alias. */
  readonly part: string | undefined;
  readonly language: string | undefined;
  /** Id of the last one that was seen; undefined for none. */
  readonly after: number | undefined;
  readonly most: number;
}

/** @returns entries of a site, oldest first */
export function listPronunciations(
  db: Queries,
  siteId: number,
  { part, language, after = 0, most }: WantedEntries,
): Promise<PronunciationRow[]> {
  let query = db
    .selectFrom('pronunciation')
    .selectAll()
    .where('site_id', '=', siteId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(most);
  if (language !== undefined) query = query.where('language', '=', language);
  if (part !== undefined) {
    const searched = foldWord(part.normalize('NFC'));
    query = query.where((is) => is(is.fn('instr', ['search_text', is.val(searched)]), '>', 0));
  }
  return query.execute();
}

/** @returns what is said instead of words in a language of a site; entries of the language itself come last and so count */
export async function aliasesFor(db: Queries, siteId: number, language: string): Promise<Alias[]> {
  const rows = await db
    .selectFrom('pronunciation')
    .select(['word', 'alias', 'match_case'])
    .where('site_id', '=', siteId)
    .where('language', 'in', ['', language])
    .orderBy('language')
    .orderBy('id')
    .execute();
  return rows.map(({ word, alias, match_case }) => ({ word, alias, matchCase: match_case === 1 }));
}

/**
 * Run it in a transaction.
 * @throws AppError `conflict` when the site has the word already, or as many as it may have
 */
export async function insertPronunciation(
  db: Queries,
  siteId: number,
  entry: Entry,
): Promise<PronunciationRow> {
  const { count } = await db
    .selectFrom('pronunciation')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('site_id', '=', siteId)
    .executeTakeFirstOrThrow();
  if (count >= entriesPerSiteMax) {
    throw new AppError('conflict', `A site has at most ${entriesPerSiteMax} pronunciations`);
  }
  const values = stored(entry);
  await checkUnique(db, siteId, values);
  const now = new Date().toISOString();
  return db
    .insertInto('pronunciation')
    .values({ ...values, site_id: siteId, created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** @throws AppError `not_found` */
export async function findPronunciation(
  db: Queries,
  siteId: number,
  id: number,
): Promise<PronunciationRow> {
  const row = await db
    .selectFrom('pronunciation')
    .selectAll()
    .where('id', '=', id)
    .where('site_id', '=', siteId)
    .executeTakeFirst();
  if (row === undefined) throw unknownPronunciation(id);
  return row;
}

/**
 * Run it in a transaction.
 * @throws AppError `conflict` when another entry has the word
 */
export async function updatePronunciation(
  db: Queries,
  { id, site_id }: PronunciationRow,
  entry: Entry,
): Promise<PronunciationRow> {
  const values = stored(entry);
  await checkUnique(db, site_id, values, id);
  return db
    .updateTable('pronunciation')
    .set({ ...values, updated_at: new Date().toISOString() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deletePronunciation(db: Queries, id: number): Promise<void> {
  await db.deleteFrom('pronunciation').where('id', '=', id).execute();
}

/** @param id as it stands in the path */
export function unknownPronunciation(id: number | string): AppError {
  return new AppError('not_found', `The site has no pronunciation ${id}`);
}

function stored({ language, word, alias, match_case }: Entry) {
  return {
    ...{ language, word, alias, match_case: Number(match_case) },
    word_key: match_case ? writtenWord(word) : foldWord(word),
    search_text: `${foldWord(word)}\n${foldWord(alias)}`,
  };
}

async function checkUnique(
  db: Queries,
  siteId: number,
  { language, word, match_case, word_key }: ReturnType<typeof stored>,
  ownId = 0,
): Promise<void> {
  const other = await db
    .selectFrom('pronunciation')
    .select('id')
    .where('site_id', '=', siteId)
    .where('language', '=', language)
    .where('match_case', '=', match_case)
    .where('word_key', '=', word_key)
    .where('id', '!=', ownId)
    .executeTakeFirst();
  if (other === undefined) return;
  throw new AppError('conflict', 'The site has this word already', {
    word: [`${word} is pronunciation ${other.id}`],
  });
}
