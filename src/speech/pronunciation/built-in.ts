import { capitalize } from '../../capitalize.ts';
import germanNames from './de/names.tsv' with { type: 'text' };
import { readHeteronyms } from './en/heteronyms.ts';
import names from './en/names.tsv' with { type: 'text' };
import { findUnlistedNames, isKnownEnglishWord } from './en/unlisted-names.ts';
import spanishNames from './es/names.tsv' with { type: 'text' };
import frenchNames from './fr/names.tsv' with { type: 'text' };
import { createTableMatcher, createWordMatcher, type TableEntry, type WordMatcher } from './word-matcher.ts';

/** UTF-16 offsets, `end` exclusive. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/** Where a pronunciation comes from: an entry of the site or the installation, or what the language brings along. */
export type PronunciationSource = 'ssml' | 'formula' | 'entry' | 'dictionary' | 'heteronym' | 'origin' | 'cmudict';

/** A word with a pronunciation of its own. */
export interface RespelledWord extends Place {
  /** In English; other languages have `ipa`. */
  readonly respelling?: string;
  /** In Britain, where more than the accent differs. */
  readonly britishRespelling?: string;
  readonly ipa?: string;
  readonly source: PronunciationSource;
  /** The language whose letters the rules read. */
  readonly origin?: string;
}

/** Finds words whose pronunciation a language brings along, in order; they do not overlap. */
export type FindRespelledWords = (text: string) => readonly RespelledWord[];

/** Letters that keep their stroke when their accents are removed. */
const plainLetters: Readonly<Record<string, string>> = {
  ł: 'l',
  Ł: 'L',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ı: 'i',
  ß: 'ss',
};
/** Names with a capital and without an accent, most of 30,000, have no other form. */
const namesWithOtherForms = /^(?![A-Z][ -~]*\t)([^\t\n]+)\t(.+)$/gm;
const noWords: FindRespelledWords = () => [];
/** English names as newsreaders say them, in the phonemes that espeak-ng uses for the language. */
const englishNames: Readonly<Record<string, string>> = { de: germanNames, es: spanishNames, fr: frenchNames };
const finders = new Map<string, FindRespelledWords>();

/** Read at first use: most processes never speak. */
let findNames: WordMatcher<TableEntry> | undefined;

/** @param language BCP 47 primary code */
export function getBuiltInPronunciations(language: string | undefined): FindRespelledWords {
  if (language === 'en') return findEnglishWords;
  const table = englishNames[language ?? ''];
  if (language === undefined || table === undefined) return noWords;
  const find = finders.get(language) ?? createNameFinder(table, language);
  finders.set(language, find);
  return find;
}

function createNameFinder(table: string, language: string): FindRespelledWords {
  const entries = readEntries(table).flatMap(([word, ipa]) => {
    const name = { word, matchCase: true as const, ipa };
    const isGenitive = language === 'de' && !/[sxz]$/.test(ipa);
    return isGenitive ? [name, { ...name, word: `${word}s`, ipa: `${ipa}s` }] : [name];
  });
  const find = createWordMatcher(entries);
  return (text) => find(text).map(({ entry: { ipa }, start, end }) => ({ start, end, ipa, source: 'dictionary' }));
}

function readEntries(table: string): (readonly [word: string, spoken: string])[] {
  return table.split('\n').flatMap((line) => {
    const tab = line.indexOf('\t');
    return tab < 1 ? [] : [[line.slice(0, tab), line.slice(tab + 1)] as const];
  });
}

/** Names and loanwords, heteronyms that are part of none, and what rules of origin or CMUdict say of the other names. */
function findEnglishWords(text: string): RespelledWord[] {
  findNames ??= createTableMatcher(names, listOtherForms(names));
  const found = findNames(text).map(({ entry: { value }, start, end }): RespelledWord => {
    return { start, end, respelling: value, source: 'dictionary' };
  });
  const heteronyms = excludeOverlaps(readHeteronyms(text), found).map(
    (word): RespelledWord => ({ ...word, source: 'heteronym' }),
  );
  const known = [...found, ...heteronyms].sort((a, b) => a.start - b.start);
  return [...known, ...excludeOverlaps(findUnlistedNames(text), known)].sort((a, b) => a.start - b.start);
}

/** Both in order. @returns the words that overlap none of the others, in linear time */
export function excludeOverlaps<Word extends Place>(words: readonly Word[], others: readonly Place[]): Word[] {
  let next = 0;
  return words.filter(({ start, end }) => {
    while ((others[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next += 1;
    return (others[next]?.start ?? Number.POSITIVE_INFINITY) >= end;
  });
}

/**
 * A name is found without its accents, too, unless that is another entry or an English word ("Éric", not "Eric"), and a loanword
 * with a capital, as at the start of a sentence.
 */
function listOtherForms(table: string): TableEntry[] {
  return [...table.matchAll(namesWithOtherForms)].flatMap(([, word = '', value = '']) => {
    const bare = removeAccents(word);
    const forms = bare === word || isKnownEnglishWord(bare) ? [word] : [word, bare];
    return forms.flatMap((form) => [form, capitalize(form)]).map((form) => ({ word: form, matchCase: true, value }));
  });
}

function removeAccents(word: string): string {
  return word
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[łŁøØđĐıß]/g, (letter) => plainLetters[letter] ?? letter);
}
