import { type Static, Type } from '@sinclair/typebox';
import { PageQuery, pageOf } from '../http/pagination.ts';
import { oneOf } from '../http/validation.ts';

const OptionalText = Type.Union([Type.String(), Type.Null()]);
const Priority = oneOf(['high', 'normal', 'low']);

/** How much there is to do, and whether it is done. */
export const QueueState = Type.Object(
  {
    paused: Type.Union(
      [
        Type.Object({
          since: Type.String(),
          by: Type.String({ description: 'An e-mail address, or `command line`' }),
        }),
        Type.Null(),
      ],
      { description: 'Null while it runs' },
    ),
    waiting: Type.Integer({ description: 'Of all priorities, further voices too' }),
    generating: Type.Integer({ description: 'Begun, and not ready yet' }),
    waiting_by_priority: Type.Object({
      high: Type.Integer(),
      normal: Type.Integer(),
      low: Type.Integer(),
      further: Type.Integer({ description: 'Further voices, which wait behind everything' }),
    }),
    oldest_waiting_at: OptionalText,
    oldest_waiting_seconds: Type.Union([Type.Integer(), Type.Null()], {
      description: 'How long that one has waited',
    }),
    workers: Type.Integer(),
  },
  { title: 'Queue' },
);
export type QueueState = Static<typeof QueueState>;

export const PauseBody = Type.Object({ paused: Type.Boolean() });

export const QueueItemsQuery = Type.Object({
  ...PageQuery.properties,
  site: Type.Optional(
    Type.String({ description: 'Id or slug: only its posts; viewers of it may ask too' }),
  ),
});

/** An unfinished audio. */
export const QueueItem = Type.Object(
  {
    audio_id: Type.Integer(),
    site: Type.Object({ id: Type.Integer(), slug: Type.String(), name: Type.String() }),
    post_id: Type.String(),
    title: OptionalText,
    language: Type.String(),
    main: Type.Boolean({ description: 'False: a further voice to switch to' }),
    voice: Type.Object({ id: Type.Integer(), name: Type.String() }),
    status: oneOf(['pending', 'generating']),
    priority: Type.Union([Priority, Type.Null()], {
      description: 'Null for a further voice, which waits behind everything',
    }),
    progress_percent: Type.Integer(),
    segments: Type.Union(
      [
        Type.Object({
          done: Type.Integer({ description: 'Spoken, or there before' }),
          planned: Type.Integer({ description: 'What comes twice is spoken once' }),
          complete: Type.Boolean({ description: 'Whether all of the text is planned' }),
        }),
        Type.Null(),
      ],
      { description: 'Null until it is begun' },
    ),
    created_at: Type.String({
      description: 'When the post first came, in this language and voice',
    }),
    since: Type.String({
      description: 'Waiting: when its text came; being made: when something last became of it',
    }),
  },
  { title: 'QueueItem' },
);
export type QueueItem = Static<typeof QueueItem>;
export const QueuePage = pageOf(QueueItem);

export const QueueItemParams = Type.Object({ audio_id: Type.String() });
export const QueueItemBody = Type.Object({ priority: Priority });
