import type { PronunciationRow } from '../database/lexicon-tables.ts';
import { type Alias, foldWord } from '../speech/lexicon.ts';

/** What of an entry decides where it stands among others. */
export type LevelRow = Pick<
  PronunciationRow,
  'id' | 'site_id' | 'language' | 'word' | 'alias' | 'match_case' | 'word_key' | 'updated_at'
>;

/** An entry of the lexicon, as the speech knows it. */
export interface EntryAlias extends Alias {
  readonly id: number;
  readonly changedAt: string;
}

/**
 * The entries that hold for a site and a language as one list. What is more particular comes later and so counts: the
 * site's own after the installation's, those of the language after those of every language.
 */
export function mergedLevels(rows: readonly LevelRow[]): EntryAlias[] {
  const own = new Set(
    rows.filter((row) => row.site_id !== null && row.match_case === 0).map((row) => row.word_key),
  );
  return (
    rows
      // An entry for any capitals stands above the installation's for certain ones.
      .filter((row) => row.site_id !== null || !own.has(foldWord(row.word)))
      .toSorted(
        (one, other) =>
          Number(one.site_id !== null) - Number(other.site_id !== null) ||
          one.language.length - other.language.length ||
          one.id - other.id,
      )
      .map((row) => ({
        ...{ id: row.id, word: row.word, alias: row.alias, matchCase: row.match_case === 1 },
        changedAt: row.updated_at,
      }))
  );
}
