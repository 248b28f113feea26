import { createHash } from 'node:crypto';
import {
  type AnyFeed,
  type AtomFeed,
  type JsonFeed,
  parseFeed,
  type RdfFeed,
  type RssFeed,
} from 'feedsmith';
import { primaryLanguage } from '../http/language-code.ts';
import type { FeedEntry, FeedQuestion, FeedReading } from './feed.ts';
import { decodeFeed, textOf } from './feed-text.ts';

/** Items beyond these are not even looked at, wherever in the feed the newest ones are. */
const parsedItemsMax = 2_000;
const excerptLength = 200;
const titleLengthMax = 500;
const periodS = { hourly: 3_600, daily: 86_400, weekly: 604_800, monthly: 2_592_000 };

/** Reads RSS 0.9x, 1.0 and 2.0, Atom and JSON Feed. Entities that a document defines itself mean nothing here. */
export function readFeed(bytes: Uint8Array, question: FeedQuestion): FeedReading {
  const text = decodeFeed(bytes, question.contentType);
  let parsed: AnyFeed;
  try {
    parsed = parseFeed(text, { maxItems: parsedItemsMax });
  } catch {
    const isPage = /^\s*(<!doctype html|<html)/i.test(text.slice(0, 1_000));
    const found = isPage ? 'is a web page, not a feed' : 'is no RSS, Atom or JSON feed';
    return { problem: `what is there ${found}` };
  }
  const raw = rawFeed(parsed);
  const items = raw.items.map((item) => entryOf(item, raw, question.url));
  return {
    feed: {
      format: parsed.format,
      title: raw.title === undefined ? null : cut(textOf(raw.title), titleLengthMax) || null,
      refreshS: raw.refreshS ?? null,
      itemCount: items.length,
      items: newestOf(unique(items), question.itemsMax),
    },
  };
}

/** What all formats have, each in its own words. */
interface RawFeed {
  readonly title: string | undefined;
  readonly language: string | undefined;
  readonly refreshS?: number | undefined;
  readonly items: readonly RawItem[];
}

interface RawItem {
  readonly guid: string | undefined;
  readonly title: string | undefined;
  readonly url: string | undefined;
  /** Best first; the first that is not empty counts. */
  readonly contents: readonly (string | undefined)[];
  /** The first that can be read counts. */
  readonly dates: readonly (string | undefined)[];
  readonly language: string | undefined;
}

function rawFeed({ format, feed }: AnyFeed): RawFeed {
  if (format === 'rss') return rawRss(feed);
  if (format === 'atom') return rawAtom(feed);
  if (format === 'rdf') return rawRdf(feed);
  return rawJson(feed);
}

function rawRss(feed: RssFeed.Feed<string>): RawFeed {
  const ttlS = feed.ttl === undefined ? 0 : feed.ttl * 60;
  return {
    title: feed.title,
    language: feed.language ?? feed.dc?.languages?.[0] ?? feed.xml?.lang,
    refreshS: Math.max(ttlS, updatePeriodS(feed.sy)),
    items: (feed.items ?? []).map((item) => ({
      guid: item.guid?.value,
      title: item.title,
      url: item.link ?? permanentLink(item.guid),
      contents: [item.content?.encoded, item.description],
      dates: [item.pubDate, item.dc?.dates?.[0], item.atom?.published],
      language: item.dc?.languages?.[0] ?? item.xml?.lang,
    })),
  };
}

/** A guid is an address unless it says otherwise; many that are none say nothing. */
function permanentLink(guid: RssFeed.Guid | undefined): string | undefined {
  const { isPermaLink = true, value = '' } = guid ?? {};
  return isPermaLink && /^https?:/i.test(value) ? value : undefined;
}

