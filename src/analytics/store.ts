import { sql } from 'kysely';
import type { Jobs } from '../background.ts';
import { daysAgo } from '../clock.ts';
import type { Database, Queries } from '../database/database.ts';
import { rowsOf } from '../database/dialect.ts';
import type { DeviceClass, EventSource } from '../database/feature-schema.ts';
import type { Plan } from '../database/schema.ts';
import type { EventType } from './schema.ts';

/** Daily sums. */
export type MetricName = EventType | 'heard_s' | 'listeners' | `part.${string}`;

export interface EventDimensions {
  readonly siteId: number;
  /** In the time zone of the site, `2026-11-21`. */
  readonly day: string;
  /** Empty if unknown, as the section and the language; voice 0: unknown. */
  readonly post: string;
  /** See `findSection`. */
  readonly section: string;
  readonly language: string;
  readonly voiceId: number;
  readonly device: DeviceClass;
  readonly source: EventSource;
}

export interface Listener extends EventDimensions {
  readonly sessionId: string;
}

/** Site, post, dimension, day, value and metric; then by how much it grows. */
export type MetricRow = [number, string, string, string, string, MetricName, number];

const eventQuotaColumns = { site_id: 'integer', source: 'text', month: 'text', used: 'integer' } as const;
const eventColumns = {
  ...({ site_id: 'integer', source: 'text', event_id: 'text', type: 'text', post: 'text', language: 'text' } as const),
  ...({ voice_id: 'integer', session_id: 'text', device: 'text', position_s: 'real', heard_s: 'real' } as const),
  ...({ value: 'text', occurred_at: 'text', received_at: 'text' } as const),
};
const metricKey = {
  site_id: 'integer',
  post: 'text',
  dimension: 'text',
  day: 'text',
  value: 'text',
  metric: 'text',
} as const;
const metricColumns = { ...metricKey, amount: 'real' } as const;
const listenerColumns = {
  ...({ site_id: 'integer', day: 'text', session_id: 'text', post: 'text' } as const),
  ...({ language: 'text', voice_id: 'integer', device: 'text', source: 'text' } as const),
};
const keyRequestKey = { site_id: 'integer', day: 'text', key_id: 'integer', route: 'text', status: 'integer' } as const;
const keyRequestColumns = { ...keyRequestKey, count: 'integer' } as const;

const joinNames = (columns: object) => sql.raw(Object.keys(columns).join(', '));

/** Events of a site in a month. */
export interface QuotaUsage {
  readonly siteId: number;
  readonly source: EventSource;
  readonly plan: Plan;
  readonly used: number;
}

/** @returns no row for a deleted site */
export async function listQuotaUsage(
  db: Queries,
  senders: readonly (readonly [siteId: number, source: EventSource])[],
  month: string,
): Promise<QuotaUsage[]> {
  const { rows } = await sql<QuotaUsage>`
    select site.id as "siteId", given.source, site.plan, coalesce(quota.used, 0) as used
    from ${rowsOf(db, senders, { site_id: 'integer', source: 'text' })} as given
    cross join site
    left join event_quota as quota
      on quota.site_id = site.id and quota.source = given.source and quota.month = ${month}
    where site.id = given.site_id and site.deleted_at is null
  `.execute(db);
  return rows;
}

export async function incrementQuotaUsage(
  db: Queries,
  added: readonly (readonly [siteId: number, source: EventSource, count: number])[],
  month: string,
): Promise<void> {
  const rows = added.map(([siteId, source, count]) => [siteId, source, month, count]);
  await sql`
    insert into event_quota (${joinNames(eventQuotaColumns)})
    select * from ${rowsOf(db, rows, eventQuotaColumns)} as given where true
    on conflict (site_id, source, month) do update set used = event_quota.used + excluded.used
  `.execute(db);
}

export type EventKey = readonly [siteId: number, source: EventSource, eventId: string];

