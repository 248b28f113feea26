import type { SpokenPiece } from './language.ts';

/** espeak-ng truncates longer words. UTF-16 units; more than the two of a surrogate pair. */
const WORD_LENGTH_MAX = 40;
/** Full-width letters and those of formulas, which espeak-ng would spell. */
const COMPATIBILITY_LETTER = /[\uff00-\uffef\u{1d400}-\u{1d7ff}]/u;

/** A word as one piece, or several with a space between where it is longer than espeak-ng reads. */
export function splitLongWord(word: string, start: number): SpokenPiece[] {
  const pieces: SpokenPiece[] = [];
  // Ends: each turn takes at least one unit.
  let from = 0;
  while (from < word.length) {
    const to = pieceEnd(word, from);
    const part = word.slice(from, to);
    const spoken = COMPATIBILITY_LETTER.test(part) ? part.normalize('NFKC') : part;
    const isLast = to === word.length;
    pieces.push({ spoken: isLast ? spoken : `${spoken} `, start: start + from, end: start + to });
    from = to;
  }
  return pieces;
}

function pieceEnd(word: string, from: number): number {
  const end = Math.min(from + WORD_LENGTH_MAX, word.length);
  const splitsPair = end < word.length && /[\uDC00-\uDFFF]/.test(word.charAt(end));
  return splitsPair ? end - 1 : end;
}
