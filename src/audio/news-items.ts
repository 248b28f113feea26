import { Parser } from 'htmlparser2';
import { invalid } from '../errors.ts';
import type { GenerateBody } from './schema.ts';

/** A text of a news agency, by the standards of the IPTC. */
export interface NewsItem {
  readonly guid: string | undefined;
  /** Plain text. */
  readonly headline: string | undefined;
  readonly url: string | undefined;
  /** HTML or as `contentType` says, best first; the first non-empty one is used. */
  readonly contents: readonly (string | undefined)[];
  readonly contentType?: 'text/markdown' | undefined;
  readonly embargo: string | undefined;
  /** The first valid one is used. */
  readonly dates: readonly (string | undefined)[];
  readonly language: string | undefined;
}

export interface NewsItems {
  readonly format: 'newsml-g2' | 'ninjs';
  readonly items: readonly NewsItem[];
}

const NEWSML_START =
  /^[\s\ufeff]{0,100}(?:\s|<!--[^>]{0,2000}-->|<\?[^>]{0,500}\?>|<!DOCTYPE[^>[]{0,500}>){0,50}<(?:\w{1,20}:)?(?:newsMessage|newsItem|packageItem)[\s>]/;

/** The parser takes quadratic time for elements that nest. */
const maxDepth = 200;

/**
 * @returns the usable texts; undefined for other formats
 * @throws AppError `validation_failed` for elements that nest too deep, or have no end
 */
export function parseNewsItems(text: string, maxItems: number): NewsItems | undefined {
  if (NEWSML_START.test(text)) return { format: 'newsml-g2', items: parseNewsMl(text, maxItems) };
  const items = /^[\s\ufeff]{0,100}[[{]/.test(text) ? parseNinjs(text) : undefined;
  return items && { format: 'ninjs', items: items.slice(0, maxItems).map(toNewsItem) };
}

/**
 * @returns the body of a generate request with the content of a news item
 * @throws AppError `validation_failed` unless the document has one usable text
 */
function toGenerateBody(text: string): Partial<GenerateBody> {
  const items = parseNewsItems(text, 2)?.items;
  if (items === undefined) throw invalid('body', 'must be NewsML-G2, or ninjs with a uri and a headline or a body');
  const [item, other] = items;
  if (item === undefined) throw invalid('body', 'has no usable text: it is canceled, withheld, or no text');
  if (other !== undefined) throw invalid('body', 'has several texts: send each item in a request of its own');
  const { guid, headline, url, embargo, language, contentType } = item;
  const content = selectContent(item);
  return {
    ...(guid !== undefined && { post_id: guid }),
    ...(content !== undefined && { content }),
    ...(contentType !== undefined && { content_type: contentType }),
    ...(headline !== undefined && { post_title: headline.replace(/\s+/g, ' ').trim() }),
    ...(url !== undefined && { post_url: url }),
    ...(embargo !== undefined && { publish_at: embargo.trim() }),
    ...(language !== undefined && { language: language.trim() }),
  };
}

/** Content types of a generate request with a news item. */
export const newsItemBodies = {
  'application/vnd.iptc.g2.newsitem+xml': toGenerateBody,
  'application/vnd.iptc.g2.newsmessage+xml': toGenerateBody,
  'application/ninjs+json': toGenerateBody,
};

export function selectContent({ contents }: Pick<NewsItem, 'contents'>): string | undefined {
  return contents.find((content) => content !== undefined && content.trim() !== '');
}

export function escapeText(text: string): string {
  return /[&<]/.test(text) ? text.replace(/&/g, '&amp;').replace(/</g, '&lt;') : text;
}

/** ninjs 1 to 3: an item, a list of items, or an object that has the list as `items`, `_items` or `item`. */
function parseNinjs(text: string): Record<string, unknown>[] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text.trim());
  } catch {
    return undefined;
  }
  const outer = isObject(parsed) ? (parsed['items'] ?? parsed['_items'] ?? parsed['item'] ?? [parsed]) : parsed;
  const items = Array.isArray(outer) ? outer.filter(isObject) : [];
  if (items.length === 0 || !items.every(isNinjs)) return undefined;
  return items.filter(({ type = 'text', pubStatus = 'usable', pubstatus = pubStatus, ...item }) => {
    const isText = TEXT_TYPES.has(String(type)) || (type === 'composite' && bodyMembers.some((name) => name in item));
    return isText && pubstatus === 'usable';
  });
}

/** The standard has `text`; agencies also use the others. */
const TEXT_TYPES = new Set(['text', 'article', 'story', 'news']);
const bodyMembers = ['body_html', 'body_xhtml', 'body_text', 'bodies'];

function isNinjs(item: Record<string, unknown>): boolean {
  const members = [
    'headline',
    'headlines',
    ...bodyMembers,
    'pubstatus',
    'pubStatus',
    'versioncreated',
    'versionCreated',
  ];
  return typeof getUri(item) === 'string' && members.some((name) => name in item);
}

