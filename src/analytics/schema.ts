import { type Static, type TSchema, Type } from '@sinclair/typebox';
import type { DeviceClass, EventSource } from '../database/feature-schema.ts';
import { literalUnion, nullable } from '../http/validation.ts';

const nullish = <S extends TSchema>(schema: S) => Type.Optional(nullable(schema));

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

export const Event = Type.Object(
  {
    type: literalUnion(eventTypes, {
      description: '`play` is the first start in a page view; resuming after a pause is not a `play`',
    }),
    post_id: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Events of unknown posts are accepted and counted for the site only',
    }),
    language: nullish(Type.String({ description: 'BCP 47 language code; `en-US` is accepted as `en`' })),
    voice_id: nullish(Type.Integer({ description: 'Id of a voice' })),
    session_id: nullish(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'Used to count listeners; must not identify a person',
      }),
    ),
    position_seconds: nullish(Type.Number({ minimum: 0, maximum: 1_000_000, description: 'Position in the audio' })),
    heard_seconds: nullish(
      Type.Number({
        minimum: 0,
        maximum: 86_400,
        description:
          'Seconds of audio played since the previous event, up to `position_seconds`; skipped audio does not count',
      }),
    ),
    value: nullish(
      Type.Union([Type.String({ maxLength: 500 }), Type.Number({ minimum: -1e12, maximum: 1e12 }), Type.Boolean()]),
    ),
    occurred_at: nullish(
      Type.String({
        maxLength: 64,
        description: 'ISO 8601; default: the time of receipt, also if it is in the future or more than 7 days old',
      }),
    ),
    event_id: nullish(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'Id chosen by the sender; an event with a known id is ignored',
      }),
    ),
  },
  { title: 'Event' },
);
export type Event = Static<typeof Event>;

export const EventBatch = Type.Object({ events: Type.Array(Event, { minItems: 1, maxItems: 100 }) });

export const TrackBody = Type.Union([EventBatch, Event]);

const Domain = Type.Optional(Type.String({ description: 'Domain of the site; required unless given in the query' }));

export const PublicEventsBody = Type.Union([
  Type.Object({ ...EventBatch.properties, domain: Domain }),
  Type.Object({ ...Event.properties, domain: Domain }),
]);

export const PublicEventsQuery = Type.Object({
  domain: Type.Optional(Type.String({ description: 'Domain of the site; required unless given in the body' })),
});

export const AcceptedEvents = Type.Object(
  {
    accepted: Type.Integer({ description: 'New events; they count against the quota' }),
    duplicates: Type.Integer({ description: 'Events whose `event_id` is already known' }),
  },
  { title: 'AcceptedEvents' },
);
export type AcceptedEvents = Static<typeof AcceptedEvents>;

const dimensions = ['day', 'post', 'section', 'language', 'voice', 'device', 'source'] as const;
const Day = Type.String({
  format: 'date',
  description: 'A day in the time zone of the site, for example 2026-11-21',
});
const Count = Type.Integer({ minimum: 0 });

export const AnalyticsQuery = Type.Object({
  from: Type.Optional(Day),
  to: Type.Optional(Day),
  group_by: Type.Optional(
    literalUnion(dimensions, {
      default: 'day',
      description:
        'A `section` is the first folder in the path of the URL of a post, unless it is a number: `politics` of `https://www.example.org/politics/4711`. An event counts in the section that its post has when the event comes in. Not with `post_id`',
    }),
  ),
  post_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Only events of this post' })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 100,
      description: 'Maximum number of groups',
    }),
  ),
  format: Type.Optional(
    literalUnion(['json', 'csv'], {
      default: 'json',
      description: '`csv` returns the groups as CSV',
    }),
  ),
});
export type AnalyticsQuery = Static<typeof AnalyticsQuery>;

export const Sums = Type.Object({
  loads: Count,
  plays: Count,
  completes: Count,
  completion: nullable(Type.Number(), { description: 'Completes per play; null without plays' }),
  listeners: Type.Integer({
    minimum: 0,
    description: 'Sessions that listened; each counts once a day',
  }),
  heard_seconds: Count,
});
export type Sums = Static<typeof Sums>;