/** @returns the indexes of the events that are stored already */
export async function findStoredEvents(db: Queries, names: readonly EventKey[]): Promise<ReadonlySet<number>> {
  const rows = names.map((name, place) => [place, ...name]);
  const stored = await sql<{ place: number }>`
    select given.place
    from ${rowsOf(db, rows, { place: 'integer', site_id: 'integer', source: 'text', event_id: 'text' })} as given
    cross join event
    where event.site_id = given.site_id and event.source = given.source and event.event_id = given.event_id
  `.execute(db);
  return new Set(stored.rows.map(({ place }) => place));
}

const maxSectionLength = 100;

/**
 * The section of a newspaper: the first folder in the path of an article's URL, unless it is a number, as in a date. The
 * migration `eventSections` computes the same value in SQL.
 * @param canonicalUrl as `canonicalizeUrl` returns it
 * @returns percent-encoded, in lower case; empty for none
 */
export function findSection(canonicalUrl: string | null): string {
  const [, folder = '', article] = canonicalUrl?.split('/') ?? [];
  return article === undefined || /^\d*$/.test(folder) ? '' : folder.toLowerCase().slice(0, maxSectionLength);
}

/** An audio of a post, all null when the post has none. */
export interface PostAudio {
  readonly siteId: number;
  readonly post: string;
  readonly canonicalUrl: string | null;
  readonly language: string | null;
  readonly voiceId: number | null;
  readonly isMain: number | null;
  readonly durationMs: number | null;
}

/** @returns rows of the existing posts */
export async function listPostAudios(
  db: Queries,
  posts: readonly (readonly [siteId: number, postId: string])[],
): Promise<PostAudio[]> {
  const { rows } = await sql<PostAudio>`
    select post.site_id as "siteId", post.external_id as post, post.canonical_url as "canonicalUrl", audio.language,
      audio.voice_id as "voiceId", audio.is_main as "isMain", version.duration_ms as "durationMs"
    from ${rowsOf(db, posts, { site_id: 'integer', external_id: 'text' })} as given
    cross join post
    left join audio on audio.post_id = post.id
    left join version on version.id = audio.version_id
    where post.site_id = given.site_id and post.external_id = given.external_id
  `.execute(db);
  return rows;
}

export async function listVoiceIds(db: Queries): Promise<ReadonlySet<number>> {
  const rows = await db.selectFrom('voice').select('id').execute();
  return new Set(rows.map(({ id }) => id));
}

/** The columns of an event, in the order of the statement that stores them. */
export type EventRow = readonly [
  siteId: number,
  source: EventSource,
  eventId: string | null,
  type: string,
  post: string | null,
  language: string | null,
  voiceId: number | null,
  sessionId: string | null,
  device: string,
  positionS: number | null,
  heardS: number | null,
  value: string | null,
  occurredAt: string,
  receivedAt: string,
];

export async function insertEvents(db: Queries, rows: readonly EventRow[]): Promise<void> {
  await sql`
    insert into event (${joinNames(eventColumns)}) select * from ${rowsOf(db, rows, eventColumns)} as given
  `.execute(db);
}

export async function incrementMetrics(db: Queries, rows: readonly MetricRow[]): Promise<void> {
  await sql`
    insert into event_day (${joinNames(metricColumns)})
    select * from ${rowsOf(db, rows, metricColumns)} as given where true
    on conflict (${joinNames(metricKey)}) do update set amount = event_day.amount + excluded.amount
  `.execute(db);
}

