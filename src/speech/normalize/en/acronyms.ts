import {
  findTable,
  type MatchContext,
  type NormalizationRule,
  parseTable,
  parseWords,
  rule,
  sentenceStop,
  wordSet,
} from '../language.ts';
import { isSingle } from '../shared/abbreviations.ts';
import { verbalizeDigitPairs } from './cardinals.ts';
import tables from './tables.txt' with { type: 'text' };

/** Short words that are capitalized for emphasis. */
const EMPHASIZED = wordSet(findTable(tables, 'emphasized'));
/** Acronyms that are pronounced as a word. */
const PRONOUNCED_ACRONYMS = wordSet(findTable(tables, 'pronounced acronyms'));
const SPELLED_ACRONYMS = wordSet(findTable(tables, 'spelled acronyms'));
/** Initialisms with an irregular spoken form. */
const SPECIAL_ACRONYMS = parseTable(findTable(tables, 'special acronyms'));
const PLURAL_SPELLED = /^(?:[A-ZÀ-ÖØ-Þ]{2,5})s$/;

/** Initialisms with lowercase letters. */
const MIXED_CASE = wordSet(findTable(tables, 'mixed case'));

/** α is the first of the consecutive lowercase letters; ς, the 18th, ends words. */
const GREEK_LETTERS = parseWords(findTable(tables, 'greek letters'));
const GREEK_VARIANTS: Readonly<Record<string, string>> = { ϕ: 'phi', ϑ: 'theta', ϵ: 'epsilon', '∆': 'delta' };
export function nameGreekLetter(letter: string): string | undefined {
  const lowercase = letter.normalize('NFKC').toLowerCase();
  return GREEK_VARIANTS[letter] ?? GREEK_LETTERS[(lowercase.codePointAt(0) ?? 0) - 0x3b1];
}

