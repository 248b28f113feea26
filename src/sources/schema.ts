import { type Static, Type } from '@sinclair/typebox';
import { feedOutcomes } from '../database/feature-schema.ts';
import { PageQuery, pageSchema } from '../http/pagination.ts';
import { literalUnion, nullable, Timestamp } from '../http/validation.ts';
import { SiteParams } from '../sites/schema.ts';

const Url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description:
    'http(s) URL of an RSS, Atom or JSON feed, or of NewsML-G2 or ninjs items. Private addresses must be listed in LECTERN_FEED_ALLOW',
});
const Language = nullable(Type.String({ maxLength: 35 }), {
  description:
    'BCP 47 code of its posts. Null: the language of the item or feed if a voice supports it, else the default language of the site',
});
const VoiceId = nullable(Type.Integer(), {
  description: 'Voice of its posts, regardless of their language. Null: the default voice of the site',
});
const Visibility = literalUnion(['public', 'private'], { description: 'Visibility of the created posts' });
const Updates = Type.Boolean({ description: 'Whether a changed item updates its post' });
const Backfill = Type.Integer({
  minimum: 0,
  maximum: 100,
  description: 'How many of the newest items become posts on the first fetch; older items are skipped',
});
const Interval = nullable(Type.Integer({ minimum: 5, maximum: 1_440 }), {
  description:
    'Minutes between fetches; longer if the feed requests it. Null: the setting LECTERN_FEED_INTERVAL_MINUTES',
});
const Outcome = literalUnion(feedOutcomes, {
  description:
    '`waiting`: not submitted yet; `queued`: post created; `updated`: post updated; `removed`: post deleted by a user; `known`: a post with this id already existed; `too_short`; `refused`: too long or otherwise invalid; `skipped`: published before the feed was added',
});

export const SourceBody = Type.Object({
  url: Url,
  enabled: Type.Optional(Type.Boolean({ default: true })),
  language: Type.Optional(Language),
  voice_id: Type.Optional(VoiceId),
  visibility: Type.Optional(Visibility),
  updates: Type.Optional(Updates),
  backfill: Type.Optional(Backfill),
  interval_minutes: Type.Optional(Interval),
});
export type SourceBody = Static<typeof SourceBody>;

export const SourceChanges = Type.Partial(SourceBody);
export type SourceChanges = Static<typeof SourceChanges>;

export const SourcePreviewBody = Type.Object({
  url: Url,
  backfill: Type.Optional(Backfill),
});

export const SourceParams = Type.Object({
  ...SiteParams.properties,
  source: Type.String({ description: 'Id of the source' }),
});

export const ItemsQuery = Type.Object({
  ...PageQuery.properties,
  outcome: Type.Optional(Outcome),
});

export const exampleSource = {
  id: 1,
  url: 'https://www.example.org/feed.xml',
  title: 'The Daily Example',
  enabled: true,
  disabled_reason: null,
  paused: null,
  language: null,
  voice_id: null,
  visibility: 'public',
  updates: true,
  backfill: 10,
  interval_minutes: null,
  last_fetch_at: '2026-11-02T08:15:01.000Z',
  last_status_code: 200,
  problem: null,
  failure_count: 0,
  next_fetch_at: '2026-11-02T08:30:40.000Z',
  moved_to: null,
  items: { posts: 10, waiting: 0, left_out: 15 },
  waiting_reason: null,
  created_at: '2026-11-02T08:15:00.000Z',
  updated_at: '2026-11-02T08:15:00.000Z',
  deleted_at: null,
};

export const exampleNewSource = {
  ...exampleSource,
  title: null,
  last_fetch_at: null,
  last_status_code: null,
  next_fetch_at: '2026-11-02T08:15:00.000Z',
  items: { posts: 0, waiting: 0, left_out: 0 },
};

