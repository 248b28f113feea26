import { setAttributes } from './dom.ts';

/** Paths on a 24 × 24 grid: a stroke, filled if the path is closed. */
const icons = {
  play: 'M8 4v16l13-8z',
  pause: 'M7 5h2.5v14H7zM14.5 5H17v14h-2.5z',
  back: 'M12 5a8 8 0 1 1-7.8 6.2M12 1.6 8.4 5 12 8.4',
  forward: 'M12 5a8 8 0 1 0 7.8 6.2M12 1.6 15.6 5 12 8.4',
  previous: 'M6 5v14M18 5v14L9 12z',
  next: 'M18 5v14M6 5v14l9-7z',
  download: 'M12 4v11m-5-4.5 5 5 5-5M5 20h14',
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
