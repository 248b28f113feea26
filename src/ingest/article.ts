import { createHash } from 'node:crypto';
import type { FeedItem, FeedSource } from '../database/feed-tables.ts';
import type { FeedEntry } from './feed.ts';
import type { ItemNotes } from './item-store.ts';

/** Fewer characters are no article. */
const textLengthMin = 50;
const shownGuidLength = 500;
const urlLengthMax = 2_000;
const postIdLengthMax = 255;

/** What a post is made of, kept while it waits. */
export interface Article {
  readonly guid: string;
  readonly title: string | null;
  readonly url: string | null;
  readonly content: string;
  readonly language: string | null;
  readonly publishedAt: string | null;
}

function articleOf(entry: FeedEntry): Article {
  const { guid, title, content, language, publishedAt } = entry;
  const url = entry.url !== null && entry.url.length <= urlLengthMax ? entry.url : null;
  return { guid, title, url, content, language, publishedAt };
}

/** What is written of an entry that has not been seen, or has changed: it waits, unless it can never be a post. */
export function notesOf(entry: FeedEntry, contentLengthMax: number): ItemNotes {
  const article = articleOf(entry);
  const { title, url } = article;
  const facts = { title, url, content_hash: contentHashOf(article) };
  const problem = unfitness(entry, contentLengthMax);
  return problem === undefined
    ? { ...facts, outcome: 'waiting', reason: null, article: JSON.stringify(article) }
    : { ...facts, ...problem, article: null };
}

/** @returns why an entry can be no post */
export function unfitness(
  { textLength, content }: Pick<FeedEntry, 'textLength' | 'content'>,
  contentLengthMax: number,
): Pick<FeedItem, 'outcome' | 'reason'> | undefined {
  if (textLength < textLengthMin) {
    const reason = `It has ${textLength} characters of text; ${textLengthMin} are needed`;
    return { outcome: 'too_short', reason };
  }
  if (textLength > contentLengthMax || content.length > 2 * contentLengthMax) {
    return { outcome: 'refused', reason: `It has more than ${contentLengthMax} characters` };
  }
  return undefined;
}

export function guidHashOf(guid: string): string {
  return createHash('sha256').update(guid).digest('hex');
}

/** How a guid is shown. */
export function shownGuid(guid: string): string {
  return guid.length <= shownGuidLength ? guid : [...guid].slice(0, shownGuidLength).join('');
}

/** The `post_id` of an item: its guid, where that can be one. */
export function postIdOf(guid: string): string {
  const isPrintable = guid.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(guid);
  const isUsable = isPrintable && [...guid].length <= postIdLengthMax && !/^\.{0,2}$/.test(guid);
  return isUsable ? guid : `feed:${guidHashOf(guid)}`;
}

/** The `post_id` of an item whose guid is that of another post: of this source and no other. */
export function ownPostIdOf({ id }: Pick<FeedSource, 'id'>, guid: string): string {
  return `feed:${guidHashOf(`${id}\n${guid}`)}`;
}

/** @returns the moment before which a post may not be heard; null when it may */
export function embargoOf({ publishedAt }: Pick<Article, 'publishedAt'>): string | null {
  return publishedAt !== null && Date.parse(publishedAt) > Date.now() ? publishedAt : null;
}

/** A date that is over says nothing: many feeds give an item a new one whenever it is touched. */
function contentHashOf(article: Article): string {
  const { title, url, content } = article;
  const told = JSON.stringify([title, url, content, embargoOf(article)]);
  return createHash('sha256').update(told).digest('hex');
}
