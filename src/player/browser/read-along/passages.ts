import { align } from './align.ts';
import { type PageWord, pageWords } from './page-words.ts';
import { findWords, normalizeWord } from './words.ts';

/** Punctuation that belongs to the following or the preceding sentence. */
const opening = /[\p{Ps}\p{Pi}"'¿¡]*$/u;
const closing = /^[\p{Pe}\p{Pf}\p{Po}"']*/u;
/** Attributes that show and hide text. */
const attributeFilter = ['class', 'hidden', 'style', 'open'];

/** A passage on the page, with its text at the time of the search. */
interface FoundPassage {
  readonly range: Range;
  readonly text: string;
  /** Its words; as many as are spoken, unless the page has been edited. */
  readonly words: readonly PageWord[];
}

/** UTF-16 offsets. */
interface TextPart {
  readonly start: number;
  readonly end: number;
}

/** The spoken passages and their places on the page. */
export interface Passages {
  /** @returns the current place of a passage; undefined if it is not on the page */
  at(passage: number): Range | undefined;
  /** @returns the current place of a part of a passage, named by its offsets in the text; undefined if it cannot be told */
  wordAt(passage: number, part: TextPart): Range | undefined;
  end(): void;
}

/**
 * Searches at the first call, and again if the text of a passage has changed, or the page since a failed search.
 * @param texts of the passages, in spoken order
 */
export function findPassages(texts: readonly string[], area: Element): Passages {
  const passages = texts.map((text) =>
    findWords(text).flatMap((word) => {
      const even = normalizeWord(word.text);
      return even === '' ? [] : { ...word, even };
    }),
  );
  let found: readonly (FoundPassage | undefined)[] = [];
  let hasChanged = true;
  const observer = new MutationObserver(() => {
    hasChanged = true;
  });
  const subtree = { subtree: true, childList: true, characterData: true };
  observer.observe(area, { ...subtree, attributeFilter });
  const find = (): void => {
    if (!hasChanged) return;
    hasChanged = false;
    const words = pageWords(area);
    const places = align(
      passages.map((passage) => passage.map(({ even }) => even)),
      words.map(({ even }) => even),
    );
    found = places.map((place) => place && foundAt(words.slice(place.start, place.end)));
  };
  const known = (passage: number): FoundPassage | undefined => {
    const element = found[passage];
    return element?.range.toString() === element?.text ? element : undefined;
  };
  const at = (passage: number): Range | undefined => {
    if (known(passage) === undefined) find();
    return known(passage)?.range;
  };
  return {
    at,
    wordAt: (passage, { start, end }) => {
      const onPage = at(passage) && known(passage)?.words;
      const spoken = passages[passage] ?? [];
      if (onPage?.length !== spoken.length) return undefined;
      const inPassage = onPage.filter(
        (_, index) => (spoken[index]?.start ?? 0) < end && (spoken[index]?.end ?? 0) > start,
      );
      return rangeOf(inPassage);
    },
    end: () => observer.disconnect(),
  };
}

function foundAt(words: readonly PageWord[]): FoundPassage | undefined {
  const range = rangeOf(words);
  if (range === undefined) return undefined;
  const { startContainer, startOffset, endContainer, endOffset } = range;
  const before = opening.exec((startContainer as Text).data.slice(0, startOffset))?.[0] ?? '';
  const behind = closing.exec((endContainer as Text).data.slice(endOffset))?.[0] ?? '';
  range.setStart(startContainer, startOffset - before.length);
  range.setEnd(endContainer, endOffset + behind.length);
  return { range, text: range.toString(), words };
}

/** @returns from the first to the last word; undefined without words */
function rangeOf(words: readonly PageWord[]): Range | undefined {
  const [first] = words;
  const last = words.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const range = new Range();
  range.setStart(first.first, first.start);
  range.setEnd(last.last, last.end);
  return range;
}
