import { createHash } from 'node:crypto';
import { type AnyFeed, type AtomFeed, type JsonFeed, parseFeed, type RdfFeed, type RssFeed } from 'feedsmith';
import {
  escapeText,
  extractText,
  type NewsItem,
  type NewsItems,
  parseNewsItems,
  selectContent,
} from '../audio/news-items.ts';
import { exitWithParent, lowerPriority } from '../build/processes.ts';
import { parsePrimaryLanguage } from '../http/validation.ts';

/** A parsed feed of any format. Plain data: it crosses a process boundary. */
export interface Feed {
  readonly format: AnyFeed['format'] | NewsItems['format'];
  readonly title: string | null;
  /** Shortest fetch interval that the feed allows, in seconds; null if it names none. */
  readonly refreshS: number | null;
  /** All items of the feed; `items` may hold fewer. */
  readonly itemCount: number;
  /** Newest first. */
  readonly items: readonly FeedEntry[];
}

export interface FeedEntry {
  /** The URL or a hash of the text if the feed has none. */
  readonly guid: string;
  readonly title: string | null;
  /** Absolute http(s) URL. */
  readonly url: string | null;
  /** Plain text, HTML, or as `contentType` says. */
  readonly content: string;
  readonly contentType?: NewsItem['contentType'];
  /** Of the content without its tags, in code points. */
  readonly textLength: number;
  /** Start of the text. */
  readonly excerpt: string;
  /** ISO 8601, UTC. */
  readonly publishedAt: string | null;
  /** BCP 47 primary code. */
  readonly language: string | null;
}

/** The members that all formats share. */
interface RawFeed {
  readonly title: string | undefined;
  readonly language: string | undefined;
  readonly refreshS?: number | undefined;
  readonly items: readonly RawItem[];
}

interface RawItem extends Pick<NewsItem, 'guid' | 'url' | 'contents' | 'contentType' | 'dates' | 'language'> {
  /** HTML. */
  readonly title: string | undefined;
  /** `xml:base` of feed and item. */
  readonly bases?: readonly (string | undefined)[];
}

/** What the parser cannot find in the bytes. */
export interface FeedParseParams {
  /** URL of the feed: the base of relative links. */
  readonly url: string;
  readonly contentType: string | null;
  readonly maxItems: number;
}

/** The feed, or why parsing failed. */
export type FeedParseResult = { readonly feed: Feed } | { readonly problem: string };

const defaultEncoding = 'utf-8';
/** The XML declaration is at the start, and ASCII in every encoding that needs one. */
const declarationByteCount = 200;
/**
 * The encoding is that of the byte order mark, else of the Content-Type, else of the XML declaration, else UTF-8. Invalid
 * bytes become replacement characters.
 */
function decodeFeed(bytes: Uint8Array, contentType: string | null): string {
  const encoding = detectBomEncoding(bytes) ?? parseCharset(contentType) ?? parseXmlEncoding(bytes) ?? defaultEncoding;
  return new TextDecoder(encoding).decode(bytes);
}

function detectBomEncoding([first, second, third]: Uint8Array): Encoding | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return resolveEncoding('utf-16be');
  return undefined;
}

function parseCharset(contentType: string | null): Encoding | undefined {
  return resolveEncoding(/;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType ?? '')?.[1]);
}

function parseXmlEncoding(bytes: Uint8Array): Encoding | undefined {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, declarationByteCount));
  return resolveEncoding(/^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)/.exec(start)?.[1]);
}

type Encoding = NonNullable<ConstructorParameters<typeof TextDecoder>[0]>;

/** @returns undefined for an unknown encoding */
function resolveEncoding(label: string | undefined): Encoding | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label as Encoding).encoding as Encoding;
  } catch {
    return undefined;
  }
}

/** Later items are not read, wherever in the feed the newest ones are. */
const maxParsedItems = 2_000;
const maxExcerptLength = 200;
const maxTitleLength = 500;
const periodSeconds = { hourly: 3_600, daily: 86_400, weekly: 604_800, monthly: 2_592_000 };

/** What hides tags, with its end. */
const hidingMarkup = { '<![CDATA[': ']]>', '<!--': '-->' };

