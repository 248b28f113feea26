import { createHash } from 'node:crypto';
import { findPost } from '../audio/posts/store.ts';
import { canonicalizeUrl } from '../audio/store.ts';
import { type GenerateRequest, parseGenerateRequest, type SubmitDeps, submitPost } from '../audio/submit.ts';
import { requireActiveSubscription } from '../auth/domain-access.ts';
import type { FeedItem, FeedSource } from '../database/feature-schema.ts';
import type { Queries } from '../database/open.ts';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { allowedVoices } from '../voices/store.ts';
import {
  countSubmittedItems,
  type DeferredItems,
  findContentHashes,
  findItems,
  hasItemsToDefer,
  type ItemUpdate,
  insertItem,
  listWaitingItems,
  resolveItem,
  setDeferReason,
  updateItem,
} from './item-store.ts';
import type { FeedEntry } from './parse-worker.ts';

/** Fewer characters are no article. */
const minTextLength = 50;
const maxShownGuidLength = 500;
const maxUrlLength = 2_000;
const maxPostIdLength = 255;

/** What a post is made of, kept while it waits. */
interface Article {
  readonly guid: string;
  readonly title: string | null;
  readonly url: string | null;
  readonly content: string;
  readonly language: string | null;
  readonly publishedAt: string | null;
}

function toArticle(entry: FeedEntry): Article {
  const { guid, title, content, language, publishedAt } = entry;
  const url = entry.url !== null && entry.url.length <= maxUrlLength ? entry.url : null;
  return { guid, title, url, content, language, publishedAt };
}

/** What is written of an entry that has not been seen, or has changed: it waits, unless it can never be a post. */
function toItemUpdate(entry: FeedEntry, maxContentLength: number): ItemUpdate {
  const article = toArticle(entry);
  const { title, url } = article;
  const facts = { title, url, content_hash: hashContent(article) };
  const problem = rejectReason(entry, maxContentLength);
  return problem === undefined
    ? { ...facts, outcome: 'waiting', reason: null, article: JSON.stringify(article) }
    : { ...facts, ...problem, article: null };
}

/** @returns why an entry can be no post */
export function rejectReason(
  { textLength, content }: Pick<FeedEntry, 'textLength' | 'content'>,
  maxContentLength: number,
): Pick<FeedItem, 'outcome' | 'reason'> | undefined {
  if (textLength < minTextLength) {
    const reason = `Text too short: ${textLength} characters, at least ${minTextLength} required`;
    return { outcome: 'too_short', reason };
  }
  if (textLength > maxContentLength || content.length > 2 * maxContentLength) {
    return {
      outcome: 'refused',
      reason: `Text too long: more than ${maxContentLength} characters`,
    };
  }
  return undefined;
}

function hashGuid(guid: string): string {
  return createHash('sha256').update(guid).digest('hex');
}

/** How a guid is shown. */
export function truncateGuid(guid: string): string {
  return guid.length <= maxShownGuidLength ? guid : [...guid].slice(0, maxShownGuidLength).join('');
}

/** The `post_id` of an item: its guid, where that can be one. */
export function toPostId(guid: string): string {
  const isPrintable = guid.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(guid);
  const isUsable = isPrintable && [...guid].length <= maxPostIdLength && !/^\.{0,2}$/.test(guid);
  return isUsable ? guid : `feed:${hashGuid(guid)}`;
}

/** The `post_id` of an item whose guid is that of another post: of this source and no other. */
function toSourcePostId({ id }: Pick<FeedSource, 'id'>, guid: string): string {
  return `feed:${hashGuid(`${id}\n${guid}`)}`;
}

/** @returns the moment before which a post may not be heard; null when it may */
function getEmbargo({ publishedAt }: Pick<Article, 'publishedAt'>): string | null {
  return publishedAt !== null && Date.parse(publishedAt) > Date.now() ? publishedAt : null;
}

/** A date that is over says nothing: many feeds give an item a new one whenever it is touched. */
function hashContent(article: Article): string {
  const { title, url, content } = article;
  const told = JSON.stringify([title, url, content, getEmbargo(article)]);
  return createHash('sha256').update(told).digest('hex');
}

/** Outcomes in which an item has a post. */
const submittedOutcomes: readonly FeedItem['outcome'][] = ['queued', 'updated'];
/** Outcomes that a change of the item may end: it had no post for what it was. */
const replaceableOutcomes: readonly FeedItem['outcome'][] = ['waiting', 'too_short', 'refused'];

