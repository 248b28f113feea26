/**
 * Whether an element stands on dark ground, as the page shows itself: a page without a dark side stays light on a dark
 * system.
 */
export function isOnDark(element: Element): boolean {
  for (let at: Element | undefined = element; at !== undefined; at = around(at)) {
    const [red = 0, green = 0, blue = 0, alpha = 1] = numbersIn(getComputedStyle(at));
    // Green is what the eye sees most of.
    if (alpha > 0.5) return red * 0.3 + green * 0.6 + blue * 0.1 < 128;
  }
  const { colorScheme } = getComputedStyle(document.documentElement);
  return colorScheme.includes('dark') && systemIsDark.matches;
}

/** Tells when the page may have changed its colours: by the system, or by a switch of its own. */
export function watchScheme(changed: () => void, signal: AbortSignal): void {
  systemIsDark.addEventListener('change', changed, { signal });
  // A script may be there before the style: what is looked at is the page as it is first painted, and at last.
  requestAnimationFrame(changed);
  window.addEventListener('load', changed, { signal });
  const observer = new MutationObserver(changed);
  for (const element of [document.documentElement, document.body]) {
    observer.observe(element, { attributes: true });
  }
  signal.addEventListener('abort', () => observer.disconnect());
}

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

/** A colour that isn't written as RGB is passed over, as one that is seen through. */
function numbersIn({ backgroundColor }: CSSStyleDeclaration): number[] {
  const numbers = backgroundColor.startsWith('rgb') ? backgroundColor.match(/[\d.]+/g) : null;
  return numbers?.map(Number) ?? [0, 0, 0, 0];
}

function around(element: Element): Element | undefined {
  const root = element.getRootNode();
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : undefined);
}
