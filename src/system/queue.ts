import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { sql } from 'kysely';
import { listQueueDepths, type QueueDepth } from '../audio/counters.ts';
import type { SchedulingPriority } from '../audio/fair-scheduler.ts';
import { prioritizeAudio } from '../audio/posts/actions.ts';
import type { AudioQueue } from '../audio/queue.ts';
import {
  findOldestPending,
  findQueuePause,
  lanePriority,
  schedulingPriorities,
  setQueuePaused,
} from '../audio/queue-store.ts';
import { selectStartedAt } from '../audio/regenerate.ts';
import { toTitleFields } from '../audio/schema.ts';
import { unfinishedStatuses } from '../audio/store.ts';
import type { SegmentCounts } from '../audio/synthesis-job.ts';
import { insertAuditEntry } from '../auth/audit-log.ts';
import { currentTimeMs } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import type { AudioStatus, Priority } from '../database/schema.ts';
import { notFound } from '../errors.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { decodeCursor, paginate } from '../http/pagination.ts';
import { parseId } from '../http/validation.ts';
import type { Services } from '../services.ts';
import {
  exampleQueueItem,
  exampleQueueState,
  PauseBody,
  QueueItem,
  QueueItemBody,
  QueueItemParams,
  QueueItemsQuery,
  QueuePage,
  QueueState,
} from './schema.ts';

const notQueued = 'is not queued';

/** The queue as the API and the commands show it. */
export async function getQueueState(db: Queries, workerCount: number): Promise<QueueState> {
  const depths = await listQueueDepths(db);
  const oldest = await findOldestPending(db);
  const pending = depths.filter(({ status }) => status === 'pending');
  const countPriority = (wanted: SchedulingPriority) => pending.find(({ priority }) => priority === wanted)?.count ?? 0;
  return {
    paused: (await findQueuePause(db)) ?? null,
    waiting: sumCounts(pending),
    generating: sumCounts(depths) - sumCounts(pending),
    waiting_by_priority: {
      high: countPriority('high'),
      normal: countPriority('normal'),
      low: countPriority('low'),
      further: countPriority('further'),
    },
    oldest_waiting_at: oldest ?? null,
    oldest_waiting_seconds:
      oldest === undefined ? null : Math.max(0, Math.floor((currentTimeMs() - Date.parse(oldest)) / 1000)),
    workers: workerCount,
  };
}

/** @param segments undefined until started */
function toQueueItem(row: QueueRow, segments: SegmentCounts | undefined): QueueItem {
  const isMain = row.is_main === 1;
  return {
    audio_id: row.id,
    site: { id: row.site_id, slug: row.site_slug, name: row.site_name },
    post_id: row.external_id,
    ...toTitleFields(row.title),
    language: row.language,
    main: isMain,
    voice: { id: row.voice_id, name: row.voice_name },
    status: row.status === 'generating' ? 'generating' : 'pending',
    priority: isMain ? row.priority : null,
    progress_percent: row.progress_percent,
    segments:
      segments === undefined ? null : { done: segments.done, planned: segments.planned, complete: segments.isPlanned },
    created_at: row.created_at,
    since: row.since,
  };
}

/** In the order of the ids; audio that has left the queue is excluded. */
export async function loadQueueItems(
  db: Queries,
  queue: Pick<AudioQueue, 'getSegmentCounts'>,
  audioIds: readonly number[],
): Promise<QueueItem[]> {
  if (audioIds.length === 0) return [];
  const rows = new Map((await findQueueRows(db, audioIds)).map((row) => [row.id, row] as const));
  return audioIds.flatMap((id) => {
    const row = rows.get(id);
    return row === undefined ? [] : [toQueueItem(row, queue.getSegmentCounts(id))];
  });
}

function sumCounts(depths: readonly QueueDepth[]): number {
  return depths.reduce((sum, { count }) => sum + count, 0);
}

/** Sort key of the list: running audio first, then pending audio by priority and time. */
interface QueuePosition {
  readonly rank: number;
  /** ISO time; empty for running audio, which is ordered by id. */
  readonly waiting_since: string;
  readonly id: number;
}

type QueueRow = Awaited<ReturnType<typeof findQueueRows>>[number];

const since = sql<string>`case audio.status when 'generating' then ${selectStartedAt()} else audio.updated_at end`;

/** By rank. Running audio has none. */
const listedPriorities = [undefined, ...schedulingPriorities];

/** @returns a page of the queue: unfinished audios after a position, in the order of the list, by indexes that have it */
export async function listQueuePositions(
  db: Queries,
  siteId: number | undefined,
  after: QueuePosition | undefined,
  limit: number,
): Promise<QueuePosition[]> {
  const selectPart = (rank: number) => {
    const priority = listedPriorities[rank];
    const status: AudioStatus = priority === undefined ? 'generating' : 'pending';
    const waitingSince = priority === undefined ? sql.lit('') : sql.ref<string>('updated_at');
    const page = db
      .selectFrom('audio')
      .select([sql.lit(rank).as('rank'), waitingSince.as('waiting_since'), 'id'])
      // Literals, and the conditions of the partial indexes word by word: otherwise SQLite does not use them.
      .where('status', '=', sql.lit(status))
      .$if(priority !== undefined, (all) => all.where(lanePriority, '=', sql.lit(priority ?? 'further')))
      .$if(siteId !== undefined, (all) => all.where('queue_site_id', '=', siteId ?? 0))
      .$if(rank === after?.rank, (all) =>
        all.where(sql<boolean>`(${waitingSince}, id) > (${after?.waiting_since}, ${after?.id})`),
      )
      .orderBy('waiting_since')
      .orderBy('id')
      .limit(limit);
    return db.selectFrom(page.as('page')).selectAll();
  };
  const ranks = [...listedPriorities.keys()].filter((rank) => rank >= (after?.rank ?? 0));
  const [first, ...others] = ranks.map(selectPart);
  if (first === undefined) return [];
  // One statement: an audio whose priority changes is not listed twice.
  const all = others.reduce((query, part) => query.unionAll(part), first);
  return all.orderBy('rank').orderBy('waiting_since').orderBy('id').limit(limit).execute();
}

