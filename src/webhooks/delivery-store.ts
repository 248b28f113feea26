import { sql } from 'kysely';
import { timestamp } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import type {
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryState,
  WebhookEndpoint,
} from '../database/feature-schema.ts';
import { type PlaceholderFor, prepareQuery } from '../database/query-cache.ts';
import { notFound } from '../errors.ts';
import { insertMessage, testEventType } from './outbox.ts';
import type { WebhookHealth } from './schema.ts';

/** A literal: SQLite uses the partial index only then. */
const pending = sql.lit<WebhookDeliveryState>('pending');

export type SigningSecrets = Pick<WebhookEndpoint, 'secret' | 'previous_secret' | 'previous_secret_until'>;

export type DueDelivery = SigningSecrets &
  Pick<WebhookDelivery, 'id' | 'endpoint_id' | 'message_id' | 'failure_count'> &
  Pick<WebhookEndpoint, 'site_id'> &
  Pick<WebhookEndpoint, 'url'> & { readonly body: string };

export type LoggedDelivery = WebhookDelivery & {
  readonly type: string;
  readonly body: string;
  readonly attempts: readonly WebhookAttempt[];
};

export interface AttemptRecord {
  readonly at: string;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly response: string | null;
  /** Null: no further attempt. */
  readonly nextAttemptAt: string | null;
  /** Why the endpoint is disabled; null: it is not. */
  readonly disabledReason: string | null;
}

/** Runs twice a second. */
const queryDueEndpoints = prepareQuery((db, value: PlaceholderFor<{ now: string }>) =>
  db
    .selectFrom('webhook_endpoint')
    .innerJoin('site', 'site.id', 'webhook_endpoint.site_id')
    .select('webhook_endpoint.id')
    .where('webhook_endpoint.active', '=', 1)
    .where('webhook_endpoint.deleted_at', 'is', null)
    .where('site.deleted_at', 'is', null)
    .where((is) =>
      is.exists(
        is
          .selectFrom('webhook_delivery')
          .select('webhook_delivery.id')
          .whereRef('webhook_delivery.endpoint_id', '=', 'webhook_endpoint.id')
          .where('state', '=', pending)
          .where('next_attempt_at', '<=', value('now')),
      ),
    )
    .orderBy('webhook_endpoint.id'),
);

export async function listDueEndpointIds(db: Queries, now: string): Promise<number[]> {
  return (await queryDueEndpoints(db, { now })).map(({ id }) => id);
}

/** @returns due deliveries of an endpoint, the oldest first */
export function listDueDeliveries(db: Queries, endpointId: number, now: string, limit: number): Promise<DueDelivery[]> {
  return queryDueDeliveries(db, { endpointId, now, limit });
}

const queryDueDeliveries = prepareQuery(
  (db, value: PlaceholderFor<{ endpointId: number; now: string; limit: number }>) =>
    selectDueDeliveries(db)
      .where('webhook_delivery.endpoint_id', '=', value('endpointId'))
      .where('webhook_endpoint.deleted_at', 'is', null)
      .where('state', '=', pending)
      .where('next_attempt_at', '<=', value('now'))
      .orderBy('next_attempt_at')
      .orderBy('webhook_delivery.id')
      .limit(value('limit')),
);

function selectDueDeliveries(db: Queries) {
  return db
    .selectFrom('webhook_delivery')
    .innerJoin('webhook_endpoint', 'webhook_endpoint.id', 'webhook_delivery.endpoint_id')
    .innerJoin('webhook_message', 'webhook_message.id', 'webhook_delivery.message_id')
    .select([
      'webhook_delivery.id',
      'webhook_endpoint.site_id',
      'endpoint_id',
      'message_id',
      'failure_count',
      'url',
      'body',
      'secret',
      'previous_secret',
      'previous_secret_until',
    ]);
}