/** @returns the stored rows of the same sessions and days */
export async function findEarlierListeners(db: Queries, listeners: readonly Listener[]): Promise<Listener[]> {
  const sessions = new Map(
    listeners.map(({ siteId, day, sessionId }) => {
      const session = [siteId, day, sessionId] as const;
      return [JSON.stringify(session), session];
    }),
  );
  const { rows } = await sql<Omit<Listener, 'section'> & Pick<PostAudio, 'canonicalUrl'>>`
    select seen.site_id as "siteId", seen.day, seen.session_id as "sessionId", seen.post,
      post.canonical_url as "canonicalUrl", seen.language, seen.voice_id as "voiceId", seen.device, seen.source
    from ${rowsOf(db, [...sessions.values()], { site_id: 'integer', day: 'text', session_id: 'text' })} as given
    cross join event_listener as seen
    left join post on post.site_id = seen.site_id and post.external_id = seen.post
    where seen.site_id = given.site_id and seen.day = given.day and seen.session_id = given.session_id
  `.execute(db);
  return rows.map(({ canonicalUrl, ...listener }) => ({ ...listener, section: findSection(canonicalUrl) }));
}

export async function insertListeners(db: Queries, listeners: readonly Listener[]): Promise<void> {
  const rows = listeners.map((listener) => [
    ...[listener.siteId, listener.day, listener.sessionId, listener.post],
    ...[listener.language, listener.voiceId, listener.device, listener.source],
  ]);
  await sql`
    insert into event_listener (${joinNames(listenerColumns)})
    select * from ${rowsOf(db, rows, listenerColumns)} as given
  `.execute(db);
}

export interface KeyRequestCount {
  readonly siteId: number;
  readonly day: string;
  readonly keyId: number;
  readonly route: string;
  readonly status: number;
  readonly count: number;
}

export async function incrementKeyRequestCounts(db: Queries, added: readonly KeyRequestCount[]): Promise<void> {
  const rows = added.map((count) => [
    ...[count.siteId, count.day, count.keyId],
    ...[count.route, count.status, count.count],
  ]);
  // Not for a deleted site.
  await sql`
    insert into key_request_day (${joinNames(keyRequestColumns)})
    select * from ${rowsOf(db, rows, keyRequestColumns)} as given
    where site_id in (select id from site where deleted_at is null)
    on conflict (${joinNames(keyRequestKey)}) do update set count = key_request_day.count + excluded.count
  `.execute(db);
}

/**
 * Deletes the oldest events from before a time.
 * @returns how many it deleted
 */
async function deleteOldEvents(db: Queries, before: string, limit: number): Promise<number> {
  // Ids are in the order of receipt, which needs no index.
  const oldest = db
    .selectFrom((inner) =>
      inner.selectFrom('event').select(['id', 'received_at']).orderBy('id').limit(limit).as('first'),
    )
    .select('id')
    .where('received_at', '<', before);
  const { numDeletedRows } = await db.deleteFrom('event').where('id', 'in', oldest).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** @returns how many it deleted, at most as many as allowed; fewer when nothing older is left */
async function deleteOldListeners(db: Queries, siteId: number, beforeDay: string, limit: number): Promise<number> {
  const key = joinNames(listenerColumns);
  const { numAffectedRows } = await sql`
    delete from event_listener where (${key}) in (
      select ${key} from event_listener where site_id = ${siteId} and day < ${beforeDay} limit ${limit})
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}

const intervalMs = 10 * 60_000;
const initialDelayMs = 1_000;
/** Few at a time, so that no request waits long for the database. */
const batchSize = 500;

/** Deletes events and sessions older than the retention time, soon and every ten minutes. Daily metrics stay. */
export function startEventPurge(database: Database, jobs: Jobs, retentionDays: number): void {
  const repeat = (deleteSome: (db: Queries) => Promise<number>): Promise<void> =>
    jobs.repeat(async () => (await database.write('server', deleteSome, { sync: 'normal' })) === batchSize);
  jobs.every('purging events', { intervalMs, delayMs: initialDelayMs }, async () => {
    const before = daysAgo(retentionDays);
    await repeat((db) => deleteOldEvents(db, before, batchSize));
    for (const { id } of await database.read.selectFrom('site').select('id').execute()) {
      await repeat((db) => deleteOldListeners(db, id, before.slice(0, 10), batchSize));
    }
  });
}
