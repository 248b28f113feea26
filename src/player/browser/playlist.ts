import { make, write } from './dom.ts';

export interface Playlist {
  readonly element: HTMLOListElement;
  /** @param current place of the one that is played */
  show(titles: readonly string[], current: number): void;
}

/** The posts of a player, each a button; nothing for a single one. */
export function createPlaylist(onPick: (index: number) => void): Playlist {
  const element = make('ol', { part: 'playlist' });
  return {
    element,
    show: (titles, current) => {
      element.hidden = titles.length < 2;
      while (element.children.length > titles.length) element.lastChild?.remove();
      titles.forEach((title, index) => {
        const button = element.children[index]?.firstElementChild ?? addRow(index);
        write(button, title);
        if (index === current) button.setAttribute('aria-current', 'true');
        else button.removeAttribute('aria-current');
      });
    },
  };

  function addRow(index: number): Element {
    const button = make('button', { type: 'button', part: 'playlist-item' });
    button.addEventListener('click', () => onPick(index));
    element.append(make('li', {}, button));
    return button;
  }
}
