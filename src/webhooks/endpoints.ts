import { randomBytes } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { Webhook as Signer } from 'standardwebhooks';
import { createSiteRows } from '../auth/undo.ts';
import { currentTimeMs, dayMs, timestamp } from '../clock.ts';
import { fromColumns, toColumns } from '../database/columns.ts';
import type { Queries } from '../database/database.ts';
import type { WebhookEndpoint } from '../database/feature-schema.ts';
import { findEndpointHealth, type LoggedDelivery, type SigningSecrets } from './delivery-store.ts';
import { Delivery, Webhook, WebhookChanges } from './schema.ts';

/** Standard Webhooks allows 24 to 64. */
const secretByteCount = 32;
const secretPrefix = 'whsec_';

function generateSecret(): string {
  return secretPrefix + randomBytes(secretByteCount).toString('base64');
}

/**
 * The headers of Standard Webhooks. For a day after a rotation there are two signatures, so that a receiver can change its
 * secret at any time.
 * @param at time of this attempt: receivers reject older messages
 */
export function buildSignatureHeaders(
  secrets: SigningSecrets,
  messageId: string,
  body: string,
  at: Date,
): Record<string, string> {
  const { secret, previous_secret: previous, previous_secret_until: until } = secrets;
  const isPreviousInForce = previous !== null && until !== null && at.toISOString() < until;
  const active = isPreviousInForce ? [secret, previous] : [secret];
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': active.map((secret) => new Signer(secret).sign(messageId, at, body)).join(' '),
  };
}

export async function buildWebhookRecord(db: Queries, endpoint: WebhookEndpoint): Promise<Webhook> {
  const { previous_secret_until: until } = endpoint;
  const isPreviousInForce = until !== null && Date.parse(until) > currentTimeMs();
  const health = await findEndpointHealth(db, endpoint);
  return fromColumns(Webhook, { ...endpoint, previous_secret_until: isPreviousInForce ? until : null, health });
}

export function toDeliveryRecord(delivery: LoggedDelivery): Delivery {
  const { items: Attempt } = Delivery.properties.attempts;
  const attempts = delivery.attempts.map((attempt) => fromColumns(Attempt, attempt));
  return fromColumns(Delivery, { ...delivery, payload: JSON.parse(delivery.body), attempts });
}

/** For the audit log: only the origin of the URL, as path and query may hold a secret. */
function toAuditState(endpoint: WebhookEndpoint): object {
  const { event_types, active } = fromColumns(Type.Pick(Webhook, ['event_types', 'active']), endpoint);
  return { origin: new URL(endpoint.url).origin, event_types, active };
}

/** After a rotation, messages are also signed with the previous secret. */
const previousSecretLifetimeMs = dayMs;

const endpoints = createSiteRows('webhook_endpoint', 'webhook', 50);
export const { list: listEndpoints, find: findEndpoint } = endpoints;
/** A deletion stops deliveries at once. */
export const { remove: deleteWebhook, restore: restoreWebhook } = endpoints;
export const { audit: auditWebhook, formatSubject: formatAuditSubject } = endpoints;

/**
 * Changes of webhooks, each with its entry in the audit log; run them in a transaction.
 * @throws AppError `conflict` above the maximum per site
 */
export async function createWebhook(
  db: Queries,
  userId: number | null,
  siteId: number,
  { url, event_types }: Pick<Webhook, 'url' | 'event_types'>,
): Promise<WebhookEndpoint> {
  await endpoints.requireCapacity(db, siteId);
  const now = timestamp();
  const created = await db
    .insertInto('webhook_endpoint')
    .values({
      ...{ site_id: siteId, url, event_types: JSON.stringify(event_types), active: 1 },
      ...{ disabled_reason: null, secret: generateSecret() },
      ...{ previous_secret: null, previous_secret_until: null },
      ...{ created_at: now, updated_at: now },
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await auditWebhook(db, userId, 'webhook.created', created, { after: toAuditState(created) });
  return created;
}

/** @throws AppError `not_found` */
export async function updateWebhook(
  db: Queries,
  userId: number | null,
  siteId: number,
  webhookId: number,
  changes: WebhookChanges,
): Promise<WebhookEndpoint> {
  const before = await findEndpoint(db, siteId, webhookId);
  await db
    .updateTable('webhook_endpoint')
    .set({
      ...toColumns(WebhookChanges, changes),
      ...(changes.active !== undefined && { disabled_reason: null }),
      updated_at: timestamp(),
    })
    .where('id', '=', webhookId)
    .execute();
  const after = await findEndpoint(db, siteId, webhookId);
  const states = { before: toAuditState(before), after: toAuditState(after) };
  await auditWebhook(db, userId, 'webhook.changed', after, states);
  return after;
}

/** The previous secret signs too for a day. @throws AppError `not_found` */
export async function rotateSecret(
  db: Queries,
  userId: number | null,
  siteId: number,
  webhookId: number,
): Promise<WebhookEndpoint> {
  const { secret } = await findEndpoint(db, siteId, webhookId);
  const now = currentTimeMs();
  const rotated = await db
    .updateTable('webhook_endpoint')
    .set({
      secret: generateSecret(),
      previous_secret: secret,
      previous_secret_until: new Date(now + previousSecretLifetimeMs).toISOString(),
      updated_at: new Date(now).toISOString(),
    })
    .where('id', '=', webhookId)
    .returningAll()
    .executeTakeFirstOrThrow();
  await auditWebhook(db, userId, 'webhook.secret_rotated', rotated);
  return rotated;
}
