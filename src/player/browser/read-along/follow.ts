/** Where in the view a sentence is put, and between which places it can be read: pages have things in front of their text. */
const aim = 0.3;
const highest = 0.12;
const lowest = 0.8;
/** So long after the reader's own last move the page is left alone. */
const ownMoveMs = 1_500;

/**
 * Keeps what is spoken in view for a reader who reads along. The page is moved only while the sentence before was in view: who
 * scrolls away is not fetched back, and who comes back is taken along again.
 * @returns to be told of each passage that begins
 */
export function createFollow(signal: AbortSignal): (passage: Range) => void {
  let before: Range | undefined;
  let movedAtMs = Number.NEGATIVE_INFINITY;
  const note = (): void => {
    movedAtMs = performance.now();
  };
  for (const type of ['wheel', 'touchmove', 'keydown', 'pointerdown']) {
    window.addEventListener(type, note, { signal, passive: true, capture: true });
  }
  return (passage) => {
    const last = before && placeOf(before);
    before = passage;
    const isFollowed = last !== undefined && last.bottom > 0 && last.top < 1;
    const { scroller, viewHeight, top, bottom } = placeOf(passage);
    // Of what is long the beginning counts.
    const isSeen = top >= highest && Math.min(bottom, top + 0.5) <= lowest;
    if (!isFollowed || isSeen || performance.now() - movedAtMs < ownMoveMs) return;
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    scroller.scrollBy({
      top: (top - aim) * viewHeight,
      behavior: isCalm ? 'instant' : 'smooth',
    });
  };
}

/** Where a passage stands in what shows it: 0 is the upper edge, 1 the lower one. */
function placeOf(passage: Range) {
  const page = document.scrollingElement ?? document.documentElement;
  let scroller = passage.startContainer.parentElement ?? page;
  while (scroller !== page && !canScroll(scroller)) scroller = scroller.parentElement ?? page;
  const isPage = scroller === page;
  const view = scroller.getBoundingClientRect();
  const viewTop = isPage ? 0 : view.top;
  const viewHeight = isPage ? innerHeight : view.height;
  const { top, bottom } = passage.getBoundingClientRect();
  return {
    ...{ scroller, viewHeight },
    top: (top - viewTop) / viewHeight,
    bottom: (bottom - viewTop) / viewHeight,
  };
}

function canScroll(element: Element): boolean {
  const isHigher = element.scrollHeight > element.clientHeight + 1;
  return isHigher && /auto|scroll/.test(getComputedStyle(element).overflowY);
}
