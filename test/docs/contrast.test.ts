import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const tokens = readFileSync(join(import.meta.dir, '../../src/dashboard/browser/style/tokens.css'), 'utf8');

/** Color on ground, and the least contrast by WCAG 2.2: 7 for what is read, 4.5 for text, 3 for controls and lines. */
const pairs = [
  ['ink', 'paper', 7],
  ['ink', 'surface', 7],
  ['ink', 'sunken', 7],
  ['ink-2', 'paper', 4.5],
  ['ink-2', 'surface', 4.5],
  ['ink-2', 'sunken', 4.5],
  ['ink-3', 'paper', 4.5],
  ['ink-3', 'surface', 4.5],
  ['ink-3', 'sunken', 4.5],
  ['control', 'surface', 3],
  ['control', 'paper', 3],
  ['accent', 'surface', 4.5],
  ['accent', 'paper', 4.5],
  ['accent', 'accent-soft', 4.5],
  ['on-accent', 'accent', 4.5],
  ['on-accent', 'accent-hover', 4.5],
  ['good', 'good-soft', 4.5],
  ['good', 'surface', 4.5],
  ['bad', 'bad-soft', 4.5],
  ['bad', 'surface', 4.5],
  ['warn', 'warn-soft', 4.5],
  ['warn', 'surface', 4.5],
  ['info', 'info-soft', 4.5],
  ['ink', 'heard', 7],
  ['ink', 'mark', 7],
  ['chart', 'surface', 3],
  ['chart-2', 'surface', 3],
] as const;

test.each(pairs)('%s on %s has a contrast of at least %d, in light and dark', (color, ground, least) => {
  for (const scheme of [0, 1]) {
    expect(contrast(colorOf(color, scheme), colorOf(ground, scheme))).toBeGreaterThanOrEqual(least);
  }
});

test('the contrast of black on white is 21', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
});

/** @param scheme 0: light, 1: dark */
function colorOf(name: string, scheme: number): string {
  const found = new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(tokens)?.[scheme + 1];
  if (found === undefined) throw new Error(`tokens.css has no color ${name}`);
  return found;
}

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Relative luminance of WCAG 2.2. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
