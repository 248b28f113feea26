/** Not allowed in HTML. */
const controlChars = /[\p{Cc}--[\t\n\r]]/gv;

/** @returns text as it stands in HTML, in the value of an attribute too */
export function escapeHtml(text: string): string {
  return Bun.escapeHTML(text.toWellFormed().replace(controlChars, ''));
}

interface HtmlPage {
  /** BCP 47 code. */
  readonly language: string;
  readonly title: string;
  readonly className?: string | undefined;
  readonly head: readonly string[];
  readonly body: string;
}

export function renderHtmlDocument({ language, title, className, head, body }: HtmlPage): string {
  return `<!doctype html>
<html lang="${escapeHtml(language)}"${className === undefined ? '' : ` class="${escapeHtml(className)}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
${head.join('\n')}
</head>
<body>
${body}
</body>
</html>
`;
}

/** Browsers ask for an icon by themselves, unless a page names one. */
export const emptyIconLink = '<link rel="icon" href="data:,">';

/** An element as it is written, already escaped. */
export interface Xml {
  readonly xml: string;
}

/** What stands in an element: text, or elements; undefined ones are left out. */
type XmlContent = string | readonly (Xml | undefined)[];

/**
 * @param attributes undefined ones are left out
 * @param content text is escaped; with none the element is empty
 */
export function xmlElement(
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
  content: XmlContent = [],
): Xml {
  const start = Object.entries(attributes)
    .flatMap(([key, value]) => (value === undefined ? [] : ` ${key}="${escapeXml(value)}"`))
    .join('');
  const inner = typeof content === 'string' ? escapeXml(content) : renderXmlChildren(content);
  return { xml: inner === '' ? `<${name}${start}/>` : `<${name}${start}>${inner}</${name}>` };
}

export function renderXmlDocument(root: Xml): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root.xml}\n`;
}

/** Elements stand on lines of their own, so that people can read it; text stands without blanks around it. */
function renderXmlChildren(elements: readonly (Xml | undefined)[]): string {
  const lines = elements.flatMap((one) => (one === undefined ? [] : one.xml));
  return lines.length === 0 ? '' : `\n${lines.join('\n')}\n`;
}

function escapeXml(text: string): string {
  return Bun.escapeHTML(text.toWellFormed().replace(illegalXmlChars, ''));
}

/** Not allowed in XML 1.0, not even escaped. */
const illegalXmlChars = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** @returns path part of the address that clients see, without a slash at the end */
export function getBasePath(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '');
}

const defaultPolicy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  // What was just made can be heard.
  'media-src': "'self' blob:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

/**
 * A page of ours: it loads nothing from elsewhere, and no script or style that stands in the page itself.
 * @param policy what its Content-Security-Policy has otherwise, null for a rule that it doesn't have
 */
export function htmlResponse(html: string, policy: Readonly<Record<string, string | null>> = {}): Response {
  const rules = Object.entries({ ...defaultPolicy, ...policy }).filter(([, value]) => value !== null);
  return new Response(html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': rules.map((rule) => rule.join(' ')).join('; '),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    },
  });
}