/** Records an attempt, unless the endpoint was deleted during it. Run it in a transaction. */
export async function recordAttempt(
  db: Queries,
  { id, endpoint_id }: DueDelivery,
  attempt: AttemptRecord,
): Promise<void> {
  const { at, statusCode, error, durationMs, response, nextAttemptAt, disabledReason } = attempt;
  const isDelivered = error === null;
  const delivery = await db
    .updateTable('webhook_delivery')
    .set((is) => ({
      state: isDelivered ? 'delivered' : nextAttemptAt === null ? 'failed' : 'pending',
      attempt_count: is('attempt_count', '+', 1),
      failure_count: is('failure_count', '+', isDelivered ? 0 : 1),
      next_attempt_at: nextAttemptAt,
      updated_at: timestamp(),
    }))
    .where('id', '=', id)
    .returning('attempt_count')
    .executeTakeFirst();
  if (delivery === undefined) return;
  await db
    .insertInto('webhook_attempt')
    .values({
      ...{ delivery_id: id, number: delivery.attempt_count, at, error, response },
      ...{ status_code: statusCode, duration_ms: durationMs },
    })
    .execute();
  if (disabledReason === null) return;
  await db
    .updateTable('webhook_endpoint')
    .set({ active: 0, disabled_reason: disabledReason, updated_at: at })
    .where('id', '=', endpoint_id)
    .execute();
}

/**
 * Inserts a test message, which only the caller sends. Run it in a transaction.
 */
export async function insertTestDelivery(db: Queries, siteId: number, endpointId: number): Promise<DueDelivery> {
  const message_id = await insertMessage(db, { siteId, type: testEventType, data: {} });
  const now = timestamp();
  const { id } = await db
    .insertInto('webhook_delivery')
    .values({
      ...{ endpoint_id: endpointId, message_id, state: 'failed' },
      ...{ attempt_count: 0, failure_count: 0 },
      ...{ next_attempt_at: null, created_at: now, updated_at: now },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return selectDueDeliveries(db).where('webhook_delivery.id', '=', id).executeTakeFirstOrThrow();
}

/** Makes deliveries due that were scheduled by a clock that was ahead. Run it in a transaction. */
export async function rescheduleFutureDeliveries(db: Queries, now: string): Promise<void> {
  await db
    .updateTable('webhook_delivery')
    .set({ next_attempt_at: now, updated_at: now })
    .where('state', '=', pending)
    .where('updated_at', '>', now)
    .execute();
}

export interface DeliveryFilter {
  /** Last id of the previous page. */
  readonly before: number | undefined;
  readonly state: WebhookDeliveryState | undefined;
}

/** @returns deliveries, the newest first */
export async function listDeliveries(
  db: Queries,
  endpointId: number,
  { before, state }: DeliveryFilter,
  limit: number,
): Promise<LoggedDelivery[]> {
  return attachAttempts(
    db,
    await selectLoggedDeliveries(db)
      .where('endpoint_id', '=', endpointId)
      .where('webhook_delivery.id', '<', before ?? Number.MAX_SAFE_INTEGER)
      .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'pending'))
      .orderBy('webhook_delivery.id', 'desc')
      .limit(limit)
      .execute(),
  );
}

/** @throws AppError `not_found` */
export async function findDelivery(db: Queries, endpointId: number, deliveryId: number): Promise<LoggedDelivery> {
  const deliveries = await attachAttempts(
    db,
    await selectLoggedDeliveries(db)
      .where('endpoint_id', '=', endpointId)
      .where('webhook_delivery.id', '=', deliveryId)
      .execute(),
  );
  const [delivery] = deliveries;
  if (delivery === undefined) throw notFound('Delivery', deliveryId);
  return delivery;
}

/** Restarts a delivery with the whole retry schedule. */
export async function replayDelivery(db: Queries, deliveryId: number): Promise<void> {
  const now = timestamp();
  await db
    .updateTable('webhook_delivery')
    .set({ state: 'pending', failure_count: 0, next_attempt_at: now, updated_at: now })
    .where('id', '=', deliveryId)
    .execute();
}