/**
 * Writes down what is new in a feed, and what has changed; run it in the transaction that notes the fetch, so that each item is
 * seen once, and none is taken for seen that isn't written down.
 * @param entries newest first
 */
export async function recordItems(
  db: Queries,
  source: FeedSource,
  entries: readonly FeedEntry[],
  maxContentLength: number,
): Promise<void> {
  const isFirst = source.begun_at === null;
  const known = await findItems(
    db,
    source.id,
    entries.map(({ guid }) => hashGuid(guid)),
  );
  const noted = entries.map((entry, index) => ({
    entry,
    index,
    notes: toItemUpdate(entry, maxContentLength),
  }));
  const contents = await findContentHashes(
    db,
    source.id,
    noted.map(({ notes }) => notes.content_hash),
  );
  // The oldest first: posts are made in the order in which they came out.
  for (const { entry, index, notes } of noted.toReversed()) {
    const item = known.get(hashGuid(entry.guid));
    if (item === undefined) {
      const isOld = isFirst && index >= source.backfill;
      await insertItem(db, {
        ...{ source_id: source.id, site_id: source.site_id },
        ...{ guid_hash: hashGuid(entry.guid), guid: truncateGuid(entry.guid) },
        ...(isOld ? markSkipped(notes) : contents.has(notes.content_hash) ? markKnown(notes) : notes),
      });
    } else if (item.content_hash !== notes.content_hash) {
      await updateItem(db, item.id, getItemChanges(item, notes, source));
    }
  }
}

/** Some feeds give their items a new guid whenever they are written. */
function markKnown(notes: ItemUpdate): ItemUpdate {
  const reason = 'Duplicate: same title, URL and text as an item with a different guid';
  return { ...notes, outcome: 'known', reason, article: null };
}

function markSkipped(notes: ItemUpdate): ItemUpdate {
  const reason = 'Published before the feed was added';
  return { ...notes, outcome: 'skipped', reason, article: null };
}

/** What a change of a known item comes to. A post is never taken back for what its item became. */
function getItemChanges(item: FeedItem, notes: ItemUpdate, source: FeedSource): Partial<ItemUpdate> {
  if (replaceableOutcomes.includes(item.outcome) && item.post_id === null) return notes;
  // Refused with a post it is a correction that could be none.
  const corrects = [...submittedOutcomes, 'waiting', 'refused'].includes(item.outcome);
  if (corrects && source.updates === 1 && notes.outcome === 'waiting') return notes;
  const { content_hash, title, url } = notes;
  return { content_hash, title, url };
}

const dayMs = 24 * 3_600_000;
const itemBatchSize = 50;

export interface SubmitItemsDeps extends SubmitDeps {
  readonly limits: SubmitDeps['limits'] & {
    readonly maxContentLength: number;
    readonly maxFeedPostsPerDay: number;
  };
}

/**
 * Hands in what waits of a source, by the rules that hold for everybody. What is refused for now goes on waiting, and says why.
 * @param isStopping asked between two items
 */
export async function submitItems(
  deps: SubmitItemsDeps,
  source: FeedSource,
  site: Site,
  isStopping: () => boolean,
): Promise<void> {
  const { database, limits } = deps;
  const holdRest = (after: number, reason: string) => deferItems(deps, { sourceId: source.id, after, reason });
  /** Why the items of some language go on waiting: those that say so are not looked at again. */
  const held: string[] = [];
  let after = 0;
  let left = limits.maxFeedPostsPerDay - (await countSubmittedToday(deps, source));
  let most = 1;
  // Ends: each turn goes on behind a later item.
  while (!isStopping()) {
    if (left <= 0) return holdRest(after, formatDailyLimit(limits.maxFeedPostsPerDay));
    const items = await listWaitingItems(database.read, source.id, { after, most, held });
    if (items.length === 0) return;
    // Where the first is refused, the articles of the others need not be read.
    most = itemBatchSize;
    for (const item of items) {
      if (isStopping()) return;
      if (left <= 0) break;
      after = item.id;
      const article = JSON.parse(item.article ?? '{}') as Article;
      const refusal = await submitItem(deps, { source, site, item, article });
      if (refusal === undefined) {
        left -= 1;
        continue;
      }
      const { scope: holds, reason } = refusal;
      if (holds === 'ever') {
        const settled = { outcome: 'refused', reason } as const;
        await database.writeNormalSync((db) => resolveItem(db, item.id, settled));
        continue;
      }
      await deferItems(deps, { sourceId: source.id, itemId: item.id, reason });
      if (holds === 'all') return holdRest(after, reason);
      if (holds !== 'language' || item.post_id !== null) continue;
      const { language } = article;
      await deferItems(deps, { sourceId: source.id, after, language, reason });
      held.push(reason);
      break;
    }
  }
}

