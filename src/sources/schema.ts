import { type Static, Type } from '@sinclair/typebox';
import { servingProblem } from '../auth/domain-access.ts';
import { type FeedItem, type FeedSource, feedOutcomes } from '../database/feature-schema.ts';
import type { Queries } from '../database/open.ts';
import type { Site } from '../database/schema.ts';
import { PageQuery, pageOf } from '../http/pagination.ts';
import { oneOf } from '../http/validation.ts';
import { type ItemCounts, itemCounts } from './item-store.ts';

const Moment = Type.String({ description: 'ISO 8601, UTC' });
const MomentOrNull = Type.Union([Moment, Type.Null()]);
const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const Url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description:
    'http(s) address of an RSS, Atom or JSON feed; a private address only where the setting LECTERN_FEED_ALLOW names it',
});
const Language = Type.Union([Type.String({ maxLength: 35 }), Type.Null()], {
  description:
    'BCP 47 code that its posts are read in; null: what item or feed say, where a voice speaks it, else the site’s',
});
const VoiceId = Type.Union([Type.Integer(), Type.Null()], {
  description: 'The voice of its posts, whatever their language; null: as the site has it',
});
const Visibility = oneOf(['public', 'private'], { description: 'Of posts it makes' });
const Updates = Type.Boolean({ description: 'Whether an item that changed corrects its post' });
const Backfill = Type.Integer({
  minimum: 0,
  maximum: 100,
  description:
    'How many of the newest items become posts when the feed is fetched for the first time; the older ones are noted as seen',
});
const Interval = Type.Union([Type.Integer({ minimum: 5, maximum: 1_440 }), Type.Null()], {
  description:
    'Minutes between two fetches, longer where the feed asks for it; null: the setting LECTERN_FEED_INTERVAL_MINUTES',
});
const Outcome = oneOf(feedOutcomes, {
  description:
    '`waiting` to be handed in; `queued`: its post was made; `updated`: its post was corrected; `removed`: its post was deleted by somebody; `known`: the site had a post of this id; `too_short`; `refused`: too long, or otherwise no post as it is; `skipped`: there before the feed was named',
});

/** Body of `POST …/sources`. */
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

/** Body of `PATCH …/sources/{source}`. */
export const SourceChanges = Type.Partial(SourceBody);
export type SourceChanges = Static<typeof SourceChanges>;

/** Body of `POST …/sources/preview`. */
export const SourcePreviewBody = Type.Object({
  url: Url,
  backfill: Type.Optional(Backfill),
});

/** A site in the path. */
export const SourcesParams = Type.Object({
  site: Type.String({ description: 'Id or slug of the site' }),
});

/** A source in the path. */
export const SourceParams = Type.Object({
  ...SourcesParams.properties,
  source: Type.String({ description: 'Id of the source' }),
});

/** Query of the items of a source. */
export const ItemsQuery = Type.Object({
  ...PageQuery.properties,
  outcome: Type.Optional(Outcome),
});

/** A source as it is shown. */
export const Source = Type.Object(
  {
    id: Type.Integer(),
    url: Type.String({ description: 'Viewers see it without its query, which may be a secret' }),
    title: Type.Union([Type.String(), Type.Null()], {
      description: 'As the feed calls itself; null until it was read',
    }),
    enabled: Type.Boolean(),
    disabled_reason: Type.Union([Type.String(), Type.Null()], {
      description: 'Why the server switched it off',
    }),
    paused: Type.Union([Type.String(), Type.Null()], {
      description:
        'Why nothing is fetched though it is enabled: `Site inactive`, `Subscription inactive`, `Trial expired`',
    }),
    language: TextOrNull,
    voice_id: Type.Union([Type.Integer(), Type.Null()]),
    visibility: Visibility,
    updates: Type.Boolean(),
    backfill: Type.Integer(),
    interval_minutes: Type.Union([Type.Integer(), Type.Null()]),
    last_fetch_at: MomentOrNull,
    last_status_code: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Null when no answer came',
    }),
    problem: Type.Union([Type.String(), Type.Null()], {
      description: 'What went wrong with the last fetch; null when nothing did',
    }),
    failure_count: Type.Integer({ minimum: 0, description: 'Fetches that failed in a row' }),
    next_fetch_at: Moment,
    moved_to: Type.Union([Type.String(), Type.Null()], {
      description:
        'Where the address permanently redirects to: better name that one. Viewers see it as `url`',
    }),
    items: Type.Object({
      posts: Type.Integer({ description: '`queued` and `updated`' }),
      waiting: Type.Integer(),
      left_out: Type.Integer({ description: 'All others' }),
    }),
    waiting_reason: Type.Union([Type.String(), Type.Null()], {
      description: 'Why items wait, like a spent quota',
    }),
    created_at: Moment,
    updated_at: Moment,
  },
  { title: 'Source' },
);
export type Source = Static<typeof Source>;
export const SourcePage = pageOf(Source);

