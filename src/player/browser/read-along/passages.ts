import { align } from './align.ts';
import { type PageWord, pageWords } from './page-words.ts';
import { evenWord, wordsIn } from './words.ts';

/** Signs that belong to the sentence behind or before them. */
const opening = /[\p{Ps}\p{Pi}"'¿¡]+$/u;
const closing = /^[\p{Pe}\p{Pf}\p{Po}"']+/u;
/** Attributes by which pages show and hide text. */
const hiding = ['class', 'hidden', 'style', 'open'];

/** A passage in the page, and what its texts were when it was found. */
interface Found {
  readonly passage: number;
  readonly first: Text;
  readonly start: number;
  readonly last: Text;
  readonly end: number;
  readonly firstData: string;
  readonly lastData: string;
  /** Made when it is needed: every range makes changes of the page slower. */
  range?: Range;
}

/** Passages of the spoken text, where they stand in the page. */
export interface Passages {
  /** @returns where a passage stands now; undefined where the page doesn't have it */
  at(passage: number): Range | undefined;
  /** @returns the passage that has a place of the page in it */
  around(node: Node, offset: number): number | undefined;
  end(): void;
}

/**
 * Looks for them when first asked, and again when one is not where it was or the page has changed since it was missed.
 * @param texts of the passages, in the order in which they are spoken
 */
export function findPassages(texts: readonly string[], area: Element): Passages {
  const passages = texts.map((text) =>
    wordsIn(text)
      .map((word) => evenWord(word.text))
      .filter(Boolean),
  );
  /** In the order of the page, which is theirs. */
  let found: Found[] = [];
  let hasChanged = true;
  const observer = new MutationObserver(() => {
    hasChanged = true;
  });
  observer.observe(area, {
    ...{ childList: true, characterData: true, subtree: true },
    attributeFilter: hiding,
  });
  const find = (): void => {
    if (!hasChanged) return;
    hasChanged = false;
    const words = pageWords(area);
    const places = align(
      passages,
      words.map(({ even }) => even),
    );
    found = places.flatMap((place, passage) => {
      const from = words[place?.start ?? -1];
      const to = words[(place?.end ?? 0) - 1];
      return from === undefined || to === undefined ? [] : [foundAt(passage, from, to)];
    });
  };
  const known = (passage: number): Range | undefined => {
    const one = found.find((one) => one.passage === passage);
    return one !== undefined && isThere(one) ? rangeOf(one) : undefined;
  };
  return {
    at: (passage) => {
      const range = known(passage);
      if (range !== undefined) return range;
      find();
      return known(passage);
    },
    around: (node, offset) => {
      if (found.length === 0 || !found.every(isThere)) find();
      let low = 0;
      let high = found.length - 1;
      while (low <= high) {
        const middle = (low + high) >> 1;
        const one = found[middle];
        if (one === undefined || !isThere(one)) return undefined;
        const side = rangeOf(one).comparePoint(node, offset);
        if (side === 0) return one.passage;
        if (side < 0) high = middle - 1;
        else low = middle + 1;
      }
      return undefined;
    },
    end: () => observer.disconnect(),
  };
}

function foundAt(passage: number, from: PageWord, to: PageWord): Found {
  const { first } = from;
  const { last } = to;
  const before = opening.exec(first.data.slice(0, from.start))?.[0].length ?? 0;
  const behind = closing.exec(last.data.slice(to.end))?.[0].length ?? 0;
  const start = from.start - before;
  const end = to.end + behind;
  return { passage, first, start, last, end, firstData: first.data, lastData: last.data };
}

/** A text that was taken out and put back has lost its range. */
function isThere({ first, last, firstData, lastData, range }: Found): boolean {
  const isConnected = first.isConnected && last.isConnected;
  return (
    isConnected &&
    first.data === firstData &&
    last.data === lastData &&
    (range === undefined || (range.startContainer === first && range.endContainer === last))
  );
}

function rangeOf(found: Found): Range {
  if (found.range === undefined) {
    found.range = new Range();
    found.range.setStart(found.first, found.start);
    found.range.setEnd(found.last, found.end);
  }
  return found.range;
}
