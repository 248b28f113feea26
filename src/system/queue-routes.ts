import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { prioritizeAudio } from '../audio/priority.ts';
import { setQueuePaused } from '../audio/queue-pause.ts';
import { insertAuditEntry } from '../auth/audit-log.ts';
import type { Priority } from '../database/schema.ts';
import { AppError } from '../errors.ts';
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
} from './queue-schema.ts';
import { findQueueRows, getQueueState, listQueuePositions, toQueueItem } from './queue-store.ts';

const maxBodyBytes = 1_000;

const stateSpec = endpointSpec({
  summary: 'Get the queue state',
  description: 'Requires the admin role. Counts unfinished audio of all sites, including extra voices.',
  tag: 'System',
  access: 'session',
  role: 'admin',
  responses: reply(200, 'OK', 'The queue state', QueueState),
  errors: ['not_allowed'],
});

const pauseSpec = endpointSpec({
  summary: 'Pause or resume the queue',
  description:
    'Requires the admin role. While paused, no new sentence is synthesized; running sentences are finished. Posts are still accepted; previews and `POST /v1/audio/speech` still work. The pause survives restarts.',
  tag: 'System',
  access: 'session',
  role: 'admin',
  body: PauseBody,
  bodyExample: { paused: true },
  maxBodyBytes,
  responses: reply(200, 'Queue updated', 'The updated queue state', QueueState, {
    example: {
      ...exampleQueueState,
      paused: { since: '2026-11-21T09:01:15.000Z', by: 'admin@example.org' },
    },
  }),
  errors: ['not_allowed'],
});

const itemsSpec = endpointSpec({
  summary: 'List queued audio',
  description:
    'Requires the admin role, or with `site` a role on that site. Running audio first, then pending audio by priority and time. The processing order differs: sites share the workers equally, and short texts go before long ones.',
  tag: 'System',
  access: 'session',
  role: 'admin',
  siteQueryRole: 'viewer',
  query: QueueItemsQuery,
  responses: reply(200, 'OK', 'A page of unfinished audio', QueuePage),
  errors: ['not_allowed', 'not_found'],
});

const itemSpec = endpointSpec({
  summary: 'Change the priority of an audio',
  description:
    'Requires the admin role; editors use `PATCH /v1/sites/{site}/posts/{post_id}`. Applies from the next sentence.',
  tag: 'System',
  access: 'session',
  role: 'admin',
  params: QueueItemParams,
  body: QueueItemBody,
  bodyExample: { priority: 'high' },
  maxBodyBytes,
  responses: reply(200, 'Priority updated', 'The updated audio', QueueItem, {
    example: { ...exampleQueueItem, priority: 'high' },
  }),
  errors: ['not_allowed', 'not_found', 'conflict'],
});

/** Unfinished audio, and the order in which it is generated. */
export function queueRoutes(services: Services) {
  const { endpoint, database, queue, workers } = services;
  return new Elysia({ name: 'queue', prefix: '/v1/queue' })
    .get('', ...endpoint(stateSpec, () => getQueueState(database.read, workers.count)))
    .patch(
      '',
      ...endpoint(pauseSpec, async ({ user, body }) => {
        await database.write((db) => setQueuePaused(db, user.id, body.paused));
        await queue.notifyPauseChanged();
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
        const page = paginate(
          positions,
          limit,
          (position) => [position.rank, position.waiting_since, position.id],
          (position) => position.id,
        );
        return { ...page, items: await loadQueueItems(services, page.items) };
      }),
    )
    .patch(
      '/items/:audio_id',
      ...endpoint(itemSpec, async ({ user, params, body }) => {
        const audioId = parseId(params.audio_id, notQueuedError);
        await changePriority(services, user.id, audioId, body.priority);
        const [item] = await loadQueueItems(services, [audioId]);
        if (item === undefined) throw notQueuedError(params.audio_id);
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
  wanted: Priority,
): Promise<void> {
  const isChanged = await database.write(async (db) => {
    const change = await prioritizeAudio(db, queue, audioId, wanted);
    if (change === undefined) return false;
    const { site_id: siteId, external_id: subject, language, previousPriority, priority } = change;
    await insertAuditEntry(db, {
      ...{ userId, action: 'post.prioritized', siteId, subject },
      ...{ before: { language, priority: previousPriority }, after: { language, priority } },
    });
    return true;
  });
  if (isChanged) await queue.notifyRescheduled(audioId);
}

/** In the order of the ids; audio that has left the queue is excluded. */
async function loadQueueItems(
  { database, queue }: Pick<Services, 'database' | 'queue'>,
  audioIds: readonly number[],
): Promise<QueueItem[]> {
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
