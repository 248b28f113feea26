import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { audioEventTypes } from '../audio/events.ts';
import { insertAuditEntry } from '../auth/audit-log.ts';
import { afterCommit, type Queries } from '../database/database.ts';
import type { WebhookEndpoint } from '../database/feature-schema.ts';
import { AppError } from '../errors.ts';
import { endpointSpec, envelope, reply } from '../http/endpoint.ts';
import { validateOutboundUrl } from '../http/outbound-guard.ts';
import { PageQuery, pageSchema, paginateById } from '../http/pagination.ts';
import { requestContext } from '../http/request-context.ts';
import { parseId } from '../http/validation.ts';
import type { Services } from '../services.ts';
import { SiteParams } from '../sites/schema.ts';
import {
  findDelivery,
  insertTestDelivery,
  type LoggedDelivery,
  listDeliveries,
  replayDelivery,
  replayUndelivered,
} from './delivery-store.ts';
import {
  auditWebhook,
  buildWebhookRecord,
  createWebhook,
  deleteWebhook,
  findEndpoint,
  formatAuditSubject,
  listEndpoints,
  restoreWebhook,
  rotateSecret,
  toDeliveryRecord,
  updateWebhook,
} from './endpoints.ts';
import {
  DeliveriesQuery,
  Delivery,
  DeliveryParams,
  exampleDelivery,
  exampleWebhook,
  Webhook,
  WebhookBody,
  WebhookChanges,
  WebhookParams,
  WebhookWithSecret,
} from './schema.ts';

const maxBodyBytes = 65_536;
const exampleWithSecret = {
  ...exampleWebhook,
  secret: 'whsec_dGhpcyBpcyBubyBzZWNyZXQsIGp1c3QgYW4gZXhhbXBsZQ==',
};

const shared = { tag: 'Webhooks', access: 'session', role: 'site admin' } as const;

const listSpec = endpointSpec({
  ...shared,
  summary: 'List webhooks',
  params: SiteParams,
  query: PageQuery,
  responses: reply(200, 'OK', 'A page of webhooks without their secrets, oldest first', pageSchema(Webhook)),
});

const createSpec = endpointSpec({
  ...shared,
  summary: 'Create a webhook',
  description:
    'Events follow Standard Webhooks and are sent as JSON: `{type, timestamp, data: {site, id, post_id, language, status, audio_url, duration_seconds, error}}`. Hosts that resolve to a private address are rejected.',
  params: SiteParams,
  body: WebhookBody,
  bodyExample: { url: exampleWebhook.url, event_types: ['audio.ready'] },
  maxBodyBytes,
  responses: reply(
    201,
    'Webhook created',
    'The webhook with its signing secret, which is not shown again',
    WebhookWithSecret,
    {
      example: { ...exampleWithSecret, event_types: ['audio.ready'] },
      headers: { Location: 'URL of the webhook resource' },
    },
  ),
  errors: ['conflict'],
});

const showSpec = endpointSpec({
  ...shared,
  summary: 'Get a webhook',
  params: WebhookParams,
  responses: reply(200, 'OK', 'The webhook, without its secret', Webhook),
});

const changeSpec = endpointSpec({
  ...shared,
  summary: 'Update a webhook',
  description: 'A disabled webhook gets no new events. Deliveries that were pending are sent when it is enabled again.',
  params: WebhookParams,
  body: WebhookChanges,
  bodyExample: { active: false },
  maxBodyBytes,
  responses: reply(200, 'Webhook updated', 'The updated webhook', Webhook, {
    example: { ...exampleWebhook, active: false },
  }),
});

const deleteSpec = endpointSpec({
  ...shared,
  summary: 'Delete a webhook',
  description:
    'Nothing is sent to it any more. For a minute, `…/restore` undoes it; then its log and its pending deliveries are deleted.',
  params: WebhookParams,
  responses: reply(200, 'Webhook deleted', 'Deleted', Type.Object({ id: Type.Integer() }), { example: { id: 1 } }),
});

