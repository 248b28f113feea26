import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const tokens = readFileSync(join(import.meta.dir, '../../src/http/brand/tokens.css'), 'utf8');

const grounds = ['paper', 'surface', 'sunken'];
/** Text and its ground, with the least contrast: 4.5 for text, 3 for borders and charts (WCAG 2.2 AA), 7 for articles. */
const pairs: [string, string, number][] = [
  ...grounds.flatMap((ground): [string, string, number][] => [
    ['ink', ground, 7],
    ['ink-2', ground, 4.5],
    ['ink-3', ground, 4.5],
    ['accent', ground, 4.5],
  ]),
  ['control', 'surface', 3],
  ['control', 'paper', 3],
  ['accent', 'accent-soft', 4.5],
  ['on-accent', 'accent', 4.5],
  ['on-accent', 'accent-hover', 4.5],
  ...['good', 'bad', 'warn', 'info'].flatMap((state): [string, string, number][] => [
    [state, `${state}-soft`, 4.5],
    [state, 'surface', 4.5],
  ]),
  ['ink', 'heard', 7],
  ['ink', 'mark', 7],
  ['chart', 'surface', 3],
  ['chart-2', 'surface', 3],
];

test.each([
  ['light', 0],
  ['dark', 1],
] as const)('the colors have enough contrast in the %s scheme', (_, scheme) => {
  const low = pairs
    .map(([text, ground, least]) => ({
      text,
      ground,
      least,
      is: computeContrast(readColor(text, scheme), readColor(ground, scheme)),
    }))
    .filter(({ least, is }) => !(is >= least));

  expect(low).toEqual([]);
});

/** @returns red, green and blue of a token, 0 to 255 */
function readColor(token: string, scheme: 0 | 1): number[] {
  const pattern = new RegExp(`--${token}: light-dark\\(#([0-9a-f]{6}), #([0-9a-f]{6})\\);`);
  const hex = pattern.exec(tokens)?.[scheme + 1];
  if (hex === undefined) throw new Error(`tokens.css has no color ${token}`);
  return [0, 2, 4].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));
}

/** Contrast by WCAG 2.2. */
function computeContrast(left: number[], right: number[]): number {
  const [dark = 0, light = 0] = [computeLuminance(left), computeLuminance(right)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function computeLuminance(parts: number[]): number {
  const [red = 0, green = 0, blue = 0] = parts.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
