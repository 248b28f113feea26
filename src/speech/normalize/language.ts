export type LeftOutWordReason = 'code' | 'footnote' | 'foreign script';

/** A run of a sentence with its spoken form. The tokens of a sentence cover it. */
export interface NormalizedToken {
  /** Spoken words with punctuation ("twelve dollars,"); empty for silent signs. */
  readonly spoken: string;
  /** UTF-16 offsets into the sentence's text, `end` exclusive. */
  readonly start: number;
  readonly end: number;
  /** Why a word with letters is silent. */
  readonly leftOutReason?: LeftOutWordReason;
}

export interface Language {
  /** BCP 47 primary code. */
  readonly code: string;
  /** Letters beside a to z; undefined: unknown. */
  readonly extraLetters?: string;
  /** Not only names have a capital. */
  readonly capitalizesNouns?: boolean;
  /** Bounds of the sentences of a block without surrounding white space: UTF-16 offsets, `end` exclusive. */
  splitSentences(text: string): { start: number; end: number }[];
  /** Writes out numbers, signs and abbreviations. */
  normalize(sentence: string): NormalizedToken[];
}

interface RuleMatch {
  readonly spoken: string;
  /** UTF-16 offset after the match. */
  readonly end: number;
}

/** Normalizes the text at an offset in bounded time; undefined: the next rule applies. */
export type NormalizationRule = (text: string, at: number) => RuleMatch | undefined;

/** Characters before or after a match that a rule sees. */
export const CONTEXT_LENGTH = 48;

/** The text around a match. */
export class MatchContext {
  readonly text: string;
  readonly at: number;
  readonly end: number;

  constructor(text: string, at: number, end: number) {
    this.text = text;
    this.at = at;
    this.end = end;
  }

  get before(): string {
    return this.text.slice(Math.max(0, this.at - CONTEXT_LENGTH), this.at);
  }

  get after(): string {
    return this.text.slice(this.end, this.end + CONTEXT_LENGTH);
  }
}

/**
 * A rule for matches that begin at the offset.
 * @param pattern without unbounded repetition, so that the time is linear
 */
export function rule(
  pattern: RegExp,
  verbalize: (match: RegExpExecArray, place: MatchContext) => string | undefined,
): NormalizationRule {
  // Built at first use: most processes read one or two of the languages.
  let sticky: RegExp | undefined;
  return (text, at) => {
    sticky ??= new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, '')}y`);
    sticky.lastIndex = at;
    const match = sticky.exec(text);
    if (!match) return undefined;
    const end = at + match[0].length;
    const spoken = verbalize(match, new MatchContext(text, at, end));
    return spoken === undefined ? undefined : { spoken, end };
  };
}

/** @returns a full stop if that of the abbreviation also ends the sentence */
export function sentenceStop(match: string, place: MatchContext): string {
  return match.endsWith('.') && /^["'”’)\]\s]*$/.test(place.after) ? '.' : '';
}

/**
 * Spells digits: "095" → "zero nine five". Ignores other characters.
 * @param ones begins with the words for 0 to 9
 */
export function digitsToWords(written: string, ones: readonly string[]): string {
  return Array.from(written.replace(/\D/g, ''), (digit) => ones[Number(digit)] ?? '').join(' ');
}

/** @param tables of a language: each has its name in brackets in a line, and then its entries. @throws Error for an unknown name */
export function findTable(tables: string, name: string): string {
  const table = tables.split(`[${name}]\n`)[1]?.split('\n\n')[0];
  if (table === undefined) throw new Error(`No table ${name}`);
  return table;
}

/**
 * Parses `key = value; key, other key = value`; entries may also be in lines of their own.
 * @throws Error for an invalid entry, such as after a missing semicolon
 */
export function parseTable<Key extends string = string>(entries: string): Readonly<Record<Key, string>> {
  return Object.fromEntries(
    entries
      .trim()
      .split(/;\s*|\n/)
      .flatMap((entry) => {
        const [keys = '', value = '', ...others] = entry.trim().split(' = ');
        if (keys === '' || value === '' || others.length > 0) {
          throw new Error(`Not an entry "key = value" of a table: ${entry.trim()}`);
        }
        return keys.split(/,\s+/).map((key) => [key, value] as const);
      }),
  ) as Record<Key, string>;
}

/** @returns the words between spaces and line ends */
export function parseWords(words: string): string[] {
  return words.trim().split(/\s+/);
}

export function wordSet(words: string): ReadonlySet<string> {
  return new Set(parseWords(words));
}

/** Pattern of elided articles, which are no part of the word: "l’Oréal". */
export const ELISION = "(?:[cdjlmnst]|qu|all|dell|nell|sull|un)['’]";

const VALUES: Readonly<Record<string, number>> = {
  I: 1,
  V: 5,
  X: 10,
  L: 50,
  C: 100,
  D: 500,
  M: 1000,
};
const CANONICAL = /^M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/;

/** @returns "14" for "XIV"; undefined for other letters, and for one that names a group or a class: "Gruppe C" */
export function parseRomanNumeral(numeral: string): string | undefined {
  if (numeral === '' || /^[LCDM]$/.test(numeral) || !CANONICAL.test(numeral)) return undefined;
  let value = 0;
  for (let index = 0; index < numeral.length; index += 1) {
    const here = VALUES[numeral.charAt(index)] ?? 0;
    const next = VALUES[numeral.charAt(index + 1)] ?? 0;
    value += here < next ? -here : here;
  }
  return String(value);
}
