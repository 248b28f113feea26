import { createButton, setLabel } from './dom.ts';
import { drawIcon } from './icons.ts';

export interface PlayButton {
  readonly element: HTMLButtonElement;
  show(isPlaying: boolean, isWaiting: boolean, name: string): void;
}

export function createPlayButton(onClick: () => void): PlayButton {
  const look = { class: 'play', part: 'play-button' };
  const element = createButton(look, onClick, drawIcon('play'), drawIcon('pause'));
  return {
    element,
    show: (isPlaying, isWaiting, name) => {
      element.classList.toggle('playing', isPlaying);
      element.classList.toggle('waiting', isWaiting);
      setLabel(element, name);
    },
  };
}
