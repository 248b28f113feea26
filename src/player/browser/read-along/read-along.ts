import { createFollow } from './follow.ts';
import { createMarks } from './marks.ts';
import { findPassages } from './passages.ts';

/** A sentence with its time in the audio, as the timings beside an MP3 have it. */
export interface Segment {
  index: number;
  start_ms: number;
  end_ms: number;
  text: string;
  kind: string;
}

/** Shows in the page's own text what is spoken. */
export interface ReadAlong {
  /**
   * @param index of the segment that is spoken; undefined for none. From the first one on a click on a sentence picks it: before
   *   a reader has begun to listen, a click in an article starts no sound.
   */
  show(index: number | undefined): void;
  /** Takes the mark away and hears no more clicks. */
  end(): void;
}

/** A second click within it makes a double click, which selects a word and picks nothing. */
const doubleClickMs = 250;
const ownClicks =
  'button,input,select,textarea,audio,video,iframe,a[href],area,label,summary,[contenteditable],[role=button],[role=link],[onclick],lectern-player';

/** The one that spoke last: where areas of several overlap, a click is meant for it. */
let latest: { area: Element } | undefined;

/**
 * @param area element with the article's text; nothing in it is changed
 * @param onPick told the index of a segment that the reader clicked on
 */
export function readAlong(segments: readonly Segment[], area: Element, onPick: (index: number) => void): ReadAlong {
  const listening = new AbortController();
  const { signal } = listening;
  const passages = findPassages(
    segments.map(({ text }) => text ?? ''),
    area,
  );
  const mark = createMarks(area);
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
      // What lies over the text is not the text.
      if (!(target instanceof Node && range?.intersectsNode(target))) return false;
      return [...range.getClientRects()].some(isOn);
    });
    if (segment === undefined) return;
    picking = setTimeout(() => isSelecting() || onPick(segment.index), doubleClickMs);
  };
  area.addEventListener('click', pick, { signal });

  return {
    show: (index) => {
      const passage = segments.findIndex((segment) => segment.index === index);
      const range = passage < 0 ? undefined : passages.at(passage);
      mark(range);
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
