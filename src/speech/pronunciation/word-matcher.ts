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

/**
 * Of entries that begin at the same place the longest counts, of the same word the one with the same capitals, else the
 * one that comes last in the list. Takes a time that grows with the text and the longest word, and with the logarithm of the
 * number of entries. A tree of 25,000 names would take 60 MB of each worker; a sorted list is searched as if it were one.
 */
export function createWordMatcher<Entry extends WordEntry>(entries: readonly Entry[]): WordMatcher<Entry> {
  const words = entries.map(({ word }) => foldWord(word));
  const order = Array.from(words.keys()).sort((a, b) => compareUnits(words[a] ?? '', words[b] ?? ''));
  const unitAt = (place: number, depth: number) => (words[order[place] ?? 0] ?? '').charCodeAt(depth);

  /** Most words of a text end here. */
  const rangeByFirstUnit = new Map<number, [number, number]>();
  for (const place of order.keys()) {
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

  /** The words that end at this depth come first. */
  const findEntry = (low: number, high: number, depth: number, written: string) => {
    let exact: Entry | undefined;
    let anyCase: Entry | undefined;
    for (let place = low; place < high && words[order[place] ?? 0]?.length === depth; place += 1) {
      const entry = entries[order[place] ?? 0];
      if (entry?.matchCase === false) anyCase = entry;
      else if (entry !== undefined && normalizeWord(entry.word) === written) exact = entry;
    }
    return exact ?? anyCase;
  };

  const longestAt = (text: string, folded: FoldedText, first: number) => {
    const range = rangeByFirstUnit.get(folded.text.charCodeAt(first));
    const start = toOriginalOffset(folded, first);
    if (range === undefined || start < 0 || isInsideWord(text, start)) return;
    let longest: (WordMatch<Entry> & { next: number }) | undefined;
    let [low, high] = range;
    for (let at = first; at < folded.text.length; at += 1) {
      const depth = at - first;
      if (depth > 0) {
        const unit = folded.text.charCodeAt(at);
        low = findPlace(low, high, depth, unit);
        high = findPlace(low, high, depth, unit + 1);
      }
      if (low === high) break;
      if (words[order[low] ?? 0]?.length !== depth + 1) continue;
      const end = toOriginalOffset(folded, at + 1);
      if (end < 0 || isInsideWord(text, end)) continue;
      const entry = findEntry(low, high, depth + 1, normalizeWord(text.slice(start, end)));
      if (entry !== undefined) longest = { entry, start, end, next: at + 1 };
    }
    return longest;
  };

  return (text) => {
    if (entries.length === 0) return [];
    const folded = fold(text);
    const matches: WordMatch<Entry>[] = [];
    for (let at = 0; at < folded.text.length; ) {
      const match = longestAt(text, folded, at);
      if (match !== undefined) matches.push({ entry: match.entry, start: match.start, end: match.end });
      at = match?.next ?? at + 1;
    }
    return matches;
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
  const runs: string[] = [];
  const offsets: number[] = [];
  for (const { 0: character, index } of text.matchAll(CHARACTER)) {
    // By way of the capitals: ß and ss are one, and so are σ and ς.
    const run = normalizeWord(character).toUpperCase().toLowerCase();
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
