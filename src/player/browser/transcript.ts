import { createButton, createElement, setLabel } from './dom.ts';
import { formatClockTime } from './format-time.ts';
import { drawIcon } from './icons.ts';
import { createMarks } from './read-along/marks.ts';
import type { Segment, TimedWord } from './read-along/read-along.ts';
import type { Texts } from './texts.ts';

/** The text of the audio. In the large layout it is part of the player, else a sheet over the page. */
export interface Transcript {
  readonly isOpen: boolean;
  /** @param button that opens it */
  toggle(button: HTMLElement, asSheet: boolean): void;
  /** @param language of the segments; empty: unknown */
  setSegments(segments: readonly Segment[], texts: Texts, language: string): void;
  show(index: number | undefined, word?: TimedWord): void;
  close(): void;
}

/**
 * @param card of the player
 * @param onPick called with a segment that the listener chose
 */
export function createTranscript(card: HTMLElement, onPick: (segment: Segment) => void): Transcript {
  const title = createElement('h2', { id: 'transcript-title' });
  const close = createButton({ class: 'icon' }, () => self.close(), drawIcon('close'));
  const text = createElement('div', { class: 'text', tabindex: '0', role: 'region', 'aria-labelledby': title.id });
  const panel = createElement('section', { part: 'transcript-panel' }, createElement('header', {}, title, close), text);
  const markWord = createMarks(card, 'word');
  const sentences = new Map<number, HTMLElement>();
  let opener: HTMLElement | undefined;
  let shown: readonly Segment[] | undefined;
  let current: number | undefined;
  panel.ontoggle = (event) => {
    if ((event as ToggleEvent).newState === 'closed') closed();
  };

  const closed = (): void => {
    opener?.setAttribute('aria-expanded', 'false');
    opener = undefined;
    markWord(undefined);
    panel.remove();
  };
  const drawParagraph = (segments: readonly Segment[]): HTMLElement => {
    const [first] = segments;
    if (first === undefined) return createElement('p');
    const time = createButton({}, () => onPick(first), document.createTextNode(formatClockTime(first.start_ms / 1000)));
    const body = createElement('span');
    for (const segment of segments) {
      const sentence = createElement('span', {}, segment.text);
      sentence.onclick = () => getSelection()?.isCollapsed === false || onPick(segment);
      sentences.set(segment.index, sentence);
      body.append(sentence, ' ');
    }
    return createElement('p', { class: /title|heading/.test(first.kind) ? 'head' : '' }, time, body);
  };

  const self: Transcript = {
    get isOpen() {
      return opener !== undefined;
    },
    toggle: (button, asSheet) => {
      if (opener !== undefined) {
        self.close();
        return;
      }
      opener = button;
      panel.className = asSheet ? 'panel float sheet' : 'panel';
      panel.popover = asSheet ? 'auto' : null;
      (asSheet ? card.parentElement : card)?.append(panel);
      if (asSheet) panel.showPopover();
      opener.setAttribute('aria-expanded', 'true');
      const now = current;
      current = undefined;
      self.show(now);
      if (now !== undefined) scrollTo(text, sentences.get(now));
    },
    setSegments: (segments, { format }, language) => {
      title.textContent = format('transcript');
      setLabel(close, format('close'));
      if (segments === shown) return;
      shown = segments;
      text.lang = language;
      current = undefined;
      sentences.clear();
      text.replaceChildren(...groupByBlock(segments).map(drawParagraph));
    },
    show: (index, word) => {
      const sentence = index === undefined ? undefined : sentences.get(index);
      if (index !== current) {
        const isFollowed = isInView(text, current === undefined ? undefined : sentences.get(current));
        current = index;
        for (const [at, element] of sentences) {
          element.className = at === index ? 'now' : index !== undefined && at < index ? 'past' : '';
        }
        if (isFollowed) scrollTo(text, sentence);
      }
      markWord(rangeOf(sentence?.firstChild, word));
    },
    close: () => {
      if (panel.popover === 'auto' && panel.isConnected) panel.hidePopover();
      else closed();
    },
  };
  return self;
}

function groupByBlock(segments: readonly Segment[]): Segment[][] {
  const blocks: Segment[][] = [[]];
  for (const segment of segments) {
    blocks.at(-1)?.push(segment);
    if (segment.ends_block !== false) blocks.push([]);
  }
  return blocks.filter(({ length }) => length > 0);
}

function rangeOf(text: ChildNode | null | undefined, word: TimedWord | undefined): Range | undefined {
  if (!(text instanceof Text) || word === undefined || word.end > text.length) return undefined;
  const range = new Range();
  range.setStart(text, word.start);
  range.setEnd(text, word.end);
  return range;
}

/** A reader who scrolled away is not interrupted. */
function isInView(scroller: Element, sentence: Element | undefined): boolean {
  if (sentence === undefined) return true;
  const view = scroller.getBoundingClientRect();
  const { top, bottom } = sentence.getBoundingClientRect();
  return bottom > view.top && top < view.bottom;
}

/** Scrolls the transcript, never the page. */
function scrollTo(scroller: Element, sentence: Element | undefined): void {
  if (sentence === undefined) return;
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const top = sentence.getBoundingClientRect().top - scroller.getBoundingClientRect().top - scroller.clientHeight / 3;
  scroller.scrollBy({ top, behavior: isCalm ? 'instant' : 'smooth' });
}
