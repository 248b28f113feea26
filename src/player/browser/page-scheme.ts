/**
 * Whether an element has a dark background. A page without dark mode stays light on a dark system.
 */
export function isOnDark(element: Element): boolean {
  for (let at: Element | undefined = element; at !== undefined; at = around(at)) {
    const [red = 0, green = 0, blue = 0, alpha = 1] = numbersIn(getComputedStyle(at));
    // The eye is most sensitive to green.
    if (alpha > 0.5) return red * 0.3 + green * 0.6 + blue * 0.1 < 128;
  }
  const { colorScheme } = getComputedStyle(document.documentElement);
  return colorScheme.includes('dark') && systemIsDark.matches;
}

/** Reports possible color changes of the page, by the system or by a switch of the page. */
export function watchScheme(changed: () => void, signal: AbortSignal): void {
  systemIsDark.addEventListener('change', changed, { signal });
  // The script may run before styles are loaded: checks again after the first paint and after loading.
  requestAnimationFrame(changed);
  window.addEventListener('load', changed, { signal });
  const observer = new MutationObserver(changed);
  for (const element of [document.documentElement, document.body]) {
    observer.observe(element, { attributes: true });
  }
  signal.addEventListener('abort', () => observer.disconnect());
}

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

/** A color in another notation than RGB is treated as transparent. */
function numbersIn({ backgroundColor }: CSSStyleDeclaration): number[] {
  const numbers = backgroundColor.startsWith('rgb') ? backgroundColor.match(/[\d.]+/g) : null;
  return numbers?.map(Number) ?? [0, 0, 0, 0];
}

function around(element: Element): Element | undefined {
  const root = element.getRootNode();
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : undefined);
}
