import { type Static, Type } from '@sinclair/typebox';
import { sql } from 'kysely';
import { subscriptionError } from '../auth/domain-access.ts';
import { createSiteRows } from '../auth/undo.ts';
import { timestamp } from '../clock.ts';
import { type Columns, fromColumns, toColumns } from '../database/columns.ts';
import type { Queries } from '../database/database.ts';
import type { FeedSource } from '../database/feature-schema.ts';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { type OutboundGuard, validateOutboundUrl } from '../http/outbound-guard.ts';
import { requireLanguage } from '../http/validation.ts';
import { attachItemSummaries } from './item-store.ts';
import { Source, SourceBody, type SourceChanges } from './schema.ts';

const SourceSettings = Type.Required(SourceBody);
/** The columns that users set. */
type SettingColumns = Columns<Static<typeof SourceSettings>>;

const defaultSettings: Omit<SettingColumns, 'url'> = {
  ...{ enabled: 1, language: null, voice_id: null, visibility: 'public' },
  ...{ updates: 1, backfill: 10, interval_minutes: null },
};

const sources = createSiteRows('feed_source', 'source', 50);
export const { list: listSources, listDeleted: listDeletedSources, find: findSource } = sources;
/** Its posts stay; its items are deleted with it. */
export const { remove: deleteSource, restore: restoreSource } = sources;

/** @throws AppError `validation_failed` */
export async function parseNewSettings(guard: OutboundGuard, body: SourceBody): Promise<SettingColumns> {
  const url = await validateOutboundUrl(guard, body.url);
  return { ...defaultSettings, ...(await parseSettingsChanges(guard, { ...body, url })), url };
}

/** @throws AppError `validation_failed` */
export async function parseSettingsChanges(
  guard: OutboundGuard,
  changes: SourceChanges,
): Promise<Partial<SettingColumns>> {
  const { url, language } = changes;
  return {
    ...toColumns(SourceSettings, changes),
    ...(url !== undefined && { url: await validateOutboundUrl(guard, url) }),
    ...(language !== undefined && { language: language === null ? null : requireLanguage(language) }),
  };
}

/**
 * Changes of sources, each with its entry in the audit log; run them in a transaction. A new source is due at once.
 * @param userId null for the command line
 * @throws AppError `conflict` for a duplicate, or above the maximum per site
 */
export async function createSource(
  db: Queries,
  userId: number | null,
  siteId: number,
  settings: SettingColumns,
): Promise<FeedSource> {
  await sources.requireCapacity(db, siteId);
  await checkNotDuplicate(db, siteId, settings.url);
  const now = timestamp();
  const created = await db
    .insertInto('feed_source')
    .values({
      ...{ site_id: siteId, ...settings },
      ...{ title: null, disabled_reason: null, etag: null, last_modified: null, moved_to: null },
      ...{ first_fetched_at: null, next_fetch_at: now, last_fetch_at: null, last_status_code: null },
      ...{ problem: null, failure_count: 0, created_at: now, updated_at: now },
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await sources.audit(db, userId, 'source.created', created, { after: toAuditState(created) });
  return created;
}

/**
 * Another URL is another feed: it is fetched at once like a new one, but known items stay known.
 * @throws AppError `not_found`, `conflict`
 */
export async function updateSource(
  db: Queries,
  userId: number | null,
  { id, site_id }: Pick<FeedSource, 'id' | 'site_id'>,
  changes: Partial<SettingColumns>,
): Promise<FeedSource> {
  const before = await findSource(db, site_id, id);
  const now = timestamp();
  const { url, enabled } = { ...before, ...changes };
  const isMoved = url !== before.url;
  if (isMoved) await checkNotDuplicate(db, site_id, url);
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
    .where('id', '=', id)
    .execute();
  const after = await findSource(db, site_id, id);
  const states = { before: toAuditState(before), after: toAuditState(after) };
  await sources.audit(db, userId, 'source.changed', after, states);
  return after;
}

/** The next poll fetches it. @throws AppError `conflict` for a disabled source */
export async function scheduleFetchNow(db: Queries, userId: number | null, source: FeedSource): Promise<void> {
  if (source.enabled === 0) throw new AppError('conflict', `Source ${source.id} is disabled`);
  const next_fetch_at = timestamp();
  await db.updateTable('feed_source').set({ next_fetch_at }).where('id', '=', source.id).execute();
  await sources.audit(db, userId, 'source.fetched', source);
}

/** @returns sources to fetch now, the longest overdue first; none of a site without an active subscription */
export async function listDueSources(db: Queries, now: string, limit: number): Promise<FeedSource[]> {
  return (
    db
      .selectFrom('feed_source')
      .innerJoin('site', 'site.id', 'feed_source.site_id')
      .selectAll('feed_source')
      .where('feed_source.enabled', '=', sql.lit(1))
      .where('feed_source.deleted_at', 'is', null)
      // A clock that was ahead has scheduled the next fetch, too.
      .where((row) => row.or([row('next_fetch_at', '<=', now), row('last_fetch_at', '>', now)]))
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
      .execute()
  );
}

/** @returns enabled sources with waiting items */
export async function listSourcesWithWaitingItems(db: Queries): Promise<FeedSource[]> {
  return db
    .selectFrom('feed_source')
    .selectAll()
    .where('enabled', '=', 1)
    .where('deleted_at', 'is', null)
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
  const source = await db
    .selectFrom('feed_source')
    .selectAll()
    .where('id', '=', sourceId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
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

/** @returns false if the source was deleted or got another URL during the fetch */
export async function recordFetch(
  db: Queries,
  { id, url }: Pick<FeedSource, 'id' | 'url'>,
  update: FetchUpdate,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('feed_source')
    .set({ ...update, last_fetch_at: timestamp() })
    .where('id', '=', id)
    .where('url', '=', url)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

async function checkNotDuplicate(db: Queries, siteId: number, url: string): Promise<void> {
  // A deletion cannot be undone once the feed is added again.
  const ofUrl = db.deleteFrom('feed_source').where('site_id', '=', siteId).where('url', '=', url);
  await ofUrl.where('deleted_at', 'is not', null).execute();
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

export async function buildSourceRecords(
  db: Queries,
  site: Pick<Site, 'active' | 'subscription' | 'trial_ends_at'>,
  sources: readonly FeedSource[],
): Promise<Source[]> {
  const paused = subscriptionError(site) ?? null;
  const rows = await attachItemSummaries(db, sources);
  return rows.map((row) => fromColumns(Source, { ...row, paused }));
}

/** A source for viewers: the query, user name or password of a URL may be a secret. */
export function toViewerRecord(source: Source): Source {
  const { url, moved_to } = source;
  return { ...source, url: stripUrlSecrets(url), moved_to: moved_to === null ? null : stripUrlSecrets(moved_to) };
}

function stripUrlSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** For the audit log: only the origin of the URL, as path and query may hold a secret. */
function toAuditState(source: FeedSource): object {
  const { url, ...settings } = fromColumns(SourceSettings, source);
  return { origin: new URL(url).origin, ...settings };
}
