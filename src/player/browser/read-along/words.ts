/** A word, including soft hyphens and zero-width characters. */
const wordPattern = /[\p{L}\p{M}\p{N}\u00ad\u200b-\u200d\u2060\ufeff]+/gu;
const plainWord = /^[a-z0-9]+$/;

/** A word with UTF-16 offsets; `end` is exclusive. */
export interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export function findWords(text: string): Word[] {
  return Array.from(text.matchAll(wordPattern), ({ 0: word, index }) => ({
    text: word,
    start: index,
    end: index + word.length,
  }));
}

/** @returns a word without case, ligatures, accents and invisible characters */
export function normalizeWord(word: string): string {
  const small = word.toLowerCase();
  return plainWord.test(small) ? small : small.normalize('NFKD').replace(/[^\p{L}\p{N}]/gu, '');
}