function rawRdf(feed: RdfFeed.Feed<string>): RawFeed {
  return {
    title: feed.title,
    language: feed.dc?.languages?.[0] ?? feed.xml?.lang,
    refreshS: updatePeriodS(feed.sy),
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

function rawAtom(feed: AtomFeed.Feed<string>): RawFeed {
  return {
    title: feed.title?.value,
    language: feed.xml?.lang,
    refreshS: updatePeriodS(feed.sy),
    items: (feed.entries ?? []).map((entry) => ({
      guid: entry.id,
      title: htmlOf(entry.title),
      url: entry.links?.find(({ rel = 'alternate' }) => rel === 'alternate')?.href,
      contents: [htmlOf(entry.content), htmlOf(entry.summary)],
      dates: [entry.published, entry.updated],
      language: entry.content?.xml?.lang ?? entry.xml?.lang,
    })),
  };
}

function rawJson(feed: JsonFeed.Feed<string>): RawFeed {
  return {
    title: feed.title === undefined ? undefined : escaped(feed.title),
    language: feed.language,
    items: (feed.items ?? []).map((item) => ({
      guid: item.id,
      title: item.title === undefined ? undefined : escaped(item.title),
      url: item.url ?? item.external_url,
      contents: [item.content_html, item.content_text, item.summary],
      dates: [item.date_published, item.date_modified],
      language: item.language,
    })),
  };
}

/** A text that says it is none of HTML, made into some. */
function htmlOf(text: AtomFeed.Content | undefined): string | undefined {
  const { type = 'text', value } = text ?? {};
  if (value === undefined || (type !== 'text' && type !== 'text/plain')) return value;
  return escaped(value);
}

function escaped(text: string): string {
  return /[&<]/.test(text) ? text.replace(/&/g, '&amp;').replace(/</g, '&lt;') : text;
}

function updatePeriodS(
  said: { updatePeriod?: string; updateFrequency?: number } | undefined,
): number {
  const period = said?.updatePeriod?.trim().toLowerCase();
  const seconds = Object.entries(periodS).find(([name]) => name === period)?.[1] ?? 0;
  return Math.round(seconds / Math.max(1, said?.updateFrequency ?? 1));
}

function entryOf(item: RawItem, feed: RawFeed, base: string): FeedEntry {
  const content = item.contents.find((one) => one !== undefined && one.trim() !== '') ?? '';
  const text = textOf(content);
  const url = webAddress(item.url, base);
  const title = item.title === undefined ? '' : cut(textOf(item.title), titleLengthMax);
  const language = primaryLanguage((item.language ?? feed.language ?? '').trim());
  const guid = item.guid?.trim() || url || sha256(`${title}\n${content}`);
  return {
    ...{ guid, url, content },
    title: title === '' ? null : title,
    textLength: [...text].length,
    excerpt: cut(text, excerptLength),
    publishedAt: momentOf(item.dates),
    language: language ?? null,
  };
}

/** An item that stands there twice counts once. */
function unique(items: readonly FeedEntry[]): FeedEntry[] {
  const byGuid = new Map<string, FeedEntry>();
  for (const item of items) if (!byGuid.has(item.guid)) byGuid.set(item.guid, item);
  return [...byGuid.values()];
}

/** By date where each has one; else as the feed has them, which is newest first. */
function newestOf(items: readonly FeedEntry[], most: number): FeedEntry[] {
  const isDated = items.every(({ publishedAt }) => publishedAt !== null);
  const inOrder = isDated
    ? items.toSorted((one, other) => ((one.publishedAt ?? '') < (other.publishedAt ?? '') ? 1 : -1))
    : items;
  return inOrder.slice(0, most);
}

function webAddress(given: string | undefined, base: string): string | null {
  const url = given === undefined ? null : URL.parse(given.trim(), base);
  return url === null || !/^https?:$/.test(url.protocol) ? null : url.href;
}

function momentOf(dates: readonly (string | undefined)[]): string | null {
  for (const date of dates) {
    const moment = Date.parse(date ?? '');
    // Years that don't sort as text are none.
    if (moment > 0 && moment < Date.UTC(10_000, 0)) return new Date(moment).toISOString();
  }
  return null;
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : [...text].slice(0, length).join('');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