/** Superdesk calls it `guid`. */
function getUri({ uri, guid = uri }: Record<string, unknown>): unknown {
  return uri ?? guid;
}

function toNewsItem(item: Record<string, unknown>): NewsItem {
  const text = (name: string) => (typeof item[name] === 'string' ? item[name] : undefined);
  const plain = (value: string | undefined) => (value === undefined ? undefined : escapeText(value));
  const bodies = listByRole(item['bodies']).flatMap(({ contenttype, contentType = contenttype, value }) =>
    typeof value === 'string' && value.trim() !== '' ? [readBody(contentType, value)] : [],
  );
  const findBody = (kind: BodyKind) => bodies.find((body) => body.kind === kind)?.text;
  const [headline] = listByRole(item['headlines']).map(({ value }) => (typeof value === 'string' ? value : undefined));
  const html = [...['body_html', 'body_xhtml'].map(text), findBody('html')].filter((text) => text?.trim());
  const markdown = html.length === 0 ? findBody('markdown') : undefined;
  const bodyText = text('body_text');
  const uri = getUri(item);
  return {
    guid: typeof uri === 'string' ? uri : undefined,
    headline: toPlainText(text('headline') ?? headline ?? text('title')),
    url: text('url') ?? text('link'),
    contents:
      markdown === undefined
        ? [...html, isElement(bodyText) ? bodyText : plain(bodyText), plain(findBody('plain'))]
        : [markdown],
    contentType: markdown === undefined ? undefined : 'text/markdown',
    embargo: text('embargoed') ?? text('embargoeduntil'),
    dates: ['firstcreated', 'firstCreated', 'versioncreated', 'versionCreated'].map(text),
    language: text('language'),
  };
}

type BodyKind = 'html' | 'markdown' | 'plain';

function readBody(contentType: unknown, text: string): { readonly kind: BodyKind; readonly text: string } {
  const type = String(contentType ?? '').toLowerCase();
  if (type.includes('markdown')) return { kind: 'markdown', text };
  if (type.includes('nitf')) return { kind: 'html', text: NITF_CONTENT.exec(text)?.[1] ?? text };
  const isHtml = type === '' ? isElement(text) : type.includes('html');
  return { kind: isHtml ? 'html' : 'plain', text };
}

const NITF_CONTENT = /<body\.content[^<>]{0,200}>([\s\S]*)<\/body\.content>/i;

