import { make, setLabel } from './dom.ts';
import { drawIcon } from './icons.ts';

export interface PlayButton {
  readonly element: HTMLButtonElement;
  show(isPlaying: boolean, isWaiting: boolean, label: string): void;
}

export function createPlayButton(onClick: () => void): PlayButton {
  const element = make('button', { type: 'button', class: 'play', part: 'play-button' });
  const play = drawIcon('play');
  const pause = drawIcon('pause');
  element.append(play, pause);
  element.addEventListener('click', onClick);
  return {
    element,
    show: (isPlaying, isWaiting, label) => {
      element.classList.toggle('playing', isPlaying);
      element.classList.toggle('waiting', isWaiting);
      setLabel(element, label);
    },
  };
}
