type Scheme = 'light' | 'dark';

/** Half way between black and white as the eye sees it. */
const middleLuminance = 0.18;

/**
 * Whether an element stands on light or dark ground, as the page shows itself: a page without a dark side stays light on a
 * dark system.
 */
export function schemeAround(element: Element): Scheme {
  for (let at: Node | null = element.parentNode; at !== null; at = parentOf(at)) {
    if (!(at instanceof Element)) continue;
    const luminance = luminanceOf(getComputedStyle(at).backgroundColor);
    if (luminance !== undefined) return luminance < middleLuminance ? 'dark' : 'light';
  }
  const { colorScheme } = getComputedStyle(document.documentElement);
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  return colorScheme === 'dark' || (isDark && colorScheme.includes('dark')) ? 'dark' : 'light';
}

/** Tells when the page may have changed its colours: by the system, or by a switch of its own. */
export function watchScheme(changed: () => void, signal: AbortSignal): void {
  const media = matchMedia('(prefers-color-scheme: dark)');
  media.addEventListener('change', changed, { signal });
  const observer = new MutationObserver(changed);
  for (const element of [document.documentElement, document.body]) {
    observer.observe(element, { attributes: true });
  }
  signal.addEventListener('abort', () => observer.disconnect());
}

function parentOf(node: Node): Node | null {
  return node instanceof ShadowRoot ? node.host : node.parentNode;
}

/** @returns undefined for a colour one sees through, and for one that isn't written as RGB */
function luminanceOf(colour: string): number | undefined {
  const [, red = '', green = '', blue = '', alpha = '1'] =
    /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(colour) ?? [];
  if (red === '' || Number(alpha) < 0.5) return undefined;
  const linear = (value: string) => (Number(value) / 255) ** 2.2;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
