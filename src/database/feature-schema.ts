import type { Generated, Selectable } from 'kysely';

/** Sender of an event: a page (by domain) or a server (by API key). */
export type EventSource = 'public' | 'key';
export type DeviceClass = 'phone' | 'tablet' | 'desktop' | 'other';

/** An event as received; deleted after `eventRetentionDays`. */
interface EventTable {
  id: Generated<number>;
  site_id: number;
  source: EventSource;
  /** Id given by the sender, unique within site and source. */
  event_id: string | null;
  type: string;
  /** `post_id`; null if the site has no such post. */
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
 * Sums by the day in the time zone that the site had then, kept after the events are deleted: for the whole site (`post` is empty) and for each post, in total
 * (`dimension` is `all`) and by one dimension.
 */
interface EventDayTable {
  site_id: number;
  post: string;
  dimension: 'all' | 'post' | 'section' | 'language' | 'voice' | 'device' | 'source';
  day: string;
  /** Of the dimension; empty for `all` and for unknown values. */
  value: string;
  /** An event type, `heard_s`, `listeners`, or `part.00` to `part.19`: plays of each twentieth. */
  metric: string;
  amount: number;
}

/** A session and what it listened to on a day, so that each listener is counted once. */
interface EventListenerTable {
  site_id: number;
  day: string;
  session_id: string;
  /** Empty: unknown, as for `language`; voice 0: none. */
  post: string;
  language: string;
  voice_id: number;
  device: DeviceClass;
  source: EventSource;
}

/** Events counted against the monthly quota. */
interface EventQuotaTable {
  site_id: number;
  source: EventSource;
  /** `2026-11`, in UTC. */
  month: string;
  used: number;
}

interface KeyRequestDayTable {
  site_id: number;
  day: string;
  key_id: number;
  /** Method and path pattern: `GET /v1/audio/{post_id}/status`. */
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

/** A feed whose items become posts of a site. */
interface FeedSourceTable {
  id: Generated<number>;
  site_id: number;
  url: string;
  /** Title of the feed; null until the first fetch. */
  title: string | null;
  /** 0 or 1. */
  enabled: number;
  /** Why the server disabled it; null if it is enabled or a user disabled it. */
  disabled_reason: string | null;
  /** BCP 47 primary code; null: that of the feed, else of the site. */
  language: string | null;
  /** Null: default voice of the site. */
  voice_id: number | null;
  visibility: 'public' | 'private';
  /** 0 or 1: whether a changed item updates its post. */
  updates: number;
  /** Number of newest items that become posts at the first fetch. */
  backfill: number;
  /** Null: server setting. */
  interval_minutes: number | null;
  etag: string | null;
  last_modified: string | null;
  /** Target of a permanent redirect. */
  moved_to: string | null;
  first_fetched_at: Timestamp | null;
  next_fetch_at: Timestamp;
  last_fetch_at: Timestamp | null;
  /** Null: no response. */
  last_status_code: number | null;
  /** One sentence; null: none. */
  problem: string | null;
  /** Failed fetches since the last success. */
  failure_count: number;
  created_at: Timestamp;
  updated_at: Timestamp;
  /** Soft deletion; the row is deleted after its retention time. */
  deleted_at: Generated<Timestamp | null>;
}

/**
 * `waiting`: not submitted yet. `queued`, `updated`: submitted, or submitted again. `removed`: its post was deleted.
 * `known`: the post existed before, or the item is a duplicate. `skipped`: published before the feed was added.
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
  /** SHA-256 of the full guid, hex. */
  guid_hash: string;
  /** Truncated, for display. */
  guid: string;
  title: string | null;
  url: string | null;
  /** SHA-256 of the fields of its post, hex. */
  content_hash: string;
  outcome: FeedOutcome;
  /** One sentence. */
  reason: string | null;
  /** JSON of the waiting article; null after that. */
  article: string | null;
  post_id: string | null;
  /** Of its audio. */
  language: string | null;
  /** Embargo of its post. */
  publish_at: Timestamp | null;
  seen_at: Timestamp;
  updated_at: Timestamp;
}

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
  /** Replacement; phonemes in `[[…]]`. */
  alias: string;
  /** 0 or 1. */
  match_case: number;
  /** For comparison: folded unless `match_case` is 1. */
  word_key: string;
  /** Folded word and alias. */
  search_text: string;
  created_at: string;
  updated_at: string;
}

/** An unknown word that an editor of a site finds right as it is spoken. */
interface AcceptedWordTable {
  site_id: number;
  word: string;
  /** E-mail address at that time. */
  accepted_by: string;
  accepted_at: string;
}

export interface PronunciationTables {
  accepted_word: AcceptedWordTable;
  pronunciation: PronunciationTable;
}

export type PronunciationRow = Selectable<PronunciationTable>;

interface WebhookEndpointTable {
  id: Generated<number>;
  site_id: number;
  url: string;
  /** JSON list. */
  event_types: string;
  /** 0 or 1. */
  active: number;
  /** Why the server disabled it; null if it is enabled or a user disabled it. */
  disabled_reason: string | null;
  /** `whsec_…`, unencrypted: signing needs it. */
  secret: string;
  /** Also signs, until `previous_secret_until`. */
  previous_secret: string | null;
  previous_secret_until: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  /** Soft deletion, which also stops deliveries; the row is deleted after a minute. */
  deleted_at: Generated<Timestamp | null>;
}

/** The outbox, written in the transaction of the event. */
interface WebhookMessageTable {
  /** `msg_…`, the same for every attempt. */
  id: string;
  site_id: number;
  type: string;
  /** JSON exactly as signed and sent. */
  body: string;
  created_at: Timestamp;
}

export type WebhookDeliveryState = 'pending' | 'delivered' | 'failed';

interface WebhookDeliveryTable {
  id: Generated<number>;
  endpoint_id: number;
  message_id: string;
  state: WebhookDeliveryState;
  attempt_count: number;
  /** Failed attempts since the last (re)start: the position in the retry schedule. */
  failure_count: number;
  /** Null unless pending. */
  next_attempt_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

interface WebhookAttemptTable {
  delivery_id: number;
  /** From 1. */
  number: number;
  at: Timestamp;
  /** Null: no response. */
  status_code: number | null;
  /** One sentence; null: delivered. */
  error: string | null;
  duration_ms: number;
  /** Start of the response body. */
  response: string | null;
}

export interface WebhookTables {
  webhook_endpoint: WebhookEndpointTable;
  webhook_message: WebhookMessageTable;
  webhook_delivery: WebhookDeliveryTable;
  webhook_attempt: WebhookAttemptTable;
}

export type WebhookEndpoint = Selectable<WebhookEndpointTable>;
export type WebhookDelivery = Selectable<WebhookDeliveryTable>;
export type WebhookAttempt = Selectable<WebhookAttemptTable>;
