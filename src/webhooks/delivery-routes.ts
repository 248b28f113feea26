import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { insertAuditEntry } from '../auth/audit-log.ts';
import { AppError } from '../errors.ts';
import { endpointSpec, envelope, toEndpointHook } from '../http/endpoint.ts';
import { decodeCursor, pageSchema, paginate } from '../http/pagination.ts';
import { parseId, parseQuery } from '../http/validation.ts';
import { findDelivery, insertTestDelivery, listDeliveries, replayDelivery } from './delivery-store.ts';
import { findEndpoint, formatAuditSubject, toDeliveryRecord } from './endpoints.ts';
import { exampleWebhook, requireSiteAdmin, type WebhookDeps } from './routes.ts';
import { DeliveriesQuery, Delivery, DeliveryParams, WebhookParams } from './schema.ts';

const tag = 'Webhooks';
const exampleDelivery = {
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
const exampleTest = {
  ...exampleDelivery,
  type: 'webhook.test',
  payload: {
    type: 'webhook.test',
    timestamp: '2026-11-02T08:16:12.000Z',
    data: { site: 'example' },
  },
};

const testOperation = endpointSpec({
  summary: 'Send a test event',
  description: `Sends \`{type: "webhook.test", timestamp, data: {site}}\` once to the URL of the webhook, for example ${exampleWebhook.url}, and returns the result.`,
  tag,
  access: 'session',
  params: WebhookParams,
  responses: {
    200: {
      description: 'The result: `state` is `delivered` or `failed`',
      message: 'Test delivered',
      data: Delivery,
      example: exampleTest,
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const logOperation = endpointSpec({
  summary: 'List deliveries',
  tag,
  access: 'session',
  params: WebhookParams,
  query: DeliveriesQuery,
  responses: {
    200: {
      description: 'A page of deliveries with their attempts, newest first',
      message: 'OK',
      data: pageSchema(Delivery),
      example: { items: [exampleDelivery], next_cursor: null },
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const replayOperation = endpointSpec({
  summary: 'Resend a delivery',
  description: 'Uses the same `webhook-id` and restarts the retry schedule.',
  tag,
  access: 'session',
  params: DeliveryParams,
  responses: {
    202: {
      description: 'The queued delivery',
      message: 'Delivery queued',
      data: Delivery,
      example: {
        ...exampleDelivery,
        state: 'pending',
        next_attempt_at: '2026-11-02T09:00:00.000Z',
      },
    },
  },
  errors: ['not_found', 'not_allowed', 'conflict'],
});

/** How the messages to a webhook fared, and sending them again. */
export function deliveryRoutes({ database, requireSession, webhookDispatcher }: WebhookDeps) {
  return new Elysia({ name: 'webhook-deliveries', prefix: '/v1/sites/:site/webhooks/:webhook' })
    .post(
      '/test',
      async ({ request, params }) => {
        const { user, site } = await requireSiteAdmin(requireSession, request, params.site);
        const endpointId = parseId(params.webhook);
        const test = await database.write(async (db) => {
          const endpoint = await findEndpoint(db, site.id, endpointId);
          await insertAuditEntry(db, {
            ...{ userId: user.id, action: 'webhook.tested', siteId: site.id },
            subject: formatAuditSubject(endpoint),
          });
          return insertTestDelivery(db, site.id, endpointId);
        });
        const { error } = await webhookDispatcher.attemptOnce(test);
        const delivery = await findDelivery(database.read, endpointId, test.id);
        const message = error === null ? 'Test delivered' : 'Test failed';
        return envelope(message, toDeliveryRecord(delivery));
      },
      toEndpointHook(testOperation),
    )
    .get(
      '/deliveries',
      async ({ request, params }) => {
        const { site } = await requireSiteAdmin(requireSession, request, params.site);
        const { id } = await findEndpoint(database.read, site.id, parseId(params.webhook));
        const query = parseQuery(DeliveriesQuery, request);
        const { limit, after } = decodeCursor(query, Type.Integer());
        const { state } = query;
        const rows = await listDeliveries(database.read, id, { before: after, state }, limit + 1);
        return envelope(
          'OK',
          paginate(rows, limit, (row) => row.id, toDeliveryRecord),
        );
      },
      toEndpointHook(logOperation),
    )
    .post(
      '/deliveries/:delivery/replay',
      async ({ request, params }) => {
        const { user, site } = await requireSiteAdmin(requireSession, request, params.site);
        const deliveryId = parseId(params.delivery);
        const delivery = await database.write(async (db) => {
          const endpoint = await findEndpoint(db, site.id, parseId(params.webhook));
          await findDelivery(db, endpoint.id, deliveryId);
          if (endpoint.active !== 1) {
            throw new AppError('conflict', 'The webhook is disabled');
          }
          await replayDelivery(db, deliveryId);
          await insertAuditEntry(db, {
            ...{ userId: user.id, action: 'webhook.replayed', siteId: site.id },
            subject: `delivery ${deliveryId} of ${formatAuditSubject(endpoint)}`,
          });
          return findDelivery(db, endpoint.id, deliveryId);
        });
        webhookDispatcher.wake();
        return Response.json(envelope('Delivery queued', toDeliveryRecord(delivery)), {
          status: 202,
        });
      },
      toEndpointHook(replayOperation),
    );
}