/** @returns the state of an endpoint, from all deliveries in the log */
export async function findEndpointHealth(db: Queries, { id, active }: WebhookEndpoint): Promise<WebhookHealth> {
  const selectAttempts = () =>
    db
      .selectFrom('webhook_delivery')
      .innerJoin('webhook_attempt', 'delivery_id', 'webhook_delivery.id')
      .select(['at', 'status_code', 'error'])
      .where('endpoint_id', '=', id);
  const success = await selectAttempts()
    .where('state', '=', 'delivered')
    .orderBy('webhook_delivery.updated_at', 'desc')
    .orderBy('webhook_attempt.number', 'desc')
    .limit(1)
    .executeTakeFirst();
  // Attempts of a delivered message were before its success.
  const selectFailures = () =>
    selectAttempts()
      .where('state', 'in', ['pending', 'failed'])
      .where('at', '>', success?.at ?? '');
  const first = await selectFailures().orderBy('at').limit(1).executeTakeFirst();
  const last = (await selectFailures().orderBy('at', 'desc').limit(1).executeTakeFirst()) ?? success;
  const { count } = await selectUndelivered(db, id)
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const answered = last === undefined ? 'unused' : last.error === null ? 'ok' : 'failing';
  return {
    state: active === 1 ? answered : 'off',
    since: first?.at ?? null,
    undelivered: count,
    last_status: last?.status_code ?? null,
    last_error: last?.error ?? null,
  };
}

/** Restarts all undelivered messages of an endpoint with the whole retry schedule. @returns their number */
export async function replayUndelivered(db: Queries, endpointId: number): Promise<number> {
  const now = timestamp();
  const { numUpdatedRows } = await db
    .updateTable('webhook_delivery')
    .set({ state: 'pending', failure_count: 0, next_attempt_at: now, updated_at: now })
    .where('id', 'in', selectUndelivered(db, endpointId).select('webhook_delivery.id'))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Messages with a failed attempt and no successful one, without tests. */
function selectUndelivered(db: Queries, endpointId: number) {
  return db
    .selectFrom('webhook_delivery')
    .innerJoin('webhook_message', 'webhook_message.id', 'webhook_delivery.message_id')
    .where('endpoint_id', '=', endpointId)
    .where('type', '!=', testEventType)
    .where((row) =>
      row.or([row('state', '=', 'failed'), row.and([row('state', '=', pending), row('attempt_count', '>', 0)])]),
    );
}

function selectLoggedDeliveries(db: Queries) {
  return db
    .selectFrom('webhook_delivery')
    .innerJoin('webhook_message', 'webhook_message.id', 'webhook_delivery.message_id')
    .selectAll('webhook_delivery')
    .select(['type', 'body']);
}

async function attachAttempts(
  db: Queries,
  rows: readonly Omit<LoggedDelivery, 'attempts'>[],
): Promise<LoggedDelivery[]> {
  const attempts = await db
    .selectFrom('webhook_attempt')
    .selectAll()
    .where(
      'delivery_id',
      'in',
      rows.map(({ id }) => id),
    )
    .orderBy('number')
    .execute();
  const byDelivery = Map.groupBy(attempts, ({ delivery_id }) => delivery_id);
  return rows.map((row) => ({ ...row, attempts: byDelivery.get(row.id) ?? [] }));
}

export async function countPendingDeliveries(db: Queries): Promise<number> {
  const { count } = await db
    .selectFrom('webhook_delivery')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('state', '=', pending)
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * Deletes old deliveries that are finished or belong to a disabled endpoint, and old messages without deliveries.
 * @returns the number of deleted rows; `limit` means that there may be more
 */
export async function purgeDeliveries(db: Queries, olderThan: string, limit: number): Promise<number> {
  const old = db
    .selectFrom('webhook_delivery')
    .innerJoin('webhook_endpoint', 'webhook_endpoint.id', 'webhook_delivery.endpoint_id')
    .select('webhook_delivery.id')
    .where('webhook_delivery.updated_at', '<', olderThan)
    .where((is) => is.or([is('state', '!=', 'pending'), is('active', '=', 0)]))
    .limit(limit);
  const deliveries = await db.deleteFrom('webhook_delivery').where('id', 'in', old).executeTakeFirst();
  const orphans = db
    .selectFrom('webhook_message')
    .select('webhook_message.id')
    .where('created_at', '<', olderThan)
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('webhook_delivery')
            .select('webhook_delivery.id')
            .whereRef('message_id', '=', 'webhook_message.id'),
        ),
      ),
    )
    .limit(limit);
  const messages = await db.deleteFrom('webhook_message').where('id', 'in', orphans).executeTakeFirst();
  return Math.max(Number(deliveries.numDeletedRows), Number(messages.numDeletedRows));
}
