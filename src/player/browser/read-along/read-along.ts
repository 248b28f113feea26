import { createFollow } from './follow.ts';
import { createMarks } from './marks.ts';
import { findPassages } from './passages.ts';

/** A sentence with its times, from the timings of an MP3. */
export interface Segment {
  index: number;
  start_ms: number;
  end_ms: number;
  text: string;
  words?: readonly TimedWord[];
  kind: string;
  /** Last of its paragraph; unknown for timings of an earlier version. */
  ends_block?: boolean;
}

/** A word of a segment, with its offsets in the text. */
export interface TimedWord {
  start: number;
  end: number;
  start_ms: number;
  end_ms: number;
}

/** Highlights the spoken sentence in the text of the page, and the spoken word where it is known. */
export interface ReadAlong {
  /**
   * @param index of the current segment; undefined for none. Clicks on sentences work after the first one: before
   *   playback has started, a click in the article starts no audio.
   * @param word of the segment, to be highlighted in it
   */
  show(index: number | undefined, word?: TimedWord): void;
  /** Removes the highlight and the click handler. */
  end(): void;
}

/** A second click within this time is a double click, which selects a word. */
const doubleClickMs = 250;
const ownClicks =
  'button,input,select,textarea,audio,video,iframe,a[href],area,label,summary,[contenteditable],[role=button],[role=link],[onclick],lectern-player';

/** The instance that was active last: it gets the clicks in overlapping areas. */
let latest: { area: Element } | undefined;

/**
 * @param area element with the text of the article; it is not modified
 * @param onPick called with the index of the clicked segment
 */
export function readAlong(segments: readonly Segment[], area: Element, onPick: (index: number) => void): ReadAlong {
  const listening = new AbortController();
  const { signal } = listening;
  const passages = findPassages(
    segments.map(({ text }) => text ?? ''),
    area,
  );
  const mark = createMarks(area, 'spoken');
  const markWord = createMarks(area, 'word');
  const follow = createFollow(signal);
  const self = { area };
  let hasBegun = false;
  let shown: number | undefined;
  let picking: ReturnType<typeof setTimeout> | undefined;

  const pick = (event: Event): void => {
    clearTimeout(picking);
    if (!hasBegun || !isPlain(event)) return;
    if (latest !== self && latest !== undefined && event.composedPath().includes(latest.area)) return;
    const { clientX: x, clientY: y, target } = event;
    const isOn = ({ left, right, top, bottom }: DOMRect) => x >= left && x <= right && y >= top && y <= bottom;
    const segment = segments.find((_, passage) => {
      const range = passages.at(passage);
      // An element over the text got the click.
      if (!(target instanceof Node && range?.intersectsNode(target))) return false;
      return [...range.getClientRects()].some(isOn);
    });
    if (segment === undefined) return;
    picking = setTimeout(() => isSelecting() || onPick(segment.index), doubleClickMs);
  };
  area.addEventListener('click', pick, { signal });

  return {
    show: (index, word) => {
      const passage = segments.findIndex((segment) => segment.index === index);
      const range = passage < 0 ? undefined : passages.at(passage);
      mark(range);
      markWord(word && passages.wordAt(passage, word));
      if (passage < 0) return;
      hasBegun = true;
      latest = self;
      if (range !== undefined && index !== shown) follow(range);
      shown = index;
    },
    end: () => {
      clearTimeout(picking);
      listening.abort();
      passages.end();
      mark(undefined);
      markWord(undefined);
      if (latest === self) latest = undefined;
    },
  };
}

function isPlain(event: Event): event is MouseEvent {
  const [target] = event.composedPath();
  if (!(event instanceof MouseEvent && target instanceof Element)) return false;
  const { button, detail, altKey, ctrlKey, metaKey, shiftKey } = event;
  const isOther = button > 0 || detail > 1 || altKey || ctrlKey || metaKey || shiftKey;
  return !(isOther || event.defaultPrevented || target.closest(ownClicks) || isSelecting());
}

function isSelecting(): boolean {
  return getSelection()?.isCollapsed === false;
}
