import { randomBytes } from 'node:crypto';
import { Webhook as Signer } from 'standardwebhooks';
import { insertAuditEntry } from '../auth/audit-log.ts';
import type { WebhookEndpoint } from '../database/feature-schema.ts';
import type { Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import type { LoggedDelivery, SigningSecrets } from './delivery-store.ts';
import type { Delivery, Webhook } from './schema.ts';

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

export function toDeliveryRecord(delivery: LoggedDelivery): Delivery {
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

export interface NewEndpoint {
  readonly url: string;
  readonly eventTypes: readonly string[];
}

export interface EndpointChanges {
  readonly url?: string | undefined;
  readonly eventTypes?: readonly string[] | undefined;
  readonly active?: boolean | undefined;
}

/**
 * Run it in a transaction.
 * @throws AppError `conflict` when the site has as many as it may have
 */
export async function insertEndpoint(
  db: Queries,
  siteId: number,
  { url, eventTypes }: NewEndpoint,
): Promise<WebhookEndpoint> {
  const { count } = await db
    .selectFrom('webhook_endpoint')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('site_id', '=', siteId)
    .executeTakeFirstOrThrow();
  if (count >= maxEndpointsPerSite) {
    throw new AppError(
      'conflict',
      `Webhook not created: a site can have at most ${maxEndpointsPerSite} webhooks. Delete one first.`,
    );
  }
  const now = new Date().toISOString();
  return db
    .insertInto('webhook_endpoint')
    .values({
      ...{ site_id: siteId, url, event_types: JSON.stringify(eventTypes), active: 1 },
      ...{ disabled_reason: null, secret: generateSecret() },
      ...{ previous_secret: null, previous_secret_until: null },
      ...{ created_at: now, updated_at: now },
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** @param after id of the last one that was seen; 0 for none */
export function listEndpoints(
  db: Queries,
  siteId: number,
  after = 0,
  limit = maxEndpointsPerSite,
): Promise<WebhookEndpoint[]> {
  return db
    .selectFrom('webhook_endpoint')
    .selectAll()
    .where('site_id', '=', siteId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** @throws AppError `not_found` */
export async function findEndpoint(db: Queries, siteId: number, endpointId: number): Promise<WebhookEndpoint> {
  const endpoint = await db
    .selectFrom('webhook_endpoint')
    .selectAll()
    .where('id', '=', endpointId)
    .where('site_id', '=', siteId)
    .executeTakeFirst();
  if (endpoint === undefined) throw new AppError('not_found', `Webhook ${endpointId} not found`);
  return endpoint;
}

/** @throws AppError `not_found` */
export async function updateEndpoint(
  db: Queries,
  siteId: number,
  endpointId: number,
  { url, eventTypes, active }: EndpointChanges,
): Promise<WebhookEndpoint> {
  await db
    .updateTable('webhook_endpoint')
    .set({
      ...(url !== undefined && { url }),
      ...(eventTypes !== undefined && { event_types: JSON.stringify(eventTypes) }),
      ...(active !== undefined && { active: Number(active), disabled_reason: null }),
      updated_at: new Date().toISOString(),
    })
    .where('id', '=', endpointId)
    .where('site_id', '=', siteId)
    .execute();
  return findEndpoint(db, siteId, endpointId);
}

/** Deletes it with its log. @throws AppError `not_found` */
export async function deleteEndpoint(db: Queries, siteId: number, endpointId: number): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('webhook_endpoint')
    .where('id', '=', endpointId)
    .where('site_id', '=', siteId)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw new AppError('not_found', `Webhook ${endpointId} not found`);
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
