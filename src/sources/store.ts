import { sql } from 'kysely';
import type { FeedSource } from '../database/feature-schema.ts';
import type { Queries } from '../database/open.ts';
import type { Site } from '../database/schema.ts';
import { AppError, invalid } from '../errors.ts';
import { type OutboundGuard, validateOutboundUrl } from '../http/outbound-guard.ts';
import { parsePrimaryLanguage } from '../http/validation.ts';
import type { SourceBody, SourceChanges } from './schema.ts';

/** The columns that people set. */
type SourceSettings = Pick<
  FeedSource,
  'url' | 'enabled' | 'language' | 'voice_id' | 'visibility' | 'updates' | 'backfill' | 'interval_minutes'
>;

const defaultSettings: Omit<SourceSettings, 'url'> = {
  ...{ enabled: 1, language: null, voice_id: null, visibility: 'public' },
  ...{ updates: 1, backfill: 10, interval_minutes: null },
};
const maxSourcesPerSite = 50;

/** @throws AppError `validation_failed` */
export async function parseNewSettings(guard: OutboundGuard, body: SourceBody): Promise<SourceSettings> {
  const url = await validateTargetUrl(guard, body.url);
  return { ...defaultSettings, ...(await parseSettingsChanges(guard, { ...body, url })), url };
}

/** @throws AppError `validation_failed` */
export async function parseSettingsChanges(
  guard: OutboundGuard,
  { url, enabled, language, voice_id, visibility, updates, backfill, interval_minutes }: SourceChanges,
): Promise<Partial<SourceSettings>> {
  return {
    ...(url !== undefined && { url: await validateTargetUrl(guard, url) }),
    ...(enabled !== undefined && { enabled: Number(enabled) }),
    ...(language !== undefined && { language: parseLanguage(language) }),
    ...(voice_id !== undefined && { voice_id }),
    ...(visibility !== undefined && { visibility }),
    ...(updates !== undefined && { updates: Number(updates) }),
    ...(backfill !== undefined && { backfill }),
    ...(interval_minutes !== undefined && { interval_minutes }),
  };
}

/** @throws AppError `validation_failed` for a URL that may not be fetched */
export async function validateTargetUrl(guard: OutboundGuard, given: string): Promise<string> {
  const target = await validateOutboundUrl(guard, given);
  if (target.problem === undefined) return target.url;
  throw invalid('url', target.problem);
}

function parseLanguage(given: string | null): string | null {
  if (given === null) return null;
  const language = parsePrimaryLanguage(given);
  if (language !== undefined) return language;
  throw invalid('language', 'must be a language code such as en or de');
}

/**
 * Run it in a transaction. The source is due at once.
 * @throws AppError `conflict` for a duplicate, or above the maximum per site
 */
