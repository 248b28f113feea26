import { capitalize } from '../../capitalize.ts';
import germanNames from './de/names.tsv' with { type: 'text' };
import heteronymWeights from './en/heteronym-weights.tsv' with { type: 'text' };
import heteronymTable from './en/heteronyms.txt' with { type: 'text' };
import names from './en/names.tsv' with { type: 'text' };
import { findUnlistedNames, isKnownEnglishWord } from './en/unlisted-names.ts';
import spanishNames from './es/names.tsv' with { type: 'text' };
import frenchNames from './fr/names.tsv' with { type: 'text' };
import { type AccentedRespelling, splitAccents } from './respelling.ts';
import { createTableMatcher, createWordMatcher, type TableEntry, type WordMatcher } from './word-matcher.ts';

/** UTF-16 offsets, `end` exclusive. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/** Where a pronunciation comes from: an entry of the site or the installation, or what the language brings along. */
export type PronunciationSource = 'ssml' | 'formula' | 'entry' | 'dictionary' | 'heteronym' | 'origin' | 'cmudict';

/** A word with a pronunciation of its own. */
export interface RespelledWord extends Place, Partial<AccentedRespelling> {
  /** In languages other than English. */
  readonly ipa?: string;
  readonly source: PronunciationSource;
  /** The language whose letters the rules read. */
  readonly origin?: string;
}

/** Finds words whose pronunciation a language brings along, in order; they do not overlap. */
type FindRespelledWords = (text: string) => readonly RespelledWord[];

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
  return finders.getOrInsertComputed(language, () => createNameFinder(table, language));
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

/** A form such as "read" and its two senses, chosen by its neighbours with weights learned from examples. */
export interface Heteronym {
  readonly form: string;
  readonly senses: readonly [Sense, Sense];
  /** The form whose examples hold for it, too: "bow" for "bows". */
  readonly base: string;
}

interface Sense extends AccentedRespelling {
  readonly name: string;
}

/** A word or a sign of a sentence. */
export interface ContextToken {
  readonly text: string;
  /** UTF-16 offset. */
  readonly start: number;
}

/** A heteronym in a text: UTF-16 offsets, `end` exclusive. */
interface HeteronymReading extends AccentedRespelling {
  readonly start: number;
  readonly end: number;
}

/** @returns the index of the sense that the features speak for */
type HeteronymModel = (features: readonly string[]) => 0 | 1;

