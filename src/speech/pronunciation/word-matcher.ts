import { ELISION } from '../normalize/language.ts';

/** A word or phrase to be found in texts. */
export interface WordEntry {
  readonly word: string;
  readonly matchCase: boolean;
}

/** An entry and where it stands: UTF-16 offsets, `end` exclusive. */
interface WordMatch<Entry extends WordEntry> {
  readonly entry: Entry;
  readonly start: number;
  readonly end: number;
}

/** Finds entries in a text, in order; they do not overlap. */
export type WordMatcher<Entry extends WordEntry> = (text: string) => WordMatch<Entry>[];

/** A text to be searched: folded, with the place of each unit in the original; −1 inside a character. */
interface FoldedText {
  readonly text: string;
  readonly offsets: Int32Array | undefined;
}

/** A letter with its accents is one, however it is encoded; so is a run of spaces. Jamo compose with each other. */
const CHARACTER = /\s+|[\u1100-\u11ff]+|[\s\S]\p{M}*/gu;
const NEEDS_FOLDING = /[^\x20-\x7e]| {2}/;
/** Letters without marks of their own, whose capitals do not depend on their neighbors. */
const LATIN = /^[\x20-\x7e\u00a0-\u024f’]*$/;

export const WORD = /[\p{L}\p{M}\p{N}\p{Pc}]/u;
/** Belongs to what stands before it. */
const EXTENDS = /\u200c|\u200d|[\p{M}\p{Emoji_Modifier}]/u;
/** Scripts that are written without spaces: any character may begin a word. */
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** The possessive is no part of the name: "Nike's". */
const POSSESSIVE = /^['’]s(?![\p{L}\p{M}\p{N}\p{Pc}])/iu;
const ELIDED = new RegExp(`(?:^|[^\\p{L}\\p{M}\\p{N}])${ELISION}$`, 'iu');
const CONTEXT_UNITS = 6;
const tab = 9;

/** Words in the order of their UTF-16 units: the words with a common start are a range of places. */
interface SortedWords<Entry> {
  readonly count: number;
  /** @returns NaN after the end of the word */
  unitAt(place: number, depth: number): number;
  /** @returns the entry for what a text has, among places of the same word that begin with `low` */
  findEntry(low: number, high: number, written: string): Entry | undefined;
}

/**
 * Of entries that begin at the same place the longest counts, of the same word the one with the same capitals, else the
 * one that comes last in the list. Takes a time that grows with the text and the longest word, and with the logarithm of the
 * number of entries.
 */
export function createWordMatcher<Entry extends WordEntry>(entries: readonly Entry[]): WordMatcher<Entry> {
  return entries.length === 0 ? () => [] : createSortedMatcher([sortWords(entries, foldWord)], fold);
}

/** A word and what a table has after it. */
export interface TableEntry extends WordEntry {
  readonly value: string;
}

/**
 * As `createWordMatcher`, for words of a large table that match case.
 * @param table lines `word<TAB>value`, sorted by UTF-16 units; it is searched as it is, since a list of 30,000 entries takes
 *   40 ms of CPU time and 3.5 MB of each worker
 * @param others words that the table may lack
 */
export function createTableMatcher(table: string, others: readonly TableEntry[]): WordMatcher<TableEntry> {
  return createSortedMatcher([readTable(table), sortWords(others, normalizeWord)], normalizeText);
}

function sortWords<Entry extends WordEntry>(
  entries: readonly Entry[],
  toKey: (word: string) => string,
): SortedWords<Entry> {
  const words = entries.map(({ word }) => toKey(word));
  const order = Array.from(words.keys()).sort((a, b) => compareUnits(words[a] ?? '', words[b] ?? ''));
  const wordAt = (place: number) => words[order[place] ?? 0] ?? '';
  return {
    count: entries.length,
    unitAt: (place, depth) => wordAt(place).charCodeAt(depth),
    findEntry: (low, high, written) => {
      let exact: Entry | undefined;
      let anyCase: Entry | undefined;
      for (let place = low; place < high && wordAt(place) === wordAt(low); place += 1) {
        const entry = entries[order[place] ?? 0];
        if (entry?.matchCase === false) anyCase = entry;
        else if (entry !== undefined && normalizeWord(entry.word) === written) exact = entry;
      }
      return exact ?? anyCase;
    },
  };
}

function readTable(table: string): SortedWords<TableEntry> {
  const starts = [0];
  for (let end = table.indexOf('\n'); end >= 0 && end + 1 < table.length; end = table.indexOf('\n', end + 1)) {
    starts.push(end + 1);
  }
  const startAt = (place: number) => starts[place] ?? 0;
  return {
    count: starts.length,
    unitAt: (place, depth) => {
      const unit = table.charCodeAt(startAt(place) + depth);
      return unit === tab ? Number.NaN : unit;
    },
    findEntry: (low) => {
      const start = startAt(low);
      const valueStart = table.indexOf('\t', start) + 1;
      const end = table.indexOf('\n', valueStart);
      const value = table.slice(valueStart, end < 0 ? undefined : end);
      return { word: table.slice(start, valueStart - 1), matchCase: true, value };
    },
  };
}

function createSortedMatcher<Entry extends WordEntry>(
  lists: readonly SortedWords<Entry>[],
  toSearched: (text: string) => FoldedText,
): WordMatcher<Entry> {
  const finders = lists.map((list) => createFinder(list));
  return (text) => {
    const searched = toSearched(text);
    const matches: WordMatch<Entry>[] = [];
    for (let at = 0; at < searched.text.length; ) {
      const start = toOriginalOffset(searched, at);
      let longest: FoundWord<Entry> | undefined;
      if (start >= 0 && !isInsideWord(text, start)) {
        for (const find of finders) {
          const word = find(text, searched, at, start);
          if (word !== undefined && word.next > (longest?.next ?? at)) longest = word;
        }
      }
      if (longest !== undefined) matches.push({ entry: longest.entry, start, end: longest.end });
      at = longest?.next ?? at + 1;
    }
    return matches;
  };
}

interface FoundWord<Entry> {
  readonly entry: Entry;
  /** In the original text, exclusive. */
  readonly end: number;
  /** In the searched text. */
  readonly next: number;
}

/** @returns a function that finds the longest word of a list at a place of a text */
function createFinder<Entry extends WordEntry>({ count, unitAt, findEntry }: SortedWords<Entry>) {
  /** Most words of a text end here. */
  const rangeByFirstUnit = new Map<number, [number, number]>();
  for (let place = 0; place < count; place += 1) {
    const unit = unitAt(place, 0);
    rangeByFirstUnit.set(unit, [rangeByFirstUnit.get(unit)?.[0] ?? place, place + 1]);
  }

  /** @returns the first place from `low` to `high` whose word, with the same `depth` units before, has this one or a later one */
  const findPlace = (low: number, high: number, depth: number, unit: number) => {
    let [first, end] = [low, high];
    while (first < end) {
      const middle = (first + end) >>> 1;
      if (unitAt(middle, depth) >= unit) end = middle;
      else first = middle + 1;
    }
    return first;
  };

  return (text: string, searched: FoldedText, first: number, start: number): FoundWord<Entry> | undefined => {
    const range = rangeByFirstUnit.get(searched.text.charCodeAt(first));
    if (range === undefined) return;
    let longest: FoundWord<Entry> | undefined;
    let [low, high] = range;
    for (let at = first; at < searched.text.length; at += 1) {
      const depth = at - first;
      if (depth > 0) {
        const unit = searched.text.charCodeAt(at);
        low = findPlace(low, high, depth, unit);
        high = findPlace(low, high, depth, unit + 1);
      }
      if (low === high) break;
      // The words that end at this depth come first.
      if (!Number.isNaN(unitAt(low, depth + 1))) continue;
      const end = toOriginalOffset(searched, at + 1);
      if (end < 0 || isInsideWord(text, end)) continue;
      const entry = findEntry(low, high, normalizeWord(text.slice(start, end)));
      if (entry !== undefined) longest = { entry, end, next: at + 1 };
    }
    return longest;
  };
}

/** @returns the same for all ways to write a word: capitals, composed or not, kind of apostrophe and space */
export function foldWord(word: string): string {
  if (!NEEDS_FOLDING.test(word)) return word.toLowerCase();
  return LATIN.test(word) ? normalizeWord(word).toUpperCase().toLowerCase() : fold(word).text;
}

/** @returns the key of a word for entries that match case */
export function normalizeWord(word: string): string {
  return word.replace(/\s+/g, ' ').replaceAll('’', "'").normalize('NFC');
}

function fold(text: string): FoldedText {
  if (!NEEDS_FOLDING.test(text)) return { text: text.toLowerCase(), offsets: undefined };
  // By way of the capitals: ß and ss are one, and so are σ and ς.
  return mapCharacters(text, (character) => normalizeWord(character).toUpperCase().toLowerCase());
}

/** As `fold`, but with its capitals. */
function normalizeText(text: string): FoldedText {
  return NEEDS_FOLDING.test(text) ? mapCharacters(text, normalizeWord) : { text, offsets: undefined };
}

function mapCharacters(text: string, change: (character: string) => string): FoldedText {
  const runs: string[] = [];
  const offsets: number[] = [];
  for (const { 0: character, index } of text.matchAll(CHARACTER)) {
    const run = change(character);
    runs.push(run);
    for (let unit = 0; unit < run.length; unit += 1) offsets.push(unit === 0 ? index : -1);
  }
  return { text: runs.join(''), offsets: Int32Array.from([...offsets, text.length]) };
}

function toOriginalOffset({ offsets }: FoldedText, at: number): number {
  return offsets === undefined ? at : (offsets[at] ?? -1);
}

/** By UTF-16 units, as places are searched. */
function compareUnits(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Whether what stands before and after an offset is one word, as Unicode has it (UAX #29), but for "'s" and "l'". */
function isInsideWord(text: string, offset: number): boolean {
  if (offset <= 0 || offset >= text.length) return false;
  const before = getCharacterBefore(text, offset);
  const after = getCharacterAt(text, offset);
  if (EXTENDS.test(after) || before === '\u200d') return true;
  if (WORD.test(before) && WORD.test(after)) return !(SPACELESS.test(before) || SPACELESS.test(after));
  if (WORD.test(before)) {
    const beyond = getCharacterAt(text, offset + after.length);
    return isWordJoiner(before, after, beyond) && !POSSESSIVE.test(text.slice(offset, offset + CONTEXT_UNITS));
  }
  if (!WORD.test(after)) return false;
  const beyond = getCharacterBefore(text, offset - before.length);
  return isWordJoiner(beyond, before, after) && !ELIDED.test(text.slice(Math.max(0, offset - CONTEXT_UNITS), offset));
}

/** "can't", "example.com", "1,000" */
function isWordJoiner(left: string, sign: string, right: string): boolean {
  if (/['’.]/.test(sign)) return WORD.test(left) && WORD.test(right);
  return sign === ',' && /\p{N}/u.test(left) && /\p{N}/u.test(right);
}

export function getCharacterAt(text: string, offset: number): string {
  const code = text.codePointAt(offset);
  return code === undefined ? '' : String.fromCodePoint(code);
}

export function getCharacterBefore(text: string, offset: number): string {
  if (offset <= 0) return '';
  const code = text.codePointAt(offset - 2);
  return offset >= 2 && code !== undefined && code > 0xffff ? String.fromCodePoint(code) : text.charAt(offset - 1);
}
