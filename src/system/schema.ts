import { type Static, Type } from '@sinclair/typebox';
import { DaySeries, Sums } from '../analytics/schema.ts';
import { PostPage } from '../audio/posts/schema.ts';
import { TitleFields, toTitleFields } from '../audio/schema.ts';
import { PageQuery, pageSchema } from '../http/pagination.ts';
import { literalUnion, nullable } from '../http/validation.ts';

const Priority = literalUnion(['high', 'normal', 'low']);

export const exampleQueueState = {
  paused: null,
  waiting: 12,
  generating: 2,
  waiting_by_priority: { high: 1, normal: 8, low: 3, further: 0 },
  oldest_waiting_at: '2026-11-21T09:00:00.000Z',
  oldest_waiting_seconds: 75,
  workers: 4,
};

export const QueueState = Type.Object(
  {
    paused: nullable(
      Type.Object({
        since: Type.String(),
        by: Type.String({ description: 'An e-mail address, or `command line`' }),
      }),
      { description: 'Null unless paused' },
    ),
    waiting: Type.Integer({ description: 'All priorities, including extra voices' }),
    generating: Type.Integer({ description: 'Started and not finished' }),
    waiting_by_priority: Type.Object({
      high: Type.Integer(),
      normal: Type.Integer(),
      low: Type.Integer(),
      further: Type.Integer({ description: 'Extra voices; they have the lowest priority' }),
    }),
    oldest_waiting_at: nullable(Type.String()),
    oldest_waiting_seconds: nullable(Type.Integer(), {
      description: 'Age of the oldest pending audio',
    }),
    workers: Type.Integer(),
  },
  { title: 'Queue', examples: [exampleQueueState] },
);
export type QueueState = Static<typeof QueueState>;

export const PauseBody = Type.Object({ paused: Type.Boolean() });

export const QueueItemsQuery = Type.Object({
  ...PageQuery.properties,
  site: Type.Optional(
    Type.String({
      description: 'Id or slug of a site: only its posts. Requires the viewer role on the site',
    }),
  ),
});

export const exampleQueueItem = {
  audio_id: 17,
  site: { id: 1, slug: 'harbor-news', name: 'Harbor News' },
  post_id: 'news/4711',
  ...toTitleFields('Harbor town reopens its lighthouse'),
  language: 'en',
  main: true,
  voice: { id: 1, name: 'Aspen' },
  status: 'generating',
  priority: 'normal',
  progress_percent: 40,
  segments: { done: 4, planned: 10, complete: true },
  created_at: '2026-11-21T09:00:00.000Z',
  since: '2026-11-21T09:00:04.000Z',
};

export const QueueItem = Type.Object(
  {
    audio_id: Type.Integer(),
    site: Type.Object({ id: Type.Integer(), slug: Type.String(), name: Type.String() }),
    post_id: Type.String(),
    ...TitleFields,
    language: Type.String(),
    main: Type.Boolean({ description: 'False for extra voices' }),
    voice: Type.Object({ id: Type.Integer(), name: Type.String() }),
    status: literalUnion(['pending', 'generating']),
    priority: nullable(Priority, {
      description: 'Null for extra voices; they have the lowest priority',
    }),
    progress_percent: Type.Integer(),
    segments: nullable(
      Type.Object({
        done: Type.Integer({ description: 'Synthesized or reused' }),
        planned: Type.Integer({ description: 'Number of different segments' }),
        complete: Type.Boolean({ description: 'Whether the whole text is planned' }),
      }),
      { description: 'Null until started' },
    ),
    created_at: Type.String({ description: 'When the post was first submitted in this language and voice' }),
    since: Type.String({
      description: 'Pending: when the text was submitted. Generating: when generation started',
    }),
  },
  { title: 'QueueItem', examples: [exampleQueueItem] },
);
export type QueueItem = Static<typeof QueueItem>;
export const QueuePage = pageSchema(QueueItem);

export const QueueItemParams = Type.Object({ audio_id: Type.String() });
export const QueueItemBody = Type.Object({ priority: Priority });

const Need = Type.Object(
  {
    kind: literalUnion(
      [
        'failed_posts',
        'webhook_failing',
        'source_failing',
        'new_names',
        'queue_paused',
        'domain_pending',
        'disk',
        'backup',
      ],
      {
        description:
          '`new_names`: unknown words of the last seven days, shown to editors. `domain_pending`, `disk` and `backup` are shown to admins only',
      },
    ),
    id: nullable(Type.Integer(), { description: 'Of the webhook or source; else null' }),
    name: nullable(Type.String(), { description: 'Host of the webhook, title or host of the source; else null' }),
    count: Type.Integer({
      description: 'Failed posts, undelivered messages, failed fetches in a row, words, requested domains; else 1',
    }),
    since: nullable(Type.String(), { description: 'Null: unknown' }),
    details: Type.Array(Type.String(), {
      description: 'Reasons or words, the most frequent first, or the requested domains; at most five',
    }),
  },
  { title: 'Need' },
);
export type Need = Static<typeof Need>;

const exampleSums = { loads: 310, plays: 120, completes: 66, completion: 0.55, listeners: 104, heard_seconds: 11_530 };

export const Overview = Type.Object(
  {
    needs: Type.Array(Need, { description: 'Open problems, most urgent first' }),
    counts: PostPage.properties.counts,
    listening: Type.Object({
      days: {
        ...DaySeries,
        description: 'The last 60 days in the time zone of the site, oldest first; today is unfinished',
      },
    }),
    top_today: Type.Array(
      Type.Object({
        post_id: Type.String(),
        post_title: nullable(Type.String()),
        language: nullable(Type.String(), { description: 'Of the title' }),
        plays: Sums.properties.plays,
      }),
      { description: 'At most five posts, most plays first' },
    ),
    player_seen_on: nullable(Type.String(), {
      description: 'Last day in the time zone of the site on which a page loaded the player; null: never',
    }),
    generating: Type.Array(QueueItem, {
      description: 'At most five audios that are generated now or next, in the order of the queue',
    }),
    latest: { ...PostPage.properties.items, description: 'The newest four posts' },
  },
  {
    title: 'Overview',
    examples: [
      {
        needs: [
          {
            ...{ kind: 'webhook_failing', id: 1, name: 'cms.example.org', count: 45 },
            ...{ since: '2026-11-21T12:53:00.000Z', details: ['the endpoint responded with 503'] },
          },
        ],
        counts: { all: 45, ready: 38, generating: 2, failed: 4, scheduled: 1, private: 0, deleted: 0 },
        listening: { days: [{ day: '2026-11-21', ...exampleSums }] },
        top_today: [
          { post_id: 'news/4711', post_title: 'Harbor town reopens its lighthouse', language: 'en', plays: 17 },
        ],
        player_seen_on: '2026-11-21',
        generating: [exampleQueueItem],
        latest: [],
      },
    ],
  },
);
export type Overview = Static<typeof Overview>;
