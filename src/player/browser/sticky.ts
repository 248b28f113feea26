/** Whether the mini player is to be seen. */
export interface Sticky {
  isShown(isPlaying: boolean): boolean;
  close(): void;
}

/** It comes when the player is scrolled away while it plays, and stays until the player is back or it is closed. */
export function createSticky(player: Element, changed: () => void): Sticky {
  let isAway = false;
  let isOpen = false;
  let isClosed = false;
  const observer = new IntersectionObserver((entries) => {
    isAway = entries.at(-1)?.isIntersecting === false;
    if (!isAway) isOpen = isClosed = false;
    changed();
  });
  observer.observe(player);
  return {
    isShown: (isPlaying) => {
      isOpen = isAway && !isClosed && (isOpen || isPlaying);
      return isOpen && player.hasAttribute('sticky');
    },
    close: () => {
      isClosed = true;
      changed();
    },
  };
}
