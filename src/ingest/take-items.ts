import { type HandInDeps, handIn } from '../audio/hand-in.ts';
import { pageAddress } from '../audio/page-address.ts';
import { findPost } from '../audio/posts/store.ts';
import { type GenerateRequest, readGenerateRequest } from '../audio/request.ts';
import type { FeedItem, FeedSource } from '../database/feed-tables.ts';
import type { Site } from '../database/tables.ts';
import { AppError } from '../errors.ts';
import { checkServed } from '../sites/subscription.ts';
import { allowedVoices } from '../voices/allowed.ts';
import { type Article, embargoOf, ownPostIdOf, postIdOf } from './article.ts';
import {
  countHandedIn,
  type HeldItems,
  isAnyToHold,
  sayWhyWaiting,
  settleItem,
  waitingItems,
} from './item-store.ts';

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
