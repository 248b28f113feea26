import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { prioritizeAudio } from '../audio/priority.ts';
import type { AudioQueue } from '../audio/queue.ts';
import { setPaused } from '../audio/queue-pause.ts';
import { audit } from '../auth/audit-log.ts';
import type { SessionAccess } from '../auth/sessions.ts';
import type { Database } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { described, envelope } from '../http/endpoint.ts';
import { pageFrom, startOfPage } from '../http/pagination.ts';
import { readJsonBody } from '../http/request-body.ts';
import { idIn, readQuery, validate } from '../http/validation.ts';
import type { Workers } from '../speech/worker-pool.ts';
import {
  PauseBody,
  QueueItem,
  QueueItemBody,
  QueueItemParams,
  QueueItemsQuery,
  QueuePage,
  QueueState,
} from './queue-schema.ts';
import { findQueueRows, listPlaces, queueItem, queueState } from './queue-store.ts';

const bodyByteMax = 1_000;

export interface QueueDeps {
  readonly database: Database;
  readonly queue: Pick<AudioQueue, 'turnOf' | 'moved' | 'pauseChanged' | 'segmentsOf'>;
  readonly workers: Pick<Workers, 'count'>;
  readonly bySession: SessionAccess;
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

const stateOperation = described({
  summary: 'The queue',
  description: 'For admins. Unfinished audio of all sites, further voices too.',
  tag: 'System',
  access: 'session',
  answers: {
    200: {
      description: 'How much waits and is under way',
      message: 'OK',
      data: QueueState,
      example: exampleState,
    },
  },
  errors: ['not_allowed'],
});

const pauseOperation = described({
  summary: 'Pause the queue, or let it run',
  description:
    'For admins. While it is paused no audio is begun and no further sentence is spoken; sentences in hand are finished. Posts are taken as ever, previews and `POST /v1/audio/speech` are answered. It lasts until it is ended, over restarts too.',
  tag: 'System',
  access: 'session',
  body: PauseBody,
  bodyExample: { paused: true },
  answers: {
    200: {
      description: 'The queue as it is now',
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

const itemsOperation = described({
  summary: 'What is in the queue',
  description:
    'Admins see all sites; with `site` whoever has a part in it. What is being made comes first, then what waits, by priority and by when it came. Sites share the workers equally and short texts go before long ones, so that the order of making is another.',
  tag: 'System',
  access: 'session',
  query: QueueItemsQuery,
  answers: {
    200: {
      description: 'A page of unfinished audio',
      message: 'OK',
      data: QueuePage,
      example: { items: [exampleItem], next_cursor: null },
    },
  },
  errors: ['not_allowed', 'not_found'],
});

const itemOperation = described({
  summary: 'Change the priority of an audio',
  description:
    'For admins; editors change it by `PATCH /v1/sites/{site}/posts/{post_id}`. It holds from the next sentence on.',
  tag: 'System',
  access: 'session',
  params: QueueItemParams,
  body: QueueItemBody,
  bodyExample: { priority: 'high' },
  answers: {
    200: {
      description: 'The audio as it is now',
      message: 'Priority updated',
      data: QueueItem,
      example: { ...exampleItem, priority: 'high' },
    },
  },
  errors: ['not_allowed', 'not_found', 'conflict'],
});

/** What waits and is being made, and in which order. */
export function queueRoutes(deps: QueueDeps) {
  const { database, queue, bySession } = deps;
  return new Elysia({ name: 'queue', prefix: '/v1/queue' })
    .get(
      '',
      async ({ request }) => {
        await bySession.admin(request);
        return envelope('OK', await queueState(database.read, deps.workers.count));
      },
      stateOperation,
    )
    .patch(
      '',
      async ({ request }) => {
        const { user } = await bySession.admin(request);
        const { paused } = validate(PauseBody, await readJsonBody(request, bodyByteMax));
        await database.write((db) => setPaused(db, user.id, paused));
        await queue.pauseChanged();
        return envelope('Queue updated', await queueState(database.read, deps.workers.count));
      },
      pauseOperation,
    )
    .get(
      '/items',
      async ({ request }) => {
        const siteId = await siteAskedFor(deps, request);
        const { limit, after } = startOfPage(readQuery(QueueItemsQuery, request), Place);
        const [rank = 0, waiting_since = '', id = 0] = after ?? [];
        const places = await listPlaces(database.read, {
          siteId,
          after: after === undefined ? undefined : { rank, waiting_since, id },
          most: limit + 1,
        });
        const page = pageFrom(
          places,
          limit,
          (place) => [place.rank, place.waiting_since, place.id],
          (place) => place.id,
        );
        return envelope('OK', {
          items: await itemsOf(deps, page.items),
          next_cursor: page.next_cursor,
        });
      },
      itemsOperation,
    )
    .patch(
      '/items/:audio_id',
      async ({ request, params }) => {
        const { user } = await bySession.admin(request);
        const body = validate(QueueItemBody, await readJsonBody(request, bodyByteMax));
        const audioId = idIn(params.audio_id, notQueued);
        const moved = await database.write(async (db) => {
          const moved = await prioritizeAudio(db, queue, audioId, body.priority);
          if (moved === undefined) return undefined;
          const { site_id: siteId, external_id: subject, language, before, priority } = moved;
          await audit(db, {
            ...{ userId: user.id, action: 'post.prioritized', siteId, subject },
            ...{ before: { language, priority: before }, after: { language, priority } },
          });
          return moved;
        });
        if (moved !== undefined) await queue.moved(audioId);
        const [item] = await itemsOf(deps, [audioId]);
        if (item === undefined) throw notQueued(params.audio_id);
        return envelope('Priority updated', item);
      },
      itemOperation,
    );
}

const Place = Type.Tuple([Type.Integer(), Type.String(), Type.Integer()]);

/** @returns undefined for all sites. @throws AppError as `SessionAccess` */
async function siteAskedFor(
  { bySession }: QueueDeps,
  request: Request,
): Promise<number | undefined> {
  const asked = new URL(request.url).searchParams.get('site');
  if (asked !== null) return (await bySession.site(request, asked, 'viewer')).site.id;
  await bySession.admin(request);
  return undefined;
}

/** In the order of the ids; what was finished meanwhile is left out. */
async function itemsOf(
  { database, queue }: QueueDeps,
  audioIds: readonly number[],
): Promise<QueueItem[]> {
  if (audioIds.length === 0) return [];
  const rows = new Map(
    (await findQueueRows(database.read, audioIds)).map((row) => [row.id, row] as const),
  );
  return audioIds.flatMap((id) => {
    const row = rows.get(id);
    return row === undefined ? [] : [queueItem(row, queue.segmentsOf(id))];
  });
}

function notQueued(audioId: string): AppError {
  return new AppError('not_found', `There is no audio ${audioId} in the queue`);
}
