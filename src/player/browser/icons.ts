const svgNamespace = 'http://www.w3.org/2000/svg';

const backPath = 'M12 5a8 8 0 1 1-7.8 6.2M12 1.6 8.4 5 12 8.4';
const forwardPath = 'M12 5a8 8 0 1 0 7.8 6.2M12 1.6 15.6 5 12 8.4';
/** Drawn on 24 by 24; `filled` ones have no outline. */
const icons = {
  play: {
    filled: 'M8 4.9v14.2c0 .8.9 1.3 1.6.9l11-7.1c.6-.4.6-1.3 0-1.7l-11-7.1c-.7-.5-1.6 0-1.6.8z',
  },
  pause: {
    filled:
      'M6.5 4h3a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1h-3a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1zm8 0h3a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1h-3a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1z',
  },
  back: { drawn: backPath, text: '15' },
  forward: { drawn: forwardPath, text: '15' },
  previous: { filled: 'M6 5h2.2v6l9.2-5.9c.5-.3 1.1 0 1.1.6v12.6c0 .6-.6.9-1.1.6L8.2 13v6H6z' },
  next: {
    filled: 'M18 5h-2.200v6L6.6 5.100c-.5-.3-1.1 0-1.1.6v12.600c0 .6.6.9 1.1.6l9.2-5.900v6H18z',
  },
  download: { drawn: 'M12 4v11m-5-4.5 5 5 5-5M5 20h14' },
  close: { drawn: 'm6 6 12 12M18 6 6 18' },
} as const satisfies Record<string, { filled?: string; drawn?: string; text?: string }>;
export type Icon = keyof typeof icons;

/** @returns a picture that screen readers pass over */
export function drawIcon(icon: Icon): SVGSVGElement {
  const svg = makeSvg('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' });
  const { filled, drawn, text }: { filled?: string; drawn?: string; text?: string } = icons[icon];
  if (filled !== undefined) svg.append(makeSvg('path', { d: filled, fill: 'currentColor' }));
  if (drawn !== undefined) {
    const line = { fill: 'none', stroke: 'currentColor', 'stroke-width': '1.8' };
    const ends = { 'stroke-linecap': 'round', 'stroke-linejoin': 'round' };
    svg.append(makeSvg('path', { d: drawn, ...line, ...ends }));
  }
  if (text !== undefined) {
    const place = { x: '12', y: '15.6', 'text-anchor': 'middle', fill: 'currentColor' };
    const label = makeSvg('text', { ...place, 'font-size': '7.2', 'font-weight': '700' });
    label.append(text);
    svg.append(label);
  }
  return svg;
}

function makeSvg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS(svgNamespace, name);
  for (const [attribute, value] of Object.entries(attributes)) {
    element.setAttribute(attribute, value);
  }
  return element;
}
