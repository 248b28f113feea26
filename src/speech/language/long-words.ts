import type { SpokenPiece } from './language.ts';

/** espeak cuts off longer words. */
const WORD_LENGTH_MAX = 40;

/** A word as one piece, or where it is too long to be spoken whole as several with a space between. */
export function splitLongWord(word: string, start: number): SpokenPiece[] {
  const pieces: SpokenPiece[] = [];
  let from = 0;
  while (from < word.length) {
    const to = pieceEnd(word, from);
    const isLast = to === word.length;
    const spoken = word.slice(from, to);
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
