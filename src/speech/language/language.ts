/** Why a word inside a spoken sentence is not spoken. */
export type ExcludedWordReason = 'code' | 'foreign script';

/** A run of a sentence and the words it is spoken as. Pieces follow each other and cover the sentence. */
export interface SpokenPiece {
  /** The words that are said, punctuation kept ("twelve dollars,"); empty where a sign is silent. */
  readonly spoken: string;
  /** UTF-16 offsets into the sentence's text, `end` exclusive. */
  readonly start: number;
  readonly end: number;
  /** Why a word is silent that has letters. */
  readonly excluded?: ExcludedWordReason;
}

/** What one language adds to the pipeline. */
export interface Language {
  /** BCP 47 primary code. */
  readonly code: string;
  /** Where the sentences of a block begin and end: UTF-16 offsets, `end` exclusive, whitespace outside. */
  sentences(text: string): { start: number; end: number }[];
  /** A sentence as spoken words: numbers, signs and abbreviations written out. */
  spokenPieces(sentence: string): SpokenPiece[];
}
