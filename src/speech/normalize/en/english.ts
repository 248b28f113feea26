import type { Language, NormalizationRule, NormalizedToken } from '../language.ts';
import { createUnpronounceableFinder } from '../unpronounceable.ts';
import { applyRules } from '../words.ts';
import { abbreviationRules } from './abbreviations.ts';
import { acronymRules } from './acronyms.ts';
import { houseNumberRules, partyRules, placeRules } from './addresses.ts';
import { verbalizeCardinal } from './cardinals.ts';
import { digitDateRules, monthRules, timeRules } from './dates.ts';
import { measureRules, temperatureRules } from './measures.ts';
import { letteredMoneyRules, moneyRules, trailingMoneyRules } from './money.ts';
import { numberTailRules, plainNumberRules, signedNumberRules, specialNumberRules } from './numbers.ts';
import { splitEnglishSentences } from './sentences.ts';
import {
  digitSerialRules,
  modelRules,
  otherNumeralRules,
  romanRules,
  serialRules,
  signedTelephoneRules,
  telephoneRules,
} from './serials.ts';
import { handleRules, signRules, webRules } from './signs.ts';

/** The first reader that knows the text wins: what is more particular stands before what is more general. */
const DIGIT_RULES: readonly NormalizationRule[] = [
  ...numberTailRules,
  ...webRules,
  ...digitDateRules,
  ...timeRules,
  ...telephoneRules,
  ...houseNumberRules,
  ...trailingMoneyRules,
  ...temperatureRules,
  ...measureRules,
  ...modelRules,
  ...specialNumberRules,
  ...digitSerialRules,
  ...plainNumberRules,
];
const LETTER_RULES: readonly NormalizationRule[] = [
  ...webRules,
  ...monthRules,
  ...partyRules,
  ...placeRules,
  ...abbreviationRules,
  ...letteredMoneyRules,
  ...romanRules,
  ...serialRules,
  ...acronymRules,
  ...otherNumeralRules,
];
const SIGN_RULES: readonly NormalizationRule[] = [
  ...moneyRules,
  ...signedTelephoneRules,
  ...signedNumberRules,
  ...handleRules,
  ...signRules,
  ...otherNumeralRules,
];

const findUnpronounceable = createUnpronounceableFinder(
  'en',
  (characters) => `a ${verbalizeCardinal(characters)}-character code`,
);

/** A word in small letters with none of the signs after it that would make it more than a word. */
const PLAIN_WORD = /[a-z]{1,40}(?=[ ,;!?])/y;
const ABBREVIATIONS = new Set([
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
  splitSentences: splitEnglishSentences,
  normalize: (sentence) =>
    separateTokens(
      sentence,
      applyRules(sentence, {
        digits: DIGIT_RULES,
        letters: LETTER_RULES,
        signs: SIGN_RULES,
        unpronounceable: findUnpronounceable,
        findPlainWordEnd,
      }),
    ),
};

/** Words said for signs and digits don't run into what touches them: "45°N", "3.5e4". */
function separateTokens(sentence: string, pieces: readonly NormalizedToken[]): NormalizedToken[] {
  return pieces.map((piece, index) => {
    const previous = pieces[index - 1];
    // Most pieces stand beside a space.
    if (previous === undefined || previous.spoken === ' ' || piece.spoken === ' ') return piece;
    const touches = /[\p{L}\p{N}]$/u.test(previous.spoken.slice(-2)) && /^[\p{L}\p{N}]/u.test(piece.spoken);
    if (!touches || isInsideWord(sentence, piece.start)) return piece;
    return { ...piece, spoken: ` ${piece.spoken}` };
  });
}

function isInsideWord(sentence: string, at: number): boolean {
  return /^[\p{L}\p{M}'’]{2}$/u.test(sentence.slice(at - 1, at + 1));
}

/** A word in small letters that is no abbreviation and begins no month. */
function findPlainWordEnd(sentence: string, at: number): number | undefined {
  PLAIN_WORD.lastIndex = at;
  const word = PLAIN_WORD.exec(sentence)?.[0];
  if (!word || ABBREVIATIONS.has(word) || MONTH_START.test(word)) return undefined;
  return at + word.length;
}
