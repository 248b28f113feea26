/** Visibility of the mini player. */
export interface Sticky {
  isShown(isPlaying: boolean): boolean;
  close(): void;
}

/** Opens when the player is scrolled out of view during playback, until it is in view again or the listener closes it. */
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
      return isOpen;
    },
    close: () => {
      isClosed = true;
      changed();
    },
  };
}
