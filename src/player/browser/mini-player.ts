import { make, setLabel, write } from './dom.ts';
import { drawIcon } from './icons.ts';
import type { PlayButton } from './play-button.ts';
import { createPlayButton } from './play-button.ts';
import type { Texts } from './texts.ts';

export interface MiniPlayer {
  readonly element: HTMLElement;
  readonly playButton: PlayButton;
  setTexts(texts: Texts): void;
  show(isShown: boolean, title: string, time: string, share: number): void;
}

/** What stays in sight of a player that was scrolled away. It gives way to what has the focus. */
export function createMiniPlayer(
  onPlay: () => void,
  onReturn: () => void,
  onClose: () => void,
): MiniPlayer {
  const playButton = createPlayButton(onPlay);
  const title = make('button', { type: 'button', class: 'mini-title', part: 'mini-title' });
  const time = make('span', { class: 'time' });
  const close = make('button', { type: 'button', class: 'icon' }, drawIcon('close'));
  const line = make('div', { class: 'mini-line' });
  const element = make('div', { class: 'mini', part: 'mini', popover: 'manual', role: 'group' });
  element.append(line, playButton.element, title, time, close);
  title.addEventListener('click', onReturn);
  close.addEventListener('click', onClose);
  let away: AbortController | undefined;

  const open = (): void => {
    away = new AbortController();
    element.classList.remove('top');
    element.showPopover();
    document.addEventListener('focusin', giveWay, { signal: away.signal });
  };
  const giveWay = ({ target }: FocusEvent): void => {
    if (!(target instanceof Element) || target === document.body) return;
    if (target.shadowRoot?.contains(element)) return;
    const it = target.getBoundingClientRect();
    const own = element.getBoundingClientRect();
    const isCovered =
      it.bottom > own.top && it.top < own.bottom && it.right > own.left && it.left < own.right;
    if (isCovered) element.classList.toggle('top');
  };
  return {
    element,
    playButton,
    setTexts: (texts) => {
      setLabel(close, texts.close);
      title.title = texts.show;
    },
    show: (isShown, name, clock, share) => {
      if (isShown !== (away !== undefined)) {
        if (isShown) open();
        else {
          away?.abort();
          away = undefined;
          element.hidePopover();
        }
      }
      if (!isShown) return;
      write(title, name);
      write(time, clock);
      element.ariaLabel = name;
      line.style.setProperty('--_played', `${share}`);
    },
  };
}