/** What has become of an item of a feed. */
export const SourceItem = Type.Object(
  {
    id: Type.Integer(),
    guid: Type.String({ description: 'What the feed knows it by, at most 500 characters of it' }),
    title: TextOrNull,
    url: TextOrNull,
    outcome: Outcome,
    reason: Type.Union([Type.String(), Type.Null()], {
      description: 'Where the outcome alone does not say it: why it waits, or is no post',
    }),
    post_id: Type.Union([Type.String(), Type.Null()], {
      description: 'Its post: the guid, where that can be a `post_id`',
    }),
    seen_at: Moment,
    updated_at: Moment,
  },
  { title: 'SourceItem' },
);
export type SourceItem = Static<typeof SourceItem>;
export const SourceItemPage = pageOf(SourceItem);

/** What a feed holds, and what would be made of it. */
export const SourcePreview = Type.Object(
  {
    url: Type.String({ description: 'Where it was found, after redirects' }),
    format: oneOf(['rss', 'atom', 'rdf', 'json']),
    title: TextOrNull,
    item_count: Type.Integer({ description: 'Items it holds; the newest 100 are looked at' }),
    items: Type.Array(
      Type.Object({
        guid: Type.String(),
        title: TextOrNull,
        url: TextOrNull,
        published_at: MomentOrNull,
        language: Type.Union([Type.String(), Type.Null()], {
          description: 'As item or feed say',
        }),
        text_length: Type.Integer({ description: 'Characters without tags' }),
        excerpt: Type.String({ description: 'Beginning of the text, at most 200 characters' }),
        outcome: oneOf(['queued', 'known', 'too_short', 'refused', 'skipped'], {
          description: 'What would become of it; `queued`: a post',
        }),
        post_id: Type.String({ description: 'What its post would be called' }),
      }),
    ),
  },
  { title: 'SourcePreview' },
);
export type SourcePreview = Static<typeof SourcePreview>;

/** @returns sources of a site as the API shows them */
export async function sourceRecords(
  db: Queries,
  site: Pick<Site, 'active' | 'subscription' | 'trial_ends_at'>,
  sources: readonly FeedSource[],
): Promise<Source[]> {
  const counts = await itemCounts(
    db,
    sources.map(({ id }) => id),
  );
  const paused = servingProblem(site) ?? null;
  return sources.map((source) => recordOf(source, paused, counts.get(source.id)));
}

/** A source as viewers are shown it: a query, a user name or a password may be a secret. */
export function forViewers(source: Source): Source {
  const { moved_to: movedTo } = source;
  return {
    ...source,
    url: withoutSecrets(source.url),
    moved_to: movedTo === null ? null : withoutSecrets(movedTo),
  };
}

function withoutSecrets(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}

/** An item as the API shows it. */
export function itemRecord(item: FeedItem): SourceItem {
  const { id, guid, title, url, outcome, reason, post_id, seen_at, updated_at } = item;
  return { id, guid, title, url, outcome, reason, post_id, seen_at, updated_at };
}

/** What the audit log says of a source. An address may hold a secret in its path or query: only its host is told. */
export function auditedSource(source: FeedSource): object {
  const { enabled, language, voice_id, visibility, updates, backfill, interval_minutes } = source;
  return {
    origin: new URL(source.url).origin,
    enabled: enabled === 1,
    ...{ language, voice_id, visibility },
    updates: updates === 1,
    ...{ backfill, interval_minutes },
  };
}

/** How the audit log names a source. */
export function auditName({ id, url }: FeedSource): string {
  return `source ${id} at ${new URL(url).host}`;
}

function recordOf(
  source: FeedSource,
  paused: string | null,
  { counts, waitingReason }: ItemCounts = { counts: new Map(), waitingReason: null },
): Source {
  const countOf = (...outcomes: FeedItem['outcome'][]) =>
    outcomes.reduce((sum, outcome) => sum + (counts.get(outcome) ?? 0), 0);
  return {
    id: source.id,
    url: source.url,
    title: source.title,
    enabled: source.enabled === 1,
    disabled_reason: source.disabled_reason,
    paused,
    language: source.language,
    voice_id: source.voice_id,
    visibility: source.visibility,
    updates: source.updates === 1,
    backfill: source.backfill,
    interval_minutes: source.interval_minutes,
    last_fetch_at: source.last_fetch_at,
    last_status_code: source.last_status_code,
    problem: source.problem,
    failure_count: source.failure_count,
    next_fetch_at: source.next_fetch_at,
    moved_to: source.moved_to,
    items: {
      posts: countOf('queued', 'updated'),
      waiting: countOf('waiting'),
      left_out: countOf('removed', 'known', 'too_short', 'refused', 'skipped'),
    },
    waiting_reason: waitingReason,
    created_at: source.created_at,
    updated_at: source.updated_at,
  };
}
