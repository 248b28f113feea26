import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { prioritizeAudio } from '../audio/priority.ts';
import type { AudioQueue } from '../audio/queue.ts';
import { setQueuePaused } from '../audio/queue-pause.ts';
import { insertAuditEntry } from '../auth/audit-log.ts';
import type { RequireSession } from '../auth/sessions.ts';
import type { Database } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { endpointSpec, envelope, toEndpointHook } from '../http/endpoint.ts';
import { decodeCursor, paginate } from '../http/pagination.ts';
import { readJsonBody } from '../http/request-body.ts';
import { parseId, parseQuery, validate } from '../http/validation.ts';
import type { WorkerPool } from '../speech/worker-pool.ts';
import {
  PauseBody,
  QueueItem,
  QueueItemBody,
  QueueItemParams,
  QueueItemsQuery,
  QueuePage,
  QueueState,
} from './queue-schema.ts';
import { findQueueRows, getQueueState, listQueuePositions, toQueueItem } from './queue-store.ts';

const maxBodyBytes = 1_000;

export interface QueueDeps {
  readonly database: Database;
  readonly queue: Pick<AudioQueue, 'nextVirtualTime' | 'notifyRescheduled' | 'notifyPauseChanged' | 'getSegmentCounts'>;
  readonly workers: Pick<WorkerPool, 'count'>;
  readonly requireSession: RequireSession;
}

const exampleState = {
  paused: null,
  waiting: 12,
  generating: 2,
  waiting_by_priority: { high: 1, normal: 8, low: 3, further: 0 },
  oldest_waiting_at: '2026-11-21T09:00:00.000Z',
  oldest_waiting_seconds: 75,
  workers: 4,
};
const exampleItem = {
  audio_id: 17,
  site: { id: 1, slug: 'harbor-news', name: 'Harbor News' },
  post_id: 'news/4711',
  title: 'Harbor town reopens its lighthouse',
  language: 'en',
  main: true,
  voice: { id: 1, name: 'Alder' },
  status: 'generating',
  priority: 'normal',
  progress_percent: 40,
  segments: { done: 4, planned: 10, complete: true },
  created_at: '2026-11-21T09:00:00.000Z',
  since: '2026-11-21T09:00:04.000Z',
};

const stateOperation = endpointSpec({
  summary: 'Get the queue state',
  description: 'Requires the admin role. Counts unfinished audio of all sites, including extra voices.',
  tag: 'System',
  access: 'session',
  responses: {
    200: {
      description: 'The queue state',
      message: 'OK',
      data: QueueState,
      example: exampleState,
    },
  },
  errors: ['not_allowed'],
});

const pauseOperation = endpointSpec({
  summary: 'Pause or resume the queue',
  description:
    'Requires the admin role. While paused, no new sentence is synthesized; running sentences are finished. Posts are still accepted; previews and `POST /v1/audio/speech` still work. The pause survives restarts.',
  tag: 'System',
  access: 'session',
  body: PauseBody,
  bodyExample: { paused: true },
  responses: {
    200: {
      description: 'The updated queue state',
      message: 'Queue updated',
      data: QueueState,
      example: {
        ...exampleState,
        paused: { since: '2026-11-21T09:01:15.000Z', by: 'admin@example.org' },
      },
    },
  },
  errors: ['not_allowed'],
});

const itemsOperation = endpointSpec({
  summary: 'List queued audio',
  description:
    'Requires the admin role, or with `site` a role on that site. Running audio first, then pending audio by priority and time. The processing order differs: sites share the workers equally, and short texts go before long ones.',
  tag: 'System',
  access: 'session',
  query: QueueItemsQuery,
  responses: {
    200: {
      description: 'A page of unfinished audio',
      message: 'OK',
      data: QueuePage,
      example: { items: [exampleItem], next_cursor: null },
    },
  },
  errors: ['not_allowed', 'not_found'],
});

