import type { Generated, Selectable } from 'kysely';

interface PronunciationTable {
  id: Generated<number>;
  /** Null: every site. */
  site_id: number | null;
  /** Primary code; empty: every language. */
  language: string;
  word: string;
  /** What is said instead; phonemes in `[[…]]`. */
  alias: string;
  /** SQLite has no boolean: 0 or 1. */
  match_case: number;
  /** The word as it is told apart from others: folded unless capitals count. */
  word_key: string;
  /** Word and alias, folded. */
  search_text: string;
  created_at: string;
  updated_at: string;
}

export interface LexiconTables {
  pronunciation: PronunciationTable;
}

export type PronunciationRow = Selectable<PronunciationTable>;
