import type { Queries } from '../database/open.ts';
import type { Audio, Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import type { PlanLimits } from '../setting.ts';
import type { AudioEventHandler } from './events.ts';

/** Posts in other languages are free. */
const quotaLanguage = 'en';

/** A post about to be made. */
export interface QuotaRequest {
  readonly site: Pick<Site, 'id' | 'plan'>;
  /** The client's own `post_id`. */
  readonly postId: string;
  readonly language: string;
  /** What the post has in this language so far. */
  readonly existing: Pick<Audio, 'version_id'> | undefined;
  readonly acceptedAt: Date;
}

/**
 * Counts a new English post against the month of its acceptance, once ever; run it in the transaction that stores it.
 * @param postsPerMonth by plan
 * @throws AppError `post_quota_exceeded`
 */
export async function consumeQuota(
  db: Queries,
  { site, postId, language, existing: known, acceptedAt }: QuotaRequest,
  postsPerMonth: PlanLimits,
): Promise<void> {
  // A post that was ready before is made anew, not new, whatever the ledger says.
  if (language !== quotaLanguage || typeof known?.version_id === 'number') return;
  if (await isPostCounted(db, site.id, postId)) return;
  const month = formatMonth(acceptedAt);
  const most = postsPerMonth[site.plan];
  // Counting a large archive takes time: not where nothing depends on it.
  const used = Number.isFinite(most) ? await countUsedPosts(db, site.id, month) : 0;
  if (used >= most) {
    throw new AppError('post_quota_exceeded', 'Monthly post quota exceeded', {
      quota: [`${used} of ${most} posts used in ${month}`],
    });
  }
  await db.insertInto('post_quota').values({ site_id: site.id, external_id: postId, month }).execute();
}

/** Gives a post back whose first version failed; one that was ready once stays counted, deleted or not. */
export const refundOrConfirmQuota: AudioEventHandler = async (db, { type, siteId, postId, language }) => {
  if (language !== quotaLanguage) return;
  if (type === 'audio.ready') {
    await db
      .updateTable('post_quota')
      .set({ delivered: 1 })
      .where('site_id', '=', siteId)
      .where('external_id', '=', postId)
      .execute();
  }
  if (type === 'audio.failed') {
    await db
      .deleteFrom('post_quota')
      .where('site_id', '=', siteId)
      .where('external_id', '=', postId)
      .where('delivered', '=', 0)
      .execute();
  }
};

/** @returns the calendar month in UTC, like `2026-11` */
export function formatMonth(moment: Date): string {
  return moment.toISOString().slice(0, 7);
}

/** What a site has used of its plan's posts, as it is shown. */
export interface QuotaUsage {
  readonly month: string;
  readonly posts_used: number;
  /** Null: no limit. */
  readonly posts_limit: number | null;
}

/**
 * @param postsPerMonth by plan
 * @returns what sites have used, in the order given
 */
export async function listQuotaUsage(
  db: Queries,
  sites: readonly Pick<Site, 'id' | 'plan'>[],
  postsPerMonth: PlanLimits,
): Promise<QuotaUsage[]> {
  const month = formatMonth(new Date());
  const ids = sites.map(({ id }) => id);
  const uses = await db
    .selectFrom('post_quota')
    .select((row) => ['site_id', row.fn.countAll<number>().as('used')])
    .where('site_id', 'in', ids)
    .where('month', '=', month)
    .groupBy('site_id')
    .execute();
  return sites.map(({ id, plan }) => {
    const most = postsPerMonth[plan];
    return {
      month,
      posts_used: uses.find(({ site_id }) => site_id === id)?.used ?? 0,
      posts_limit: Number.isFinite(most) ? most : null,
    };
  });
}

/** @returns the posts of a site that count in a month */
export async function countUsedPosts(db: Queries, siteId: number, month: string): Promise<number> {
  const { used } = await db
    .selectFrom('post_quota')
    .select((row) => row.fn.countAll<number>().as('used'))
    .where('site_id', '=', siteId)
    .where('month', '=', month)
    .executeTakeFirstOrThrow();
  return used;
}

async function isPostCounted(db: Queries, siteId: number, postId: string): Promise<boolean> {
  const row = await db
    .selectFrom('post_quota')
    .select('month')
    .where('site_id', '=', siteId)
    .where('external_id', '=', postId)
    .executeTakeFirst();
  return row !== undefined;
}
