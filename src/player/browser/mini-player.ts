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

/** What stays in sight of a player that was scrolled away. It gives way to what has the focus. */
export function createMiniPlayer(onPlay: () => void, onReturn: () => void, onClose: () => void): MiniPlayer {
  const playButton = createPlayButton(onPlay);
  const title = createButton({ class: 'mini-title', part: 'mini-title' }, onReturn);
  const time = createElement('span', { class: 'time' });
  const close = createButton({ class: 'icon' }, onClose, drawIcon('close'));
  const line = createElement('div', { class: 'mini-line' });
  const look = { class: 'mini', part: 'mini', popover: 'manual' };
  const element = createElement('div', look, line, playButton.element, title, time, close);
  let isOpen = false;

  const giveWay = ({ target }: FocusEvent): void => {
    // The player was taken out of the page, which hid this with it.
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
      setLabel(close, format('close'));
      line.style.setProperty('--p', `${share}`);
    },
  };
}
