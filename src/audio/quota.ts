import { currentTimeMs } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import { type PlaceholderFor, placeholdersFor, prepareQuery, requireRow } from '../database/query-cache.ts';
import type { Audio, Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import type { PlanLimits } from '../setting.ts';
import type { SiteQuota } from '../sites/schema.ts';
import { countPosts, countQuotaPosts, quotaCounterName } from './counters.ts';
import type { AudioEventHandler } from './events.ts';

/** Posts in other languages are free. */
const quotaLanguage = 'en';

export interface QuotaRequest {
  readonly site: Pick<Site, 'id' | 'plan'>;
  /** The client's own `post_id`. */
  readonly postId: string;
  readonly language: string;
  /** The audio of the post in this language. */
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
  { site, postId, language, existing, acceptedAt }: QuotaRequest,
  postsPerMonth: PlanLimits,
): Promise<void> {
  // A post that was ready once is not new.
  if (language !== quotaLanguage || typeof existing?.version_id === 'number') return;
  const month = formatMonth(acceptedAt);
  const usage = await requireRow(queryUsage(db, { siteId: site.id, postId, counter: quotaCounterName(month) }));
  if (usage.countedIn !== null) return;
  const limit = postsPerMonth[site.plan];
  const used = usage.used ?? 0;
  if (used >= limit) {
    throw new AppError('post_quota_exceeded', 'Monthly post quota exceeded', {
      quota: [`${used} of ${limit} posts used in ${month}`],
    });
  }
  await countPost(db, { site_id: site.id, external_id: postId, month });
}

const queryUsage = prepareQuery((db, value: PlaceholderFor<{ siteId: number; postId: string; counter: string }>) =>
  db.selectNoFrom((row) => [
    row
      .selectFrom('post_quota')
      .select('month')
      .where('site_id', '=', value('siteId'))
      .where('external_id', '=', value('postId'))
      .as('countedIn'),
    row
      .selectFrom('site_counter')
      .select('amount')
      .where('site_id', '=', value('siteId'))
      .where('name', '=', value('counter'))
      .as('used'),
  ]),
);

const countPost = prepareQuery((db, value: PlaceholderFor<{ site_id: number; external_id: string; month: string }>) =>
  db.insertInto('post_quota').values(placeholdersFor(value, ['site_id', 'external_id', 'month'])),
);

/** Refunds a post whose first version failed. A post that was ready once stays counted, even when deleted. */
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

/**
 * @param postsPerMonth by plan
 * @returns the usage of sites, in their order
 */
export async function listQuotaUsage(
  db: Queries,
  sites: readonly Pick<Site, 'id' | 'plan'>[],
  postsPerMonth: PlanLimits,
): Promise<SiteQuota[]> {
  const month = formatMonth(new Date(currentTimeMs()));
  const ids = sites.map(({ id }) => id);
  const used = await countQuotaPosts(db, ids, month);
  const totals = await countPosts(db, ids);
  return sites.map(({ id, plan }) => {
    const limit = postsPerMonth[plan];
    return {
      posts_total: totals.get(id) ?? 0,
      month,
      posts_used: used.get(id) ?? 0,
      posts_limit: Number.isFinite(limit) ? limit : null,
    };
  });
}
