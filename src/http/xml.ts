/** An element as it is written, already escaped. */
export interface Xml {
  readonly xml: string;
}

/** What stands in an element: text, or elements; undefined ones are left out. */
type Content = string | readonly (Xml | undefined)[];

/**
 * @param attributes undefined ones are left out
 * @param content text is escaped; with none the element is empty
 */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
  content: Content = [],
): Xml {
  const start = Object.entries(attributes)
    .flatMap(([key, value]) => (value === undefined ? [] : ` ${key}="${escaped(value)}"`))
    .join('');
  const inner = typeof content === 'string' ? escaped(content) : written(content);
  return { xml: inner === '' ? `<${name}${start}/>` : `<${name}${start}>${inner}</${name}>` };
}

/** @returns a whole document */
export function xmlDocument(root: Xml): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root.xml}\n`;
}

/** Elements stand on lines of their own, so that people can read it; text stands without blanks around it. */
function written(elements: readonly (Xml | undefined)[]): string {
  const lines = elements.flatMap((one) => (one === undefined ? [] : one.xml));
  return lines.length === 0 ? '' : `\n${lines.join('\n')}\n`;
}

function escaped(text: string): string {
  return Bun.escapeHTML(text.toWellFormed().replace(illegal, ''));
}

/** What XML 1.0 has no way to write, not even escaped. */
const illegal = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
