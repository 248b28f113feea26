import { createHash } from 'node:crypto';
import { chooseVoice } from '../audio/choose-voice.ts';
import { findPost } from '../audio/posts/store.ts';
import { canonicalizeUrl } from '../audio/store.ts';
import { type GenerateRequest, parseGenerateRequest, type SubmitDeps, submitPost } from '../audio/submit.ts';
import { requireActiveSubscription } from '../auth/domain-access.ts';
import { currentTimeMs, daysAgo } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Queries } from '../database/database.ts';
import type { FeedItem, FeedSource } from '../database/feature-schema.ts';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { allowedVoices } from '../voices/store.ts';
import {
  countSubmittedItems,
  deferItems,
  findContentHashes,
  findItems,
  type ItemUpdate,
  insertItem,
  listWaitingItems,
  resolveItem,
  updateItem,
} from './item-store.ts';
import type { FeedEntry } from './parse-worker.ts';

/** Shorter texts are no articles. */
const minTextLength = 50;
const maxShownGuidLength = 500;
const maxUrlLength = 2_000;
const maxPostIdLength = 255;

/** The content of a post, stored while the item waits. */
type Article = Pick<FeedEntry, 'guid' | 'title' | 'url' | 'content' | 'contentType' | 'language' | 'publishedAt'>;

/** The columns of a new or changed entry: it waits, unless it can never become a post. */
function toItemUpdate(entry: FeedEntry, maxContentLength: number): ItemUpdate {
  const { guid, title, content, contentType, language, publishedAt } = entry;
  const url = entry.url !== null && entry.url.length <= maxUrlLength ? entry.url : null;
  const article: Article = { guid, title, url, content, ...(contentType && { contentType }), language, publishedAt };
  const columns = { title, url, content_hash: hashContent(article) };
  const rejection = rejectReason(entry, maxContentLength);
  return rejection === undefined
    ? { ...columns, outcome: 'waiting', reason: null, article: JSON.stringify(article) }
    : { ...columns, ...rejection, article: null };
}

/** @returns why an entry cannot become a post; undefined if it can */
export function rejectReason(
  { textLength, content }: Pick<FeedEntry, 'textLength' | 'content'>,
  maxContentLength: number,
): Pick<FeedItem, 'outcome' | 'reason'> | undefined {
  if (textLength < minTextLength) {
    const reason = `Text too short: ${textLength} characters, at least ${minTextLength} required`;
    return { outcome: 'too_short', reason };
  }
  if (textLength > maxContentLength || content.length > 2 * maxContentLength) {
    return { outcome: 'refused', reason: `Text too long: more than ${maxContentLength} characters` };
  }
  return undefined;
}

function hashGuid(guid: string): string {
  return createHash('sha256').update(guid).digest('hex');
}

/** For display. */
export function truncateGuid(guid: string): string {
  return guid.length <= maxShownGuidLength ? guid : [...guid].slice(0, maxShownGuidLength).join('');
}

/** The `post_id` of an item: its guid if that is valid, else a hash of it. */
export function toPostId(guid: string): string {
  const isPrintable = guid.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(guid);
  const isUsable = isPrintable && [...guid].length <= maxPostIdLength && !/^\.{0,2}$/.test(guid);
  return isUsable ? guid : `feed:${hashGuid(guid)}`;
}

/** The `post_id` of an item whose guid another post has: unique to this source. */
function toSourcePostId({ id }: Pick<FeedSource, 'id'>, guid: string): string {
  return `feed:${hashGuid(`${id}\n${guid}`)}`;
}

/** @returns the time before which a post is not published; null without an embargo */
function getEmbargo({ publishedAt }: Pick<Article, 'publishedAt'>): string | null {
  return publishedAt !== null && Date.parse(publishedAt) > currentTimeMs() ? publishedAt : null;
}

/** Without past dates: many feeds change the date of an item at each edit. */
function hashContent(article: Article): string {
  const { title, url, content } = article;
  const hashed = JSON.stringify([title, url, content, getEmbargo(article)]);
  return createHash('sha256').update(hashed).digest('hex');
}

/** Outcomes in which an item has a post. */
const submittedOutcomes: readonly FeedItem['outcome'][] = ['queued', 'updated'];
/** Outcomes without a post, which a change of the item may replace. */
const replaceableOutcomes: readonly FeedItem['outcome'][] = ['waiting', 'too_short', 'refused'];

/**
 * Records new and changed items; run it in the transaction that records the fetch, so that no item is lost or seen twice.
 * @param entries newest first
 */
