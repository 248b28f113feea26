/** Target position of a sentence in the viewport, and the readable area: pages have fixed headers and footers. */
const aim = 0.3;
const highest = 0.12;
const lowest = 0.8;
/** Time without scrolling after the reader's last own movement. */
const ownMoveMs = 1_500;

/**
 * Keeps the spoken sentence in view. Scrolls only if the previous sentence was in view: a reader who scrolls away is
 * not interrupted, and following resumes when the reader returns.
 * @returns call at the start of each passage
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
    // For a long passage the beginning counts.
    const isSeen = top >= highest && Math.min(bottom, top + 0.5) <= lowest;
    if (!isFollowed || isSeen || performance.now() - movedAtMs < ownMoveMs) return;
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    scroller.scrollBy({
      top: (top - aim) * viewHeight,
      behavior: isCalm ? 'instant' : 'smooth',
    });
  };
}

/** Position of a passage in its scroll container: 0 is the upper edge, 1 the lower edge. */
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
