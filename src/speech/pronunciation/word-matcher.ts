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

/** What stands at one node of the tree. */
interface TrieEntry<Entry> {
  folded?: Entry;
  /** By the word as it is written. */
  readonly exact: Map<string, Entry>;
}

/** A text to be searched: folded, with the place of each unit in the original; −1 inside a character. */
interface FoldedText {
  readonly text: string;
  readonly offsets: Int32Array | undefined;
}

/** A letter with its accents is one, however it is encoded; so is a run of spaces. Jamo compose with each other. */
const CHARACTER = /\s+|[\u1100-\u11ff]+|[\s\S]\p{M}*/gu;
const NEEDS_FOLDING = /[^\x20-\x7e]| {2}/;
const UNITS = 0x1_0000;

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
 * one that comes last in the list. Takes a time that grows with the text and the longest word, not with the entries.
 */
export function createWordMatcher<Entry extends WordEntry>(entries: readonly Entry[]): WordMatcher<Entry> {
  const steps = new Map<number, number>();
  const endings = new Map<number, TrieEntry<Entry>>();
  for (const entry of entries) {
    const { word, matchCase } = entry;
    let node = 0;
    for (const unit of iterateUnits(foldWord(word))) {
      const step = node * UNITS + unit;
      const nextNode = steps.get(step);
      node = nextNode ?? steps.size + 1;
      if (nextNode === undefined) steps.set(step, node);
    }
    const ending = endings.get(node) ?? { exact: new Map<string, Entry>() };
    if (matchCase) ending.exact.set(normalizeWord(word), entry);
    else ending.folded = entry;
    endings.set(node, ending);
  }

  const longestAt = (text: string, folded: FoldedText, first: number) => {
    const start = toOriginalOffset(folded, first);
    if (start < 0 || !steps.has(folded.text.charCodeAt(first)) || isInsideWord(text, start)) return;
    let longest: (WordMatch<Entry> & { next: number }) | undefined;
    let node: number | undefined = 0;
    for (let at = first; at < folded.text.length; at += 1) {
      node = steps.get(node * UNITS + folded.text.charCodeAt(at));
      if (node === undefined) break;
      const ending = endings.get(node);
      const end = toOriginalOffset(folded, at + 1);
      if (ending === undefined || end < 0 || isInsideWord(text, end)) continue;
      const entry = ending.exact.get(normalizeWord(text.slice(start, end))) ?? ending.folded;
      if (entry !== undefined) longest = { entry, start, end, next: at + 1 };
    }
    return longest;
  };

  return (text) => {
    if (steps.size === 0) return [];
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
  return fold(word).text;
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

function* iterateUnits(text: string): Generator<number> {
  for (let at = 0; at < text.length; at += 1) yield text.charCodeAt(at);
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
