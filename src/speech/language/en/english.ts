import type { Language, SpokenPiece } from '../language.ts';
import { splitLongWord } from '../long-words.ts';
import { abbreviationReaders } from './abbreviations.ts';
import { acronymReaders } from './acronyms.ts';
import { houseNumberReaders, placeReaders } from './addresses.ts';
import { digitDateReaders, monthReaders } from './dates.ts';
import { measureReaders } from './measures.ts';
import { letteredMoneyReaders, moneyReaders, trailingMoneyReaders } from './money.ts';
import {
  numberTailReaders,
  particularNumberReaders,
  plainNumberReaders,
  signedNumberReaders,
} from './numbers.ts';
import type { Reader } from './reader.ts';
import { romanReaders } from './roman.ts';
import { englishSentences } from './sentence-ends.ts';
import { digitSerialReaders, modelReaders, serialReaders } from './serials.ts';
import { signReaders } from './signs.ts';
import { signedTelephoneReaders, telephoneReaders } from './telephones.ts';
import { timeReaders } from './times.ts';
import { handleReaders, webReaders } from './web.ts';

/** The first reader that knows the text wins: what is more particular stands before what is more general. */
const DIGIT_READERS: readonly Reader[] = [
  ...numberTailReaders,
  ...webReaders,
  ...digitDateReaders,
  ...timeReaders,
  ...telephoneReaders,
  ...houseNumberReaders,
  ...trailingMoneyReaders,
  ...measureReaders,
  ...modelReaders,
  ...particularNumberReaders,
  ...digitSerialReaders,
  ...plainNumberReaders,
];
const LETTER_READERS: readonly Reader[] = [
  ...webReaders,
  ...monthReaders,
  ...abbreviationReaders,
  ...letteredMoneyReaders,
  ...romanReaders,
  ...placeReaders,
  ...serialReaders,
  ...acronymReaders,
];
const SIGN_READERS: readonly Reader[] = [
  ...moneyReaders,
  ...signedTelephoneReaders,
  ...signedNumberReaders,
  ...handleReaders,
  ...signReaders,
];

/** A word in small letters with none of the signs after it that would make it more than a word. */
const PLAIN_WORD = /[a-z]{1,40}(?=[ ,;!?])/y;
const ABBREVIATED = new Set([
  'st',
  'no',
  'nos',
  'fig',
  'figs',
  'vol',
  'vols',
  'sec',
  'art',
  'pp',
  'p',
  'vs',
]);
const MONTH_START = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/;
const WORD = /(?:[\p{L}\p{M}\p{N}'’]|\u200c|\u200d)+/uy;

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
    const next = readPlainWord(sentence, at) ?? readPiece(sentence, at);
    for (const piece of next) pieces.push(piece);
    at = next.at(-1)?.end ?? sentence.length;
  }
  return pieces;
}

/** Most of a text: spares it the readers. */
function readPlainWord(sentence: string, at: number): SpokenPiece[] | undefined {
  PLAIN_WORD.lastIndex = at;
  const word = PLAIN_WORD.exec(sentence)?.[0];
  if (!word || ABBREVIATED.has(word) || MONTH_START.test(word)) return undefined;
  return [{ spoken: word, start: at, end: at + word.length }];
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