export async function insertSource(db: Queries, siteId: number, settings: SourceSettings): Promise<FeedSource> {
  const { count } = await db
    .selectFrom('feed_source')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('site_id', '=', siteId)
    .executeTakeFirstOrThrow();
  if (count >= maxSourcesPerSite) {
    throw new AppError(
      'conflict',
      `Source not created: a site can have at most ${maxSourcesPerSite} sources. Delete one first.`,
    );
  }
  await checkNotDuplicate(db, siteId, settings.url);
  const now = new Date().toISOString();
  return db
    .insertInto('feed_source')
    .values({
      ...{ site_id: siteId, ...settings },
      ...{ title: null, disabled_reason: null, etag: null, last_modified: null, moved_to: null },
      ...{ first_fetched_at: null, next_fetch_at: now, last_fetch_at: null, last_status_code: null },
      ...{ problem: null, failure_count: 0, created_at: now, updated_at: now },
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** @param after id of the last one on the page before; 0 for none */
export function listSources(db: Queries, siteId: number, after = 0, limit = maxSourcesPerSite): Promise<FeedSource[]> {
  return db
    .selectFrom('feed_source')
    .selectAll()
    .where('site_id', '=', siteId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** @throws AppError `not_found` */
export async function findSource(db: Queries, siteId: number, sourceId: number): Promise<FeedSource> {
  const source = await db
    .selectFrom('feed_source')
    .selectAll()
    .where('id', '=', sourceId)
    .where('site_id', '=', siteId)
    .executeTakeFirst();
  if (source === undefined) throw new AppError('not_found', `Source ${sourceId} not found`);
  return source;
}

/**
 * Another URL is another feed: it is fetched at once like a new one, but known items stay known. Run it in a transaction.
 * @throws AppError `not_found`, `conflict`
 */
export async function updateSource(
  db: Queries,
  before: FeedSource,
  changes: Partial<SourceSettings>,
): Promise<FeedSource> {
  const now = new Date().toISOString();
  const { url, enabled } = { ...before, ...changes };
  const isMoved = url !== before.url;
  if (isMoved) await checkNotDuplicate(db, before.site_id, url);
  await db
    .updateTable('feed_source')
    .set({
      ...changes,
      ...(isMoved && { etag: null, last_modified: null, moved_to: null, first_fetched_at: null }),
      ...(isMoved && { title: null, last_status_code: null }),
      ...((isMoved || enabled > before.enabled) && { problem: null, failure_count: 0, next_fetch_at: now }),
      ...(enabled === 1 && { disabled_reason: null }),
      updated_at: now,
    })
    .where('id', '=', before.id)
    .execute();
  return findSource(db, before.site_id, before.id);
}

/** Deletes a source with its items; their posts stay. @throws AppError `not_found` */
export async function deleteSource(db: Queries, siteId: number, sourceId: number): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('feed_source')
    .where('id', '=', sourceId)
    .where('site_id', '=', siteId)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw new AppError('not_found', `Source ${sourceId} not found`);
}

/** The next poll fetches it. */
export async function scheduleFetchNow(db: Queries, sourceId: number): Promise<void> {
  await db
    .updateTable('feed_source')
    .set({ next_fetch_at: new Date().toISOString() })
    .where('id', '=', sourceId)
    .execute();
}

/** @returns sources to fetch now, the longest overdue first; none of a site without an active subscription */
export async function listDueSources(db: Queries, now: string, limit: number): Promise<FeedSource[]> {
  return db
    .selectFrom('feed_source')
    .innerJoin('site', 'site.id', 'feed_source.site_id')
    .selectAll('feed_source')
    .where('feed_source.enabled', '=', sql.lit(1))
    .where('feed_source.next_fetch_at', '<=', now)
    .where('site.active', '=', 1)
    .where('site.deleted_at', 'is', null)
    .where('site.subscription', '!=', 'inactive')
    .where((row) =>
      row.or([
        row('site.subscription', '!=', 'trialing'),
        row('site.trial_ends_at', 'is', null),
        row('site.trial_ends_at', '>', now),
      ]),
    )
    .orderBy('feed_source.next_fetch_at')
    .limit(limit)
    .execute();
}

/** @returns enabled sources with waiting items */
export async function listSourcesWithWaitingItems(db: Queries): Promise<FeedSource[]> {
  return db
    .selectFrom('feed_source')
    .selectAll()
    .where('enabled', '=', 1)
    .where('id', 'in', (waiting) =>
      waiting.selectFrom('feed_item').select('source_id').where('outcome', '=', sql.lit('waiting')),
    )
    .execute();
}

/** @returns undefined when the source or its site is deleted */
export async function findSourceWithSite(
  db: Queries,
  sourceId: number,
): Promise<{ readonly source: FeedSource; readonly site: Site } | undefined> {
  const source = await db.selectFrom('feed_source').selectAll().where('id', '=', sourceId).executeTakeFirst();
  if (source === undefined) return undefined;
  const site = await db
    .selectFrom('site')
    .selectAll()
    .where('id', '=', source.site_id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return site === undefined ? undefined : { source, site };
}

/** Columns that a fetch sets. */
export type FetchUpdate = Partial<
  Pick<FeedSource, 'title' | 'etag' | 'last_modified' | 'moved_to' | 'first_fetched_at' | 'disabled_reason' | 'enabled'>
> &
  Pick<FeedSource, 'next_fetch_at' | 'last_status_code' | 'problem' | 'failure_count'>;

/** @returns false when the source was deleted or got another URL during the fetch: the result is not of it any more */
export async function recordFetch(
  db: Queries,
  { id, url }: Pick<FeedSource, 'id' | 'url'>,
  update: FetchUpdate,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('feed_source')
    .set({ ...update, last_fetch_at: new Date().toISOString() })
    .where('id', '=', id)
    .where('url', '=', url)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

async function checkNotDuplicate(db: Queries, siteId: number, url: string): Promise<void> {
  const same = await db
    .selectFrom('feed_source')
    .select('id')
    .where('site_id', '=', siteId)
    .where('url', '=', url)
    .executeTakeFirst();
  if (same !== undefined) {
    throw new AppError('conflict', `Feed already exists as source ${same.id}`);
  }
}
