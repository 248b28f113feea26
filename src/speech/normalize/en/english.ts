import { findTable, type Language, type NormalizationRule, type NormalizedToken, rule, wordSet } from '../language.ts';
import { segmentSentences } from '../sentences.ts';
import { createNumberTailRule } from '../shared/numbers.ts';
import { createChemicalRule } from '../shared/serials.ts';
import { applyRules, createUnpronounceableFinder } from '../words.ts';
import { STATE_OF_REGION, TITLES } from './abbreviated-words.ts';
import { abbreviationRules } from './abbreviations.ts';
import { acronymRules } from './acronyms.ts';
import { fractionUnitRules, measureRules, openUnitRule, slashedFractionUnitRule, temperatureRules } from './amounts.ts';
import { spellDigits, verbalizeCardinal, verbalizeNumber } from './cardinals.ts';
import { signedTelephoneRules, telephoneRules } from './dashed-numbers.ts';
import { digitDateRules, monthRules, timeRules } from './dates.ts';
import {
  exchangeRateRule,
  letteredMoneyRules,
  moneyRules,
  perPeriodRule,
  priceUnitRule,
  rentPeriodRule,
  trailingMoneyRules,
} from './money.ts';
import { plainNumberRules, signedNumberRules, specialNumberRules } from './numbers.ts';
import { AMBIGUOUS_STATES, houseNumberRules, partyRules, placeRules, SHORTENED_STATES } from './places.ts';
import { digitSerialRules, modelRules, otherNumeralRules, romanRules, serialRules, verseRules } from './serials.ts';
import { handleRules, signRules, webRules } from './signs.ts';
import tables from './tables.txt' with { type: 'text' };

/** Context of a boundary: longer than any abbreviation with its brackets. */
const TAIL_LENGTH = 24;

const NEVER_FINAL = wordSet(findTable(tables, 'never final'));
const STATES: ReadonlySet<string> = new Set([...Object.keys(SHORTENED_STATES), ...Object.keys(AMBIGUOUS_STATES)]);
/** Names that end in an exclamation mark. */
const EXCLAIMED = /\b(?:Yahoo|Yum|Jeopardy|Panic|Wham|Oklahoma|Moulin Rouge)!$/;
/** "At 6 p.m. Mr. Lee spoke.", "In Feb. Smith left." */
const OPENING_TIME =
  /^(?:About|After|Around|At|Before|By|In|On|Since|Until)\s(?:\d{1,2}(?::\d{2})?\s[ap]\.m|Jan|Feb|Aug|Sept|Oct|Nov|Dec)\.$/;
