import type { LeftOutWordReason, NormalizedToken } from './language.ts';

/** Scripts that espeak-ng pronounces in every voice. It spells all others character by character ("Chinese letter"). */
const COMMON_SCRIPTS = [
  ...['Latin', 'Greek', 'Armenian', 'Georgian', 'Hangul'],
  ...['Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Tamil', 'Kannada', 'Sinhala'],
];
/** ISO 15924 codes of scripts that a language writes beside those, as Unicode names them. */
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
/** Characters. Shorter codes, like part numbers, are spelled. */
const MIN_CODE_LENGTH = 25;
/** Characters. The longest words of German and Welsh have fewer than 85 letters. */
const MAX_WORD_LENGTH = 100;
/** Changes between letter and digit, or from a small letter to a capital, by character: words in camel case have fewer. */
const MIN_CODE_CHANGES = 0.2;
const CODE_CANDIDATE = new RegExp(`[\\p{L}\\p{M}\\p{N}+/=_-]{${MIN_CODE_LENGTH},}`, 'gu');
const CODE_CHANGE = /\p{Ll}(?=\p{Lu})|\p{L}(?=\p{N})|\p{N}(?=\p{L})/gu;
const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;
const LONGER_THAN_WORDS = new RegExp(`(?:[\\p{L}\\p{N}]\\p{M}*){${MAX_WORD_LENGTH + 1}}`, 'u');
/** Scripts that put no spaces between words. */
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Finds the words of a sentence that no voice of a language can pronounce, as pieces in order. */
export type UnpronounceableFinder = (sentence: string) => readonly NormalizedToken[];

/**
 * Codes (hashes, base64, keys) get a short form; words of a script that voices of the language only spell are silent.
 * @param language BCP 47 primary code
 * @param codeName the short form of a code of so many characters; none: codes are silent, too
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
      .filter((piece) => {
        const isApart = piece.start >= end;
        if (isApart) end = piece.end;
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
  // What touches the word on both sides must not become one word.
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

/** @returns undefined for a language whose script nobody knows */
function buildForeignScriptPattern(language: string): RegExp | undefined {
  const script = findScript(language);
  if (script === undefined) return undefined;
  const scripts = [...COMMON_SCRIPTS, 'Common', 'Inherited', ...(SCRIPT_NAMES[script] ?? [])];
  const readable = scripts.map((name) => `\\p{Script=${name}}`).join('');
  const letter = `[\\p{L}--[${readable}]]`;
  // Marks, numerals, and signs like the Japanese long vowel go with the letters they stand between.
  return new RegExp(`${letter}(?:[${letter}\\p{M}\\p{Lm}・]|[\\p{N}\\p{Zs}\\p{P}]{1,3}(?=${letter}))*`, 'gv');
}

function findScript(language: string): string | undefined {
  try {
    return new Intl.Locale(language).maximize().script;
  } catch {
    return undefined;
  }
}
