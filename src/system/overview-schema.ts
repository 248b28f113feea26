import { type Static, Type } from '@sinclair/typebox';
import { DaySeries, Sums } from '../analytics/schema.ts';
import { PostPage } from '../audio/posts/schema.ts';
import { literalUnion, nullable } from '../http/validation.ts';
import { exampleQueueItem, QueueItem } from './queue-schema.ts';

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
      Type.Object({ post_id: Type.String(), post_title: nullable(Type.String()), plays: Sums.properties.plays }),
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
        top_today: [{ post_id: 'news/4711', post_title: 'Harbor town reopens its lighthouse', plays: 17 }],
        player_seen_on: '2026-11-21',
        generating: [exampleQueueItem],
        latest: [],
      },
    ],
  },
);
export type Overview = Static<typeof Overview>;
