import { type Static, Type } from '@sinclair/typebox';
import { audioEventTypes } from '../audio/events.ts';
import { PageQuery } from '../http/pagination.ts';
import { literalUnion, nullable, Timestamp } from '../http/validation.ts';
import { SiteParams } from '../sites/schema.ts';

const maxUrlLength = 2_000;

const NullableTimestamp = nullable(Timestamp);
const EventTypes = Type.Array(literalUnion(audioEventTypes), {
  minItems: 1,
  maxItems: 20,
  description: 'Subscribed event types',
});
const Url = Type.String({
  maxLength: maxUrlLength,
  description: 'https URL of the receiver. Hosts in LECTERN_WEBHOOK_ALLOW may be private and may use http',
});

export const WebhookBody = Type.Object({ url: Url, event_types: Type.Optional(EventTypes) });

export const WebhookChanges = Type.Object({
  url: Type.Optional(Url),
  event_types: Type.Optional(EventTypes),
  active: Type.Optional(Type.Boolean()),
});
export type WebhookChanges = Static<typeof WebhookChanges>;

export const WebhookParams = Type.Object({
  ...SiteParams.properties,
  webhook: Type.String({ description: 'Id of the webhook' }),
});

export const DeliveryParams = Type.Object({
  ...WebhookParams.properties,
  delivery: Type.String({ description: 'Id of the delivery' }),
});

const State = literalUnion(['pending', 'delivered', 'failed']);

export const DeliveriesQuery = Type.Object({
  ...PageQuery.properties,
  state: Type.Optional(State),
});

const Health = Type.Object(
  {
    state: literalUnion(['ok', 'failing', 'unused', 'off'], {
      description: '`failing`: the last attempt failed. `unused`: nothing was sent yet. `off`: not active',
    }),
    since: nullable(Timestamp, { description: 'First failed attempt since the last success; null on success' }),
    undelivered: Type.Integer({
      minimum: 0,
      description: 'Messages in the log that were tried and not delivered, without tests',
    }),
    last_status: nullable(Type.Integer(), { description: 'Status of the last response; null: none' }),
    last_error: nullable(Type.String(), { description: 'Why the last attempt failed; null on success' }),
  },
  { description: 'Result of the deliveries in the log' },
);
export type WebhookHealth = Static<typeof Health>;

export const exampleWebhook = {
  id: 1,
  url: 'https://www.example.org/hooks/lectern',
  event_types: [...audioEventTypes],
  active: true,
  disabled_reason: null,
  previous_secret_until: null,
  health: { state: 'ok', since: null, undelivered: 0, last_status: 200, last_error: null },
  created_at: '2026-11-02T08:15:00.000Z',
  updated_at: '2026-11-02T08:15:00.000Z',
};

export const Webhook = Type.Object(
  {
    id: Type.Integer(),
    url: Type.String(),
    event_types: EventTypes,
    active: Type.Boolean(),
    disabled_reason: nullable(Type.String(), { description: 'Why the server disabled it' }),
    previous_secret_until: nullable(Timestamp, {
      description: 'Until then the previous secret is also used for signing',
    }),
    health: Health,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Webhook', examples: [exampleWebhook] },
);
export type Webhook = Static<typeof Webhook>;

/** A webhook with its secret: shown only when the secret is created. */
export const WebhookWithSecret = Type.Object(
  {
    ...Webhook.properties,
    secret: Type.String({ description: 'Signing secret: `whsec_` followed by base64. Not shown again' }),
  },
  { title: 'WebhookWithSecret' },
);

const Attempt = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  at: Timestamp,
  status_code: nullable(Type.Integer()),
  error: nullable(Type.String()),
  duration_ms: Type.Integer({ minimum: 0 }),
  response: nullable(Type.String(), { description: 'Start of the response body, at most 1 KB' }),
});

export const exampleDelivery = {
  id: 1,
  message_id: 'msg_3kTMd1bA2s0PzXoW9uYqLr7c',
  type: 'audio.ready',
  state: 'delivered',
  attempt_count: 1,
  next_attempt_at: null,
  created_at: '2026-11-02T08:16:12.000Z',
  updated_at: '2026-11-02T08:16:12.310Z',
  payload: {
    type: 'audio.ready',
    timestamp: '2026-11-02T08:16:12.000Z',
    data: {
      site: 'example',
      id: 1,
      post_id: 'news/4711',
      language: 'en',
      status: 'ready',
      audio_url: 'https://audio.example.org/v1/media/3kTMd1bA2s0PzXoW9uYqLr7c.mp3',
      duration_seconds: 151,
      error: null,
    },
  },
  attempts: [
    {
      number: 1,
      at: '2026-11-02T08:16:12.040Z',
      status_code: 200,
      error: null,
      duration_ms: 270,
      response: 'ok',
    },
  ],
};

export const Delivery = Type.Object(
  {
    id: Type.Integer(),
    message_id: Type.String({ description: 'Value of the `webhook-id` header' }),
    type: Type.String(),
    state: State,
    attempt_count: Type.Integer({ minimum: 0 }),
    next_attempt_at: NullableTimestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
    payload: Type.Unknown({ description: 'The request body' }),
    attempts: Type.Array(Attempt),
  },
  { title: 'Delivery', examples: [exampleDelivery] },
);
export type Delivery = Static<typeof Delivery>;
