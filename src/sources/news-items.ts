import { Parser } from 'htmlparser2';
import { escapeText, type RawFeed, type RawItem } from './raw-feed.ts';

/** Items of news agencies, by the standards of the IPTC. */
export interface NewsItems {
  readonly format: 'newsml-g2' | 'ninjs';
  readonly feed: RawFeed;
}

const NEWSML_START =
  /^\s{0,100}(?:<\?xml[^>]{0,200}\?>)?(?:\s|<!--[^>]{0,2000}-->){0,50}<(?:\w{1,20}:)?(?:newsMessage|newsItem)[\s>]/;

/** @returns undefined for other formats */
export function parseNewsItems(text: string, maxItems: number): NewsItems | undefined {
  if (NEWSML_START.test(text)) {
    return { format: 'newsml-g2', feed: toFeed(parseNewsMl(text, maxItems)) };
  }
  const items = /^\s{0,100}[[{]/.test(text) ? parseNinjs(text) : undefined;
  return items && { format: 'ninjs', feed: toFeed(items.slice(0, maxItems).map(toRawItem)) };
}

function toFeed(items: readonly RawItem[]): RawFeed {
  return { title: undefined, language: undefined, items };
}

/** ninjs 1 to 3: an item, a list of items, or an object that has the list as `items` or `_items`. */
function parseNinjs(text: string): Record<string, unknown>[] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  const outer = isObject(parsed) ? (parsed['items'] ?? parsed['_items'] ?? [parsed]) : parsed;
  const items = Array.isArray(outer) ? outer.filter(isObject) : [];
  if (items.length === 0 || !items.every(isNinjs)) return undefined;
  return items.filter(({ type = 'text', pubstatus = 'usable' }) => type === 'text' && pubstatus === 'usable');
}

function isNinjs(item: Record<string, unknown>): boolean {
  const members = [
    'headline',
    'headlines',
    'body_html',
    'body_xhtml',
    'body_text',
    'bodies',
    'pubstatus',
    'versioncreated',
  ];
  return typeof item['uri'] === 'string' && members.some((name) => name in item);
}

function toRawItem(item: Record<string, unknown>): RawItem {
  const text = (name: string) => (typeof item[name] === 'string' ? item[name] : undefined);
  const plain = (value: string | undefined) => (value === undefined ? undefined : escapeText(value));
  const bodies = listObjects(item['bodies']).map(({ contenttype, contentType = contenttype, value }) => {
    const body = typeof value === 'string' ? value : undefined;
    return { isHtml: /html/i.test(String(contentType ?? '')), body };
  });
  const [headline] = listObjects(item['headlines']).map(({ value }) => (typeof value === 'string' ? value : undefined));
  return {
    guid: text('uri'),
    title: plain(text('headline') ?? headline ?? text('title')),
    url: text('url') ?? text('link'),
    contents: [
      ...['body_html', 'body_xhtml'].map(text),
      bodies.find(({ isHtml }) => isHtml)?.body,
      plain(text('body_text')),
      plain(bodies.find(({ isHtml }) => !isHtml)?.body),
    ],
    dates: ['embargoed', 'embargoeduntil', 'firstcreated', 'versioncreated'].map(text),
    language: text('language'),
  };
}

/** An item of NewsML-G2 while it is read. */
interface OpenItem {
  readonly guid: string | undefined;
  language: string | undefined;
  isUsable: boolean;
  headline?: string;
  title?: string;
  xml?: string;
  plain?: string;
  readonly dates: Map<string, string>;
}

const TEXT_ELEMENTS = new Set(['headline', 'title', 'embargoed', 'firstcreated', 'versioncreated', 'inlinedata']);

/** Reads the news items of a NewsML-G2 document: usable texts with their content in the document. */
function parseNewsMl(xml: string, maxItems: number): RawItem[] {
  const items: OpenItem[] = [];
  let item: OpenItem | undefined;
  let text = '';
  let inlineStart = -1;
  const parser = new Parser(
    {
      onopentag: (qualifiedName, attributes) => {
        if (inlineStart >= 0) return;
        const name = localName(qualifiedName);
        if (name === 'newsitem') {
          item = { guid: attributes['guid'], language: attributes['xml:lang'], isUsable: true, dates: new Map() };
        }
        if (item === undefined) return;
        if (name === 'pubstatus') item.isUsable &&= /(?:^|:)usable$/.test(attributes['qcode'] ?? 'usable');
        if (name === 'itemclass') item.isUsable &&= /(?:^|:)(?:text|composite)$/.test(attributes['qcode'] ?? 'text');
        if (name === 'language') item.language = attributes['tag'] ?? item.language;
        if (TEXT_ELEMENTS.has(name)) text = '';
        if (name === 'inlinexml') inlineStart = parser.endIndex + 1;
      },
      ontext: (part) => {
        if (inlineStart < 0) text += part;
      },
      onclosetag: (qualifiedName) => {
        const name = localName(qualifiedName);
        if (item === undefined || (inlineStart >= 0 && name !== 'inlinexml')) return;
        if (name === 'inlinexml') {
          item.xml ??= xml.slice(inlineStart, parser.startIndex);
          inlineStart = -1;
        }
        if (name === 'headline') item.headline ??= text;
        if (name === 'title') item.title ??= text;
        if (name === 'inlinedata') item.plain ??= text;
        if (TEXT_ELEMENTS.has(name)) item.dates.set(name, text);
        if (name !== 'newsitem') return;
        if (item.isUsable && items.length < maxItems) items.push(item);
        item = undefined;
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return items.map(toNewsMlItem);
}

function toNewsMlItem({ guid, language, headline, title, xml, plain, dates }: OpenItem): RawItem {
  const heading = headline ?? title;
  return {
    guid,
    title: heading === undefined ? undefined : escapeText(heading),
    url: undefined,
    contents: [xml && toHtml(xml), plain === undefined ? undefined : escapeText(plain)],
    dates: ['embargoed', 'firstcreated', 'versioncreated'].map((name) => dates.get(name)),
    language,
  };
}

/** The body of XHTML or NITF, without the prefixes of names. */
function toHtml(xml: string): string {
  const body = ['body.content', 'body'].map((name) => findContent(xml, name)).find((one) => one !== undefined) ?? xml;
  return body.replace(/<(\/?)[a-z][\w-]{0,20}:(?=[a-z])/gi, '<$1');
}

function findContent(xml: string, name: string): string | undefined {
  const escaped = name.replace('.', '\\.');
  const start = new RegExp(`<(?:\\w{1,20}:)?${escaped}(?:\\s[^>]{0,1000})?>`, 'i').exec(xml);
  if (start === null) return undefined;
  const from = start.index + start[0].length;
  const end = new RegExp(`</(?:\\w{1,20}:)?${escaped}\\s{0,9}>`, 'i').exec(xml.slice(from));
  return end === null ? undefined : xml.slice(from, from + end.index);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}

function listObjects(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
