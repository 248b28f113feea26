import { setAttributes } from './dom.ts';

/** Paths on a 24 × 24 grid: a stroke, filled if the path is closed. */
const icons = {
  play: 'M8 5v14l11-7z',
  pause: 'M7 5h2.5v14H7zM14.5 5H17v14h-2.5z',
  retry: 'M20 12a8 8 0 1 1-2.5-5.8L20 8.5M20 4v4.5h-4.5',
  back: 'M4 12a8 8 0 1 0 2.5-5.8L4 8.5M4 4v4.5h4.5',
  forward: 'M20 12a8 8 0 1 1-2.5-5.8L20 8.5M20 4v4.5h-4.5',
  previous: 'M6 5v14M18 5v14L9 12z',
  next: 'M18 5v14M6 5v14l9-7z',
  transcript: 'M3 5h14M8 12h13M8 19h13M3 10v9',
  download: 'M12 4v11m-5-4.5 5 5 5-5M5 20h14',
  share: 'M12 15V3m-4 4 4-4 4 4M5 12v8h14v-8',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  return: 'M19 12H5m6 6-6-6 6-6',
  close: 'm6 6 12 12M18 6 6 18',
} as const;
export type Icon = keyof typeof icons;

/** @returns an icon that screen readers ignore */
export function drawIcon(icon: Icon): SVGSVGElement {
  const d = icons[icon];
  const path = makeSvg('path', { d, fill: d.endsWith('z') ? 'currentColor' : 'none' });
  const svg = makeSvg('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' });
  svg.append(path);
  return svg;
}

function makeSvg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  setAttributes(element, attributes);
  return element;
}
