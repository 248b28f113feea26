import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { insertAuditEntry } from '../auth/audit-log.ts';
import type { Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { endpointSpec, envelope, reply } from '../http/endpoint.ts';
import { decodeCursor, pageSchema, paginate } from '../http/pagination.ts';
import { parseId } from '../http/validation.ts';
import type { Services } from '../services.ts';
import {
  findDelivery,
  insertTestDelivery,
  type LoggedDelivery,
  listDeliveries,
  replayDelivery,
} from './delivery-store.ts';
import { auditWebhook, findEndpoint, formatAuditSubject, toDeliveryRecord } from './endpoints.ts';
import { DeliveriesQuery, Delivery, DeliveryParams, exampleDelivery, exampleWebhook, WebhookParams } from './schema.ts';

const exampleTest = {
  ...exampleDelivery,
  type: 'webhook.test',
  payload: {
    type: 'webhook.test',
    timestamp: '2026-11-02T08:16:12.000Z',
    data: { site: 'example' },
  },
};

const shared = { tag: 'Webhooks', access: 'session', role: 'site admin' } as const;

const testSpec = endpointSpec({
  ...shared,
  summary: 'Send a test event',
  description: `Sends \`{type: "webhook.test", timestamp, data: {site}}\` once to the URL of the webhook, for example ${exampleWebhook.url}, and returns the result.`,
  params: WebhookParams,
  responses: reply(200, 'Test delivered', 'The result: `state` is `delivered` or `failed`', Delivery, {
    example: exampleTest,
  }),
});

const logSpec = endpointSpec({
  ...shared,
  summary: 'List deliveries',
  params: WebhookParams,
  query: DeliveriesQuery,
  responses: reply(200, 'OK', 'A page of deliveries with their attempts, newest first', pageSchema(Delivery)),
});

const replaySpec = endpointSpec({
  ...shared,
  summary: 'Resend a delivery',
  description: 'Uses the same `webhook-id` and restarts the retry schedule.',
  params: DeliveryParams,
  responses: reply(202, 'Delivery queued', 'The queued delivery', Delivery, {
    example: {
      ...exampleDelivery,
      state: 'pending',
      next_attempt_at: '2026-11-02T09:00:00.000Z',
    },
  }),
  errors: ['conflict'],
});

/** Deliveries to a webhook, and sending them again. */
export function deliveryRoutes({ endpoint, database, webhookDispatcher }: Services) {
  return new Elysia({ name: 'webhook-deliveries', prefix: '/v1/sites/:site/webhooks/:webhook' })
    .post(
      '/test',
      ...endpoint(testSpec, async ({ user, site, params }) => {
        const webhookId = parseId(params.webhook);
        const test = await database.write(async (db) => {
          await auditWebhook(db, user.id, 'webhook.tested', await findEndpoint(db, site.id, webhookId));
          return insertTestDelivery(db, site.id, webhookId);
        });
        const { error } = await webhookDispatcher.attemptOnce(test);
        const delivery = toDeliveryRecord(await findDelivery(database.read, webhookId, test.id));
        return error === null ? delivery : Response.json(envelope('Test failed', delivery));
      }),
    )
    .get(
      '/deliveries',
      ...endpoint(logSpec, async ({ site, params, query }) => {
        const { id } = await findEndpoint(database.read, site.id, parseId(params.webhook));
        const { limit, after } = decodeCursor(query, Type.Integer());
        const filter = { before: after, state: query.state };
        const rows = await listDeliveries(database.read, id, filter, limit + 1);
        return paginate(rows, limit, (row) => row.id, toDeliveryRecord);
      }),
    )
    .post(
      '/deliveries/:delivery/replay',
      ...endpoint(replaySpec, async ({ user, site, params }) => {
        const deliveryId = parseId(params.delivery);
        const delivery = await database.write((db) => replay(db, user.id, site.id, params.webhook, deliveryId));
        webhookDispatcher.wake();
        return toDeliveryRecord(delivery);
      }),
    );
}

/** @throws AppError `not_found`, `conflict` */
async function replay(
  db: Queries,
  userId: number,
  siteId: number,
  webhookParam: string,
  deliveryId: number,
): Promise<LoggedDelivery> {
  const webhook = await findEndpoint(db, siteId, parseId(webhookParam));
  await findDelivery(db, webhook.id, deliveryId);
  if (webhook.active !== 1) throw new AppError('conflict', 'The webhook is disabled');
  await replayDelivery(db, deliveryId);
  await insertAuditEntry(db, {
    ...{ userId, action: 'webhook.replayed', siteId },
    subject: `delivery ${deliveryId} of ${formatAuditSubject(webhook)}`,
  });
  return findDelivery(db, webhook.id, deliveryId);
}
