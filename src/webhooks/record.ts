import type { WebhookEndpoint } from '../database/webhook-tables.ts';
import type { LoggedDelivery } from './delivery-store.ts';
import type { Delivery, Webhook } from './schema.ts';

/** A webhook as the API shows it, without its secret. */
export function webhookRecord(endpoint: WebhookEndpoint): Webhook {
  const { previous_secret_until: until } = endpoint;
  return {
    id: endpoint.id,
    url: endpoint.url,
    event_types: JSON.parse(endpoint.event_types),
    active: endpoint.active === 1,
    disabled_reason: endpoint.disabled_reason,
    previous_secret_until: until !== null && Date.parse(until) > Date.now() ? until : null,
    created_at: endpoint.created_at,
    updated_at: endpoint.updated_at,
  };
}

/** A delivery as the log shows it. */
export function deliveryRecord(delivery: LoggedDelivery): Delivery {
  return {
    id: delivery.id,
    message_id: delivery.message_id,
    type: delivery.type,
    state: delivery.state,
    attempt_count: delivery.attempt_count,
    next_attempt_at: delivery.next_attempt_at,
    created_at: delivery.created_at,
    updated_at: delivery.updated_at,
    payload: JSON.parse(delivery.body),
    attempts: delivery.attempts.map(({ delivery_id: _, ...attempt }) => attempt),
  };
}

/** What the audit log says of a webhook. An address may hold a secret in its path or query: only its host is told. */
export function auditedWebhook(endpoint: WebhookEndpoint): object {
  const { event_types, active } = webhookRecord(endpoint);
  return { origin: new URL(endpoint.url).origin, event_types, active };
}

/** How the audit log names a webhook. */
export function auditName({ id, url }: WebhookEndpoint): string {
  return `webhook ${id} at ${new URL(url).host}`;
}
