import type { Generated } from 'kysely';

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
  figure: string;
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