export const Source = Type.Object(
  {
    id: Type.Integer(),
    url: Type.String({ description: 'Shown to viewers without its query, which may contain a secret' }),
    title: nullable(Type.String(), { description: 'Title of the feed; null until the first fetch' }),
    enabled: Type.Boolean(),
    disabled_reason: nullable(Type.String(), { description: 'Why the server disabled it' }),
    paused: nullable(Type.String(), {
      description: 'Why an enabled source is not fetched: `Site inactive`, `Subscription inactive`, `Trial expired`',
    }),
    language: nullable(Type.String()),
    voice_id: nullable(Type.Integer()),
    visibility: Visibility,
    updates: Type.Boolean(),
    backfill: Type.Integer(),
    interval_minutes: nullable(Type.Integer()),
    last_fetch_at: nullable(Timestamp),
    last_status_code: nullable(Type.Integer(), { description: 'Null: no response' }),
    problem: nullable(Type.String(), { description: 'Error of the last fetch; null on success' }),
    failure_count: Type.Integer({
      minimum: 0,
      description: 'Number of consecutive failed fetches',
    }),
    next_fetch_at: Timestamp,
    moved_to: nullable(Type.String(), {
      description: 'Target of a permanent redirect; update `url` to it. Shown to viewers without its query',
    }),
    items: Type.Object({
      posts: Type.Integer({ description: '`queued` and `updated`' }),
      waiting: Type.Integer(),
      left_out: Type.Integer({ description: 'All other items' }),
    }),
    waiting_reason: nullable(Type.String(), { description: 'Why items are waiting, for example a used-up quota' }),
    created_at: Timestamp,
    updated_at: Timestamp,
    deleted_at: nullable(Timestamp, { description: 'Only in lists with `state=deleted`; else null' }),
  },
  { title: 'Source', examples: [exampleSource] },
);
export type Source = Static<typeof Source>;
export const SourcesQuery = Type.Object({
  ...PageQuery.properties,
  state: Type.Optional(
    Type.Literal('deleted', { description: 'Only deleted feeds that can be restored, newest first' }),
  ),
});
export const SourcePage = Type.Object(
  {
    ...pageSchema(Source).properties,
    deleted: Type.Integer({ description: 'Number of deleted feeds that can be restored' }),
  },
  { examples: [{ items: [exampleSource], next_cursor: null, deleted: 0 }] },
);

const exampleItem = {
  id: 25,
  guid: 'https://www.example.org/news/4711',
  title: 'Harbor town reopens its lighthouse',
  url: 'https://www.example.org/news/4711',
  outcome: 'queued',
  reason: null,
  post_id: 'https://www.example.org/news/4711',
  seen_at: '2026-11-02T08:15:01.000Z',
  updated_at: '2026-11-02T08:15:02.000Z',
};

export const SourceItem = Type.Object(
  {
    id: Type.Integer(),
    guid: Type.String({ description: 'Guid of the item in the feed, at most 500 characters' }),
    title: nullable(Type.String()),
    url: nullable(Type.String()),
    outcome: Outcome,
    reason: nullable(Type.String(), {
      description: 'Reason why the item is waiting or was not submitted, if the outcome does not tell',
    }),
    post_id: nullable(Type.String(), { description: 'Id of its post: the guid, if it is a valid `post_id`' }),
    seen_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'SourceItem', examples: [exampleItem] },
);
export type SourceItem = Static<typeof SourceItem>;
export const SourceItemPage = pageSchema(SourceItem);

const examplePreview = {
  url: 'https://www.example.org/feed.xml',
  format: 'rss',
  title: 'The Daily Example',
  item_count: 25,
  items: [
    {
      guid: 'https://www.example.org/news/4711',
      title: 'Harbor town reopens its lighthouse',
      url: 'https://www.example.org/news/4711',
      published_at: '2026-11-02T08:00:00.000Z',
      language: 'en',
      text_length: 2_140,
      excerpt: 'The lighthouse of Port Ellery opened its doors again on Saturday.',
      outcome: 'queued',
      post_id: 'https://www.example.org/news/4711',
    },
  ],
};

/** The items of a feed and their expected outcomes. */
export const SourcePreview = Type.Object(
  {
    url: Type.String({ description: 'URL after redirects' }),
    format: literalUnion(['rss', 'atom', 'rdf', 'json', 'newsml-g2', 'ninjs']),
    title: nullable(Type.String()),
    item_count: Type.Integer({ description: 'Number of items in the feed; the newest 100 are listed' }),
    items: Type.Array(
      Type.Object({
        guid: Type.String(),
        title: nullable(Type.String()),
        url: nullable(Type.String()),
        published_at: nullable(Timestamp),
        language: nullable(Type.String(), { description: 'Language of the item or feed' }),
        text_length: Type.Integer({ description: 'Length in characters, without tags' }),
        excerpt: Type.String({ description: 'Start of the text, at most 200 characters' }),
        outcome: literalUnion(['queued', 'known', 'too_short', 'refused', 'skipped'], {
          description: 'Expected outcome; `queued`: a post would be created',
        }),
        post_id: Type.String({ description: '`post_id` that its post would get' }),
      }),
    ),
  },
  { title: 'SourcePreview', examples: [examplePreview] },
);
export type SourcePreview = Static<typeof SourcePreview>;