export async function recordItems(
  db: Queries,
  source: FeedSource,
  entries: readonly FeedEntry[],
  maxContentLength: number,
): Promise<void> {
  const isFirst = source.first_fetched_at === null;
  const updates = entries.map((entry, index) => ({
    ...{ index, guid: entry.guid, guidHash: hashGuid(entry.guid) },
    update: toItemUpdate(entry, maxContentLength),
  }));
  const guidHashes = updates.map(({ guidHash }) => guidHash);
  const storedItems = await findItems(db, source.id, guidHashes);
  const contentHashes = updates.map(({ update }) => update.content_hash);
  const duplicates = await findContentHashes(db, source.id, contentHashes);
  // The oldest first: posts are created in the order of publication.
  for (const { index, guid, guidHash, update } of updates.toReversed()) {
    const item = storedItems.get(guidHash);
    if (item === undefined) {
      const isOld = isFirst && index >= source.backfill;
      await insertItem(db, {
        ...{ source_id: source.id, site_id: source.site_id, guid_hash: guidHash, guid: truncateGuid(guid) },
        ...update,
        ...(isOld ? skippedItem : duplicates.has(update.content_hash) ? duplicateItem : {}),
      });
    } else if (item.content_hash !== update.content_hash) {
      await updateItem(db, item.id, getItemChanges(item, update, source));
    }
  }
}

/** Some feeds give their items new guids at each update. */
const duplicateItem = {
  ...({ outcome: 'known', article: null } as const),
  reason: 'Duplicate: same title, URL and text as an item with a different guid',
};
const skippedItem = {
  ...({ outcome: 'skipped', article: null } as const),
  reason: 'Published before the feed was added',
};

/** The changes of a known item. Its post is never deleted for a change. */
function getItemChanges(item: FeedItem, update: ItemUpdate, source: FeedSource): Partial<ItemUpdate> {
  if (replaceableOutcomes.includes(item.outcome) && item.post_id === null) return update;
  // A refused item with a post is a correction that was rejected.
  const corrects = [...submittedOutcomes, 'waiting', 'refused'].includes(item.outcome);
  if (corrects && source.updates === 1 && update.outcome === 'waiting') return update;
  const { content_hash, title, url } = update;
  return { content_hash, title, url };
}

const itemBatchSize = 50;

export interface SubmitItemsDeps extends SubmitDeps {
  readonly config: Config;
}

/**
 * Submits the waiting items of a source, by the rules for all posts. Items rejected for now keep waiting with the reason.
 * @param isStopping checked between two items
 */
export async function submitItems(
  deps: SubmitItemsDeps,
  source: FeedSource,
  site: Site,
  isStopping: () => boolean,
): Promise<void> {
  const { database, config } = deps;
  const deferRest = (after: number, reason: string) =>
    deferItems(database, site.id, { sourceId: source.id, after, reason });
  /** Reasons that defer all items of a language: items with one of them are not read again. */
  const deferred: string[] = [];
  let after = 0;
  let left = config.maxFeedPostsPerDay - (await countSubmittedToday(deps, source));
  let limit = 1;
  // Ends: each batch starts after the last item of the one before.
  while (!isStopping()) {
    if (left <= 0) {
      const reason = `Daily limit of ${config.maxFeedPostsPerDay} posts reached; the remaining items follow later`;
      return deferRest(after, reason);
    }
    const items = await listWaitingItems(database.read, source.id, { after, limit, deferred });
    if (items.length === 0) return;
    // If the first item is rejected, the articles of the others need not be read.
    limit = itemBatchSize;
    for (const item of items) {
      if (isStopping()) return;
      if (left <= 0) break;
      after = item.id;
      const article = JSON.parse(item.article ?? '{}') as Article;
      const rejection = await submitItem(deps, { source, site, item, article });
      if (rejection === undefined) {
        left -= 1;
        continue;
      }
      const { scope, reason } = rejection;
      if (scope === 'permanent') {
        await database.write(site.id, (db) => resolveItem(db, item.id, { outcome: 'refused', reason }), {
          sync: 'normal',
        });
        continue;
      }
      await deferItems(database, site.id, { sourceId: source.id, itemId: item.id, reason });
      if (scope === 'all') return deferRest(after, reason);
      if (scope !== 'language' || item.post_id !== null) continue;
      await deferItems(database, site.id, { sourceId: source.id, after, language: article.language, reason });
      deferred.push(reason);
      break;
    }
  }
}

interface ItemSubmission {
  readonly source: FeedSource;
  readonly site: Site;
  readonly item: FeedItem;
  readonly article: Article;
}

/** Why an item keeps waiting, and which others wait with it; `permanent`: it cannot become a post. */
interface Rejection {
  readonly reason: string;
  readonly scope: 'all' | 'language' | 'item' | 'permanent';
}