function formatDailyLimit(postsPerDay: number): string {
  return `Daily limit of ${postsPerDay} posts reached; the remaining items follow later`;
}

async function deferItems({ database }: SubmitItemsDeps, held: DeferredItems): Promise<void> {
  if (!(await hasItemsToDefer(database.read, held))) return;
  await database.writeNormalSync((db) => setDeferReason(db, held));
}

/** An item that is about to be a post. */
interface ItemSubmission {
  readonly source: FeedSource;
  readonly site: Site;
  readonly item: FeedItem;
  readonly article: Article;
}

/** Why an item goes on waiting, and what waits with it; `ever`: it can be no post as it is. */
interface Rejection {
  readonly reason: string;
  readonly scope: 'all' | 'language' | 'this' | 'ever';
}

async function submitItem(deps: SubmitItemsDeps, taken: ItemSubmission): Promise<Rejection | undefined> {
  const { database } = deps;
  const { item, site } = taken;
  try {
    requireActiveSubscription(site);
    const placed = await resolvePostId(deps, taken);
    if ('outcome' in placed) {
      await database.writeNormalSync((db) => resolveItem(db, item.id, placed));
      return undefined;
    }
    const { postId, isCorrection } = placed;
    const request = parseGenerateRequest(await buildRequestBody(deps, taken, postId), deps.limits.maxContentLength);
    const embargo = request.post.publish_at ?? null;
    const settled = {
      ...({ outcome: isCorrection ? 'updated' : 'queued', reason: null } as const),
      ...{ post_id: postId, publish_at: embargo },
    };
    const accepted = await submitPost(deps, site, request, (db, { audio }) =>
      resolveItem(db, item.id, { ...settled, language: audio.language }),
    );
    // Nothing was changed, and so nothing written.
    if (!accepted.queued) {
      const { language } = accepted.audio;
      await database.writeNormalSync((db) => resolveItem(db, item.id, { ...settled, language }));
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return toRejection(error);
  }
}

/** @returns under which id an item is handed in; or what becomes of it instead */
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

async function buildRequestBody(deps: SubmitItemsDeps, taken: ItemSubmission, postId: string): Promise<object> {
  const { source, item, article } = taken;
  const embargo = getEmbargo(article);
  // An embargo that was called off is over; else what somebody set since then stays.
  const isCalledOff = embargo === null && item.publish_at !== null && Date.parse(item.publish_at) > Date.now();
  return {
    post_id: postId,
    content: article.content,
    post_title: article.title,
    ...(article.url !== null && { post_url: article.url }),
    ...(source.voice_id !== null ? { voice_id: source.voice_id } : { language: await resolveLanguage(deps, taken) }),
    ...((embargo !== null || isCalledOff) && { publish_at: embargo }),
    ...(item.post_id === null && { visibility: source.visibility }),
  } satisfies Partial<Record<keyof GenerateRequest | string, unknown>>;
}

/** A correction stays in the language of its post; what the feed says counts where a voice speaks it. */
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
  return countSubmittedItems(database.read, source.id, new Date(Date.now() - dayMs).toISOString());
}

function toRejection(error: AppError): Rejection {
  const details = Object.values(error.fields ?? {}).flat();
  const reason = details.length === 0 ? error.message : `${error.message}: ${details.join('; ')}`;
  return { reason, scope: getRejectionScope(error) };
}

function getRejectionScope({ code, fields = {} }: AppError): Rejection['scope'] {
  if (code === 'post_quota_exceeded') return 'language';
  if (code === 'conflict') return 'this';
  if (code !== 'validation_failed') return 'all';
  const wrong = Object.keys(fields);
  if (wrong.some((field) => field !== 'voice_id' && field !== 'language')) return 'ever';
  // A voice may come.
  return wrong.includes('voice_id') ? 'all' : 'language';
}
