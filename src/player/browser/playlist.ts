import { createButton, createElement, setText } from './dom.ts';

export interface Playlist {
  readonly element: HTMLOListElement;
  /** @param current index of the current post */
  show(titles: readonly string[], current: number): void;
}

/** The posts of a player as buttons; hidden for a single post. */
export function createPlaylist(onPick: (index: number) => void): Playlist {
  const element = createElement('ol', { part: 'playlist' });
  const buttons: HTMLButtonElement[] = [];
  const add = (index: number): HTMLButtonElement => {
    const button = createButton({ part: 'playlist-item' }, () => onPick(index));
    element.append(createElement('li', {}, button));
    buttons.push(button);
    return button;
  };
  return {
    element,
    show: (titles, current) => {
      element.hidden = titles.length < 2;
      while (buttons.length > titles.length) buttons.pop()?.parentElement?.remove();
      titles.forEach((title, index) => {
        const button = buttons[index] ?? add(index);
        setText(button, title);
        button.ariaCurrent = index === current ? 'true' : null;
      });
    },
  };
}
