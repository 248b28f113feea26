/** Parts of the view at its top and bottom where a page often has something in front of its text. */
const topMargin = 0.12;
const bottomMargin = 0.2;
/** Where in the view a sentence is put. */
const aim = 0.3;
/** So long after the reader's own last move the page is left alone. */
const ownMoveMs = 1_500;

/** Keeps what is spoken in view for a reader who reads along. */
export interface Follow {
  /** @param passage that is spoken now */
  to(passage: Range): void;
}

/**
 * The page is moved only while the sentence before was in view: who scrolls away is not fetched back, and who comes back is
 * taken along again.
 */
export function createFollow(signal: AbortSignal): Follow {
  let before: Range | undefined;
  let movedAtMs = Number.NEGATIVE_INFINITY;
  const note = (): void => {
    movedAtMs = performance.now();
  };
  for (const type of ['wheel', 'touchmove', 'keydown', 'pointerdown']) {
    window.addEventListener(type, note, { signal, passive: true, capture: true });
  }
  return {
    to: (passage) => {
      const isFollowed = before !== undefined && isAbout(before);
      before = passage;
      const isAlone = performance.now() - movedAtMs < ownMoveMs;
      if (!isFollowed || isAlone || isSeen(passage)) return;
      const scroller = scrollerOf(passage);
      const view = viewOf(scroller);
      const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
      scroller.scrollBy({
        top: passage.getBoundingClientRect().top - view.top - view.height * aim,
        behavior: isCalm ? 'instant' : 'smooth',
      });
    },
  };
}

/** Whether any of it is in view. */
function isAbout(passage: Range): boolean {
  const { top, bottom, height } = passage.getBoundingClientRect();
  const view = viewOf(scrollerOf(passage));
  return height > 0 && bottom > view.top && top < view.top + view.height;
}

/** Whether it can be read without a move. */
function isSeen(passage: Range): boolean {
  const { top, bottom, height } = passage.getBoundingClientRect();
  const view = viewOf(scrollerOf(passage));
  const viewBottom = view.top + view.height * (1 - bottomMargin);
  // Of what is longer than the view the beginning counts.
  const end = Math.min(bottom, top + view.height / 2);
  return height > 0 && top >= view.top + view.height * topMargin && end <= viewBottom;
}

function scrollerOf(passage: Range): Element {
  const page = document.scrollingElement ?? document.documentElement;
  for (
    let element = passage.startContainer.parentElement;
    element !== null && element !== page && element !== document.body;
    element = element.parentElement
  ) {
    const isHigher = element.scrollHeight > element.clientHeight + 1;
    if (isHigher && /auto|scroll/.test(getComputedStyle(element).overflowY)) return element;
  }
  return page;
}

function viewOf(scroller: Element): { top: number; height: number } {
  if (scroller === document.scrollingElement) return { top: 0, height: window.innerHeight };
  const { top, height } = scroller.getBoundingClientRect();
  return { top, height };
}
