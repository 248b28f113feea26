import { ELISION } from '../normalize/language.ts';
import { createPlaceholder, parseAlias } from './inline-phonemes.ts';

export interface Alias {
  readonly word: string;
  /** Words, with phonemes in `[[…]]`. */
  readonly alias: string;
  readonly matchCase: boolean;
}

/** @returns the aliases that hold for a language of a site; one that is more particular comes later */
export type FindAliases = (siteId: number, language: string) => Promise<readonly Alias[]>;

/** A word that was found, and where it and its alias stand: UTF-16 offsets, ends exclusive. */
interface Replacement {
  readonly entry: Alias;
  /** Phonemes whose places in the text are held by placeholders, in order. */
  readonly ipa: readonly string[];
  readonly start: number;
  readonly end: number;
  readonly replacementStart: number;
  readonly replacementEnd: number;
}

/** A text with aliases in it. */
export interface ReplacedText {
  readonly text: string;
  readonly replacements: readonly Replacement[];
  /** By how many characters it has grown, phonemes included; shorter aliases take nothing off. */
  readonly growth: number;
}

/**
 * Puts aliases into texts.
 * @param room characters by which a text may grow; a word whose alias finds no room any more is said as it is written
 */
export type PronunciationReplacer = (text: string, room?: number) => ReplacedText;

/** What stands at one node of the tree. */
interface TrieEntry {
  folded?: Alias;
  /** By the word as it is written. */
  readonly exact: Map<string, Alias>;
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

const WORD = /[\p{L}\p{M}\p{N}\p{Pc}]/u;
/** Belongs to what stands before it. */
const EXTENDS = /\u200c|\u200d|[\p{M}\p{Emoji_Modifier}]/u;
/** Scripts that are written without spaces: any character may begin a word. */
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** The possessive is no part of the name: "Nike's". */
const POSSESSIVE = /^['’]s(?![\p{L}\p{M}\p{N}\p{Pc}])/iu;
const ELIDED = new RegExp(`(?:^|[^\\p{L}\\p{M}\\p{N}])${ELISION}$`, 'iu');
const CONTEXT_UNITS = 6;

export function noReplacements(text: string): ReplacedText {
  return { text, replacements: [], growth: 0 };
}

/**
 * Of entries that begin at the same place the longest counts, of the same word the one with the same capitals, else the
 * one that comes last in the list. Takes a time that grows with the text and the longest word, not with the entries.
 */
export function createReplacer(entries: readonly Alias[]): PronunciationReplacer {
  const steps = new Map<number, number>();
  const endings = new Map<number, TrieEntry>();
  for (const entry of entries) {
    const { word, matchCase } = entry;
    let node = 0;
    for (const unit of iterateUnits(foldWord(word))) {
      const step = node * UNITS + unit;
      const known = steps.get(step);
      node = known ?? steps.size + 1;
      if (known === undefined) steps.set(step, node);
    }
    const ending = endings.get(node) ?? { exact: new Map<string, Alias>() };
    if (matchCase) ending.exact.set(normalizeWord(word), entry);
    else ending.folded = entry;
    endings.set(node, ending);
  }

  const longestAt = (text: string, folded: FoldedText, first: number) => {
    const start = toOriginalOffset(folded, first);
    if (start < 0 || !steps.has(folded.text.charCodeAt(first)) || isInsideWord(text, start)) return;
    let found: { entry: Alias; start: number; end: number; next: number } | undefined;
    let node: number | undefined = 0;
    for (let at = first; at < folded.text.length; at += 1) {
      node = steps.get(node * UNITS + folded.text.charCodeAt(at));
      if (node === undefined) break;
      const ending = endings.get(node);
      const end = toOriginalOffset(folded, at + 1);
      if (ending === undefined || end < 0 || isInsideWord(text, end)) continue;
      const entry = ending.exact.get(normalizeWord(text.slice(start, end))) ?? ending.folded;
      if (entry !== undefined) found = { entry, start, end, next: at + 1 };
    }
    return found;
  };

  return (text, room = Number.POSITIVE_INFINITY) => {
    if (steps.size === 0) return noReplacements(text);
    const folded = fold(text);
    const replacements: Replacement[] = [];
    let said = '';
    let copied = 0;
    let growth = 0;
    for (let at = 0; at < folded.text.length; ) {
      const found = longestAt(text, folded, at);
      if (found === undefined) {
        at += 1;
        continue;
      }
      const { entry, start, end } = found;
      at = found.next;
      const { left, right } = findMissingSpaces(text, start, end);
      const length = left.length + entry.alias.length + right.length;
      const added = Math.max(0, length - (end - start));
      if (growth + added > room) continue;
      growth += added;
      said += text.slice(copied, start);
      const instead = expandAlias(entry, text.slice(start, end));
      const saidStart = said.length;
      said += left + instead.text + right;
      replacements.push({
        ...{ entry, ipa: instead.ipa, start, end },
        ...{ replacementStart: saidStart, replacementEnd: said.length },
      });
      copied = end;
    }
    return { text: said + text.slice(copied), replacements, growth };
  };
}

/** A sign may stand between letters without a space, with which its replacement would merge. */
function findMissingSpaces(text: string, start: number, end: number): { left: string; right: string } {
  const isBeside = (edge: string, neighbour: string) => !WORD.test(edge) && WORD.test(neighbour);
  return {
    left: isBeside(text.charAt(start), getCharacterBefore(text, start)) ? ' ' : '',
    right: isBeside(text.charAt(end - 1), getCharacterAt(text, end)) ? ' ' : '',
  };
}

function expandAlias({ alias }: Alias, word: string): { text: string; ipa: string[] } {
  if (!alias.includes('[[')) return { text: alias, ipa: [] };
  const capital = /^\p{Lu}/u.test(word);
  const ipa: string[] = [];
  const runs = parseAlias(alias).map((part) => {
    if ('words' in part) return part.words;
    ipa.push(part.ipa);
    return createPlaceholder(part.ipa, capital);
  });
  return { text: runs.join(''), ipa };
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

function getCharacterAt(text: string, offset: number): string {
  const code = text.codePointAt(offset);
  return code === undefined ? '' : String.fromCodePoint(code);
}

function getCharacterBefore(text: string, offset: number): string {
  if (offset <= 0) return '';
  const code = text.codePointAt(offset - 2);
  return offset >= 2 && code !== undefined && code > 0xffff ? String.fromCodePoint(code) : text.charAt(offset - 1);
}