const itemOperation = endpointSpec({
  summary: 'Change the priority of an audio',
  description:
    'Requires the admin role; editors use `PATCH /v1/sites/{site}/posts/{post_id}`. Applies from the next sentence.',
  tag: 'System',
  access: 'session',
  params: QueueItemParams,
  body: QueueItemBody,
  bodyExample: { priority: 'high' },
  responses: {
    200: {
      description: 'The updated audio',
      message: 'Priority updated',
      data: QueueItem,
      example: { ...exampleItem, priority: 'high' },
    },
  },
  errors: ['not_allowed', 'not_found', 'conflict'],
});

/** What waits and is being made, and in which order. */
export function queueRoutes(deps: QueueDeps) {
  const { database, queue, requireSession } = deps;
  return new Elysia({ name: 'queue', prefix: '/v1/queue' })
    .get(
      '',
      async ({ request }) => {
        await requireSession.admin(request);
        return envelope('OK', await getQueueState(database.read, deps.workers.count));
      },
      toEndpointHook(stateOperation),
    )
    .patch(
      '',
      async ({ request }) => {
        const { user } = await requireSession.admin(request);
        const { paused } = validate(PauseBody, await readJsonBody(request, maxBodyBytes));
        await database.write((db) => setQueuePaused(db, user.id, paused));
        await queue.notifyPauseChanged();
        return envelope('Queue updated', await getQueueState(database.read, deps.workers.count));
      },
      toEndpointHook(pauseOperation),
    )
    .get(
      '/items',
      async ({ request }) => {
        const siteId = await resolveSiteId(deps, request);
        const { limit, after } = decodeCursor(parseQuery(QueueItemsQuery, request), QueueCursor);
        const [rank = 0, waiting_since = '', id = 0] = after ?? [];
        const places = await listQueuePositions(database.read, {
          siteId,
          after: after === undefined ? undefined : { rank, waiting_since, id },
          most: limit + 1,
        });
        const page = paginate(
          places,
          limit,
          (place) => [place.rank, place.waiting_since, place.id],
          (place) => place.id,
        );
        return envelope('OK', {
          items: await loadQueueItems(deps, page.items),
          next_cursor: page.next_cursor,
        });
      },
      toEndpointHook(itemsOperation),
    )
    .patch(
      '/items/:audio_id',
      async ({ request, params }) => {
        const { user } = await requireSession.admin(request);
        const body = validate(QueueItemBody, await readJsonBody(request, maxBodyBytes));
        const audioId = parseId(params.audio_id, notQueuedError);
        const moved = await database.write(async (db) => {
          const moved = await prioritizeAudio(db, queue, audioId, body.priority);
          if (moved === undefined) return undefined;
          const { site_id: siteId, external_id: subject, language, previousPriority, priority } = moved;
          await insertAuditEntry(db, {
            ...{ userId: user.id, action: 'post.prioritized', siteId, subject },
            ...{ before: { language, priority: previousPriority }, after: { language, priority } },
          });
          return moved;
        });
        if (moved !== undefined) await queue.notifyRescheduled(audioId);
        const [item] = await loadQueueItems(deps, [audioId]);
        if (item === undefined) throw notQueuedError(params.audio_id);
        return envelope('Priority updated', item);
      },
      toEndpointHook(itemOperation),
    );
}

const QueueCursor = Type.Tuple([Type.Integer(), Type.String(), Type.Integer()]);

/** @returns undefined for all sites. @throws AppError as `SessionAccess` */
async function resolveSiteId({ requireSession }: QueueDeps, request: Request): Promise<number | undefined> {
  const asked = new URL(request.url).searchParams.get('site');
  if (asked !== null) return (await requireSession.site(request, asked, 'viewer')).site.id;
  await requireSession.admin(request);
  return undefined;
}

/** In the order of the ids; what was finished meanwhile is left out. */
async function loadQueueItems({ database, queue }: QueueDeps, audioIds: readonly number[]): Promise<QueueItem[]> {
  if (audioIds.length === 0) return [];
  const rows = new Map((await findQueueRows(database.read, audioIds)).map((row) => [row.id, row] as const));
  return audioIds.flatMap((id) => {
    const row = rows.get(id);
    return row === undefined ? [] : [toQueueItem(row, queue.getSegmentCounts(id))];
  });
}

function notQueuedError(audioId: string): AppError {
  return new AppError('not_found', `Audio ${audioId} is not queued`);
}