/** A sentence with a lowercase start: "iPhone sales rose", "b) It is too late". */
const SMALL_START = /^(?:\p{Ll}{1,6}\p{Lu}|\(?[a-z]\)\s)/u;
const BEFORE_SMALL_START = /(?<=[.!?]["'”’)\]]{0,3})\s{1,40}(?=\d|[a-z]{1,6}[A-Z]|\(?[a-z]\)\s{1,4}\p{Lu})/gu;
const BEFORE_A_NUMBER = wordSet(findTable(tables, 'before a number'));
/** These end a sentence only if the next one begins with a typical first word. */
const RARELY_FINAL = wordSet(findTable(tables, 'rarely final'));
const SENTENCE_STARTERS = wordSet(findTable(tables, 'sentence starters'));
const STARTS_WITH_MONTH = /^(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)/;
/** "Salem, Ore.": within a sentence a comma would follow. */
const STATE_AFTER_TOWN = /\p{Lu}[\p{L}.'’-]{0,20},\s[\p{L}.]{2,6}$/u;
const AFTER_A_CLOCK_TIME =
  /^\(|^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|^(?:Mon|Tues?|Weds?|Thu(?:rs?)?|Fri|Sat|Sun)[.\s]|^(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)\b|^(?:January|February|March|April|August|September|October|November|December)|^(?:[ECMP][SD]?T|AK[SD]T|HST|GMT|UTC|BST|CES?T|EES?T|[IJK]ST|A[EW][SD]T|ACST|NZ[SD]T|EAT|WAT|MSK|SGT|HKT)\b|^(?:Eastern|Central|Mountain|Pacific|Local)\b/;

/** @returns offsets without surrounding white space */
function splitEnglishSentences(text: string): { start: number; end: number }[] {
  const sentences: { start: number; end: number }[] = [];
  for (const next of segmentSentences(text, 'en').flatMap((bounds) => splitAtLowercaseStarts(text, bounds))) {
    const last = sentences.at(-1);
    if (last && isContinued(text, last, next)) last.end = next.end;
    else sentences.push({ ...next });
  }
  return sentences;
}

interface Bounds {
  readonly start: number;
  readonly end: number;
}

/** For Unicode a sentence begins with a capital, or with a number before a capital. */
function splitAtLowercaseStarts(text: string, { start, end }: Bounds): Bounds[] {
  const parts: Bounds[] = [];
  let from = start;
  for (const gap of text.slice(start, end).matchAll(BEFORE_SMALL_START)) {
    parts.push({ start: from, end: start + gap.index });
    from = start + gap.index + gap[0].length;
  }
  return [...parts, { start: from, end }];
}

/** Ends that do not end a sentence before some starts. */
const CONTINUATIONS: readonly (readonly [end: RegExp, start: RegExp])[] = [
  // "The 6:05 a.m. Amtrak train"
  [/\b(?:the|an?|this|that|its)\s\d{1,2}(?::\d\d)?\s[ap]\.m\.$/i, /^/],
  // "Pub. L. 111-148", "Fed. R. Civ. P. 12"
  [/\bPub\.$/, /^L\.(?:$|\s?(?:No\.\s?)?\d)/],
  [/\b(?:Pub|P)\.\s?L\.$/, /^No\./],
  [/\bR\.\s?(?:App|Civ|Crim|Evid|Bankr)\.$/, /^/],
  // "the 6th c. B.C."
  [/\d(?:st|nd|rd|th)\sc\.$/, /^(?:B\.?C|A\.?D|C\.?E)/],
  // "No. Calif.", "the N.Y. Times"
  [/\b(?:No|So|Cent)\.$/, new RegExp(`^${STATE_OF_REGION}`)],
  [/\b(?:N\.Y|L\.A|Wash)\.$/, /^(?:Times|Post|Daily|Herald)\b/],
  [/\b(?:Ct|App)\.$/, /^(?:of\s|Judge|Div)/],
  [/\bMass\.$/, /^Gen\./],
  // "Miami, N.C. State and Duke"
  [/\b(?:N\.[CDM]|S\.[CD])\.$/, /^State\b/],
  [/\bCir\.$/, /^Ct\./],
  // ", pub. 1925"
  [/[,(;]\s?(?:pub|rel|repr|prod|comp|inc)\.$/, /^(?:1\d|20)\d\d/],
  // "Sat. 10 a.m."
  [/(?:^|[\s–-])(?:Mon|Tues?|Weds?|Thurs?|Fri|Sat|Sun)\.$/, /^\d/],
  // "by 1.6 pct. pts. (95% …)"
  [/\b(?:pts?|pct|hrs?|mins?|secs?|yds?|ft|lbs?|oz|mi|mos?|yrs?|wks?|est|approx)\.$/, /^\(/],
  // "an 85-in. TV", "the 10-yr. Treasury"
  [/\d-(?:in|ft|oz|lb|yd|gal|mi|sq|mo|wk|yr|hr|min|sec|qt|pt|ton|cal|ga|ac|ct)\.$/, /^/],
  // "2 hrs. 15 min."
  [/\d\s?(?:hrs?|mins?|yrs?|ft|lbs?)\.$/, /^\d{1,3}\s?(?:mins?|secs?|mos?|in|oz)\b/],
];

function isContinued(text: string, last: Bounds, next: Bounds): boolean {
  const tail = text.slice(Math.max(last.start, last.end - TAIL_LENGTH), last.end);
  const head = text.slice(next.start, Math.min(next.end, next.start + TAIL_LENGTH));
  // The number of a list item or stray punctuation is no sentence.
  if (last.end - last.start <= 5 && /^\(?(?:\d{1,3}|[a-zA-Z])[.)]+$/.test(tail)) return true;
  if (!/[\p{L}\p{N}]/u.test(head) && next.end - next.start <= TAIL_LENGTH) return /^[\p{P}\s]+$/u.test(head);
  if (/^[&+,;)/]/.test(head)) return true;
  // "Stop!" he said. And: Yahoo! said it would comply.
  const startsSmall = /^\p{Ll}/u.test(head) && !SMALL_START.test(head);
  if (/(?:[!?]|[!?…,.]["'”’)\]]{1,3})$/u.test(tail) && startsSmall) return true;
  if (EXCLAIMED.test(tail)) return !SENTENCE_STARTERS.has(getFirstWord(head));
  if (/(?:\.\.\.|…)$/.test(tail)) return /^[\p{Ll}\d]/u.test(head);
  if (OPENING_TIME.test(tail)) return last.end - last.start <= TAIL_LENGTH;
  // "Gen. (Ret.) Mark Hale"
  if (/\.\s\([Rr]e[st]\.\)$/.test(tail)) return /^\p{Lu}/u.test(head) && !SENTENCE_STARTERS.has(getFirstWord(head));
  if (/\b(?:near|at|from)\smi\.$/.test(tail)) return /^\d/.test(head);
  if (/\bSo\.\sCal\.$/.test(tail)) return !SENTENCE_STARTERS.has(getFirstWord(head));
  // "Sinner d. Alcaraz 6-4"
  if (/\p{L}\)?\sd\.$/u.test(tail)) return /^(?:\[\d{1,2}\]\s)?\p{Lu}[\p{L}.'’-]{1,20}\s(?:\p{Lu}|\d)/u.test(head);
  // "2 mi. N of Hwy. 501"
  if (/^[NSEW]{1,2}\sof\s|^(?:Mon|Tues?|Weds?|Thurs?|Fri|Sat|Sun)\.(?:\s|$)/.test(head)) return true;
  if (CONTINUATIONS.some(([end, start]) => end.test(tail) && start.test(head))) return true;
  const abbreviation = /(?:^|[\s("'“‘[/–-])([\p{L}.]{1,12})\.$/u.exec(tail)?.[1];
  return abbreviation !== undefined && isInsideSentence(abbreviation, tail, head);
}

function isInsideSentence(abbreviation: string, tail: string, head: string): boolean {
  const lower = abbreviation.toLowerCase();
  const startsAnew = SENTENCE_STARTERS.has(getFirstWord(head));
  if (lower === 'st') return !(startsAnew && /\p{Lu}[\p{L}'-]*\s+St\.$/u.test(tail));
  // "EST" is a time zone, "est." an estimate.
  if (NEVER_FINAL.has(lower)) return !/^\p{Lu}{3,}$/u.test(abbreviation);
  if (STATES.has(abbreviation))
    return /^(?:\(|\d{5}(?!\d))/.test(head) || (!startsAnew && !STATE_AFTER_TOWN.test(tail));
  if (isTitle(abbreviation)) return !(/^(?:card|con|const|min|tech|med|hist|econ|app)$/.test(lower) && startsAnew);
  if (BEFORE_A_NUMBER.has(lower) && !/^\p{Lu}$/u.test(abbreviation))
    return /^(?:['’‘]?\d|(?:[A-H]|[IVX]{1,6})(?!\p{L})|[A-Z]{1,4}-?\d)/u.test(head);
  if (/^\p{Ll}$/u.test(abbreviation)) return /^\d/.test(head) || (/^[bd]$/.test(lower) && STARTS_WITH_MONTH.test(head));
  if (lower === 'a.m' || lower === 'p.m') return AFTER_A_CLOCK_TIME.test(head);
  if (RARELY_FINAL.has(lower)) return !startsAnew;
  // "James T. Kirk", "J.K. Rowling", but "Vitamin C. It helps."
  return /^\p{Lu}(?:\.\p{Lu})*$/u.test(abbreviation) && !startsAnew;
}

/** "Sen." or "SEN.", but not the end of "10 reps." */
function isTitle(abbreviation: string): boolean {
  const name = abbreviation.charAt(0) + abbreviation.slice(1).toLowerCase();
  return Object.hasOwn(TITLES, name);
}

function getFirstWord(head: string): string {
  return /^["'“‘(]?([\p{L}'’]+)/u.exec(head)?.[1]?.toLowerCase() ?? '';
}

/** espeak-ng spells words with transliterated or Vietnamese letters: "ḥadīth", "chả". */
const markedLetterRule = rule(/[\p{L}\p{M}]{0,40}[\u1e00-\u1eff][\p{L}\p{M}]{0,40}/u, ([word]) =>
  word.normalize('NFD').replace(/\p{M}/gu, ''),
);

/** The first matching rule wins: specific rules precede general ones. */
const DIGIT_RULES: readonly NormalizationRule[] = [
  createNumberTailRule({ spellDigits }),
  ...webRules,
  ...digitDateRules,
  ...verseRules,
  ...timeRules,
  ...telephoneRules,
  ...houseNumberRules,
  ...trailingMoneyRules,
  slashedFractionUnitRule,
  ...temperatureRules,
  ...measureRules,
  ...modelRules,
  ...specialNumberRules,
  ...digitSerialRules,
  ...plainNumberRules,
];
const LETTER_RULES: readonly NormalizationRule[] = [
  ...webRules,
  createChemicalRule(verbalizeNumber),
  ...monthRules,
  ...partyRules,
  ...placeRules,
  openUnitRule,
  priceUnitRule,
  ...abbreviationRules,
  ...letteredMoneyRules,
  rentPeriodRule,
  ...romanRules,
  ...serialRules,
  ...acronymRules,
  ...otherNumeralRules,
  markedLetterRule,
];
const SIGN_RULES: readonly NormalizationRule[] = [
  ...moneyRules,
  ...signedTelephoneRules,
  ...signedNumberRules,
  ...fractionUnitRules,
  perPeriodRule,
  exchangeRateRule,
  ...handleRules,
  ...signRules,
  ...otherNumeralRules,
];

const findUnpronounceable = createUnpronounceableFinder(
  'en',
  (characters) => `a ${verbalizeCardinal(characters)}-character code`,
);

/** A lowercase word before a sign that ends it. */
const PLAIN_WORD = /[a-z]{1,40}(?=[ ,;!?])/y;
const ABBREVIATIONS = wordSet(findTable(tables, 'abbreviations'));
const MONTH_START = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/;

export const english: Language = {
  code: 'en',
  extraLetters: '',
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

/** Separates the spoken forms of signs and digits from adjacent words: "45°N", "3.5e4". */
function separateTokens(sentence: string, tokens: readonly NormalizedToken[]): NormalizedToken[] {
  return tokens.map((token, index) => {
    const previous = tokens[index - 1];
    // Most tokens stand beside a space.
    if (previous === undefined || previous.spoken === ' ' || token.spoken === ' ') return token;
    const touches = /[\p{L}\p{N}]$/u.test(previous.spoken.slice(-2)) && /^[\p{L}\p{N}]/u.test(token.spoken);
    if (!touches || isInsideWord(sentence, token.start)) return token;
    return { ...token, spoken: ` ${token.spoken}` };
  });
}

function isInsideWord(sentence: string, at: number): boolean {
  return /^[\p{L}\p{M}'’]{2}$/u.test(sentence.slice(at - 1, at + 1));
}

/** Excludes abbreviations and words that begin like a month. */
function findPlainWordEnd(sentence: string, at: number): number | undefined {
  PLAIN_WORD.lastIndex = at;
  const word = PLAIN_WORD.exec(sentence)?.[0];
  if (!word || ABBREVIATIONS.has(word) || MONTH_START.test(word)) return undefined;
  return at + word.length;
}