const TOKEN = /[\p{L}\p{M}\p{N}]+(?:['’]\p{L}+)?|[^\s\p{L}\p{M}\p{N}]/gu;
/** A neighbour within this distance counts by its place, a further one by its presence. */
const maxNeighbourDistance = 2;
const maxNearbyDistance = 8;
const auxiliaryHave = /^(?:ha(?:s|ve|d)(?:n't)?|.*'ve)$/;
const modal =
  /^(?:(?:can|could|may|might|must|shall|should|will|would|do|does|did|to|let)(?:n't)?|won't|cannot|.*'(?:ll|d))$/;
const sentenceSign = /^[.;:!?^]$/;
const weightUnit = 0.05;

const byForm = new Map(parseHeteronyms(heteronymTable).map((heteronym) => [heteronym.form, heteronym]));

/** @param anyCase whether a form with a capital is found for a word without one */
export function findHeteronym(word: string, anyCase = false): Heteronym | undefined {
  const heteronym = byForm.get(word) ?? byForm.get(word.toLowerCase());
  if (heteronym !== undefined || !anyCase) return heteronym;
  return byForm.get(capitalize(word.toLowerCase()));
}

function parseHeteronyms(text: string): Heteronym[] {
  const rows = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' '));
  const forms = new Set(rows.map(([form]) => form));
  return rows.map(([form = '', name = '', respelling = '', otherName = '', otherRespelling = '']) => {
    const senses = [
      { name, ...splitAccents(respelling) },
      { name: otherName, ...splitAccents(otherRespelling) },
    ] as const;
    const stem = form.replace(/(?:s|ing|ed)$/, '');
    return { form, senses, base: name !== 'noun' && forms.has(stem) ? stem : form };
  });
}

/** Whether a form uses the weights that all noun–verb pairs share. */
export function isNounOrVerb({ senses }: Heteronym): boolean {
  return senses[0].name === 'noun' && senses[1].name === 'verb';
}

export function tokenizeContext(text: string): ContextToken[] {
  return [...text.matchAll(TOKEN)].map(({ 0: token, index }) => ({ text: token, start: index }));
}

/**
 * @param heteronym undefined: any noun or verb
 * @returns the features of a token; those of one form have its base and `|` in front
 */
export function describeContext(tokens: readonly ContextToken[], index: number, heteronym?: Heteronym): string[] {
  const word = (at: number): string => {
    if (at < 0) return '^';
    const text = tokens[at]?.text;
    if (text === undefined) return '$';
    return /^\p{N}/u.test(text) ? '#' : text.toLowerCase().replace('’', "'");
  };
  const shared = [word(index).endsWith('s') ? 'bias~s' : 'bias'];
  for (let distance = 1; distance <= maxNeighbourDistance; distance += 1) {
    for (const side of [-distance, distance]) {
      const neighbour = word(index + side);
      shared.push(`${side}=${neighbour}`);
      if (neighbour.length > 3) shared.push(`${side}~${neighbour.slice(-3)}`, `${side}~${neighbour.slice(-2)}`);
    }
  }
  shared.push(`-2-1=${word(index - 2)}_${word(index - 1)}`, `-1+1=${word(index - 1)}_${word(index + 1)}`);
  const preceding = [-4, -3, -2, -1].map((side) => word(index + side));
  const clause = preceding.slice(preceding.findLastIndex((word) => sentenceSign.test(word)) + 1);
  if (clause.some((word) => auxiliaryHave.test(word))) shared.push('have');
  if (clause.some((word) => modal.test(word))) shared.push('modal');
  const before = tokens[index - 1]?.text ?? '';
  if (/^\p{Lu}/u.test(before) && index > 1) shared.push('-1^');
  if (/^\p{Lu}/u.test(tokens[index]?.text ?? '')) shared.push(/^$|[.:"“(]/.test(before) ? 'first^' : 'inner^');
  if (heteronym === undefined) return shared;

  const perForm = ['bias', ...shared.filter((feature) => /^(?:-1|1)=|\^$|^(?:have|modal)$/.test(feature))];
  for (let at = index - maxNearbyDistance; at <= index + maxNearbyDistance; at += 1) {
    if (at !== index && word(at).length > 2) perForm.push(`near=${word(at)}`);
  }
  const ownFeatures = [...new Set([...(isNounOrVerb(heteronym) ? [] : shared), ...perForm])];
  return [...(isNounOrVerb(heteronym) ? shared : []), ...ownFeatures.map((feature) => `${heteronym.base}|${feature}`)];
}

export function createHeteronymModel(weights: ReadonlyMap<string, number>): HeteronymModel {
  return (features) => (features.reduce((sum, feature) => sum + (weights.get(feature) ?? 0), 0) > 0 ? 1 : 0);
}

/** One line for the features of a form or of all: the form or `*`, then features and weights in units of 0.05. */
export function formatWeights(weights: ReadonlyMap<string, number>): string {
  const byOwner = Map.groupBy(weights, ([feature]) =>
    feature.includes('|') ? feature.slice(0, feature.indexOf('|')) : '*',
  );
  const lines = [...byOwner].sort(([one], [other]) => (one < other ? -1 : 1));
  return `${lines
    .map(([owner, features]) => {
      const sorted = features.sort(([one], [other]) => (one < other ? -1 : 1));
      const parts = sorted.map(([feature, weight]) => [
        feature.slice(owner === '*' ? 0 : owner.length + 1),
        Math.round(weight / weightUnit),
      ]);
      return [owner, ...parts.flat()].join('\t');
    })
    .join('\n')}\n`;
}

function parseWeights(text: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [owner = '', ...parts] = line.split('\t');
    for (let index = 0; index + 1 < parts.length; index += 2) {
      const feature = owner === '*' ? (parts[index] ?? '') : `${owner}|${parts[index]}`;
      weights.set(feature, Number(parts[index + 1]) * weightUnit);
    }
  }
  return weights;
}

/** Read at the first heteronym: the weights take 40 ms. */
let chooseSense: HeteronymModel | undefined;

/** @returns the heteronyms of an English text and how each is said, in order */
function readHeteronyms(text: string): HeteronymReading[] {
  const tokens = tokenizeContext(text);
  return tokens.flatMap(({ text: word, start }, index) => {
    const heteronym = findHeteronym(word);
    if (heteronym === undefined) return [];
    chooseSense ??= createHeteronymModel(parseWeights(heteronymWeights));
    const { name: _name, ...spoken } = heteronym.senses[chooseSense(describeContext(tokens, index, heteronym))];
    return [{ start, end: start + word.length, ...spoken }];
  });
}
