import { sql } from 'kysely';
import type { Jobs } from '../background.ts';
import type { DeviceClass, EventSource } from '../database/feature-schema.ts';
import type { Database, Queries } from '../database/open.ts';
import type { Plan } from '../database/schema.ts';
import type { EventType } from './schema.ts';

/** Daily sums. */
export type MetricName = EventType | 'heard_s' | 'listeners' | `part.${string}`;

/** The dimensions of an event. */
export interface EventDimensions {
  readonly siteId: number;
  /** UTC, `2026-11-21`. */
  readonly day: string;
  /** Empty if unknown, as the language; voice 0: unknown. */
  readonly post: string;
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

/** Passes many rows to one statement. */
const toJson = (rows: readonly unknown[]) => sql.val(JSON.stringify(rows));

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
    select site.id as "siteId", given.value ->> 1 as source, site.plan, coalesce(quota.used, 0) as used
    from json_each(${toJson(senders)}) as given
    cross join site on site.id = given.value ->> 0 and site.deleted_at is null
    left join event_quota as quota
      on quota.site_id = site.id and quota.source = given.value ->> 1 and quota.month = ${month}
  `.execute(db);
  return rows;
}

export async function incrementQuotaUsage(
  db: Queries,
  added: readonly (readonly [siteId: number, source: EventSource, count: number])[],
  month: string,
): Promise<void> {
  await sql`
    insert into event_quota (site_id, source, month, used)
    select value ->> 0, value ->> 1, ${month}, value ->> 2 from json_each(${toJson(added)}) where true
    on conflict do update set used = used + excluded.used
  `.execute(db);
}

export type EventKey = readonly [siteId: number, source: EventSource, eventId: string];

/** @returns the indexes of the events that are stored already */
export async function findStoredEvents(db: Queries, names: readonly EventKey[]): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ place: number }>`
    select given.key as place from json_each(${toJson(names)}) as given
    cross join event on event.site_id = given.value ->> 0 and event.source = given.value ->> 1
      and event.event_id = given.value ->> 2
  `.execute(db);
  return new Set(rows.map(({ place }) => place));
}

/** An audio of a post, all null when the post has none. */
export interface PostAudio {
  readonly siteId: number;
  readonly post: string;
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
    select post.site_id as "siteId", post.external_id as post, audio.language, audio.voice_id as "voiceId",
      audio.is_main as "isMain", version.duration_ms as "durationMs"
    from json_each(${toJson(posts)}) as given
    cross join post on post.site_id = given.value ->> 0 and post.external_id = given.value ->> 1
    left join audio on audio.post_id = post.id
    left join version on version.id = audio.version_id
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
    insert into event (site_id, source, event_id, type, post, language, voice_id, session_id, device, position_s,
      heard_s, value, occurred_at, received_at)
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
      value ->> 8, value ->> 9, value ->> 10, value ->> 11, value ->> 12, value ->> 13
    from json_each(${toJson(rows)})
  `.execute(db);
}

export async function incrementMetrics(db: Queries, rows: readonly MetricRow[]): Promise<void> {
  await sql`
    insert into event_day (site_id, post, dimension, day, value, metric, amount)
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
    from json_each(${toJson(rows)}) where true
    on conflict do update set amount = amount + excluded.amount
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
  const { rows } = await sql<Listener>`
    select seen.site_id as "siteId", seen.day, seen.session_id as "sessionId", seen.post, seen.language,
      seen.voice_id as "voiceId", seen.device, seen.source
    from json_each(${toJson([...sessions.values()])}) as given
    cross join event_listener as seen on seen.site_id = given.value ->> 0 and seen.day = given.value ->> 1
      and seen.session_id = given.value ->> 2
  `.execute(db);
  return rows;
}

export async function insertListeners(db: Queries, listeners: readonly Listener[]): Promise<void> {
  const rows = listeners.map((one) => [
    ...[one.siteId, one.day, one.sessionId, one.post],
    ...[one.language, one.voiceId, one.device, one.source],
  ]);
  await sql`
    insert into event_listener (site_id, day, session_id, post, language, voice_id, device, source)
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7
    from json_each(${toJson(rows)})
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
  const rows = added.map((one) => [...[one.siteId, one.day, one.keyId], ...[one.route, one.status, one.count]]);
  // Not for a deleted site.
  await sql`
    insert into key_request_day (site_id, day, key_id, route, status, count)
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5
    from json_each(${toJson(rows)}) where value ->> 0 in (select id from site where deleted_at is null)
    on conflict do update set count = count + excluded.count
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
  const { numAffectedRows } = await sql`
    delete from event_listener
    where (site_id, day, session_id, post, language, voice_id, device, source) in (
      select site_id, day, session_id, post, language, voice_id, device, source from event_listener
      where site_id = ${siteId} and day < ${beforeDay} limit ${limit})
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
    jobs.repeat(async () => (await database.writeNormalSync(deleteSome)) === batchSize);
  jobs.every('purging events', { intervalMs, delayMs: initialDelayMs }, async () => {
    const before = new Date(Date.now() - retentionDays * 86_400_000).toISOString();
    await repeat((db) => deleteOldEvents(db, before, batchSize));
    for (const { id } of await database.read.selectFrom('site').select('id').execute()) {
      await repeat((db) => deleteOldListeners(db, id, before.slice(0, 10), batchSize));
    }
  });
}
