import { createButton, setLabel } from './dom.ts';
import { drawIcon } from './icons.ts';

type Action = 'play' | 'pause' | 'retry';

export interface PlayButton {
  readonly element: HTMLButtonElement;
  /** @param name of the action, in the language of the player */
  show(action: Action, isWaiting: boolean, name: string): void;
}

export function createPlayButton(onClick: () => void): PlayButton {
  const element = createButton({ class: 'play' }, onClick);
  let shown: Action | undefined;
  return {
    element,
    show: (action, isWaiting, name) => {
      element.classList.toggle('waiting', isWaiting);
      setLabel(element, name);
      if (action === shown) return;
      shown = action;
      element.setAttribute('part', action === 'retry' ? 'play-button retry' : 'play-button');
      element.replaceChildren(drawIcon(action));
    },
  };
}
