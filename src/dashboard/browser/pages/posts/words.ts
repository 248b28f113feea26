import type { TextMark } from '../../components/written-field.tsx';

/** A word in a text. */
export interface PlacedWord extends TextMark {
  readonly word: string;
}

/** @returns the positions of words in a text, in order; without HTML tags */
export function findWords(text: string, words: readonly string[]): PlacedWord[] {
  if (words.length === 0) return [];
  // The longest first: one may begin with another.
  const any = words.toSorted((a, b) => b.length - a.length).map((word) => RegExp.escape(word));
  const pattern = new RegExp(`<[^>]*>|(?<![\\p{L}\\p{M}\\p{N}])(?:${any.join('|')})(?![\\p{L}\\p{M}\\p{N}])`, 'gu');
  return [...text.matchAll(pattern)]
    .filter(([found]) => !found.startsWith('<'))
    .map(({ 0: word, index: start }) => ({ word, start, end: start + word.length }));
}

/** @returns the range of text grown to whole words; undefined if it holds none, or more than a name */
export function selectedWord(selection: Selection | null, within: Node | null): Range | undefined {
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  const range = selection.getRangeAt(0).cloneRange();
  const { startContainer: first, endContainer: last } = range;
  if (within?.contains(first) !== true || !within.contains(last)) return undefined;
  if (first instanceof Text) {
    const [before] = /[\p{L}\p{M}\p{N}'’]*$/u.exec(first.data.slice(0, range.startOffset)) ?? [''];
    range.setStart(first, range.startOffset - before.length);
  }
  if (last instanceof Text && range.endOffset > 0) {
    const [after] = /^[\p{L}\p{M}\p{N}'’]*/u.exec(last.data.slice(range.endOffset)) ?? [''];
    // A double click also selects the space after the word.
    const isWhole = /[\p{L}\p{M}\p{N}]$/u.test(last.data.slice(0, range.endOffset));
    range.setEnd(last, range.endOffset + (isWhole ? after.length : 0));
  }
  const word = range.toString().trim();
  return /\p{L}/u.test(word) && word.length <= wordLengthMax && !/[\n.!?]\s/.test(word) ? range : undefined;
}

/** Of an entry. */
const wordLengthMax = 100;
