import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { oneOf } from '../http/validation.ts';

const orNull = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));

/** What can be told of a listener; anything else is refused. */
export const eventTypes = [
  'load',
  'play',
  'pause',
  'seek',
  'progress',
  'complete',
  'speed',
  'voice',
  'download',
  'click',
  'share',
  'error',
] as const;
export type EventType = (typeof eventTypes)[number];

/** One event. */
export const Event = Type.Object(
  {
    type: oneOf(eventTypes, {
      description: 'A `play` is the first start on a page view; going on after a pause is none',
    }),
    post_id: Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'Events of posts that the site does not have are accepted and counted for the site as a whole',
    }),
    language: orNull(
      Type.String({ description: 'BCP 47 language code; `en-US` is taken as `en`' }),
    ),
    voice_id: orNull(Type.Integer({ description: 'Id out of the voice list' })),
    session_id: orNull(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'Listeners are counted by it; never anything that names a person',
      }),
    ),
    position_seconds: orNull(
      Type.Number({ minimum: 0, maximum: 1_000_000, description: 'Place in the audio' }),
    ),
    heard_seconds: orNull(
      Type.Number({
        minimum: 0,
        maximum: 86_400,
        description:
          'Seconds of the audio heard since the event before, up to `position_seconds`; what was skipped is not heard',
      }),
    ),
    value: orNull(
      Type.Union([
        Type.String({ maxLength: 500 }),
        Type.Number({ minimum: -1e12, maximum: 1e12 }),
        Type.Boolean(),
      ]),
    ),
    occurred_at: orNull(
      Type.String({
        maxLength: 64,
        description:
          'ISO 8601; the time of receipt where it is missing, lies in the future or more than 7 days back',
      }),
    ),
    event_id: orNull(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: "The sender's own name for this event: sent again, it changes nothing",
      }),
    ),
  },
  { title: 'Event' },
);
export type Event = Static<typeof Event>;

/** Several events in one request. */
export const EventBatch = Type.Object({
  events: Type.Array(Event, { minItems: 1, maxItems: 100 }),
});

/** Body of `POST /v1/events/track`. */
export const TrackBody = Type.Union([EventBatch, Event]);

const Domain = Type.Optional(
  Type.String({ description: 'Host name of the site, unless the query names it' }),
);

/** Body of `POST /v1/public/events`. */
export const PublicEventsBody = Type.Union([
  Type.Object({ ...EventBatch.properties, domain: Domain }),
  Type.Object({ ...Event.properties, domain: Domain }),
]);

/** Query of `POST /v1/public/events`. */
export const PublicEventsQuery = Type.Object({
  domain: Type.Optional(
    Type.String({ description: 'Host name of the site, unless the body names it' }),
  ),
});

/** What became of the events of a request. */
export const EventsAnswer = Type.Object(
  {
    accepted: Type.Integer({ description: 'New ones, which count against the quota' }),
    duplicates: Type.Integer({ description: 'Known by their `event_id` already' }),
  },
  { title: 'AcceptedEvents' },
);
export type EventsAnswer = Static<typeof EventsAnswer>;

const dimensions = ['day', 'post', 'language', 'voice', 'device', 'source'] as const;
const Day = Type.String({
  format: 'date',
  description: 'A day (UTC) like 2026-11-21',
});
const Count = Type.Integer({ minimum: 0 });

/** Query of a site's analytics. */
export const AnalyticsQuery = Type.Object({
  from: Type.Optional(Day),
  to: Type.Optional(Day),
  group_by: Type.Optional(oneOf(dimensions, { default: 'day' })),
  post_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Only what is about this post' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10_000, default: 100, description: 'Most groups' }),
  ),
  format: Type.Optional(
    Type.Union([Type.Literal('json'), Type.Literal('csv')], {
      default: 'json',
      description: '`csv`: the groups as a table',
    }),
  ),
});
export type AnalyticsQuery = Static<typeof AnalyticsQuery>;

const Sums = Type.Object({
  loads: Count,
  plays: Count,
  completes: Count,
  completion: Type.Union([Type.Number(), Type.Null()], {
    description: 'Completes per play; null without plays',
  }),
  listeners: Type.Integer({
    minimum: 0,
    description: 'Sessions that listened, each once a day',
  }),
  heard_seconds: Count,
});
export type Sums = Static<typeof Sums>;

const MonthUse = Type.Object({
  used: Count,
  limit: Type.Union([Type.Integer(), Type.Null()], { description: 'Null without one' }),
});

/** What listeners of a site did between two days. */
export const Analytics = Type.Object(
  {
    from: Type.String(),
    to: Type.String(),
    group_by: Type.String(),
    post_id: Type.Union([Type.String(), Type.Null()]),
    totals: Sums,
    events: Type.Record(Type.String(), Count, { description: 'How many of each type' }),
    series: Type.Array(Type.Intersect([Type.Object({ day: Type.String() }), Sums])),
    groups: Type.Array(
      Type.Intersect([
        Type.Object({
          value: Type.Union([Type.String(), Type.Null()], { description: 'Null: not known' }),
          name: Type.Union([Type.String(), Type.Null()], {
            description: 'Title of a post, name of a voice',
          }),
        }),
        Sums,
      ]),
      { description: 'Most plays first; empty when grouped by day' },
    ),
    retention: Type.Array(
      Type.Object({
        percent: Type.Integer({ description: 'Where a twentieth of the audio begins' }),
        times: Type.Number({ description: 'How often it was heard' }),
        share: Type.Union([Type.Number(), Type.Null()], { description: 'Times per play' }),
      }),
    ),
    requests: Type.Object(
      {
        total: Count,
        items: Type.Array(
          Type.Object({
            key_id: Type.Integer(),
            key_name: Type.Union([Type.String(), Type.Null()]),
            route: Type.String(),
            status: Type.Integer(),
            count: Count,
          }),
        ),
      },
      { description: 'Requests made with a key, of the whole site' },
    ),
    quota: Type.Object(
      { month: Type.String(), public: MonthUse, key: MonthUse },
      { description: 'Events of the current month that count' },
    ),
  },
  { title: 'Analytics' },
);
export type Analytics = Static<typeof Analytics>;
