import { sql } from 'kysely';
import type { FeedSource } from '../database/feature-schema.ts';
import type { Queries } from '../database/open.ts';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { type OutboundGuard, validateOutboundUrl } from '../http/outbound-guard.ts';
import { parsePrimaryLanguage } from '../http/validation.ts';
import type { SourceChanges } from './schema.ts';

const defaultSettings = {
  enabled: true,
  language: null,
  voiceId: null,
  visibility: 'public',
  updates: true,
  backfill: 10,
  intervalMinutes: null,
} as const;

/**
 * Reads what is asked for a new source.
 * @throws AppError `validation_failed`
 */
export async function parseNewSettings(
  targets: OutboundGuard,
  asked: SourceChanges & { readonly url: string },
): Promise<SourceSettings> {
  return {
    ...defaultSettings,
    ...toSettingsChanges(asked),
    url: await validateTargetUrl(targets, asked.url),
  };
}

/**
 * Reads what is asked for a source that is there: what is not named stays.
 * @throws AppError `validation_failed`
 */
export async function parseSettingsChanges(
  targets: OutboundGuard,
  asked: SourceChanges,
): Promise<Partial<SourceSettings>> {
  const url = asked.url === undefined ? {} : { url: await validateTargetUrl(targets, asked.url) };
  return { ...toSettingsChanges(asked), ...url };
}

export function toSettings(source: FeedSource): SourceSettings {
  return {
    url: source.url,
    enabled: source.enabled === 1,
    language: source.language,
    voiceId: source.voice_id,
    visibility: source.visibility,
    updates: source.updates === 1,
    backfill: source.backfill,
    intervalMinutes: source.interval_minutes,
  };
}

/** @throws AppError `validation_failed` for an address that may not be fetched */
export async function validateTargetUrl(targets: OutboundGuard, given: string): Promise<string> {
  const target = await validateOutboundUrl(targets, given);
  if (target.problem === undefined) return target.url;
  throw new AppError('validation_failed', 'Validation failed', { url: [target.problem] });
}

function toSettingsChanges(asked: SourceChanges): Partial<SourceSettings> {
  return {
    ...(asked.enabled !== undefined && { enabled: asked.enabled }),
    ...(asked.language !== undefined && { language: parseLanguage(asked.language) }),
    ...(asked.voice_id !== undefined && { voiceId: asked.voice_id }),
    ...(asked.visibility !== undefined && { visibility: asked.visibility }),
    ...(asked.updates !== undefined && { updates: asked.updates }),
    ...(asked.backfill !== undefined && { backfill: asked.backfill }),
    ...(asked.interval_minutes !== undefined && { intervalMinutes: asked.interval_minutes }),
  };
}

function parseLanguage(given: string | null): string | null {
  if (given === null) return null;
  const language = parsePrimaryLanguage(given);
  if (language !== undefined) return language;
  throw new AppError('validation_failed', 'Validation failed', {
    language: ['must be a language code such as en or de'],
  });
}

const maxSourcesPerSite = 50;

/** What people set of a source. */
export interface SourceSettings {
  readonly url: string;
  readonly enabled: boolean;
  readonly language: string | null;
  readonly voiceId: number | null;
  readonly visibility: 'public' | 'private';
  readonly updates: boolean;
  readonly backfill: number;
  readonly intervalMinutes: number | null;
}

/** A source that is due, with the site it is of. */
export interface SourceWithSite {
  readonly source: FeedSource;
  readonly site: Site;
}

/**
 * Run it in a transaction. It is due at once.
 * @throws AppError `conflict` when the site names it already, or has as many as it may have
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
      ...{ site_id: siteId, ...toColumns(settings) },
      ...{ title: null, disabled_reason: null, etag: null, last_modified: null, moved_to: null },
      ...{ begun_at: null, next_fetch_at: now, last_fetch_at: null, last_status_code: null },
      ...{ problem: null, failure_count: 0, created_at: now, updated_at: now },
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** @param after id of the last one that was seen; 0 for none */
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
 * Another address is another feed: it is fetched at once and begins anew, save that items that are known stay known. Run it in a
 * transaction.
 * @throws AppError `not_found`, `conflict`
 */
export async function updateSource(db: Queries, before: FeedSource, settings: SourceSettings): Promise<FeedSource> {
  const now = new Date().toISOString();
  const isMoved = settings.url !== before.url;
  const isWoken = settings.enabled && before.enabled === 0;
  if (isMoved) await checkNotDuplicate(db, before.site_id, settings.url);
  await db
    .updateTable('feed_source')
    .set({
      ...toColumns(settings),
      ...(isMoved && { etag: null, last_modified: null, moved_to: null, begun_at: null }),
      ...(isMoved && { title: null, last_status_code: null }),
      ...((isMoved || isWoken) && { problem: null, failure_count: 0, next_fetch_at: now }),
      ...(settings.enabled && { disabled_reason: null }),
      updated_at: now,
    })
    .where('id', '=', before.id)
    .execute();
  return findSource(db, before.site_id, before.id);
}

/** Deletes it with what is known of its items; their posts stay. @throws AppError `not_found` */
export async function deleteSource(db: Queries, siteId: number, sourceId: number): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('feed_source')
    .where('id', '=', sourceId)
    .where('site_id', '=', siteId)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw new AppError('not_found', `Source ${sourceId} not found`);
}

/** Has it fetched as soon as anybody looks. */
export async function scheduleFetchNow(db: Queries, sourceId: number): Promise<void> {
  await db
    .updateTable('feed_source')
    .set({ next_fetch_at: new Date().toISOString() })
    .where('id', '=', sourceId)
    .execute();
}

/** @returns sources to be fetched now, those that wait longest first; none of a site that is not served */
export async function listDueSources(db: Queries, now: string, most: number): Promise<FeedSource[]> {
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
    .limit(most)
    .execute();
}

/** @returns sources with items that wait */
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

/** @returns the source as it is, and its site; undefined when either is gone */
export async function findSourceWithSite(db: Queries, sourceId: number): Promise<SourceWithSite | undefined> {
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

/** What a fetch has told of a source. */
export type FetchUpdate = Partial<
  Pick<FeedSource, 'title' | 'etag' | 'last_modified' | 'moved_to' | 'begun_at' | 'disabled_reason' | 'enabled'>
> &
  Pick<FeedSource, 'next_fetch_at' | 'last_status_code' | 'problem' | 'failure_count'>;

/** @returns false when the source is gone or has another address by now: what was fetched is not of it any more */
export async function recordFetch(
  db: Queries,
  { id, url }: Pick<FeedSource, 'id' | 'url'>,
  notes: FetchUpdate,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('feed_source')
    .set({ ...notes, last_fetch_at: new Date().toISOString() })
    .where('id', '=', id)
    .where('url', '=', url)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

function toColumns(settings: SourceSettings) {
  return {
    url: settings.url,
    enabled: Number(settings.enabled),
    language: settings.language,
    voice_id: settings.voiceId,
    visibility: settings.visibility,
    updates: Number(settings.updates),
    backfill: settings.backfill,
    interval_minutes: settings.intervalMinutes,
  };
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
