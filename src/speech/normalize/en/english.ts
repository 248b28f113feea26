import type { Language, Reader, SpokenPiece } from '../language.ts';
import { unpronounceableFinder } from '../unpronounceable.ts';
import { readPieces } from '../words.ts';
import { abbreviationReaders } from './abbreviations.ts';
import { acronymReaders } from './acronyms.ts';
import { houseNumberReaders, partyReaders, placeReaders } from './addresses.ts';
import { cardinal } from './cardinals.ts';
import { digitDateReaders, monthReaders, timeReaders } from './dates.ts';
import { measureReaders, temperatureReaders } from './measures.ts';
import { letteredMoneyReaders, moneyReaders, trailingMoneyReaders } from './money.ts';
import {
  numberTailReaders,
  particularNumberReaders,
  plainNumberReaders,
  signedNumberReaders,
} from './numbers.ts';
import { englishSentences } from './sentences.ts';
import {
  digitSerialReaders,
  modelReaders,
  otherNumeralReaders,
  romanReaders,
  serialReaders,
  signedTelephoneReaders,
  telephoneReaders,
} from './serials.ts';
import { handleReaders, signReaders, webReaders } from './signs.ts';

/** The first reader that knows the text wins: what is more particular stands before what is more general. */
const DIGIT_READERS: readonly Reader[] = [
  ...numberTailReaders,
  ...webReaders,
  ...digitDateReaders,
  ...timeReaders,
  ...telephoneReaders,
  ...houseNumberReaders,
  ...trailingMoneyReaders,
  ...temperatureReaders,
  ...measureReaders,
  ...modelReaders,
  ...particularNumberReaders,
  ...digitSerialReaders,
  ...plainNumberReaders,
];
const LETTER_READERS: readonly Reader[] = [
  ...webReaders,
  ...monthReaders,
  ...partyReaders,
  ...placeReaders,
  ...abbreviationReaders,
  ...letteredMoneyReaders,
  ...romanReaders,
  ...serialReaders,
  ...acronymReaders,
  ...otherNumeralReaders,
];
const SIGN_READERS: readonly Reader[] = [
  ...moneyReaders,
  ...signedTelephoneReaders,
  ...signedNumberReaders,
  ...handleReaders,
  ...signReaders,
  ...otherNumeralReaders,
];

const unpronounceable = unpronounceableFinder(
  'en',
  (characters) => `a ${cardinal(characters)}-character code`,
);

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
  'ext',
  'sq',
  'v',
  'bc',
  'bce',
]);
const MONTH_START = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/;

/** English as an American newsreader says it. */
export const english: Language = {
  code: 'en',
  sentences: englishSentences,
  spokenPieces: (sentence) =>
    setApart(
      sentence,
      readPieces(sentence, {
        digits: DIGIT_READERS,
        letters: LETTER_READERS,
        signs: SIGN_READERS,
        unpronounceable,
        plainWordEnd,
      }),
    ),
};

/** Words said for signs and digits don't run into what touches them: "45°N", "3.5e4". */
function setApart(sentence: string, pieces: readonly SpokenPiece[]): SpokenPiece[] {
  return pieces.map((piece, index) => {
    const previous = pieces[index - 1];
    // Most pieces stand beside a space.
    if (previous === undefined || previous.spoken === ' ' || piece.spoken === ' ') return piece;
    const touches =
      /[\p{L}\p{N}]$/u.test(previous.spoken.slice(-2)) && /^[\p{L}\p{N}]/u.test(piece.spoken);
    if (!touches || isInsideWord(sentence, piece.start)) return piece;
    return { ...piece, spoken: ` ${piece.spoken}` };
  });
}

function isInsideWord(sentence: string, at: number): boolean {
  return /^[\p{L}\p{M}'’]{2}$/u.test(sentence.slice(at - 1, at + 1));
}

/** A word in small letters that is no abbreviation and begins no month. */
function plainWordEnd(sentence: string, at: number): number | undefined {
  PLAIN_WORD.lastIndex = at;
  const word = PLAIN_WORD.exec(sentence)?.[0];
  if (!word || ABBREVIATED.has(word) || MONTH_START.test(word)) return undefined;
  return at + word.length;
}
