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
  'a[href],area,button,input,select,textarea,label,summary,audio,video,iframe,[contenteditable],[role=button],[role=link],[onclick],lectern-player';

/** The one that spoke last: where areas of several overlap, a click is meant for it. */
let latest: { area: Element } | undefined;

/**
 * @param area element with the article's text; nothing in it is changed
 * @param onPick told the index of a segment that the reader clicked on
 */
export function readAlong(
  segments: readonly Segment[],
  area: Element,
  onPick: (index: number) => void,
): ReadAlong {
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

  const pick = (event: MouseEvent): void => {
    clearTimeout(picking);
    if (!hasBegun || !isPlain(event)) return;
    if (latest !== self && latest?.area.contains(event.target as Node)) return;
    const { clientX, clientY } = event;
    const passage = passageAt(clientX, clientY);
    if (passage === undefined) return;
    picking = setTimeout(() => {
      const segment = segments[passage];
      if (segment !== undefined && !isSelecting()) onPick(segment.index);
    }, doubleClickMs);
  };
  const passageAt = (x: number, y: number): number | undefined => {
    const point = caretAt(x, y);
    if (point === undefined) return undefined;
    const passage = passages.around(point.node, point.offset);
    // The text next to an empty place is not what was clicked on.
    const boxes = passage === undefined ? [] : (passages.at(passage)?.getClientRects() ?? []);
    const isOn = Array.from(boxes).some(
      ({ left, right, top, bottom }) => x >= left && x <= right && y >= top && y <= bottom,
    );
    return isOn ? passage : undefined;
  };
  area.addEventListener('click', (event) => pick(event as MouseEvent), { signal });

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

function isPlain(event: MouseEvent): boolean {
  const { button, detail, altKey, ctrlKey, metaKey, shiftKey, defaultPrevented } = event;
  const [target] = event.composedPath();
  return (
    button === 0 &&
    detail < 2 &&
    !(altKey || ctrlKey || metaKey || shiftKey || defaultPrevented) &&
    target instanceof Element &&
    target.closest(ownClicks) === null &&
    !isSelecting()
  );
}

function isSelecting(): boolean {
  return getSelection()?.isCollapsed === false;
}

function caretAt(x: number, y: number): { node: Node; offset: number } | undefined {
  const position = document.caretPositionFromPoint?.(x, y);
  if (position != null) return { node: position.offsetNode, offset: position.offset };
  // Safari.
  const range = document.caretRangeFromPoint?.(x, y);
  return range == null ? undefined : { node: range.startContainer, offset: range.startOffset };
}
