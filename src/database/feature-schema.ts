import type { Generated, Selectable } from 'kysely';

/** Who sent an event: a page by its domain, or a server by its key. */
export type EventSource = 'public' | 'key';
export type DeviceClass = 'phone' | 'tablet' | 'desktop' | 'other';

/** One event as it came in, for as long as the settings keep it. */
interface EventTable {
  id: Generated<number>;
  site_id: number;
  source: EventSource;
  /** The sender's own name for it, unique within site and source. */
  event_id: string | null;
  type: string;
  /** The client's own `post_id`; null when the site had no such post. */
  post: string | null;
  language: string | null;
  voice_id: number | null;
  session_id: string | null;
  device: DeviceClass;
  position_s: number | null;
  heard_s: number | null;
  value: string | null;
  /** ISO 8601 UTC, like the next. */
  occurred_at: string;
  received_at: string;
}

/**
 * A figure of a day (UTC), summed up as events come in; outlives them. Each is kept for the whole site (`post` is empty)
 * and for each post, as a whole (`dimension` is `all`) and split by one dimension.
 */
interface EventDayTable {
  site_id: number;
  post: string;
  dimension: 'all' | 'post' | 'language' | 'voice' | 'device' | 'source';
  day: string;
  /** Of the dimension; empty for `all`, and where it isn't known. */
  value: string;
  /** A type of event, `heard_s`, `listeners`, or `part.00` to `part.19`: how often each twentieth was heard. */
  metric: string;
  amount: number;
}

/** What a session listened to on a day: by it the listeners of a day are counted once. */
interface EventListenerTable {
  site_id: number;
  day: string;
  session_id: string;
  /** Empty where it isn't known, like the next; 0 for no voice. */
  post: string;
  language: string;
  voice_id: number;
  device: DeviceClass;
  source: EventSource;
}

/** Events that count against a month's quota. */
interface EventQuotaTable {
  site_id: number;
  source: EventSource;
  /** `2026-11`, in UTC. */
  month: string;
  used: number;
}

/** Requests made with a key. */
interface KeyRequestDayTable {
  site_id: number;
  day: string;
  key_id: number;
  /** Method and path as described, like `GET /v1/audio/{post_id}/status`. */
  route: string;
  status: number;
  count: number;
}

export interface EventTables {
  event: EventTable;
  event_day: EventDayTable;
  event_listener: EventListenerTable;
  event_quota: EventQuotaTable;
  key_request_day: KeyRequestDayTable;
}

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
  first_fetched_at: Timestamp | null;
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

interface PronunciationTable {
  id: Generated<number>;
  /** Null: every site. */
  site_id: number | null;
  /** Primary code; empty: every language. */
  language: string;
  word: string;
  /** What is said instead; phonemes in `[[…]]`. */
  alias: string;
  /** SQLite has no boolean: 0 or 1. */
  match_case: number;
  /** The word as it is told apart from others: folded unless capitals count. */
  word_key: string;
  /** Word and alias, folded. */
  search_text: string;
  created_at: string;
  updated_at: string;
}

export interface PronunciationTables {
  pronunciation: PronunciationTable;
}

export type PronunciationRow = Selectable<PronunciationTable>;

/** An address that a site wants to be told at. */
interface WebhookEndpointTable {
  id: Generated<number>;
  site_id: number;
  url: string;
  /** JSON list of the types it is sent. */
  event_types: string;
  /** 0 or 1. */
  active: number;
  /** Why the server switched it off; null when a person did, or nobody. */
  disabled_reason: string | null;
  /** `whsec_…`, in the clear: signing needs it. */
  secret: string;
  /** Signs too until the moment beside it. */
  previous_secret: string | null;
  previous_secret_until: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** The outbox: written in the transaction of the change it tells of. */
interface WebhookMessageTable {
  /** `msg_…`, the same at every attempt. */
  id: string;
  site_id: number;
  type: string;
  /** JSON, byte for byte as it is signed and sent. */
  body: string;
  created_at: Timestamp;
}

export type WebhookDeliveryState = 'pending' | 'delivered' | 'failed';

/** A message on its way to an endpoint. */
interface WebhookDeliveryTable {
  id: Generated<number>;
  endpoint_id: number;
  message_id: string;
  state: WebhookDeliveryState;
  attempt_count: number;
  /** Failed attempts since it was last set going: its place in the retry schedule. */
  failure_count: number;
  /** Null once it is not pending. */
  next_attempt_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

interface WebhookAttemptTable {
  delivery_id: number;
  /** From 1. */
  number: number;
  at: Timestamp;
  /** Null when no answer came. */
  status_code: number | null;
  /** One plain sentence; null after a success. */
  error: string | null;
  duration_ms: number;
  /** Beginning of the answer's body. */
  response: string | null;
}

/** Tables of `webhooks/`. */
export interface WebhookTables {
  webhook_endpoint: WebhookEndpointTable;
  webhook_message: WebhookMessageTable;
  webhook_delivery: WebhookDeliveryTable;
  webhook_attempt: WebhookAttemptTable;
}

export type WebhookEndpoint = Selectable<WebhookEndpointTable>;
export type WebhookDelivery = Selectable<WebhookDeliveryTable>;
export type WebhookAttempt = Selectable<WebhookAttemptTable>;
