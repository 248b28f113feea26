import type { Language, SpokenPiece } from '../language.ts';
import { splitLongWord } from '../long-words.ts';
import { numberReaders } from './numbers.ts';
import type { Reader } from './reader.ts';
import { englishSentences } from './sentence-ends.ts';
import { signReaders } from './signs.ts';

const WORD = /(?:[\p{L}\p{M}\p{N}'’]|\u200c|\u200d)+/uy;

const DIGIT_READERS: readonly Reader[] = [...numberReaders];
const LETTER_READERS: readonly Reader[] = [];
const SIGN_READERS: readonly Reader[] = [...signReaders];

/** English as an American newsreader says it. */
export const english: Language = {
  code: 'en',
  sentences: englishSentences,
  spokenPieces: readPieces,
};

function readPieces(sentence: string): SpokenPiece[] {
  const pieces: SpokenPiece[] = [];
  let at = 0;
  while (at < sentence.length) {
    const next = readPiece(sentence, at);
    pieces.push(...next);
    at = next.at(-1)?.end ?? sentence.length;
  }
  return pieces;
}

function readPiece(sentence: string, at: number): SpokenPiece[] {
  for (const read of readersFor(sentence.charCodeAt(at))) {
    const reading = read(sentence, at);
    if (reading && reading.end > at)
      return [{ spoken: reading.spoken, start: at, end: reading.end }];
  }
  WORD.lastIndex = at;
  const word = WORD.exec(sentence)?.[0];
  if (word) return splitLongWord(word, at);
  const end = at + String.fromCodePoint(sentence.codePointAt(at) ?? 0).length;
  return [{ spoken: '', start: at, end }];
}

function readersFor(code: number): readonly Reader[] {
  if (code >= 0x30 && code <= 0x39) return DIGIT_READERS;
  const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code > 0xbf;
  return isLetter && (code < 0x2000 || code > 0x2bff) ? LETTER_READERS : SIGN_READERS;
}