/** Ticker symbols: "(TSLA.O)", "the symbol DJT"; "$GME" begins with a sign. */
const TICKER_BEFORE = /\b(?:symbols?|tickers?)\s(?:is\s)?["“‘']?$/i;

/** Spells initialisms, pronounces acronyms and emphasized words. */
export const acronymRules: readonly NormalizationRule[] = [
  // A bill: "S. 2155"
  rule(/S\.\s(\d{1,4})(?![\d,]|\.\d)/, ([, number = ''], place) =>
    /(?:^|\b(?:and|or|of|bill|as|on|for|against),?\s|\()$/.test(place.before)
      ? `${spellLetters('S')} ${verbalizeDigitPairs(number)}`
      : undefined,
  ),
  rule(
    /(NAACP|NCAA|AAA|FTSE|WWI{1,3}|NSAID|MRSA|ICYMI|NHTSA|AFSCME|ATACMS|HIMARS|JDAM|SAMHSA)(['’]?s)?(?![\p{L}\p{N}])/u,
    ([, letters = '', ending = '']) => SPECIAL_ACRONYMS[letters] + ending,
  ),
  rule(/([A-Z]{2,5})\.([A-Z]{1,2})(?=\))/, ([, letters = '', market = ''], place) =>
    /\((?:[A-Za-z]{2,8}:\s?)?$/.test(place.before) ? `${spellLetters(letters)} dot ${spellLetters(market)}` : undefined,
  ),
  rule(/((?:\p{Lu}\.[ ]?){1,7}\p{Lu})\.(?=\s\p{Lu}\p{Ll})/u, ([, letters = '']) => spellLetters(letters)),
  rule(/((?:\p{Lu}\.){2,9})['’]?s(?![\p{L}\p{N}])/u, ([, letters = '']) => spellWithEnding(letters)),
  rule(/((?:\p{L}\.){1,9}\p{L})\.?(['’]?s)?(?![\p{L}\p{N}])/u, verbalizeDotted),
  rule(/(\p{Lu})\.(?=\s?\p{Lu})/u, ([, letter = ''], place) => (isSingle(place) ? spellLetters(letter) : undefined)),
  // "Plan A.", "an A+"
  rule(/A(?=[+.,;:!?)]|$)/, (_match, place) =>
    /[\p{L}\p{N}]\s["“‘]?$/u.test(place.before) ? spellLetters('A') : undefined,
  ),
  // Grades and ratings: "an A-", "BBB+"
  rule(/(A{1,3}|B{1,3}|C{1,3}|D)([+\-−–])(?=[\s.,;)/]|$)/, ([, letters = '', sign], place) => {
    if (!isSingle(place) || /^\s(?:and|or|to)\s\p{Lu}-\p{L}/u.test(place.after)) return undefined;
    const times = ['', 'double ', 'triple '][letters.length - 1] ?? '';
    return `${times}${spellLetters(letters.charAt(0))} ${sign === '+' ? 'plus' : 'minus'}`.replace('- ', ' ');
  }),
  // "TNF-α", "the Δ9 variant"
  rule(/[α-ωΑ-ΩϕϑϵΩ∆](?![²³\p{Script=Greek}])/u, ([letter], { text, at, end }) => {
    const name = /\p{Script=Greek}/u.test(text.charAt(at - 1)) ? undefined : nameGreekLetter(letter);
    return name && /\p{L}/u.test(text.charAt(end)) ? `${name} ` : name;
  }),
  // "E=mc²"
  rule(
    /(\p{L}{1,3})([²³])(?![\p{L}\p{N}])/u,
    ([, name = '', power]) =>
      `${Array.from(name, (letter) => nameGreekLetter(letter) ?? letter).join(' ')} ${power === '²' ? 'squared' : 'cubed'}`,
  ),
  rule(/\p{L}{2,5}(?=(?:['’]s)?(?![\p{L}\p{N}]))/u, ([letters]) =>
    MIXED_CASE.has(letters) ? spellLetters(letters) : undefined,
  ),
  rule(/([A-ZÀ-ÖØ-Þ]{2,40})(['’]?s)?(?![\p{L}\p{N}])/u, verbalizeCapitals),
];

function verbalizeDotted([written, letters = '', ending]: RegExpExecArray, place: MatchContext): string | undefined {
  if (!isSingle(place)) return undefined;
  const stop = ending ? '' : sentenceStop(written, place);
  return ending ? spellWithEnding(letters) : spellLetters(letters) + stop;
}

function verbalizeCapitals(
  [written, letters = '', ending = '']: RegExpExecArray,
  place: MatchContext,
): string | undefined {
  const isPlural = ending === 's';
  if (isPlural && !PLURAL_SPELLED.test(written)) return undefined;
  if (isSpelled(letters, place)) return ending === '' ? spellLetters(letters) : spellWithEnding(letters);
  // espeak-ng spells some acronyms in capitals.
  if (PRONOUNCED_ACRONYMS.has(letters)) return letters.toLowerCase() + (ending === '' ? '' : "'s");
  return isAllCapitals(place) ? written.toLowerCase() : undefined;
}

function isSpelled(letters: string, place: MatchContext): boolean {
  if (PRONOUNCED_ACRONYMS.has(letters)) return false;
  // "By ANN DOE"
  if (letters.length > 2 && BYLINE.test(place.before)) return false;
  if (isJoinedOrTicker(place)) return true;
  if (isAllCapitals(place))
    return (
      SPELLED_ACRONYMS.has(letters) &&
      !EMPHASIZED.has(letters) &&
      letters !== 'US' &&
      letters !== 'IT' &&
      letters !== 'WHO'
    );
  if (EMPHASIZED.has(letters)) return false;
  if (letters.length <= 3 || SPELLED_ACRONYMS.has(letters)) return true;
  if (letters.length <= 5 && (UNUSUAL_START.test(letters) || UNUSUAL_END.test(letters))) return true;
  return letters.length <= 6 && (!/[AEIOUY]/.test(letters) || UNSPEAKABLE_START.test(letters));
}

const BYLINE = /(?:^|\n)By\s\p{Lu}{2,12}\s(?:\p{Lu}\.\s)?$/u;

/** No English word begins like this: "NFLPA", but "STRONG", "SCHOOL". */
const UNSPEAKABLE_START = /^(?:II|UU)|^(?!S[CPT][HLR]|THR|SHR|PHR|CHR|SCH)[B-DF-HJ-NP-TV-XZ]{3}/;

/** Two consonants with which no English word begins: "NDIS", "BMAT". */
const UNUSUAL_START =
  /^(?:B[CDFGKMNPQSTVWXZ]|C[BDFGJKMNPQSVWXZ]|D[BCDFGJKLMNPQSTVXZ]|F[BCDFGHJKMNPQSTVWXZ]|G[BCDFGJKMPQSTVXZ]|H[B-DF-HJ-NP-TV-XZ]|K[BCDFGJKMPQSTVXZ]|L[BCDFGHJKMNPQRSTVWXZ]|M[BDFGHJKLMPQRSTVWXZ]|N[BCDFGHJKLMNPQRSTVWXZ]|P[BCDFGJKMPQTVWXZ]|R[BCDFGJKLMNPQRSTVWXZ]|S[BDFGJRVXZ]|T[BCDFGJKLMNPQTVXZ]|V[B-DF-HJKMNP-TV-XZ]|W[BCDFGJKLMNPQSTVWXZ]|[XZ][B-DF-HJ-NP-TV-XZ])/;

/** Two consonants with which no English word ends: "UCMJ", "NEJM". */
const UNUSUAL_END =
  /(?:[CDFGHJKNPQSTVWXZ]B|[BCDFGHJKMPQTVWXZ]C|[BCFGHJKMPQSTVXZ]D|[BCDFHJKLMPQSTVWXZ]G|[B-DF-HJ-NP-TV-XZ]J|[BDFGHJMPQTVXZ]K|[BCDFGJKMNPQVXZ]M|[BCDFJKPQSTVXZ]N|[BCDFGHJKNQTVXZ]P|[BCDFGJKMNPQSTVXZ][LR]|[DJKQVZ]T|[BCDGHJKMNPQSTVWXZ]F|[BCDF-HJ-NP-TV-XZ][VW]|[BCDFGHJKLMPQSTVWZ]X|[BCDFGHJKMPQSVX]Z)$/;

/** "mRNA", "SpO" */
export function isMixedCaseInitialism(letters: string): boolean {
  return MIXED_CASE.has(letters);
}

/** Whether letters are pronounced as a word: "NASA". */
export function isPronouncedAsWord(letters: string): boolean {
  return PRONOUNCED_ACRONYMS.has(letters);
}

/** @returns the spoken form of an initialism without context: "FBI" → "F.B.I"; undefined for a word */
export function verbalizeAcronym(letters: string): string | undefined {
  if (!/^[A-Z]{2,6}$/.test(letters) || PRONOUNCED_ACRONYMS.has(letters) || EMPHASIZED.has(letters)) return undefined;
  const isSpelled = letters.length <= 3 || SPELLED_ACRONYMS.has(letters) || !/[AEIOUY]/.test(letters);
  return isSpelled ? (SPECIAL_ACRONYMS[letters] ?? spellLetters(letters)) : undefined;
}

/** Whether a lowercase name, such as in a URL, is an initialism: "fbi", but not "it" and "us". */
export function isKnownInitialism(name: string): boolean {
  return SPELLED_ACRONYMS.has(name.toUpperCase()) && !/^(?:it|us|ok|er)$/i.test(name);
}

/** "AT&T"; "(AAPL)", a ticker symbol. */
function isJoinedOrTicker(place: MatchContext): boolean {
  const textBefore = place.before;
  const textAfter = place.after;
  if (TICKER_BEFORE.test(textBefore) && place.end - place.at <= 5) return true;
  const isShort = place.end - place.at <= 3;
  if (isShort && (/[A-Z]{2}\/$/.test(textBefore) || /^\/[A-Z]{2}/.test(textAfter))) return true;
  if (textBefore.endsWith('&') || textAfter.startsWith('&')) return true;
  return place.end - place.at <= 5 && /\((?:[A-Za-z]{2,8}:\s?)?\^?$/.test(textBefore) && textAfter.startsWith(')');
}

/** In an all-caps headline capitals do not mark an acronym. */
function isAllCapitals(place: MatchContext): boolean {
  const context = `${place.before.slice(-30)} ${place.after.slice(0, 30)}`;
  return !/\p{Ll}/u.test(context) && /[A-Z]{4,}/.test(context);
}

/** "FBI" → "F.B.I": espeak-ng reads letters with dots as one group. */
export function spellLetters(letters: string): string {
  const spelled = [...letters.toUpperCase().replace(/[^\p{L}]/gu, '')];
  if (spelled[0] !== 'A') return spelled.join('.');
  return spelled.length === 1 ? LETTER_A : ZERO_WIDTH_SPACE + spelled.join('.');
}

/** "EVs", "the UK's": after a dot between two letters and an ending espeak-ng would say "dot". */
function spellWithEnding(written: string): string {
  const letters = [...written.toUpperCase().replace(/[^\p{L}]/gu, '')];
  const [first = '', second = ''] = letters;
  if (letters.length !== 2) return `${spellLetters(written)}'s`;
  return `${first === 'A' ? LETTER_A : first} ${second}'s`;
}

/** Without it espeak-ng reads the A in "of A" as the article. */
const ZERO_WIDTH_SPACE = '\u200b';
/** The letter, not the article. */
const LETTER_A = `${ZERO_WIDTH_SPACE}A-`;