export const DaySeries = Type.Array(Type.Intersect([Type.Object({ day: Type.String() }), Sums]));
export type DaySeries = Static<typeof DaySeries>;

const Group = Type.Intersect([
  Type.Object({
    value: nullable(Type.String(), { description: 'Null: unknown; no section' }),
    name: nullable(Type.String(), {
      description: 'Title of the post, name of the voice, or section without percent-encoding',
    }),
    name_language: nullable(Type.String(), { description: 'Language of the title of a post; else null' }),
  }),
  Sums,
]);

const MonthlyUsage = Type.Object({
  used: Count,
  limit: nullable(Type.Integer(), { description: 'Null: no limit' }),
});

const exampleSums = {
  loads: 310,
  plays: 120,
  completes: 66,
  completion: 0.55,
  listeners: 104,
  heard_seconds: 11_530,
};

const exampleAnalytics = {
  from: '2026-11-21',
  to: '2026-11-21',
  time_zone: 'UTC',
  group_by: 'device',
  post_id: null,
  totals: exampleSums,
  events: { load: 310, play: 120, complete: 66 },
  series: [{ day: '2026-11-21', ...exampleSums }],
  groups: [{ value: 'phone', name: null, name_language: null, ...exampleSums }],
  retention: [{ percent: 0, times: 118, share: 0.983 }],
  requests: {
    total: 41,
    items: [
      {
        key_id: 1,
        key_name: 'production',
        route: 'POST /v1/audio/generate',
        status: 202,
        count: 41,
      },
    ],
  },
  quota: {
    month: '2026-11',
    public: { used: 812, limit: 10_000 },
    key: { used: 0, limit: 10_000 },
  },
};

export const Analytics = Type.Object(
  {
    from: Type.String(),
    to: Type.String(),
    time_zone: Type.String({ description: 'Of the site, whose days are counted' }),
    group_by: Type.String(),
    post_id: nullable(Type.String()),
    totals: Sums,
    events: Type.Record(Type.String(), Count, { description: 'Number of events by type' }),
    series: DaySeries,
    groups: Type.Array(Group, { description: 'Ordered by plays, descending; empty when grouped by day' }),
    retention: Type.Array(
      Type.Object({
        percent: Type.Integer({ description: 'Start of a twentieth of the audio' }),
        times: Type.Number({ description: 'Number of times this part was played' }),
        share: nullable(Type.Number(), { description: '`times` divided by plays' }),
      }),
    ),
    requests: Type.Object(
      {
        total: Count,
        items: Type.Array(
          Type.Object({
            key_id: Type.Integer(),
            key_name: nullable(Type.String()),
            route: Type.String(),
            status: Type.Integer(),
            count: Count,
          }),
        ),
      },
      { description: 'API key requests of the whole site' },
    ),
    quota: Type.Object(
      { month: Type.String(), public: MonthlyUsage, key: MonthlyUsage },
      { description: 'Events counted in the current month' },
    ),
  },
  { title: 'Analytics', examples: [exampleAnalytics] },
);
export type Analytics = Static<typeof Analytics>;

/** An event after validation, before the look-up of its post. */
export interface ParsedEvent {
  readonly type: EventType;
  readonly postId: string;
  /** BCP 47 primary code. */
  readonly language: string | null;
  readonly voiceId: number | null;
  readonly sessionId: string | null;
  readonly positionS: number | null;
  readonly heardS: number | null;
  readonly value: string | null;
  /** ISO 8601 UTC, from the sender. */
  readonly occurredAt: string | null;
  readonly eventId: string | null;
}

export interface Submission {
  readonly siteId: number;
  /** Of the site: events count on its days. */
  readonly timeZone: string;
  readonly source: EventSource;
  readonly device: DeviceClass;
  readonly events: readonly ParsedEvent[];
}
