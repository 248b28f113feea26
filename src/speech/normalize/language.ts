export type LeftOutWordReason = 'code' | 'foreign script';

/** A run of a sentence and the words it is spoken as. Tokens follow each other and cover the sentence. */
export interface NormalizedToken {
  /** The words that are said, punctuation kept ("twelve dollars,"); empty where a sign is silent. */
  readonly spoken: string;
  /** UTF-16 offsets into the sentence's text, `end` exclusive. */
  readonly start: number;
  readonly end: number;
  /** Why a word is silent that has letters. */
  readonly leftOutReason?: LeftOutWordReason;
}

/** What one language adds to the pipeline. */
export interface Language {
  /** BCP 47 primary code. */
  readonly code: string;
  /** Letters beside a to z; undefined: unknown. */
  readonly extraLetters?: string;
  /** Every noun has a capital, not only names. */
  readonly capitalizesNouns?: boolean;
  /** Where the sentences of a block begin and end: UTF-16 offsets, `end` exclusive, whitespace outside. */
  splitSentences(text: string): { start: number; end: number }[];
  /** A sentence as spoken words: numbers, signs and abbreviations written out. */
  normalize(sentence: string): NormalizedToken[];
}

/** What is said for a range of text that begins where the rule was applied. */
interface RuleMatch {
  readonly spoken: string;
  /** UTF-16 offset after the range. */
  readonly end: number;
}

/** Reads the text at an offset, or leaves it to the next rule, in bounded time. */
export type NormalizationRule = (text: string, at: number) => RuleMatch | undefined;

/** Visible characters before or after a match. */
const CONTEXT_LENGTH = 48;

/** Where a match stands, for rules that look around it. */
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
 * A rule for what `pattern` matches exactly at the offset.
 * `pattern` has no unbounded repetition, so that the time is linear.
 */
export function rule(
  pattern: RegExp,
  verbalize: (match: RegExpExecArray, place: MatchContext) => string | undefined,
): NormalizationRule {
  const sticky = new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, '')}y`);
  return (text, at) => {
    sticky.lastIndex = at;
    const match = sticky.exec(text);
    if (!match) return undefined;
    const end = at + match[0].length;
    const spoken = verbalize(match, new MatchContext(text, at, end));
    return spoken === undefined ? undefined : { spoken, end };
  };
}

/** A full stop where the one of an abbreviation also ended the sentence; otherwise nothing. */
export function sentenceStop(match: string, place: MatchContext): string {
  return match.endsWith('.') && /^["'”’)\]\s]*$/.test(place.after) ? '.' : '';
}

/**
 * Each digit by itself: "095" → "zero nine five". Anything that is no digit is passed over.
 * @param ones the words for 0 to 9, perhaps more behind them
 */
export function digitsToWords(written: string, ones: readonly string[]): string {
  return Array.from(written.replace(/\D/g, ''), (digit) => ones[Number(digit)] ?? '').join(' ');
}

/**
 * A table written as `key = value; key = value`. Keys and values are trimmed.
 * @throws Error for an entry that is none, such as after a missing semicolon
 */
export function parseTable(entries: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    entries.split(';').map((entry) => {
      const [, key, value] = /^(.+?) = (.+)$/.exec(entry.trim()) ?? [];
      if (key === undefined || value === undefined || value.includes(' = ')) {
        throw new Error(`Not an entry "key = value" of a table: ${entry.trim()}`);
      }
      return [key, value];
    }),
  );
}

/** Articles and the like that lose their vowel before a word and are no part of it, as a part of patterns: "l’Oréal". */
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

/** @returns the digits of a Roman numeral, undefined for letters that are none: "XIV" → "14" */
export function parseRomanNumeral(numeral: string): string | undefined {
  if (numeral === '' || !CANONICAL.test(numeral)) return undefined;
  let value = 0;
  for (let index = 0; index < numeral.length; index += 1) {
    const here = VALUES[numeral.charAt(index)] ?? 0;
    const next = VALUES[numeral.charAt(index + 1)] ?? 0;
    value += here < next ? -here : here;
  }
  return String(value);
}
