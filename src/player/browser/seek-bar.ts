import { make } from './dom.ts';
import { fill, type Texts } from './texts.ts';
import { spokenTime } from './time-text.ts';

export interface SeekBar {
  readonly element: HTMLInputElement;
  /** @param bufferedShare 0 to 1 */
  show(positionS: number, durationS: number | undefined, bufferedShare: number): void;
  setTexts(texts: Texts, language: string): void;
}

/** A slider over the time of an audio, with what is loaded of it. */
export function createSeekBar(onSeek: (positionS: number) => void): SeekBar {
  const element = make('input', { type: 'range', part: 'seek-bar', min: '0', step: '0.1' });
  let said: { texts: Texts; language: string } | undefined;
  element.addEventListener('input', () => onSeek(Number(element.value)));
  return {
    element,
    show: (positionS, durationS, bufferedShare) => {
      const isSeekable = durationS !== undefined && durationS > 0;
      element.disabled = !isSeekable;
      element.max = `${isSeekable ? durationS : 1}`;
      element.value = `${isSeekable ? positionS : 0}`;
      const share = isSeekable ? Math.min(1, positionS / durationS) : 0;
      element.style.setProperty('--_played', `${share}`);
      element.style.setProperty('--_buffered', `${bufferedShare}`);
      if (said === undefined) return;
      const { texts, language } = said;
      const spoken = spokenTime(positionS, language);
      const value = isSeekable ? fill(texts.of, spoken, spokenTime(durationS, language)) : spoken;
      if (element.ariaValueText !== value) element.ariaValueText = value;
    },
    setTexts: (texts, language) => {
      said = { texts, language };
      element.ariaLabel = texts.position;
    },
  };
}
