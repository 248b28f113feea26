const darkGround = '#121412';

/** @returns the contrast of the accent on a light and a dark page; undefined: not a color */
export function readability(color: string): { readonly light: number; readonly dark: number } | undefined {
  if (!isColor(color)) return undefined;
  return {
    light: contrast(shade(color, 'light'), '#ffffff'),
    dark: contrast(shade(color, 'dark'), darkGround),
  };
}

export function isColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

/** The accent as the player shows it: darker on a light page, lighter on a dark one. The same formula as in its style. */
function shade(color: string, scheme: 'light' | 'dark'): string {
  return `oklch(from ${color} ${scheme === 'light' ? 'min(l, 0.53)' : 'max(l, 0.74)'} c h)`;
}

/** As WCAG 2 defines it. */
function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

function luminance(color: string): number {
  const context = new OffscreenCanvas(1, 1).getContext('2d');
  if (context === null) return 0;
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = [...context.getImageData(0, 0, 1, 1).data].map((byte) => {
    const share = byte / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
