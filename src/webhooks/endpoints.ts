import { randomBytes } from 'node:crypto';
import { Webhook as Signer } from 'standardwebhooks';
import { insertAuditEntry } from '../auth/audit-log.ts';
import { fromColumns, toColumns } from '../database/columns.ts';
import type { WebhookEndpoint } from '../database/feature-schema.ts';
import type { Queries } from '../database/open.ts';
import { createSiteRows } from '../database/site-rows.ts';
import type { LoggedDelivery, SigningSecrets } from './delivery-store.ts';
import { Delivery, Webhook, WebhookChanges } from './schema.ts';

/** Standard Webhooks allows 24 to 64. */
const secretByteCount = 32;
const secretPrefix = 'whsec_';

/** @returns a fresh signing secret, `whsec_` and base64 */
function generateSecret(): string {
  return secretPrefix + randomBytes(secretByteCount).toString('base64');
}

/**
 * The headers of Standard Webhooks. For a day after a rotation there are two signatures, so that a receiver may change its secret
 * at any moment of it.
 * @param at moment of this attempt: receivers refuse what is older than a few minutes
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
    'webhook-signature': active.map((one) => new Signer(one).sign(messageId, at, body)).join(' '),
  };
}

export function toWebhookRecord(endpoint: WebhookEndpoint): Webhook {
  const { previous_secret_until: until } = endpoint;
  const isPreviousInForce = until !== null && Date.parse(until) > Date.now();
  return fromColumns(Webhook, { ...endpoint, previous_secret_until: isPreviousInForce ? until : null });
}

export function toDeliveryRecord(delivery: LoggedDelivery): Delivery {
  const { items: Attempt } = Delivery.properties.attempts;
  const attempts = delivery.attempts.map((attempt) => fromColumns(Attempt, attempt));
  return fromColumns(Delivery, { ...delivery, payload: JSON.parse(delivery.body), attempts });
}

/** What the audit log says of a webhook. An address may hold a secret in its path or query: only its host is told. */
export function toAuditState(endpoint: WebhookEndpoint): object {
  const { event_types, active } = toWebhookRecord(endpoint);
  return { origin: new URL(endpoint.url).origin, event_types, active };
}

/** How the audit log names a webhook. */
export function formatAuditSubject({ id, url }: WebhookEndpoint): string {
  return `webhook ${id} at ${new URL(url).host}`;
}

/** Run it in the transaction that makes the change. */
export function auditWebhook(
  db: Queries,
  userId: number | null,
  action: string,
  webhook: WebhookEndpoint,
  states: { readonly before?: object; readonly after?: object } = {},
): Promise<void> {
  return insertAuditEntry(db, {
    ...{ userId, action, siteId: webhook.site_id, subject: formatAuditSubject(webhook) },
    ...states,
  });
}

const maxEndpointsPerSite = 50;
/** How long the secret before a rotation signs too. */
const previousSecretLifetimeMs = 24 * 3_600_000;

export const {
  list: listEndpoints,
  find: findEndpoint,
  remove: deleteEndpoint,
  requireCapacity,
} = createSiteRows('webhook_endpoint', 'Webhook', maxEndpointsPerSite);

/**
 * Run it in a transaction.
 * @throws AppError `conflict` when the site has as many as it may have
 */
export async function insertEndpoint(
  db: Queries,
  siteId: number,
  { url, event_types }: Pick<Webhook, 'url' | 'event_types'>,
): Promise<WebhookEndpoint> {
  await requireCapacity(db, siteId);
  const now = new Date().toISOString();
  return db
    .insertInto('webhook_endpoint')
    .values({
      ...{ site_id: siteId, url, event_types: JSON.stringify(event_types), active: 1 },
      ...{ disabled_reason: null, secret: generateSecret() },
      ...{ previous_secret: null, previous_secret_until: null },
      ...{ created_at: now, updated_at: now },
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** @throws AppError `not_found` */
export async function updateEndpoint(
  db: Queries,
  siteId: number,
  endpointId: number,
  changes: WebhookChanges,
): Promise<WebhookEndpoint> {
  await db
    .updateTable('webhook_endpoint')
    .set({
      ...toColumns(WebhookChanges, changes),
      ...(changes.active !== undefined && { disabled_reason: null }),
      updated_at: new Date().toISOString(),
    })
    .where('id', '=', endpointId)
    .where('site_id', '=', siteId)
    .execute();
  return findEndpoint(db, siteId, endpointId);
}

/**
 * Gives it a new secret; the one before signs too for a day. Run it in a transaction.
 * @throws AppError `not_found`
 */
export async function rotateSecret(db: Queries, siteId: number, endpointId: number): Promise<WebhookEndpoint> {
  const { secret } = await findEndpoint(db, siteId, endpointId);
  const now = Date.now();
  return db
    .updateTable('webhook_endpoint')
    .set({
      secret: generateSecret(),
      previous_secret: secret,
      previous_secret_until: new Date(now + previousSecretLifetimeMs).toISOString(),
      updated_at: new Date(now).toISOString(),
    })
    .where('id', '=', endpointId)
    .returningAll()
    .executeTakeFirstOrThrow();
}
