/** Not allowed in HTML. */
const controlChars = /[\p{Cc}--[\t\n\r]]/gv;

/** Escapes text for HTML, also in attribute values. */
export function escapeHtml(text: string): string {
  return Bun.escapeHTML(text.toWellFormed().replace(controlChars, ''));
}

interface HtmlPage {
  /** BCP 47 code. */
  readonly language: string;
  readonly title: string;
  /** Default: that of the reader's system. */
  readonly theme?: 'light' | 'dark' | undefined;
  readonly head: readonly string[];
  readonly body: string;
}

export function renderHtmlDocument({ language, title, theme, head, body }: HtmlPage): string {
  return `<!doctype html>
<html lang="${escapeHtml(language)}"${theme === undefined ? '' : ` data-theme="${theme}"`}>
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

/** @returns whether a browser opens the address: it names HTML and no data format */
export function acceptsHtml(request: Request): boolean {
  const accepted = request.headers.get('accept') ?? '';
  return /\btext\/html\b/i.test(accepted) && !/\bapplication\/json\b/i.test(accepted);
}

export interface Xml {
  readonly xml: string;
}

/** Text or child elements; undefined ones are omitted. */
type XmlContent = string | readonly (Xml | undefined)[];

/**
 * @param attributes undefined ones are omitted
 * @param content text is escaped; none: an empty element
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

/** One line per element, for readability; no white space around text. */
function renderXmlChildren(elements: readonly (Xml | undefined)[]): string {
  const lines = elements.flatMap((element) => (element === undefined ? [] : element.xml));
  return lines.length === 0 ? '' : `\n${lines.join('\n')}\n`;
}

function escapeXml(text: string): string {
  return Bun.escapeHTML(text.toWellFormed().replace(illegalXmlChars, ''));
}

/** Not allowed in XML 1.0, not even escaped. */
const illegalXmlChars = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** @returns the path of the public URL, without a trailing slash */
export function getBasePath(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '');
}

const defaultPolicy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  // Previews are played from blobs.
  'media-src': "'self' blob:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

/**
 * A page that loads from this server only, without inline scripts and styles.
 * @param policy directives that replace the default Content-Security-Policy; null removes one
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
