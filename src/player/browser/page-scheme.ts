/**
 * The color behind an element. A page without dark mode stays light on a dark system.
 */
export function findGround(element: Element): string {
  for (let at: Element | undefined = element; at !== undefined; at = around(at)) {
    const { backgroundColor } = getComputedStyle(at);
    if ((numbersIn(backgroundColor)[3] ?? 1) > 0.5) return backgroundColor;
  }
  const { colorScheme } = getComputedStyle(document.documentElement);
  return colorScheme.includes('dark') && systemIsDark.matches ? '#121212' : '#fff';
}

/** @param color `#rgb`, `#rrggbb`, or as a computed style names it */
export function isDarkColor(color: string): boolean {
  const [red = 0, green = 0, blue = 0] = color.startsWith('#') ? hexIn(color) : numbersIn(color);
  // The eye is most sensitive to green.
  return red * 0.3 + green * 0.6 + blue * 0.1 < 128;
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
function numbersIn(color: string): number[] {
  return (color.startsWith('rgb') && color.match(/[\d.]+/g)?.map(Number)) || [0, 0, 0, 0];
}

function hexIn(color: string): number[] {
  const digits = color.length < 7 ? color.replace(/\w/g, '$&$&') : color;
  return [1, 3, 5].map((at) => Number.parseInt(digits.slice(at, at + 2), 16));
}

function around(element: Element): Element | undefined {
  const root = element.getRootNode();
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : undefined);
}
