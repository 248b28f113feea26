import { createElement } from './dom.ts';
import { formatSpokenTime } from './format-time.ts';
import type { Texts } from './texts.ts';

export interface SeekBar {
  readonly element: HTMLInputElement;
  /**
   * @param durationS 0 if seeking is not possible
   * @param bufferedShare 0 to 1
   */
  show(texts: Texts, positionS: number, durationS: number, bufferedShare: number): void;
}

/** A slider for the position, with the buffered range. */
export function createSeekBar(onSeek: (positionS: number) => void): SeekBar {
  const element = createElement('input', { type: 'range', part: 'seek-bar', step: '0.1' });
  element.oninput = () => onSeek(Number(element.value));
  return {
    element,
    show: ({ language, format }, positionS, durationS, bufferedShare) => {
      element.disabled = durationS === 0;
      element.max = `${durationS}`;
      element.value = `${positionS}`;
      element.style.setProperty('--p', `${positionS / durationS || 0}`);
      element.style.setProperty('--q', `${bufferedShare}`);
      const spoken = [positionS, durationS].map((seconds) => formatSpokenTime(seconds, language));
      const value = format('of', ...spoken);
      if (element.ariaValueText !== value) element.ariaValueText = value;
      element.ariaLabel = format('position');
    },
  };
}