const restoreSpec = endpointSpec({
  ...shared,
  summary: 'Undo the deletion of a webhook',
  description: 'Within a minute. It has its secret and its log, and gets the events since its deletion.',
  params: WebhookParams,
  responses: reply(200, 'Webhook restored', 'The webhook, without its secret', Webhook),
  errors: ['conflict'],
});

const rotateSpec = endpointSpec({
  ...shared,
  summary: 'Rotate the signing secret',
  description: 'The previous secret stays valid for 24 hours: `webhook-signature` contains two signatures.',
  params: WebhookParams,
  responses: reply(
    201,
    'Secret rotated',
    'The webhook with its new secret, which is not shown again',
    WebhookWithSecret,
    { example: { ...exampleWithSecret, previous_secret_until: '2026-11-03T08:15:00.000Z' } },
  ),
});

/** The webhooks of a site. For admins: a webhook URL may contain a secret. */
export function webhookRoutes({ endpoint, database, webhookGuard, webhookDispatcher, baseUrl }: Services) {
  return new Elysia({ name: 'webhooks', prefix: '/v1/sites/:site/webhooks' })
    .get(
      '',
      ...endpoint(listSpec, ({ site, query }) =>
        paginateById(
          query,
          (after, limit) => listEndpoints(database.read, site.id, after, limit),
          (webhooks) => Promise.all(webhooks.map((webhook) => buildWebhookRecord(database.read, webhook))),
        ),
      ),
    )
    .post(
      '',
      ...endpoint(createSpec, async ({ request, user, site, body }) => {
        const url = await validateOutboundUrl(webhookGuard, body.url);
        const event_types = [...new Set(body.event_types ?? audioEventTypes)];
        const webhook = await database.write(site.id, (db) =>
          createWebhook(db, user.id, site.id, { url, event_types }),
        );
        requestContext(request).responseHeaders['location'] = `${baseUrl}/v1/sites/${site.id}/webhooks/${webhook.id}`;
        return buildRecordWithSecret(database.read, webhook);
      }),
    )
    .get(
      '/:webhook',
      ...endpoint(showSpec, async ({ site, params }) =>
        buildWebhookRecord(database.read, await findEndpoint(database.read, site.id, parseId(params.webhook))),
      ),
    )
    .patch(
      '/:webhook',
      ...endpoint(changeSpec, async ({ user, site, params, body }) => {
        const { url, event_types } = body;
        const { id } = await findEndpoint(database.read, site.id, parseId(params.webhook));
        const changes = {
          ...body,
          ...(url !== undefined && { url: await validateOutboundUrl(webhookGuard, url) }),
          ...(event_types !== undefined && { event_types: [...new Set(event_types)] }),
        };
        const webhook = await database.write(site.id, (db) => {
          afterCommit(db, webhookDispatcher.wake);
          return updateWebhook(db, user.id, site.id, id, changes);
        });
        return buildWebhookRecord(database.read, webhook);
      }),
    )
    .delete(
      '/:webhook',
      ...endpoint(deleteSpec, async ({ user, site, params }) => {
        const id = parseId(params.webhook);
        await database.write(site.id, (db) => deleteWebhook(db, user.id, site.id, id));
        return { id };
      }),
    )
    .post(
      '/:webhook/restore',
      ...endpoint(restoreSpec, async ({ user, site, params }) => {
        const id = parseId(params.webhook);
        const webhook = await database.write(site.id, (db) => {
          afterCommit(db, webhookDispatcher.wake);
          return restoreWebhook(db, user.id, site.id, id);
        });
        return buildWebhookRecord(database.read, webhook);
      }),
    )
    .post(
      '/:webhook/rotate-secret',
      ...endpoint(rotateSpec, async ({ user, site, params }) => {
        const id = parseId(params.webhook);
        const webhook = await database.write(site.id, (db) => rotateSecret(db, user.id, site.id, id));
        return buildRecordWithSecret(database.read, webhook);
      }),
    );
}

