import { align } from './align.ts';
import { type PageWord, pageWords } from './page-words.ts';
import { findWords, normalizeWord } from './words.ts';

/** Signs that belong to the sentence behind or before them. */
const opening = /[\p{Ps}\p{Pi}"'¿¡]*$/u;
const closing = /^[\p{Pe}\p{Pf}\p{Po}"']*/u;
/** By these pages show and hide text. */
const attributeFilter = ['class', 'hidden', 'style', 'open'];

/** A passage in the page, and its text when it was found. */
interface FoundPassage {
  readonly range: Range;
  readonly text: string;
}

/** Passages of the spoken text, where they stand in the page. */
export interface Passages {
  /** @returns where a passage stands now; undefined where the page doesn't have it */
  at(passage: number): Range | undefined;
  end(): void;
}

/**
 * Looks for them when first asked, and again when one is not what it was or the page has changed since it was missed.
 * @param texts of the passages, in the order in which they are spoken
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
