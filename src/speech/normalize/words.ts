import type { LeftOutWordReason, NormalizationRule, NormalizedToken } from './language.ts';
import { FOOTNOTE_MARKS } from './sentences.ts';

/** espeak-ng truncates longer words. UTF-16 units; at least 2, for surrogate pairs. */
const MAX_WORD_LENGTH = 40;
/** Full-width and mathematical letters, which espeak-ng would spell. */
const COMPATIBILITY_LETTER = /[\uff00-\uffef\u{1d400}-\u{1d7ff}]/u;

/** Splits a word that is too long for espeak-ng. */
export function splitLongWord(word: string, start: number): NormalizedToken[] {
  const tokens: NormalizedToken[] = [];
  // Ends: each iteration takes at least one unit.
  let from = 0;
  while (from < word.length) {
    const to = findTokenEnd(word, from);
    const part = word.slice(from, to);
    const spoken = COMPATIBILITY_LETTER.test(part) ? part.normalize('NFKC') : part;
    const isLast = to === word.length;
    tokens.push({ spoken: isLast ? spoken : `${spoken} `, start: start + from, end: start + to });
    from = to;
  }
  return tokens;
}

function findTokenEnd(word: string, from: number): number {
  const end = Math.min(from + MAX_WORD_LENGTH, word.length);
  const splitsPair = end < word.length && /[\uDC00-\uDFFF]/.test(word.charAt(end));
  return splitsPair ? end - 1 : end;
}

export interface RuleSet {
  readonly digits: readonly NormalizationRule[];
  readonly letters: readonly NormalizationRule[];
  readonly signs: readonly NormalizationRule[];
  readonly unpronounceable: UnpronounceableFinder;
  /** @returns the end of a plain word at an offset: most words, which need no rules */
  findPlainWordEnd?(sentence: string, at: number): number | undefined;
}

