import type { Generated, Selectable } from 'kysely';

/** ISO 8601 UTC, millisecond precision: sorts as text. */
type Timestamp = string;

/** A feed that a site takes its posts from. */
interface FeedSourceTable {
  id: Generated<number>;
  site_id: number;
  url: string;
  /** As the feed calls itself; null until it was read. */
  title: string | null;
  /** 0 or 1. */
  enabled: number;
  /** Why the server switched it off; null when a person did, or nobody. */
  disabled_reason: string | null;
  /** BCP 47 primary code; null: what the feed says, else the site's. */
  language: string | null;
  /** Null: as the site has it. */
  voice_id: number | null;
  visibility: 'public' | 'private';
  /** 0 or 1: whether an item that changed corrects its post. */
  updates: number;
  /** So many of the newest items become posts when it is fetched for the first time. */
  backfill: number;
  /** Null: as the settings have it. */
  interval_minutes: number | null;
  etag: string | null;
  last_modified: string | null;
  /** Where a permanent redirect leads. */
  moved_to: string | null;
  /** When its items were first seen; null before that. */
  begun_at: Timestamp | null;
  next_fetch_at: Timestamp;
  last_fetch_at: Timestamp | null;
  /** Null when no answer came. */
  last_status_code: number | null;
  /** One plain sentence; null while all is well. */
  problem: string | null;
  /** Fetches that failed since the last good one. */
  failure_count: number;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/**
 * What has become of an item: it waits to be handed in; its post was queued, corrected, deleted by somebody, or was there before; it
 * is too short, cannot be a post, or was there before the feed was named.
 */
export const feedOutcomes = [
  'waiting',
  'queued',
  'updated',
  'removed',
  'known',
  'too_short',
  'refused',
  'skipped',
] as const;
export type FeedOutcome = (typeof feedOutcomes)[number];

interface FeedItemTable {
  id: Generated<number>;
  source_id: number;
  site_id: number;
  /** SHA-256 of the whole guid, hex. */
  guid_hash: string;
  /** Its beginning, to be shown. */
  guid: string;
  title: string | null;
  url: string | null;
  /** SHA-256 of what the post is made of, hex. */
  content_hash: string;
  outcome: FeedOutcome;
  /** One plain sentence, where the outcome alone doesn't say it. */
  reason: string | null;
  /** JSON of what waits to be handed in; null once that is settled. */
  article: string | null;
  /** The `post_id` it was handed in by. */
  post_id: string | null;
  /** What its audio was made in. */
  language: string | null;
  /** The moment before which its post was not to be heard. */
  publish_at: Timestamp | null;
  seen_at: Timestamp;
  updated_at: Timestamp;
}

/** Tables of `ingest/`. */
export interface FeedTables {
  feed_source: FeedSourceTable;
  feed_item: FeedItemTable;
}

export type FeedSource = Selectable<FeedSourceTable>;
export type FeedItem = Selectable<FeedItemTable>;
