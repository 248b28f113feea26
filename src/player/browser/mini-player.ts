import { createButton, createElement, setLabel, setText } from './dom.ts';
import { formatClockTime } from './format-time.ts';
import { drawIcon } from './icons.ts';
import { createPlayButton } from './play-button.ts';
import { isWaiting, type PlayerState, playAction, postTitle } from './player-state.ts';

export interface MiniPlayer {
  readonly element: HTMLElement;
  show(presented: PlayerState): void;
}

interface MiniActions {
  toggle(): void;
  /** Back to the player. */
  returnHere(): void;
  close(): void;
}

/** The fixed player that appears when the player is scrolled out of view. It moves away from the focused element. */
export function createMiniPlayer(actions: MiniActions): MiniPlayer {
  const playButton = createPlayButton(actions.toggle);
  const title = createButton({ class: 'mini-title', part: 'mini-title' }, actions.returnHere);
  const time = createElement('span', { class: 'time' });
  const back = createButton({ class: 'icon return' }, actions.returnHere, drawIcon('return'));
  const close = createButton({ class: 'icon' }, actions.close, drawIcon('close'));
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
    const rectangle = element.getBoundingClientRect();
    const isBeside = it.right < rectangle.left || it.left > rectangle.right;
    if (!isBeside && it.bottom > rectangle.top && it.top < rectangle.bottom) element.classList.toggle('top');
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
    show: (presented) => {
      if (presented.isMini !== isOpen) toggle();
      if (!isOpen) return;
      const { texts, playback } = presented;
      const { positionS, durationS = 0, lengthS = 0, track } = playback;
      const hasEnd = track?.isLive === false && lengthS > 0;
      const action = playAction(presented);
      playButton.show(action, isWaiting(presented), texts.format(action));
      setText(title, postTitle(presented));
      setText(time, `${formatClockTime(positionS)} / ${hasEnd ? formatClockTime(lengthS) : '–:––'}`);
      setLabel(back, texts.format('return'));
      setLabel(close, texts.format('close'));
      line.style.setProperty('--p', `${hasEnd ? positionS / durationS : 0}`);
    },
  };
}
