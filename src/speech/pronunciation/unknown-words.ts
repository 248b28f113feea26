import { ELISION, type NormalizedToken } from '../normalize/language.ts';
import { getLanguage } from '../normalize/languages.ts';
import type { Sentence } from '../sentences.ts';
import { isKnownEnglishWord } from './en/unlisted-names.ts';
import type { PronunciationReplacer } from './replacer.ts';

export interface WordCount {
  readonly word: string;
  readonly count: number;
}

const maxWords = 200;
/** Longer words are no names. */
const maxWordUnits = 60;
/** Longer ones that are written as a known word are that word. */
const maxAcronymUnits = 4;
const CHUNK = /\S+/gu;
/** URLs, handles and hashtags. */
const WEB = /:\/\/|@|^[("“'‘]?(?:#|www\.)|\p{L}\.\p{L}{2}/iu;
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’&][\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*/gu;
/** As in the lexicon, not part of the word: "Nike's", "l’Oréal". */
const POSSESSIVE = /['’]s$/u;
const ELIDED = new RegExp(`^${ELISION}(?=\\p{Lu})`, 'u');
/** After one of these a capital may begin a sentence. */
const OPENING = /(?:^|[:?!…]\s?|[:,]\s?["“„«‘'])$/u;
const ROMAN = /^X{0,3}(?:IX|IV|V?I{0,3})$/;
type NameHint = 'capitals' | 'mixed' | 'foreign' | 'capital';

interface CandidateWord {
  readonly word: string;
  readonly hint: NameHint;
  /** Its capital may be that of the sentence. */
  readonly isFirst: boolean;
}

/**
 * Words that nothing knows and that look like names or acronyms: all capitals, capitals or digits among lowercase letters, letters
 * of other languages, a capital within a sentence at every occurrence. Most frequent first, at most 200. Without spans in
 * other voices and abbreviations that are written out.
 * @param language BCP 47 primary code
 */
export function findUnknownWords(
  sentences: readonly Sentence[],
  language: string,
  lexicon: PronunciationReplacer,
): WordCount[] {
  const findNameHint = createHintFinder(language);
  const counts = new Map<string, { count: number; isCertain: boolean; hint: NameHint }>();
  const lowercaseWords = new Set<string>();
  for (const [index, sentence] of sentences.entries()) {
    if (sentence.language !== undefined) continue;
    const before = sentences[index - 1];
    const continuesSentence = before?.continues === true || before?.continuesInOtherVoice === true;
    for (const { word, hint, isFirst } of collectWords(
      sentence,
      continuesSentence,
      findNameHint,
      lexicon,
      lowercaseWords,
    )) {
      const entry = counts.get(word) ?? { count: 0, isCertain: false, hint };
      entry.count += 1;
      entry.isCertain ||= hint !== 'capital' || !isFirst;
      counts.set(word, entry);
    }
  }
  return [...counts]
    .filter(([, { isCertain }]) => isCertain)
    .filter(([word, { hint }]) => !isKnown(word, hint, language))
    .filter(([word, { hint }]) => hint !== 'capital' || !lowercaseWords.has(word.toLowerCase()))
    .map(([word, { count }]) => ({ word, count }))
    .sort((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1))
    .slice(0, maxWords);
}

function isKnown(word: string, hint: NameHint, language: string): boolean {
  // "WHO" is not "who", but "LONDON" is London.
  const mayBeAcronym = hint === 'capitals' && word.length <= maxAcronymUnits;
  return language === 'en' && !mayBeAcronym && isKnownEnglishWord(word);
}

/** @param lowercaseWords receives words with a lowercase start */
function collectWords(
  { text, tokens }: Sentence,
  continuesSentence: boolean,
  findNameHint: (word: string) => NameHint | undefined,
  lexicon: PronunciationReplacer,
  lowercaseWords: Set<string>,
): CandidateWord[] {
  const isReplaced = createReplacedCheck(text, lexicon);
  const isWrittenOut = createExpandedCheck(tokens);
  const candidates: CandidateWord[] = [];
  let smallWords = 0;
  let hasWord = continuesSentence;
  for (const { 0: chunk, index: chunkStart } of text.matchAll(CHUNK)) {
    if (WEB.test(chunk)) continue;
    for (const { 0: run, index } of chunk.matchAll(WORD)) {
      const start = chunkStart + index;
      const isFirst = !hasWord || OPENING.test(text.slice(Math.max(0, start - 3), start));
      hasWord = true;
      if (run.length > maxWordUnits || isReplaced(start, start + run.length)) continue;
      const word = run.replace(POSSESSIVE, '').replace(ELIDED, '').normalize('NFC');
      if (/^\p{Ll}{4}/u.test(word)) smallWords += 1;
      if (/^\p{Ll}/u.test(word)) lowercaseWords.add(word);
      const hint = findNameHint(word);
      if (hint === undefined || (hint === 'capital' && isWrittenOut(run, start))) continue;
      candidates.push({ word, hint, isFirst });
    }
  }
  // In title case or all caps, capitals mark no names.
  const isTitleCase = smallWords === 0 && candidates.length > 2;
  const isShouted = !/\p{Ll}/u.test(text) && candidates.length > 1;
  return candidates.filter(({ hint }) => !(isTitleCase && hint === 'capital') && !(isShouted && hint === 'capitals'));
}

/** @returns whether an entry replaces text between two offsets, which must not decrease between calls */
function createReplacedCheck(text: string, lexicon: PronunciationReplacer): (start: number, end: number) => boolean {
  const { replacements } = lexicon(text);
  let next = 0;
  return (start, end) => {
    while ((replacements[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next += 1;
    return (replacements[next]?.start ?? Number.POSITIVE_INFINITY) < end;
  };
}

/** @returns whether normalization changes a word, such as "Jan."; offsets must not decrease between calls */
function createExpandedCheck(tokens: readonly NormalizedToken[]): (word: string, start: number) => boolean {
  let next = 0;
  return (word, start) => {
    while ((tokens[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next += 1;
    const token = tokens[next];
    if (token === undefined || token.end < start + word.length) return false;
    return !token.spoken.split(/[^\p{L}\p{M}\p{N}'’&]+/u).includes(word);
  };
}

function createHintFinder(code: string): (word: string) => NameHint | undefined {
  const calendar = getCalendarWords(code);
  const { extraLetters, capitalizesNouns } = getLanguage(code);
  const foreign = extraLetters === undefined ? undefined : new RegExp(`[^a-z${extraLetters}\\p{M}\\p{N}'’&]`, 'iu');
  return (word) => {
    if (/^\p{N}/u.test(word)) return undefined;
    if (/^\p{Lu}[\p{Lu}\p{N}&]+s?$/u.test(word)) return ROMAN.test(word) ? undefined : 'capitals';
    if (/\p{N}|\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}{2}/u.test(word)) return 'mixed';
    if (foreign?.test(word)) return 'foreign';
    const isName = /^\p{Lu}['’]?\p{L}/u.test(word) && !/^I['’]/.test(word) && !calendar.has(word);
    return isName && !capitalizesNouns ? 'capital' : undefined;
  };
}

/** Months and days of the week, which have a capital in some languages. */
function getCalendarWords(language: string): ReadonlySet<string> {
  const [locale] = resolveLocales(language);
  const day = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' });
  const month = new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' });
  const days = Array.from({ length: 7 }, (_, index) => day.format(Date.UTC(2026, 0, 1 + index)));
  const months = Array.from({ length: 12 }, (_, index) => month.format(Date.UTC(2026, index, 15)));
  return new Set([...days, ...months]);
}

function resolveLocales(language: string): string[] {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf([language]);
  } catch {
    return [];
  }
}
