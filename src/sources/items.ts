import { createHash } from 'node:crypto';
import { findPost } from '../audio/posts/store.ts';
import { pageAddress } from '../audio/store.ts';
import {
  type GenerateRequest,
  type HandInDeps,
  handIn,
  readGenerateRequest,
} from '../audio/submit.ts';
import { checkServed } from '../auth/domain-access.ts';
import type { FeedItem, FeedSource } from '../database/feature-schema.ts';
import type { Queries } from '../database/open.ts';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { allowedVoices } from '../voices/store.ts';
import {
  changeItem,
  countHandedIn,
  type HeldItems,
  type ItemNotes,
  insertItem,
  isAnyToHold,
  knownContents,
  knownItems,
  sayWhyWaiting,
  settleItem,
  waitingItems,
} from './item-store.ts';
import type { FeedEntry } from './parse-worker.ts';

/** Fewer characters are no article. */
const textLengthMin = 50;
const shownGuidLength = 500;
const urlLengthMax = 2_000;
const postIdLengthMax = 255;

/** What a post is made of, kept while it waits. */
interface Article {
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
function notesOf(entry: FeedEntry, contentLengthMax: number): ItemNotes {
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

function guidHashOf(guid: string): string {
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
function ownPostIdOf({ id }: Pick<FeedSource, 'id'>, guid: string): string {
  return `feed:${guidHashOf(`${id}\n${guid}`)}`;
}

/** @returns the moment before which a post may not be heard; null when it may */
function embargoOf({ publishedAt }: Pick<Article, 'publishedAt'>): string | null {
  return publishedAt !== null && Date.parse(publishedAt) > Date.now() ? publishedAt : null;
}

/** A date that is over says nothing: many feeds give an item a new one whenever it is touched. */
function contentHashOf(article: Article): string {
  const { title, url, content } = article;
  const told = JSON.stringify([title, url, content, embargoOf(article)]);
  return createHash('sha256').update(told).digest('hex');
}

/** Outcomes in which an item has a post. */
const handedIn: readonly FeedItem['outcome'][] = ['queued', 'updated'];
/** Outcomes that a change of the item may end: it had no post for what it was. */
const unmade: readonly FeedItem['outcome'][] = ['waiting', 'too_short', 'refused'];

/**
 * Writes down what is new in a feed, and what has changed; run it in the transaction that notes the fetch, so that each item is
 * seen once, and none is taken for seen that isn't written down.
 * @param entries newest first
 */
export async function noteItems(
  db: Queries,
  source: FeedSource,
  entries: readonly FeedEntry[],
  contentLengthMax: number,
): Promise<void> {
  const isFirst = source.begun_at === null;
  const known = await knownItems(
    db,
    source.id,
    entries.map(({ guid }) => guidHashOf(guid)),
  );
  const noted = entries.map((entry, index) => ({
    entry,
    index,
    notes: notesOf(entry, contentLengthMax),
  }));
  const contents = await knownContents(
    db,
    source.id,
    noted.map(({ notes }) => notes.content_hash),
  );
  // The oldest first: posts are made in the order in which they came out.
  for (const { entry, index, notes } of noted.toReversed()) {
    const item = known.get(guidHashOf(entry.guid));
    if (item === undefined) {
      const isOld = isFirst && index >= source.backfill;
      await insertItem(db, {
        ...{ source_id: source.id, site_id: source.site_id },
        ...{ guid_hash: guidHashOf(entry.guid), guid: shownGuid(entry.guid) },
        ...(isOld ? skipped(notes) : contents.has(notes.content_hash) ? renamed(notes) : notes),
      });
    } else if (item.content_hash !== notes.content_hash) {
      await changeItem(db, item.id, changesOf(item, notes, source));
    }
  }
}

/** Some feeds give their items a new guid whenever they are written. */
function renamed(notes: ItemNotes): ItemNotes {
  const reason = 'The feed had the same title, address and text under another guid';
  return { ...notes, outcome: 'known', reason, article: null };
}

function skipped(notes: ItemNotes): ItemNotes {
  const reason = 'It was there before the feed was named';
  return { ...notes, outcome: 'skipped', reason, article: null };
}

/** What a change of a known item comes to. A post is never taken back for what its item became. */
function changesOf(item: FeedItem, notes: ItemNotes, source: FeedSource): Partial<ItemNotes> {
  if (unmade.includes(item.outcome) && item.post_id === null) return notes;
  // Refused with a post it is a correction that could be none.
  const corrects = [...handedIn, 'waiting', 'refused'].includes(item.outcome);
  if (corrects && source.updates === 1 && notes.outcome === 'waiting') return notes;
  const { content_hash, title, url } = notes;
  return { content_hash, title, url };
}

const dayMs = 24 * 3_600_000;
const itemsPerRound = 50;

export interface TakeDeps extends HandInDeps {
  readonly limits: HandInDeps['limits'] & {
    readonly contentLengthMax: number;
    readonly feedPostsPerDay: number;
  };
}

/**
 * Hands in what waits of a source, by the rules that hold for everybody. What is refused for now goes on waiting, and says why.
 * @param isStopping asked between two items
 */
export async function takeItems(
  deps: TakeDeps,
  source: FeedSource,
  site: Site,
  isStopping: () => boolean,
): Promise<void> {
  const { database, limits } = deps;
  const holdRest = (after: number, reason: string) =>
    holdItems(deps, { sourceId: source.id, after, reason });
  /** Why the items of some language go on waiting: those that say so are not looked at again. */
  const held: string[] = [];
  let after = 0;
  let left = limits.feedPostsPerDay - (await handedInToday(deps, source));
  let most = 1;
  // Ends: each turn goes on behind a later item.
  while (!isStopping()) {
    if (left <= 0) return holdRest(after, tooMany(limits.feedPostsPerDay));
    const items = await waitingItems(database.read, source.id, { after, most, held });
    if (items.length === 0) return;
    // Where the first is refused, the articles of the others need not be read.
    most = itemsPerRound;
    for (const item of items) {
      if (isStopping()) return;
      if (left <= 0) break;
      after = item.id;
      const article = JSON.parse(item.article ?? '{}') as Article;
      const refusal = await takeItem(deps, { source, site, item, article });
      if (refusal === undefined) {
        left -= 1;
        continue;
      }
      const { holds, reason } = refusal;
      if (holds === 'ever') {
        const settled = { outcome: 'refused', reason } as const;
        await database.writeLazily((db) => settleItem(db, item.id, settled));
        continue;
      }
      await holdItems(deps, { sourceId: source.id, itemId: item.id, reason });
      if (holds === 'all') return holdRest(after, reason);
      if (holds !== 'language' || item.post_id !== null) continue;
      const { language } = article;
      await holdItems(deps, { sourceId: source.id, after, language, reason });
      held.push(reason);
      break;
    }
  }
}

function tooMany(postsPerDay: number): string {
  return `The feed has brought ${postsPerDay} posts within a day: the next ones follow`;
}

async function holdItems({ database }: TakeDeps, held: HeldItems): Promise<void> {
  if (!(await isAnyToHold(database.read, held))) return;
  await database.writeLazily((db) => sayWhyWaiting(db, held));
}

/** An item that is about to be a post. */
interface Taken {
  readonly source: FeedSource;
  readonly site: Site;
  readonly item: FeedItem;
  readonly article: Article;
}

/** Why an item goes on waiting, and what waits with it; `ever`: it can be no post as it is. */
interface Refusal {
  readonly reason: string;
  readonly holds: 'all' | 'language' | 'this' | 'ever';
}

async function takeItem(deps: TakeDeps, taken: Taken): Promise<Refusal | undefined> {
  const { database } = deps;
  const { item, site } = taken;
  try {
    checkServed(site);
    const placed = await placeOf(deps, taken);
    if ('outcome' in placed) {
      await database.writeLazily((db) => settleItem(db, item.id, placed));
      return undefined;
    }
    const { postId, isCorrection } = placed;
    const request = readGenerateRequest(
      await bodyOf(deps, taken, postId),
      deps.limits.contentLengthMax,
    );
    const embargo = request.post.publish_at ?? null;
    const settled = {
      ...({ outcome: isCorrection ? 'updated' : 'queued', reason: null } as const),
      ...{ post_id: postId, publish_at: embargo },
    };
    const accepted = await handIn(deps, site, request, (db, { audio }) =>
      settleItem(db, item.id, { ...settled, language: audio.language }),
    );
    // Nothing was changed, and so nothing written.
    if (!accepted.queued) {
      const { language } = accepted.audio;
      await database.writeLazily((db) => settleItem(db, item.id, { ...settled, language }));
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return refusalOf(error);
  }
}

/** @returns under which id an item is handed in; or what becomes of it instead */
async function placeOf(
  { database: { read } }: TakeDeps,
  { source, site, item, article }: Taken,
): Promise<
  | { readonly postId: string; readonly isCorrection: boolean }
  | Pick<FeedItem, 'outcome' | 'reason' | 'post_id'>
> {
  if (item.post_id !== null) {
    const post = await findPost(read, site.id, item.post_id);
    if (post !== undefined) return { postId: item.post_id, isCorrection: true };
    const reason = 'Its post was deleted, and is not made again';
    return { outcome: 'removed', reason, post_id: item.post_id };
  }
  const postId = postIdOf(article.guid);
  const post = await findPost(read, site.id, postId);
  if (post === undefined) return { postId, isCorrection: false };
  const isOther =
    post.url !== null && article.url !== null && pageAddress(post.url) !== pageAddress(article.url);
  if (isOther) return { postId: ownPostIdOf(source, article.guid), isCorrection: false };
  const reason = 'The site has a post of this id already';
  return { outcome: 'known', reason, post_id: postId };
}

async function bodyOf(deps: TakeDeps, taken: Taken, postId: string): Promise<object> {
  const { source, item, article } = taken;
  const embargo = embargoOf(article);
  // An embargo that was called off is over; else what somebody set since then stays.
  const isCalledOff =
    embargo === null && item.publish_at !== null && Date.parse(item.publish_at) > Date.now();
  return {
    post_id: postId,
    content: article.content,
    post_title: article.title,
    ...(article.url !== null && { post_url: article.url }),
    ...(source.voice_id !== null
      ? { voice_id: source.voice_id }
      : { language: await languageOf(deps, taken) }),
    ...((embargo !== null || isCalledOff) && { publish_at: embargo }),
    ...(item.post_id === null && { visibility: source.visibility }),
  } satisfies Partial<Record<keyof GenerateRequest | string, unknown>>;
}

/** A correction stays in the language of its post; what the feed says counts where a voice speaks it. */
async function languageOf(
  { catalog }: TakeDeps,
  { source, site, item, article }: Taken,
): Promise<string | null> {
  if (item.language !== null) return item.language;
  if (source.language !== null) return source.language;
  const voices = allowedVoices(await catalog.voices(), site);
  return voices.some(({ language }) => language === article.language) ? article.language : null;
}

async function handedInToday({ database }: TakeDeps, source: FeedSource): Promise<number> {
  return countHandedIn(database.read, source.id, new Date(Date.now() - dayMs).toISOString());
}

function refusalOf(error: AppError): Refusal {
  const details = Object.values(error.fields ?? {}).flat();
  const reason = details.length === 0 ? error.message : `${error.message}: ${details.join('; ')}`;
  return { reason, holds: holdOf(error) };
}

function holdOf({ code, fields = {} }: AppError): Refusal['holds'] {
  if (code === 'post_quota_exceeded') return 'language';
  if (code === 'conflict') return 'this';
  if (code !== 'validation_failed') return 'all';
  const wrong = Object.keys(fields);
  if (wrong.some((field) => field !== 'voice_id' && field !== 'language')) return 'ever';
  // A voice may come.
  return wrong.includes('voice_id') ? 'all' : 'language';
}