async function buildRecordWithSecret(db: Queries, webhook: WebhookEndpoint) {
  return { ...(await buildWebhookRecord(db, webhook)), secret: webhook.secret };
}

const exampleTest = {
  ...exampleDelivery,
  type: 'webhook.test',
  payload: {
    type: 'webhook.test',
    timestamp: '2026-11-02T08:16:12.000Z',
    data: { site: 'example' },
  },
};

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

const replayAllSpec = endpointSpec({
  ...shared,
  summary: 'Resend all undelivered messages',
  description: 'Those that `health.undelivered` counts, each with the same `webhook-id` and the whole retry schedule.',
  params: WebhookParams,
  responses: reply(
    202,
    'Deliveries queued',
    'The number of queued deliveries',
    Type.Object({ queued: Type.Integer() }),
    {
      example: { queued: 47 },
    },
  ),
  errors: ['conflict'],
});

export function deliveryRoutes({ endpoint, database, webhookDispatcher }: Services) {
  return new Elysia({ name: 'webhook-deliveries', prefix: '/v1/sites/:site/webhooks/:webhook' })
    .post(
      '/test',
      ...endpoint(testSpec, async ({ user, site, params }) => {
        const webhookId = parseId(params.webhook);
        const test = await database.write(site.id, async (db) => {
          await auditWebhook(db, user.id, 'webhook.tested', await findEndpoint(db, site.id, webhookId));
          return insertTestDelivery(db, site.id, webhookId);
        });
        const { error } = await webhookDispatcher.attemptOnce(test);
        const delivery = toDeliveryRecord(await findDelivery(database.read, webhookId, test.id));
        return error === null ? delivery : Response.json(envelope('Test failed', delivery));
      }),
    )
    .post(
      '/retry-all',
      ...endpoint(replayAllSpec, async ({ user, site, params }) => {
        const queued = await database.write(site.id, async (db) => {
          afterCommit(db, webhookDispatcher.wake);
          const webhook = await requireActiveEndpoint(db, site.id, params.webhook);
          const count = await replayUndelivered(db, webhook.id);
          await auditWebhook(db, user.id, 'webhook.replayed', webhook, { after: { queued: count } });
          return count;
        });
        return { queued };
      }),
    )
    .get(
      '/deliveries',
      ...endpoint(logSpec, async ({ site, params, query }) => {
        const { id } = await findEndpoint(database.read, site.id, parseId(params.webhook));
        return paginateById(
          query,
          (before, limit) => listDeliveries(database.read, id, { before, state: query.state }, limit),
          (deliveries) => deliveries.map(toDeliveryRecord),
        );
      }),
    )
    .post(
      '/deliveries/:delivery/replay',
      ...endpoint(replaySpec, async ({ user, site, params }) => {
        const deliveryId = parseId(params.delivery);
        const delivery = await database.write(site.id, (db) => {
          afterCommit(db, webhookDispatcher.wake);
          return replay(db, user.id, site.id, params.webhook, deliveryId);
        });
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
  const webhook = await requireActiveEndpoint(db, siteId, webhookParam);
  await findDelivery(db, webhook.id, deliveryId);
  await replayDelivery(db, deliveryId);
  await insertAuditEntry(db, {
    ...{ userId, action: 'webhook.replayed', siteId },
    subject: `delivery ${deliveryId} of ${formatAuditSubject(webhook)}`,
  });
  return findDelivery(db, webhook.id, deliveryId);
}

/** @throws AppError `not_found`, `conflict` */
async function requireActiveEndpoint(db: Queries, siteId: number, webhookParam: string): Promise<WebhookEndpoint> {
  const webhook = await findEndpoint(db, siteId, parseId(webhookParam));
  if (webhook.active !== 1) throw new AppError('conflict', 'The webhook is disabled');
  return webhook;
}