/** The parser reads a whole document. @returns XML without the items that would be dropped; other text as it is */
function dropLaterItems(text: string): string {
  const starts = /<!\[CDATA\[|<!--|<(item|entry)(?=[\s>])/g;
  let count = 0;
  for (let match = starts.exec(text); match !== null; match = starts.exec(text)) {
    const [start, name] = match;
    if (name === undefined) {
      const end = text.indexOf(hidingMarkup[start as keyof typeof hidingMarkup], match.index);
      if (end < 0) return text;
      starts.lastIndex = end;
      continue;
    }
    count += 1;
    const lastEnd = count > maxParsedItems ? text.lastIndexOf(`</${name}>`) : -1;
    if (lastEnd > match.index) return text.slice(0, match.index) + text.slice(lastEnd + `</${name}>`.length);
    if (count > maxParsedItems) return text;
  }
  return text;
}

/** Parses RSS 0.9x, 1.0 and 2.0, Atom, JSON Feed, NewsML-G2 and ninjs. Entities that a document defines itself are not expanded. */
function parseFeedBytes(bytes: Uint8Array, params: FeedParseParams): FeedParseResult {
  const text = decodeFeed(bytes, params.contentType);
  let parsed: { readonly feed: RawFeed } & Pick<Feed, 'format'>;
  try {
    const news = parseNewsItems(text, maxParsedItems);
    parsed = news === undefined ? parseWebFeed(text) : { format: news.format, feed: mapNewsItems(news) };
  } catch {
    const isPage = /^\s*(<!doctype html|<html)/i.test(text.slice(0, 1_000));
    const received = isPage ? 'a web page' : 'no RSS, Atom or JSON feed, NewsML-G2 or ninjs';
    return { problem: `not a feed: the URL returns ${received}` };
  }
  const raw = parsed.feed;
  const items = raw.items.map((item) => toFeedEntry(item, raw, params.url));
  return {
    feed: {
      format: parsed.format,
      title: raw.title === undefined ? null : truncate(extractText(raw.title), maxTitleLength) || null,
      refreshS: raw.refreshS ?? null,
      itemCount: items.length,
      items: selectNewest(deduplicateEntries(items), params.maxItems),
    },
  };
}

function parseWebFeed(text: string): { format: AnyFeed['format']; feed: RawFeed } {
  const parsed = parseFeed(dropLaterItems(text), { maxItems: maxParsedItems });
  return { format: parsed.format, feed: toRawFeed(parsed) };
}

function toRawFeed({ format, feed }: AnyFeed): RawFeed {
  if (format === 'rss') return mapRss(feed);
  if (format === 'atom') return mapAtom(feed);
  if (format === 'rdf') return mapRdf(feed);
  return mapJsonFeed(feed);
}

function mapNewsItems({ items }: NewsItems): RawFeed {
  return {
    ...{ title: undefined, language: undefined },
    // Without a date an embargo has no known end.
    items: items.filter(isReleasable).map(({ headline, embargo, dates, ...item }) => ({
      ...item,
      title: headline === undefined ? undefined : escapeText(headline),
      dates: [embargo, ...dates],
    })),
  };
}

function isReleasable({ embargo }: NewsItem): boolean {
  return embargo === undefined || parseDate(embargo) !== null;
}

function mapRss(feed: RssFeed.Feed<string>): RawFeed {
  const ttlS = feed.ttl === undefined ? 0 : feed.ttl * 60;
  return {
    title: feed.title,
    language: feed.language ?? feed.dc?.languages?.[0] ?? feed.xml?.lang,
    refreshS: Math.max(ttlS, parseUpdatePeriod(feed.sy)),
    items: (feed.items ?? []).map((item) => ({
      guid: item.guid?.value,
      title: item.title,
      url: item.link ?? getPermalink(item.guid),
      contents: [item.content?.encoded, item.description],
      dates: [item.pubDate, item.dc?.dates?.[0], item.atom?.published],
      language: item.dc?.languages?.[0] ?? item.xml?.lang,
    })),
  };
}

/** A guid is a URL by default, but many feeds use others without declaring it. */
function getPermalink(guid: RssFeed.Guid | undefined): string | undefined {
  const { isPermaLink = true, value = '' } = guid ?? {};
  return isPermaLink && /^https?:/i.test(value) ? value : undefined;
}

function mapRdf(feed: RdfFeed.Feed<string>): RawFeed {
  return {
    title: feed.title,
    language: feed.dc?.languages?.[0] ?? feed.xml?.lang,
    refreshS: parseUpdatePeriod(feed.sy),
    items: (feed.items ?? []).map((item) => ({
      guid: item.rdf?.about,
      title: item.title,
      url: item.link,
      contents: [item.content?.encoded, item.description],
      dates: [item.dc?.dates?.[0]],
      language: item.dc?.languages?.[0] ?? item.xml?.lang,
    })),
  };
}

function mapAtom(feed: AtomFeed.Feed<string>): RawFeed {
  return {
    title: feed.title?.value,
    language: feed.xml?.lang,
    refreshS: parseUpdatePeriod(feed.sy),
    items: (feed.entries ?? []).map((entry) => ({
      guid: entry.id,
      title: toHtml(entry.title),
      url: entry.links?.find(({ rel = 'alternate' }) => rel === 'alternate')?.href,
      bases: [feed.xml?.base, entry.xml?.base],
      contents: [toHtml(entry.content), toHtml(entry.summary)],
      dates: [entry.published, entry.updated],
      language: entry.content?.xml?.lang ?? entry.xml?.lang,
    })),
  };
}

function mapJsonFeed(feed: JsonFeed.Feed<string>): RawFeed {
  return {
    title: feed.title === undefined ? undefined : escapeText(feed.title),
    language: feed.language,
    items: (feed.items ?? []).map((item) => ({
      guid: item.id,
      title: item.title === undefined ? undefined : escapeText(item.title),
      url: item.url ?? item.external_url,
      contents: [item.content_html, ...[item.content_text, item.summary].map((text) => text && escapeText(text))],
      dates: [item.date_published, item.date_modified],
      language: item.language,
    })),
  };
}

/** Escapes plain text; HTML stays. */
function toHtml(text: AtomFeed.Content | undefined): string | undefined {
  const { type = 'text', value } = text ?? {};
  if (value === undefined || (type !== 'text' && type !== 'text/plain')) return value;
  return escapeText(value);
}

function parseUpdatePeriod(syndication: { updatePeriod?: string; updateFrequency?: number } | undefined): number {
  const period = syndication?.updatePeriod?.trim().toLowerCase();
  const seconds = Object.entries(periodSeconds).find(([name]) => name === period)?.[1] ?? 0;
  return Math.round(seconds / Math.max(1, syndication?.updateFrequency ?? 1));
}

function toFeedEntry(item: RawItem, feed: RawFeed, feedUrl: string): FeedEntry {
  const content = selectContent(item) ?? '';
  const text = extractText(content);
  let base = feedUrl;
  for (const inner of item.bases ?? []) base = resolveUrl(inner, base) ?? base;
  const url = resolveUrl(item.url, base);
  const title = item.title === undefined ? '' : truncate(extractText(item.title), maxTitleLength);
  const language = parsePrimaryLanguage((item.language ?? feed.language ?? '').trim());
  const guid = item.guid?.trim() || url || sha256(`${title}\n${content}`);
  return {
    ...{ guid, url, content },
    ...(item.contentType !== undefined && { contentType: item.contentType }),
    title: title === '' ? null : title,
    textLength: [...text].length,
    excerpt: truncate(text, maxExcerptLength),
    publishedAt: parseFirstDate(item.dates),
    language: language ?? null,
  };
}

/** Keeps the first item per guid. */
function deduplicateEntries(items: readonly FeedEntry[]): FeedEntry[] {
  return [...Map.groupBy(items, ({ guid }) => guid).values()].flatMap(([first]) => first ?? []);
}

/** By date if each item has one; else in the order of the feed, which is newest first. */
function selectNewest(items: readonly FeedEntry[], limit: number): FeedEntry[] {
  const isDated = items.every(({ publishedAt }) => publishedAt !== null);
  const inOrder = isDated ? items.toSorted((a, b) => ((a.publishedAt ?? '') < (b.publishedAt ?? '') ? 1 : -1)) : items;
  return inOrder.slice(0, limit);
}

function resolveUrl(reference: string | undefined, base: string): string | null {
  const url = reference === undefined ? null : URL.parse(reference.trim(), base);
  return url === null || !/^https?:$/.test(url.protocol) ? null : url.href;
}

/** `Date` knows only the zones of RFC 822, which are American. */
const offsetByZone: Readonly<Record<string, string>> = {
  ...{ WET: '+0000', BST: '+0100', WEST: '+0100', CET: '+0100', MEZ: '+0100', CEST: '+0200', MESZ: '+0200' },
  ...{ EET: '+0200', EEST: '+0300', MSK: '+0300', JST: '+0900', AEST: '+1000', AEDT: '+1100' },
};

function parseFirstDate(dates: readonly (string | undefined)[]): string | null {
  return dates.map((date) => parseDate(date ?? '')).find((date) => date !== null) ?? null;
}

function parseDate(text: string): string | null {
  const moment = Date.parse(text.trim().replace(/\b[A-Z]{3,4}$/, (zone) => offsetByZone[zone] ?? zone));
  // Later years don't sort as text.
  return moment > 0 && moment < Date.UTC(10_000, 0) ? new Date(moment).toISOString() : null;
}

function truncate(text: string, length: number): string {
  return text.length <= length ? text : [...text].slice(0, length).join('');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const niceness = 10;
const lineEnd = 0x0a;

/**
 * The body of a process that parses one feed. Standard input: a line with the `FeedParseParams` as JSON, then the bytes of
 * the feed. Standard output: a `FeedParseResult` as JSON.
 */
export async function runParseWorker(): Promise<void> {
  exitWithParent();
  lowerPriority(niceness);
  const input = await Bun.stdin.bytes();
  const end = input.indexOf(lineEnd);
  const params = JSON.parse(new TextDecoder().decode(input.subarray(0, end))) as FeedParseParams;
  await Bun.write(Bun.stdout, JSON.stringify(parseFeedBytes(input.subarray(end + 1), params)));
}
