import type { ExpressionBuilder } from 'kysely';
import { timestamp } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import { containsText } from '../database/dialect.ts';
import type { PronunciationRow } from '../database/feature-schema.ts';
import type { Tables } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import type { Alias } from '../speech/pronunciation/replacer.ts';
import { foldWord, normalizeWord } from '../speech/pronunciation/word-matcher.ts';
import { type Entry, mergeScopes, type Owner, type ScopeRow } from './entry.ts';

export const maxEntries = 5_000;

export interface PronunciationQuery {
  /** Part of word or alias. */
  readonly search: string | undefined;
  readonly language: string | undefined;
  /** Id of the last entry of the page before. */
  readonly after: number | undefined;
  readonly limit: number;
}

/** @returns entries of a lexicon, oldest first */
export function listPronunciations(
  db: Queries,
  owner: Owner,
  { search: part, language, after = 0, limit: most }: PronunciationQuery,
): Promise<PronunciationRow[]> {
  let query = db
    .selectFrom('pronunciation')
    .selectAll()
    .where(isOwnedBy(owner))
    .where('id', '>', after)
    .orderBy('id')
    .limit(most);
  if (language !== undefined) query = query.where('language', '=', language);
  if (part !== undefined) {
    const searched = foldWord(part.normalize('NFC'));
    query = query.where(containsText(db, 'search_text', searched));
  }
  return query.execute();
}

/** @returns the replacements of words for a site and a language; later ones win */
export async function listAliases(db: Queries, siteId: number, language: string): Promise<Alias[]> {
  return mergeScopes(await listScopeRows(db, siteId, language));
}

/** @returns the entries of both scopes that apply to a site and a language */
export function listScopeRows(db: Queries, siteId: number, language: string): Promise<ScopeRow[]> {
  return db
    .selectFrom('pronunciation')
    .select(['id', 'site_id', 'language', 'word', 'alias', 'match_case', 'word_key', 'updated_at'])
    .where((is) => is.or([is('site_id', 'is', null), is('site_id', '=', siteId)]))
    .where('language', 'in', ['', language])
    .execute();
}

/**
 * Run it in a transaction.
 * @throws AppError `conflict`: the word exists, or the limit is reached
 */
export async function insertPronunciation(db: Queries, owner: Owner, entry: Entry): Promise<PronunciationRow> {
  const { count } = await db
    .selectFrom('pronunciation')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where(isOwnedBy(owner))
    .executeTakeFirstOrThrow();
  if (count >= maxEntries) {
    throw new AppError('conflict', `Limit reached: at most ${maxEntries} pronunciations`);
  }
  const values = toRow(entry);
  await checkUnique(db, owner, values);
  const now = timestamp();
  return db
    .insertInto('pronunciation')
    .values({ ...values, site_id: owner, created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** @throws AppError `not_found` */
export async function findPronunciation(db: Queries, owner: Owner, id: number): Promise<PronunciationRow> {
  const row = await db
    .selectFrom('pronunciation')
    .selectAll()
    .where('id', '=', id)
    .where(isOwnedBy(owner))
    .executeTakeFirst();
  if (row === undefined) throw pronunciationNotFound(id);
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
  const values = toRow(entry);
  await checkUnique(db, site_id, values, id);
  return db
    .updateTable('pronunciation')
    .set({ ...values, updated_at: timestamp() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deletePronunciation(db: Queries, id: number): Promise<void> {
  await db.deleteFrom('pronunciation').where('id', '=', id).execute();
}

export function pronunciationNotFound(id: number | string): AppError {
  return new AppError('not_found', `Pronunciation ${id} not found`);
}

export function isOwnedBy(owner: Owner) {
  return (is: ExpressionBuilder<Tables, 'pronunciation'>) =>
    owner === null ? is('site_id', 'is', null) : is('site_id', '=', owner);
}

export function toRow({ language, word, alias, match_case }: Entry) {
  return {
    ...{ language, word, alias, match_case: Number(match_case) },
    word_key: match_case ? normalizeWord(word) : foldWord(word),
    search_text: `${foldWord(word)}\n${foldWord(alias)}`,
  };
}

async function checkUnique(db: Queries, owner: Owner, values: ReturnType<typeof toRow>, ownId = 0): Promise<void> {
  const other = await findEntryByKey(db, owner, values);
  if (other === undefined || other.id === ownId) return;
  throw new AppError('conflict', 'Pronunciation already exists', {
    word: [`${values.word} already exists as pronunciation ${other.id}`],
  });
}

/** @returns the entry with the same unique key */
export function findEntryByKey(
  db: Queries,
  owner: Owner,
  { language, match_case, word_key }: Pick<ScopeRow, 'language' | 'match_case' | 'word_key'>,
): Promise<PronunciationRow | undefined> {
  return db
    .selectFrom('pronunciation')
    .selectAll()
    .where(isOwnedBy(owner))
    .where('language', '=', language)
    .where('match_case', '=', match_case)
    .where('word_key', '=', word_key)
    .executeTakeFirst();
}
