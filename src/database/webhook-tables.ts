import type { Generated, Selectable } from 'kysely';

/** ISO 8601 UTC, millisecond precision: sorts as text. */
type Timestamp = string;

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
