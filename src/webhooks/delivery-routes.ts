import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { audit } from '../auth/audit-log.ts';
import { AppError } from '../errors.ts';
import { described, envelope } from '../http/endpoint.ts';
import { pageFrom, pageOf, startOfPage } from '../http/pagination.ts';
import { idIn, readQuery } from '../http/validation.ts';
import { findDelivery, insertTest, listDeliveries, replay } from './delivery-store.ts';
import { auditName, deliveryRecord, findEndpoint } from './endpoints.ts';
import { exampleWebhook, siteOfAdmin, type WebhookDeps } from './routes.ts';
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

const testOperation = described({
  summary: 'Send a test message to a webhook',
  description: `Posts \`{type: "webhook.test", timestamp, data: {site}}\` to ${exampleWebhook.url}, say, once, and answers with what came of it.`,
  tag,
  access: 'session',
  params: WebhookParams,
  answers: {
    200: {
      description: 'What came of it: `state` is `delivered` or `failed`',
      message: 'Test delivered',
      data: Delivery,
      example: exampleTest,
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const logOperation = described({
  summary: "A webhook's delivery log",
  tag,
  access: 'session',
  params: WebhookParams,
  query: DeliveriesQuery,
  answers: {
    200: {
      description: 'A page of deliveries with their attempts, newest first',
      message: 'OK',
      data: pageOf(Delivery),
      example: { items: [exampleDelivery], next_cursor: null },
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const replayOperation = described({
  summary: 'Send a message again',
  description: 'Under the same `webhook-id`, with the whole retry schedule before it.',
  tag,
  access: 'session',
  params: DeliveryParams,
  answers: {
    202: {
      description: 'It is sent at once',
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
export function deliveryRoutes({ database, bySession, delivering }: WebhookDeps) {
  return new Elysia({ name: 'webhook-deliveries', prefix: '/v1/sites/:site/webhooks/:webhook' })
    .post(
      '/test',
      async ({ request, params }) => {
        const { user, site } = await siteOfAdmin(bySession, request, params.site);
        const endpointId = idIn(params.webhook);
        const test = await database.write(async (db) => {
          const endpoint = await findEndpoint(db, site.id, endpointId);
          await audit(db, {
            ...{ userId: user.id, action: 'webhook.tested', siteId: site.id },
            subject: auditName(endpoint),
          });
          return insertTest(db, site.id, endpointId);
        });
        const { error } = await delivering.attemptOnce(test);
        const delivery = await findDelivery(database.read, endpointId, test.id);
        const message = error === null ? 'Test delivered' : 'Test failed';
        return envelope(message, deliveryRecord(delivery));
      },
      testOperation,
    )
    .get(
      '/deliveries',
      async ({ request, params }) => {
        const { site } = await siteOfAdmin(bySession, request, params.site);
        const { id } = await findEndpoint(database.read, site.id, idIn(params.webhook));
        const query = readQuery(DeliveriesQuery, request);
        const { limit, after } = startOfPage(query, Type.Integer());
        const { state } = query;
        const rows = await listDeliveries(database.read, id, { before: after, state }, limit + 1);
        return envelope(
          'OK',
          pageFrom(rows, limit, (row) => row.id, deliveryRecord),
        );
      },
      logOperation,
    )
    .post(
      '/deliveries/:delivery/replay',
      async ({ request, params }) => {
        const { user, site } = await siteOfAdmin(bySession, request, params.site);
        const deliveryId = idIn(params.delivery);
        const delivery = await database.write(async (db) => {
          const endpoint = await findEndpoint(db, site.id, idIn(params.webhook));
          await findDelivery(db, endpoint.id, deliveryId);
          if (endpoint.active !== 1) {
            throw new AppError('conflict', 'The webhook is switched off');
          }
          await replay(db, deliveryId);
          await audit(db, {
            ...{ userId: user.id, action: 'webhook.replayed', siteId: site.id },
            subject: `delivery ${deliveryId} of ${auditName(endpoint)}`,
          });
          return findDelivery(db, endpoint.id, deliveryId);
        });
        delivering.nudge();
        return Response.json(envelope('Delivery queued', deliveryRecord(delivery)), {
          status: 202,
        });
      },
      replayOperation,
    );
}