async function submitItem(deps: SubmitItemsDeps, submission: ItemSubmission): Promise<Rejection | undefined> {
  const { database, catalog } = deps;
  const { item, site } = submission;
  try {
    requireActiveSubscription(site);
    const resolved = await resolvePostId(deps, submission);
    if ('outcome' in resolved) {
      await database.write(site.id, (db) => resolveItem(db, item.id, resolved), { sync: 'normal' });
      return undefined;
    }
    const { postId, isCorrection } = resolved;
    const body = await buildRequestBody(deps, submission, postId);
    const request = parseGenerateRequest(body, deps.config.maxContentLength);
    const voice = await chooseVoice(catalog, site, request);
    await database.write(site.id, async (db) => {
      const { audio } = await submitPost(db, deps, { site, voice, request });
      await resolveItem(db, item.id, {
        ...({ outcome: isCorrection ? 'updated' : 'queued', reason: null, post_id: postId } as const),
        ...{ publish_at: request.post.publish_at ?? null, language: audio.language },
      });
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return toRejection(error);
  }
}

/** @returns the id under which an item is submitted, or its outcome if it is not */
async function resolvePostId(
  { database: { read } }: SubmitItemsDeps,
  { source, site, item, article }: ItemSubmission,
): Promise<
  { readonly postId: string; readonly isCorrection: boolean } | Pick<FeedItem, 'outcome' | 'reason' | 'post_id'>
> {
  if (item.post_id !== null) {
    const post = await findPost(read, site.id, item.post_id);
    if (post !== undefined) return { postId: item.post_id, isCorrection: true };
    const reason = 'Its post was deleted; it is not created again';
    return { outcome: 'removed', reason, post_id: item.post_id };
  }
  const postId = toPostId(article.guid);
  const post = await findPost(read, site.id, postId);
  if (post === undefined) return { postId, isCorrection: false };
  const isOther =
    post.url !== null && article.url !== null && canonicalizeUrl(post.url) !== canonicalizeUrl(article.url);
  if (isOther) return { postId: toSourcePostId(source, article.guid), isCorrection: false };
  const reason = 'A post with this id already exists';
  return { outcome: 'known', reason, post_id: postId };
}

async function buildRequestBody(deps: SubmitItemsDeps, submission: ItemSubmission, postId: string): Promise<object> {
  const { source, item, article } = submission;
  const embargo = getEmbargo(article);
  // A removed embargo ends; otherwise a date that a user has set stays.
  const isLifted = embargo === null && item.publish_at !== null && Date.parse(item.publish_at) > currentTimeMs();
  return {
    post_id: postId,
    content: article.content,
    ...(article.contentType !== undefined && { content_type: article.contentType }),
    post_title: article.title,
    ...(article.url !== null && { post_url: article.url }),
    ...(source.voice_id !== null
      ? { voice_id: source.voice_id }
      : { language: await resolveLanguage(deps, submission) }),
    ...((embargo !== null || isLifted) && { publish_at: embargo }),
    ...(item.post_id === null && { visibility: source.visibility }),
  } satisfies Partial<Record<keyof GenerateRequest | string, unknown>>;
}

/** A correction keeps the language of its post; the language of the feed counts only if a voice supports it. */
async function resolveLanguage(
  { catalog }: SubmitItemsDeps,
  { source, site, item, article }: ItemSubmission,
): Promise<string | null> {
  if (item.language !== null) return item.language;
  if (source.language !== null) return source.language;
  const voices = allowedVoices(await catalog.voices(), site);
  return voices.some(({ language }) => language === article.language) ? article.language : null;
}

async function countSubmittedToday({ database }: SubmitItemsDeps, source: FeedSource): Promise<number> {
  return countSubmittedItems(database.read, source.id, daysAgo(1));
}

function toRejection(error: AppError): Rejection {
  const details = Object.values(error.fields ?? {}).flat();
  const reason = details.length === 0 ? error.message : `${error.message}: ${details.join('; ')}`;
  return { reason, scope: getRejectionScope(error) };
}

function getRejectionScope({ code, fields = {} }: AppError): Rejection['scope'] {
  if (code === 'post_quota_exceeded') return 'language';
  if (code === 'conflict') return 'item';
  if (code !== 'validation_failed') return 'all';
  const invalidFields = Object.keys(fields);
  if (invalidFields.some((field) => field !== 'voice_id' && field !== 'language')) return 'permanent';
  // The voice may be installed later.
  return invalidFields.includes('voice_id') ? 'all' : 'language';
}