const FOOTNOTE = new RegExp(FOOTNOTE_MARKS, 'uy');
const MAX_MARKED_UNITS = 9;
/** A raised number is no power after a word, the end of a sentence, a percentage or "(22 of 44)". */
const FOOTNOTE_BEFORE = /(?:\p{Ll}{4}|\p{Ll}["”’)]|\p{Lu}["”’]|[.,;:!?]["”’)]?|\d ?%|\p{Ll}{2} \d{1,4}\))$/u;

/** Two signs in the code range of accented letters. */
const MULTIPLICATION = 0xd7;
const DIVISION = 0xf7;
const NOTE_AT_WORD_END = /(\p{Ll}{4})[¹²³⁰⁴-⁹]{1,3}$/u;
const WORD = /(?:[\p{L}\p{M}\p{N}'’]|\u200c|\u200d)+/uy;

/** Applies the first matching rule at each offset. Other words stay unchanged; signs without a name are silent. */
export function applyRules(sentence: string, rules: RuleSet): NormalizedToken[] {
  const tokens: NormalizedToken[] = [];
  const unpronounceable = rules.unpronounceable(sentence).values();
  let nextUnpronounceable = unpronounceable.next().value;
  // Ends: each iteration takes at least one character.
  let at = 0;
  while (at < sentence.length) {
    // A longer match, such as a URL, may have included it.
    while (nextUnpronounceable !== undefined && nextUnpronounceable.start < at)
      nextUnpronounceable = unpronounceable.next().value;
    if (nextUnpronounceable?.start === at) {
      tokens.push(nextUnpronounceable);
      at = nextUnpronounceable.end;
      continue;
    }
    const wordEnd = rules.findPlainWordEnd?.(sentence, at);
    const next =
      wordEnd === undefined
        ? applyRulesAt(sentence, at, rules)
        : [{ spoken: sentence.slice(at, wordEnd), start: at, end: wordEnd }];
    for (const token of next) tokens.push(token);
    at = next.at(-1)?.end ?? sentence.length;
  }
  return separateNumbers(sentence, tokens);
}

/** Puts a space where a silent sign beside a digit would join words: "(2)(b)", "2\"-3\"", but not "the 520's". */
function separateNumbers(sentence: string, tokens: readonly NormalizedToken[]): NormalizedToken[] {
  return tokens.map((token, index) => {
    const previous = tokens[index - 1]?.spoken;
    if (token.spoken !== '' || previous === undefined || previous === '' || !/[\p{L}\p{N}]$/u.test(previous))
      return token;
    let next = index + 1;
    while (tokens[next]?.spoken === '') next += 1;
    const touches = /^[\p{L}\p{N}]/u.test(tokens[next]?.spoken ?? '');
    const isBesideDigit =
      /\p{N}/u.test(sentence.charAt(token.start - 1)) || /\p{N}/u.test(sentence.charAt(tokens[next]?.start ?? 0));
    return touches && isBesideDigit && !/['’]/.test(sentence.charAt(token.start)) ? { ...token, spoken: ' ' } : token;
  });
}

/**
 * @param pattern sticky
 * @param others words that match the pattern and need rules
 */
export function createPlainWordFinder(
  pattern: RegExp,
  others: ReadonlySet<string>,
): NonNullable<RuleSet['findPlainWordEnd']> {
  return (sentence, at) => {
    pattern.lastIndex = at;
    const word = pattern.exec(sentence)?.[0];
    return word === undefined || others.has(word) ? undefined : at + word.length;
  };
}

/** @returns the end of footnote marks */
function findFootnoteEnd(sentence: string, at: number): number | undefined {
  if (
    !/[[¹²³⁰⁴-⁹]/.test(sentence.charAt(at)) ||
    !FOOTNOTE_BEFORE.test(sentence.slice(Math.max(0, at - MAX_MARKED_UNITS), at))
  )
    return undefined;
  FOOTNOTE.lastIndex = at;
  return FOOTNOTE.test(sentence) ? FOOTNOTE.lastIndex : undefined;
}

function applyRulesAt(sentence: string, at: number, rules: RuleSet): NormalizedToken[] {
  const footnoteEnd = findFootnoteEnd(sentence, at);
  if (footnoteEnd !== undefined) return [createToken(sentence, sentence.slice(at, footnoteEnd), at, 'footnote')];
  for (const normalizationRule of selectRules(sentence.charCodeAt(at), rules)) {
    const reading = normalizationRule(sentence, at);
    if (reading && reading.end > at) return [{ spoken: reading.spoken, start: at, end: reading.end }];
  }
  WORD.lastIndex = at;
  const word = WORD.exec(sentence)?.[0].replace(NOTE_AT_WORD_END, '$1');
  if (word) return splitLongWord(word, at);
  const end = at + String.fromCodePoint(sentence.codePointAt(at) ?? 0).length;
  return [{ spoken: '', start: at, end }];
}

function selectRules(code: number, { digits, letters, signs }: RuleSet): readonly NormalizationRule[] {
  if (code >= 0x30 && code <= 0x39) return digits;
  const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code > 0xbf;
  const isSign = (code >= 0x2000 && code <= 0x2bff) || code === MULTIPLICATION || code === DIVISION;
  return isLetter && !isSign ? letters : signs;
}

/** Scripts that espeak-ng pronounces in every voice. It spells others by character ("Chinese letter"). */
const COMMON_SCRIPTS = [
  ...['Latin', 'Greek', 'Armenian', 'Georgian', 'Hangul'],
  ...['Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Tamil', 'Kannada', 'Sinhala'],
];
/** Unicode names by ISO 15924 code of further scripts. */
const SCRIPT_NAMES: Readonly<Record<string, readonly string[]>> = {
  Arab: ['Arabic'],
  Cyrl: ['Cyrillic'],
  Ethi: ['Ethiopic'],
  Hans: ['Han'],
  Hant: ['Han'],
  Hebr: ['Hebrew'],
  Jpan: ['Han', 'Hiragana', 'Katakana'],
  Khmr: ['Khmer'],
  Kore: ['Han'],
  Laoo: ['Lao'],
  Mlym: ['Malayalam'],
  Mong: ['Mongolian'],
  Mymr: ['Myanmar'],
  Orya: ['Oriya'],
  Telu: ['Telugu'],
  Thaa: ['Thaana'],
  Thai: ['Thai'],
  Tibt: ['Tibetan'],
};
/** Characters. Shorter codes, such as part numbers, are spelled. */
const MIN_CODE_LENGTH = 25;
/** Characters. The longest words of German and Welsh have fewer than 85 letters. */
const MAX_UNBROKEN_LENGTH = 100;
/** Changes between letters and digits or from lower to upper case, per character; camel case has fewer. */
const MIN_CODE_CHANGES = 0.2;
const CODE_CANDIDATE = new RegExp(`[\\p{L}\\p{M}\\p{N}+/=_-]{${MIN_CODE_LENGTH},}`, 'gu');
const CODE_CHANGE = /\p{Ll}(?=\p{Lu})|\p{L}(?=\p{N})|\p{N}(?=\p{L})/gu;
const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;
const LONGER_THAN_WORDS = new RegExp(`(?:[\\p{L}\\p{N}]\\p{M}*){${MAX_UNBROKEN_LENGTH + 1}}`, 'u');
/** Scripts without spaces between words. */
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** @returns the words that no voice of the language can pronounce, in order */
export type UnpronounceableFinder = (sentence: string) => readonly NormalizedToken[];

/**
 * Codes (hashes, base64, keys) get a short form; words of a script that voices would spell are silent.
 * @param language BCP 47 primary code
 * @param codeName the short form of a code with a number of characters; without it codes are silent
 */
export function createUnpronounceableFinder(
  language: string,
  codeName?: (characters: string) => string,
): UnpronounceableFinder {
  const foreignWords = buildForeignScriptPattern(language);
  return (sentence) => {
    const codes = [...sentence.matchAll(CODE_CANDIDATE)]
      .filter(([run]) => isCode(run))
      .map(({ 0: run, index }) => createToken(sentence, run, index, 'code', codeName));
    if (foreignWords === undefined) return codes;
    const foreign = [...sentence.matchAll(foreignWords)].map(({ 0: run, index }) =>
      createToken(sentence, run, index, 'foreign script'),
    );
    let end = 0;
    return [...codes, ...foreign]
      .sort((one, other) => one.start - other.start)
      .filter((token) => {
        const isApart = token.start >= end;
        if (isApart) end = token.end;
        return isApart;
      });
  };
}

function createToken(
  sentence: string,
  run: string,
  start: number,
  leftOutReason: LeftOutWordReason,
  codeName?: (characters: string) => string,
): NormalizedToken {
  const end = start + run.length;
  if (codeName) return { spoken: codeName(`${[...run.replace(/\p{M}/gu, '')].length}`), start, end };
  // The text on both sides must not become one word.
  const isInside =
    /[\p{L}\p{N}]$/u.test(sentence.slice(Math.max(0, start - 2), start)) &&
    /^[\p{L}\p{N}]/u.test(sentence.slice(end, end + 2));
  return { spoken: isInside ? ' ' : '', start, end, leftOutReason };
}

function isCode(run: string): boolean {
  if (LONGER_THAN_WORDS.test(run)) return !SPACELESS.test(run);
  if (UUID.test(run)) return true;
  const changes = run.match(CODE_CHANGE)?.length ?? 0;
  return /\p{N}/u.test(run) && changes / run.length >= MIN_CODE_CHANGES;
}

/** @returns undefined for a language with an unknown script */
function buildForeignScriptPattern(language: string): RegExp | undefined {
  const script = findScript(language);
  if (script === undefined) return undefined;
  const scripts = [...COMMON_SCRIPTS, 'Common', 'Inherited', ...(SCRIPT_NAMES[script] ?? [])];
  const readable = scripts.map((name) => `\\p{Script=${name}}`).join('');
  const letter = `[\\p{L}--[${readable}]]`;
  // Marks, numerals and signs such as the Japanese long vowel belong to the letters around them.
  return new RegExp(`${letter}(?:[${letter}\\p{M}\\p{Lm}・]|[\\p{N}\\p{Zs}\\p{P}]{1,3}(?=${letter}))*`, 'gv');
}

function findScript(language: string): string | undefined {
  try {
    return new Intl.Locale(language).maximize().script;
  } catch {
    return undefined;
  }
}
