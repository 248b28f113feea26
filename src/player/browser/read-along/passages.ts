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
}

/** The spoken passages and their places on the page. */
export interface Passages {
  /** @returns the current place of a passage; undefined if it is not on the page */
  at(passage: number): Range | undefined;
  end(): void;
}

/**
 * Searches at the first call, and again if the text of a passage has changed, or the page since a failed search.
 * @param texts of the passages, in spoken order
 */
export function findPassages(texts: readonly string[], area: Element): Passages {
  const passages = texts.map((text) => findWords(text).map((word) => normalizeWord(word.text)));
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
      passages.map((passage) => passage.filter((word) => word !== '')),
      words.map(({ even }) => even),
    );
    found = places.map((place) => place && foundAt(words[place.start], words[place.end - 1]));
  };
  const known = (passage: number): Range | undefined => {
    const one = found[passage];
    return one?.range.toString() === one?.text ? one?.range : undefined;
  };
  return {
    at: (passage) => {
      if (known(passage) === undefined) find();
      return known(passage);
    },
    end: () => observer.disconnect(),
  };
}

function foundAt(first: PageWord | undefined, last: PageWord | undefined): FoundPassage | undefined {
  if (first === undefined || last === undefined) return undefined;
  const before = opening.exec(first.first.data.slice(0, first.start))?.[0] ?? '';
  const behind = closing.exec(last.last.data.slice(last.end))?.[0] ?? '';
  const range = new Range();
  range.setStart(first.first, first.start - before.length);
  range.setEnd(last.last, last.end + behind.length);
  return { range, text: range.toString() };
}
