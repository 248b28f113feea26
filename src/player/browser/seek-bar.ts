import { createElement, setText } from './dom.ts';
import { formatClockTime, formatSpokenTime } from './format-time.ts';
import type { Segment } from './read-along/read-along.ts';
import type { Texts } from './texts.ts';

export interface SeekBar {
  readonly element: HTMLElement;
  /**
   * @param durationS 0 if seeking is not possible
   * @param share of the track that is filled, 0 to 1
   */
  show(texts: Texts, positionS: number, durationS: number, share: number): void;
  /** @param segments empty: unknown */
  setSegments(segments: readonly Segment[]): void;
}

interface SeekBarEvents {
  seek(positionS: number): void;
  /** The listener points at the bar: the segments are needed. */
  reached(): void;
}

/** Narrower paragraphs are merged: a gap must not be wider than what it separates. */
const minPartShare = 0.04;

/**
 * A slider for the position. Its track shows the paragraphs as gaps; pointing at it shows the sentence there, and a click goes
 * to the beginning of that sentence.
 */
export function createSeekBar({ seek, reached }: SeekBarEvents): SeekBar {
  const input = createElement('input', { type: 'range', part: 'seek-bar', step: '0.1' });
  const track = createElement('div', { class: 'track' });
  const bubble = createElement('div', { class: 'bubble', 'aria-hidden': 'true' });
  const element = createElement('div', { class: 'bar' }, track, input, bubble);
  let segments: readonly Segment[] = [];
  /** Ends of the parts of the track, as shares of its length. */
  let ends: readonly number[] = [];
  let isPointing = false;
  bubble.hidden = true;

  const segmentAt = (seconds: number) => segments.findLast(({ start_ms }) => start_ms <= seconds * 1000);
  input.onpointerdown = () => {
    isPointing = true;
  };
  // Keys and assistive technology move by seconds.
  input.onchange = input.onkeydown = () => {
    isPointing = false;
  };
  input.oninput = () => {
    const seconds = Number(input.value);
    const sentence = isPointing ? segmentAt(seconds) : undefined;
    seek(sentence === undefined ? seconds : sentence.start_ms / 1000);
  };
  input.onpointerenter = reached;
  input.onpointerleave = () => {
    bubble.hidden = true;
  };
  input.onpointermove = ({ clientX, pointerType }) => {
    const { left, width } = element.getBoundingClientRect();
    const fromLeft = Math.min(1, Math.max(0, (clientX - left) / width));
    const share = input.matches(':dir(rtl)') ? 1 - fromLeft : fromLeft;
    const seconds = share * Number(input.max);
    const { text = '' } = segmentAt(seconds) ?? {};
    bubble.hidden = input.disabled || pointerType === 'touch';
    bubble.style.setProperty('--x', `${share}`);
    setText(bubble, `${formatClockTime(seconds)}  ${text}`);
  };
  const drawParts = (next: readonly number[]): void => {
    ends = next;
    track.replaceChildren(
      ...next.map((end, index) => {
        const part = createElement('i');
        part.style.flexGrow = `${end - (next[index - 1] ?? 0)}`;
        return part;
      }),
    );
  };
  drawParts([1]);

  return {
    element,
    show: ({ language, format }, positionS, durationS, share) => {
      input.disabled = durationS === 0;
      input.max = `${durationS}`;
      input.value = `${positionS}`;
      ends.forEach((end, index) => {
        const start = ends[index - 1] ?? 0;
        const filled = Math.min(1, Math.max(0, (share - start) / (end - start)));
        (track.children[index] as HTMLElement).style.setProperty('--f', `${filled * 100}%`);
      });
      const spoken = [positionS, durationS].map((seconds) => formatSpokenTime(seconds, language));
      const value = format('of', ...spoken);
      if (input.ariaValueText !== value) input.ariaValueText = value;
      input.ariaLabel = format('position');
    },
    setSegments: (next) => {
      if (next === segments) return;
      segments = next;
      drawParts(findPartEnds(next));
    },
  };
}

/** @returns the ends of the paragraphs as shares of the length, the last one 1 */
function findPartEnds(segments: readonly Segment[]): number[] {
  const lengthMs = segments.at(-1)?.end_ms ?? 0;
  const ends: number[] = [];
  for (const { end_ms, ends_block } of segments) {
    const end = end_ms / lengthMs;
    if (ends_block === true && end - (ends.at(-1) ?? 0) >= minPartShare && 1 - end >= minPartShare) ends.push(end);
  }
  return [...ends, 1];
}
