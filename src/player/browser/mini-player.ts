import { createButton, createElement, setLabel, setText } from './dom.ts';
import { drawIcon } from './icons.ts';
import { createPlayButton, type PlayButton } from './play-button.ts';
import type { Texts } from './texts.ts';

export interface MiniPlayer {
  readonly element: HTMLElement;
  readonly playButton: PlayButton;
  /** @param share of the time, 0 to 1 */
  show(isShown: boolean, texts: Texts, title: string, time: string, share: number): void;
}

/** The fixed player that appears when the player is scrolled out of view. It moves away from the focused element. */
export function createMiniPlayer(onPlay: () => void, onReturn: () => void, onClose: () => void): MiniPlayer {
  const playButton = createPlayButton(onPlay);
  const title = createButton({ class: 'mini-title', part: 'mini-title' }, onReturn);
  const time = createElement('span', { class: 'time' });
  const back = createButton({ class: 'icon return' }, onReturn, drawIcon('return'));
  const close = createButton({ class: 'icon' }, onClose, drawIcon('close'));
  const line = createElement('div', { class: 'mini-line' });
  const look = { class: 'mini float', part: 'mini', popover: 'manual' };
  const about = createElement('div', { class: 'mini-about' }, title, time);
  const element = createElement('div', look, playButton.element, about, back, close, line);
  let isOpen = false;

  const giveWay = ({ target }: FocusEvent): void => {
    // The player was removed from the page, and the mini player with it.
    if (!element.isConnected) {
      toggle();
      return;
    }
    if (!(target instanceof Element) || target.shadowRoot?.contains(element)) return;
    const it = target.getBoundingClientRect();
    const own = element.getBoundingClientRect();
    const isBeside = it.right < own.left || it.left > own.right;
    if (!isBeside && it.bottom > own.top && it.top < own.bottom) element.classList.toggle('top');
  };
  const toggle = (): void => {
    isOpen = !isOpen;
    element.classList.remove('top');
    if (isOpen) {
      element.showPopover();
      document.addEventListener('focusin', giveWay);
    } else {
      element.hidePopover();
      document.removeEventListener('focusin', giveWay);
    }
  };
  return {
    element,
    playButton,
    show: (isShown, { format }, name, clock, share) => {
      if (isShown !== isOpen) toggle();
      setText(title, name);
      setText(time, clock);
      setLabel(back, format('return'));
      setLabel(close, format('close'));
      line.style.setProperty('--p', `${share}`);
    },
  };
}