/** Some systems write headlines with tags and entities. */
function toPlainText(text: string | undefined): string | undefined {
  return text !== undefined && /<\/?[a-z][^<>]{0,500}>|&(?:#\d{1,7}|[a-z]{2,10});/i.test(text)
    ? extractText(text)
    : text;
}

const ignoredElements = new Set(['script', 'style', 'template']);
/** Part of a word, perhaps. */
const inlineElements = new Set(['a', 'b', 'em', 'i', 'span', 'strong', 'sub', 'sup']);

/** @returns the text of HTML, with white space collapsed */
export function extractText(html: string): string {
  let text = '';
  let silent = 0;
  const parser = new Parser({
    onopentagname: (name) => {
      if (ignoredElements.has(name)) silent += 1;
      if (!inlineElements.has(name)) text += ' ';
    },
    onclosetag: (name) => {
      if (ignoredElements.has(name)) silent -= 1;
    },
    ontext: (part) => {
      if (silent === 0) text += part;
    },
  });
  parser.end(html);
  return text.replace(/\s+/g, ' ').trim();
}

/** An item of NewsML-G2 while it is read. */
interface OpenItem {
  readonly guid: string | undefined;
  language: string | undefined;
  /** Whether `language` is the first one of the content, which overrides `xml:lang` of the item. */
  hasLanguage: boolean;
  isUsable: boolean;
  headline?: { readonly text: string; readonly rank: number };
  title?: string;
  xml?: string;
  /** `xml:lang` of that element. */
  xmlLanguage?: string | undefined;
  /** The parts of `xml` that are its content, by the name of their element. */
  readonly bodies: Map<string, { readonly start: number; end?: number }>;
  plain?: string;
  isPlainHtml?: boolean;
  readonly dates: Map<string, string>;
}

const TEXT_ELEMENTS = new Set(['headline', 'title', 'embargoed', 'firstcreated', 'versioncreated', 'inlinedata']);
/** Of NITF and XHTML. */
const BODY_ELEMENTS = ['body.content', 'body'];

/** Reads the news items of a NewsML-G2 document: usable texts with their content in the document. */
function parseNewsMl(xml: string, maxItems: number): NewsItem[] {
  const items: OpenItem[] = [];
  let item: OpenItem | undefined;
  let text = '';
  let inlineStart = -1;
  let headlineRank = 0;
  let depth = 0;
  const parser = new Parser(
    {
      onopentag: (qualifiedName, attributes) => {
        depth += 1;
        if (depth > maxDepth) throw invalid('body', `must not nest more than ${maxDepth} elements`);
        const name = localName(qualifiedName);
        if (inlineStart >= 0) {
          const start = parser.endIndex + 1;
          if (BODY_ELEMENTS.includes(name) && !item?.bodies.has(name)) item?.bodies.set(name, { start });
          return;
        }
        if (name === 'newsitem') {
          item = {
            ...{ guid: attributes['guid'], language: attributes['xml:lang'], hasLanguage: false, isUsable: true },
            ...{ bodies: new Map(), dates: new Map() },
          };
        }
        if (item === undefined) return;
        if (name === 'pubstatus') item.isUsable &&= /(?:^|:)usable$/.test(attributes['qcode'] ?? 'usable');
        if (name === 'itemclass') item.isUsable &&= /(?:^|:)(?:text|composite)$/.test(attributes['qcode'] ?? 'text');
        const { tag } = attributes;
        if (name === 'language' && tag !== undefined && !item.hasLanguage) {
          item.language = tag;
          item.hasLanguage = true;
        }
        if (TEXT_ELEMENTS.has(name)) text = '';
        if (name === 'headline') headlineRank = rankHeadline(attributes, item);
        if (name === 'inlinedata') item.isPlainHtml ??= /html/i.test(attributes['contenttype'] ?? '');
        if (name !== 'inlinexml') return;
        const language = attributes['xml:lang'];
        const isTranslated = areSameLanguage(language, item) && !areSameLanguage(item.xmlLanguage, item);
        if (item.xml !== undefined && !isTranslated) return;
        inlineStart = parser.endIndex + 1;
        item.xmlLanguage = language;
        item.bodies.clear();
      },
      ontext: (part) => {
        if (inlineStart < 0) text += part;
      },
      onclosetag: (qualifiedName, isImplied) => {
        depth -= 1;
        const name = localName(qualifiedName);
        if (item === undefined) return;
        if (inlineStart >= 0 && name !== 'inlinexml') {
          const body = item.bodies.get(name);
          if (body !== undefined && !isImplied) body.end ??= parser.startIndex;
          return;
        }
        if (name === 'inlinexml' && inlineStart >= 0) {
          item.xml = selectBody(xml, item) ?? unwrapCdata(xml.slice(inlineStart, parser.startIndex));
          inlineStart = -1;
        }
        if (name === 'headline' && headlineRank < (item.headline?.rank ?? Number.POSITIVE_INFINITY)) {
          item.headline = { text, rank: headlineRank };
        }
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
  parser.write(xml);
  // An item that was cut off would lose the end of its text.
  if (depth > 0) throw invalid('body', 'is incomplete: the end of the XML is missing');
  parser.end();
  return items.map(toNewsMlItem);
}

/** The headline with the lowest rank becomes the title: the main one, in the language of the item. */
function rankHeadline(attributes: Readonly<Record<string, string>>, item: OpenItem): number {
  const language = attributes['xml:lang'];
  const isForeign = language !== undefined && item.language !== undefined && !areSameLanguage(language, item);
  return (isForeign ? 2 : 0) + rankRole(attributes['role']);
}

/** Texts in several languages are one item. */
function areSameLanguage(language: string | undefined, item: OpenItem): boolean {
  const primary = (tag: string | undefined) => tag?.toLowerCase().split('-')[0];
  return primary(language) === primary(item.language);
}

function toNewsMlItem({ guid, language, headline, title, xml, plain, isPlainHtml, dates }: OpenItem): NewsItem {
  return {
    guid,
    headline: headline?.text ?? title,
    url: undefined,
    contents: [
      // HTML knows no prefixes of names.
      xml?.replace(/<(\/?)[a-z][\w-]{0,20}:(?=[a-z])/gi, '<$1'),
      plain === undefined || isPlainHtml || isElement(plain) ? plain : escapeText(plain),
    ],
    embargo: dates.get('embargoed'),
    dates: ['firstcreated', 'versioncreated'].map((name) => dates.get(name)),
    language,
  };
}

/** Some systems write XHTML as CDATA. */
function unwrapCdata(xml: string): string {
  const content = xml.trim();
  return content.startsWith('<![CDATA[') && content.endsWith(']]>') ? content.slice(9, -3) : xml;
}

/** @returns the body of XHTML or NITF */
function selectBody(xml: string, { bodies }: OpenItem): string | undefined {
  for (const name of BODY_ELEMENTS) {
    const { start, end } = bodies.get(name) ?? {};
    if (end !== undefined) return xml.slice(start, end);
  }
  return undefined;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}

/** Main text comes first, which is also what has no role. */
function rankRole(role: unknown = 'main'): number {
  return /(?:^|:)main$/i.test(String(role)) ? 0 : 1;
}

function listByRole(value: unknown): Record<string, unknown>[] {
  return listObjects(value).sort((a, b) => rankRole(a['role']) - rankRole(b['role']));
}

function isElement(text: string | undefined): boolean {
  return /^\s{0,100}<[a-z]/i.test(text ?? '');
}

function listObjects(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
