/** A word in a text, with what breaks or joins it unseen: soft hyphens, zero-width signs. */
const wordPattern = /[\p{L}\p{M}\p{N}\u00ad\u200b-\u200d\u2060\ufeff]+/gu;
const plainWord = /^[a-z0-9]+$/;

/** A word where it stands: UTF-16 offsets, `end` exclusive. */
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

/** @returns what is the same for a word however it is set: capitals, ligatures, accents and unseen signs are no matter */
export function normalizeWord(word: string): string {
  const small = word.toLowerCase();
  return plainWord.test(small) ? small : small.normalize('NFKD').replace(/[^\p{L}\p{N}]/gu, '');
}
