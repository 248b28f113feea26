import type { Queries } from '../database/open.ts';
import type { WebhookEndpoint } from '../database/webhook-tables.ts';
import { AppError } from '../errors.ts';
import { newSecret } from './signature.ts';

const endpointsPerSiteMax = 50;
/** How long the secret before a rotation signs too. */
const previousSecretMs = 24 * 3_600_000;

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
  if (count >= endpointsPerSiteMax) {
    throw new AppError('conflict', `A site has at most ${endpointsPerSiteMax} webhooks`);
  }
  const now = new Date().toISOString();
  return db
    .insertInto('webhook_endpoint')
    .values({
      ...{ site_id: siteId, url, event_types: JSON.stringify(eventTypes), active: 1 },
      ...{ disabled_reason: null, secret: newSecret() },
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
  limit = endpointsPerSiteMax,
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
export async function findEndpoint(
  db: Queries,
  siteId: number,
  endpointId: number,
): Promise<WebhookEndpoint> {
  const endpoint = await db
    .selectFrom('webhook_endpoint')
    .selectAll()
    .where('id', '=', endpointId)
    .where('site_id', '=', siteId)
    .executeTakeFirst();
  if (endpoint === undefined) throw new AppError('not_found', `There is no webhook ${endpointId}`);
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
export async function deleteEndpoint(
  db: Queries,
  siteId: number,
  endpointId: number,
): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('webhook_endpoint')
    .where('id', '=', endpointId)
    .where('site_id', '=', siteId)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw new AppError('not_found', `There is no webhook ${endpointId}`);
}

/**
 * Gives it a new secret; the one before signs too for a day. Run it in a transaction.
 * @throws AppError `not_found`
 */
export async function rotateSecret(
  db: Queries,
  siteId: number,
  endpointId: number,
): Promise<WebhookEndpoint> {
  const { secret } = await findEndpoint(db, siteId, endpointId);
  const now = Date.now();
  return db
    .updateTable('webhook_endpoint')
    .set({
      secret: newSecret(),
      previous_secret: secret,
      previous_secret_until: new Date(now + previousSecretMs).toISOString(),
      updated_at: new Date(now).toISOString(),
    })
    .where('id', '=', endpointId)
    .returningAll()
    .executeTakeFirstOrThrow();
}