/** @returns queued audio, unordered; without audio that has left the queue */
function findQueueRows(db: Queries, audioIds: readonly number[]) {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .innerJoin('site', 'site.id', 'post.site_id')
    .innerJoin('voice', 'voice.id', 'audio.voice_id')
    .select(['site.id as site_id', 'site.slug as site_slug', 'site.name as site_name'])
    .select(['voice.id as voice_id', 'voice.name as voice_name'])
    .select(['audio.id', 'audio.title', 'audio.language', 'audio.is_main', 'audio.status'])
    .select(['audio.priority', 'audio.progress_percent', 'audio.created_at', 'post.external_id'])
    .select([since.as('since')])
    .where('audio.id', 'in', audioIds)
    .where('audio.status', 'in', unfinishedStatuses)
    .execute();
}

const adminAccess = { tag: 'System', access: 'session', role: 'admin' } as const;
const maxBodyBytes = 1_000;

const stateSpec = endpointSpec({
  summary: 'Get the queue state',
  description: 'Requires the admin role. Counts unfinished audio of all sites, including extra voices.',
  ...adminAccess,
  responses: reply(200, 'OK', 'The queue state', QueueState),
});

const pauseSpec = endpointSpec({
  summary: 'Pause or resume the queue',
  description:
    'Requires the admin role. While paused, no new sentence is synthesized; running sentences are finished. Posts are still accepted; previews and `POST /v1/audio/speech` still work. The pause survives restarts.',
  ...adminAccess,
  body: PauseBody,
  bodyExample: { paused: true },
  maxBodyBytes,
  responses: reply(200, 'Queue updated', 'The updated queue state', QueueState, {
    example: {
      ...exampleQueueState,
      paused: { since: '2026-11-21T09:01:15.000Z', by: 'admin@example.org' },
    },
  }),
});

const itemsSpec = endpointSpec({
  summary: 'List queued audio',
  description:
    'Requires the admin role, or with `site` a role on that site. Running audio first, then pending audio by priority and time. The processing order differs: sites share the workers equally, and short texts go before long ones.',
  ...adminAccess,
  siteQueryRole: 'viewer',
  query: QueueItemsQuery,
  responses: reply(200, 'OK', 'A page of unfinished audio', QueuePage),
  errors: ['not_found'],
});

const itemSpec = endpointSpec({
  summary: 'Change the priority of an audio',
  description:
    'Requires the admin role; editors use `PATCH /v1/sites/{site}/posts/{post_id}`. Applies from the next sentence.',
  ...adminAccess,
  params: QueueItemParams,
  body: QueueItemBody,
  bodyExample: { priority: 'high' },
  maxBodyBytes,
  responses: reply(200, 'Priority updated', 'The updated audio', QueueItem, {
    example: { ...exampleQueueItem, priority: 'high' },
  }),
  errors: ['conflict'],
});

/** Unfinished audio, and the order in which it is generated. */
export function queueRoutes(services: Services) {
  const { endpoint, database, queue, workers } = services;
  return new Elysia({ name: 'queue', prefix: '/v1/queue' })
    .get('', ...endpoint(stateSpec, () => getQueueState(database.read, workers.count)))
    .patch(
      '',
      ...endpoint(pauseSpec, async ({ user, body }) => {
        await database.write('server', async (db) => {
          await setQueuePaused(db, user.id, body.paused);
          queue.notifyPauseChanged(db);
        });
        return getQueueState(database.read, workers.count);
      }),
    )
    .get(
      '/items',
      ...endpoint(itemsSpec, async ({ site, query }) => {
        const { limit, after } = decodeCursor(query, QueueCursor);
        const [rank = 0, waiting_since = '', id = 0] = after ?? [];
        const position = after && { rank, waiting_since, id };
        const positions = await listQueuePositions(database.read, site?.id, position, limit + 1);
        const { items, next_cursor } = paginate(positions, limit, (last) => [last.rank, last.waiting_since, last.id]);
        const audioIds = items.map(({ id }) => id);
        return { items: await loadQueueItems(database.read, queue, audioIds), next_cursor };
      }),
    )
    .patch(
      '/items/:audio_id',
      ...endpoint(itemSpec, async ({ user, params, body }) => {
        const audioId = parseId(params.audio_id, 'Audio', notQueued);
        await changePriority(services, user.id, audioId, body.priority);
        const [item] = await loadQueueItems(database.read, queue, [audioId]);
        if (item === undefined) throw notFound('Audio', params.audio_id, notQueued);
        return item;
      }),
    );
}

const QueueCursor = Type.Tuple([Type.Integer(), Type.String(), Type.Integer()]);

/** @throws AppError `not_found`, `conflict` */
async function changePriority(
  { database, queue }: Pick<Services, 'database' | 'queue'>,
  userId: number,
  audioId: number,
  priority: Priority,
): Promise<void> {
  await database.write('server', async (db) => {
    const change = await prioritizeAudio(db, queue, audioId, priority);
    if (change === undefined) return;
    const { site_id: siteId, external_id: subject, language } = change;
    const before = { language, priority: change.previousPriority };
    const after = { language, priority: change.priority };
    await insertAuditEntry(db, { userId, action: 'post.prioritized', siteId, subject, before, after });
  });
}
