import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { insertAuditEntry } from '../auth/audit-log.ts';
import type { AuthContext, RequireSession } from '../auth/sessions.ts';
import type { WebhookEndpoint } from '../database/feature-schema.ts';
import type { Database, Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { endpointSpec, envelope, toEndpointHook } from '../http/endpoint.ts';
import { type OutboundGuard, validateOutboundUrl } from '../http/outbound-guard.ts';
import { decodeCursor, PageQuery, pageSchema, paginate } from '../http/pagination.ts';
import { readJsonBody } from '../http/request-body.ts';
import { parseId, parseQuery, validate } from '../http/validation.ts';
import type { WebhookDispatcher } from './delivery.ts';
import {
  deleteEndpoint,
  findEndpoint,
  formatAuditSubject,
  insertEndpoint,
  listEndpoints,
  rotateSecret,
  toAuditState,
  toWebhookRecord,
  updateEndpoint,
} from './endpoints.ts';
import { audioEventTypes } from './outbox.ts';
import { SiteParams, Webhook, WebhookBody, WebhookChanges, WebhookParams, WebhookWithSecret } from './schema.ts';

export interface WebhookDeps {
  readonly database: Database;
  readonly requireSession: RequireSession;
  readonly webhookGuard: OutboundGuard;
  readonly webhookDispatcher: WebhookDispatcher;
  readonly baseUrl: string;
}

/** Bodies here are small. */
const maxBodyBytes = 65_536;
const tag = 'Webhooks';
export const exampleWebhook = {
  id: 1,
  url: 'https://www.example.org/hooks/lectern',
  event_types: ['audio.ready', 'audio.failed', 'audio.deleted'],
  active: true,
  disabled_reason: null,
  previous_secret_until: null,
  created_at: '2026-11-02T08:15:00.000Z',
  updated_at: '2026-11-02T08:15:00.000Z',
};
const exampleWithSecret = {
  ...exampleWebhook,
  secret: 'whsec_dGhpcyBpcyBubyBzZWNyZXQsIGp1c3QgYW4gZXhhbXBsZQ==',
};

const listOperation = endpointSpec({
  summary: 'List webhooks',
  tag,
  access: 'session',
  params: SiteParams,
  query: PageQuery,
  responses: {
    200: {
      description: 'A page of webhooks without their secrets, oldest first',
      message: 'OK',
      data: pageSchema(Webhook),
      example: { items: [exampleWebhook], next_cursor: null },
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const createOperation = endpointSpec({
  summary: 'Create a webhook',
  description:
    'Events follow Standard Webhooks and are sent as JSON: `{type, timestamp, data: {site, id, post_id, language, status, audio_url, duration_seconds, error}}`. Hosts that resolve to a private address are rejected.',
  tag,
  access: 'session',
  params: SiteParams,
  body: WebhookBody,
  bodyExample: { url: exampleWebhook.url, event_types: ['audio.ready'] },
  responses: {
    201: {
      description: 'The webhook with its signing secret, which is not shown again',
      message: 'Webhook created',
      data: WebhookWithSecret,
      example: { ...exampleWithSecret, event_types: ['audio.ready'] },
      headers: { Location: 'URL of the webhook resource' },
    },
  },
  errors: ['not_found', 'not_allowed', 'conflict'],
});

const showOperation = endpointSpec({
  summary: 'Get a webhook',
  tag,
  access: 'session',
  params: WebhookParams,
  responses: {
    200: {
      description: 'The webhook, without its secret',
      message: 'OK',
      data: Webhook,
      example: exampleWebhook,
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const changeOperation = endpointSpec({
  summary: 'Update a webhook',
  description: 'A disabled webhook gets no new events. Deliveries that were pending are sent when it is enabled again.',
  tag,
  access: 'session',
  params: WebhookParams,
  body: WebhookChanges,
  bodyExample: { active: false },
  responses: {
    200: {
      description: 'The updated webhook',
      message: 'Webhook updated',
      data: Webhook,
      example: { ...exampleWebhook, active: false },
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const deleteOperation = endpointSpec({
  summary: 'Delete a webhook',
  tag,
  access: 'session',
  params: WebhookParams,
  responses: {
    200: {
      description: 'Deleted with its log; pending deliveries are dropped',
      message: 'Webhook deleted',
      data: Type.Object({ id: Type.Integer() }),
      example: { id: 1 },
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const rotateOperation = endpointSpec({
  summary: 'Rotate the signing secret',
  description: 'The previous secret stays valid for 24 hours: `webhook-signature` contains two signatures.',
  tag,
  access: 'session',
  params: WebhookParams,
  responses: {
    201: {
      description: 'The webhook with its new secret, which is not shown again',
      message: 'Secret rotated',
      data: WebhookWithSecret,
      example: { ...exampleWithSecret, previous_secret_until: '2026-11-03T08:15:00.000Z' },
    },
  },
  errors: ['not_found', 'not_allowed'],
});

/** Whom a site tells of its audio: for admins, as an address may be as good as a password. */
export function webhookRoutes(deps: WebhookDeps) {
  const { database, requireSession, webhookGuard, webhookDispatcher, baseUrl } = deps;
  const audited = (db: Queries, by: AuthContext, action: string, now: WebhookEndpoint) =>
    insertAuditEntry(db, {
      ...{ userId: by.user.id, action, siteId: now.site_id },
      subject: formatAuditSubject(now),
    });
  return new Elysia({ name: 'webhooks', prefix: '/v1/sites/:site/webhooks' })
    .get(
      '',
      async ({ request, params }) => {
        const { site } = await requireSiteAdmin(requireSession, request, params.site);
        const { limit, after } = decodeCursor(parseQuery(PageQuery, request), Type.Integer());
        const rows = await listEndpoints(database.read, site.id, after, limit + 1);
        return envelope(
          'OK',
          paginate(rows, limit, ({ id }) => id, toWebhookRecord),
        );
      },
      toEndpointHook(listOperation),
    )
    .post(
      '',
      async ({ request, params }) => {
        const admin = await requireSiteAdmin(requireSession, request, params.site);
        const asked = validate(WebhookBody, await readJsonBody(request, maxBodyBytes));
        const url = await validateTargetUrl(webhookGuard, asked.url);
        const eventTypes = [...new Set(asked.event_types ?? audioEventTypes)];
        const made = await database.write(async (db) => {
          const endpoint = await insertEndpoint(db, admin.site.id, { url, eventTypes });
          await insertAuditEntry(db, {
            ...{ userId: admin.user.id, action: 'webhook.created', siteId: admin.site.id },
            ...{ subject: formatAuditSubject(endpoint), after: toAuditState(endpoint) },
          });
          return endpoint;
        });
        const location = `${baseUrl}/v1/sites/${admin.site.id}/webhooks/${made.id}`;
        return Response.json(envelope('Webhook created', { ...toWebhookRecord(made), secret: made.secret }), {
          status: 201,
          headers: { location },
        });
      },
      toEndpointHook(createOperation),
    )
    .get(
      '/:webhook',
      async ({ request, params }) => {
        const { site } = await requireSiteAdmin(requireSession, request, params.site);
        const found = await findEndpoint(database.read, site.id, parseId(params.webhook));
        return envelope('OK', toWebhookRecord(found));
      },
      toEndpointHook(showOperation),
    )
    .patch(
      '/:webhook',
      async ({ request, params }) => {
        const admin = await requireSiteAdmin(requireSession, request, params.site);
        const id = parseId(params.webhook);
        await findEndpoint(database.read, admin.site.id, id);
        const asked = validate(WebhookChanges, await readJsonBody(request, maxBodyBytes));
        const changes = {
          active: asked.active,
          ...(asked.url !== undefined && { url: await validateTargetUrl(webhookGuard, asked.url) }),
          ...(asked.event_types !== undefined && { eventTypes: [...new Set(asked.event_types)] }),
        };
        const changed = await database.write(async (db) => {
          const before = await findEndpoint(db, admin.site.id, id);
          const now = await updateEndpoint(db, admin.site.id, id, changes);
          await insertAuditEntry(db, {
            ...{ userId: admin.user.id, action: 'webhook.changed', siteId: admin.site.id },
            subject: formatAuditSubject(now),
            ...{ before: toAuditState(before), after: toAuditState(now) },
          });
          return now;
        });
        webhookDispatcher.wake();
        return envelope('Webhook updated', toWebhookRecord(changed));
      },
      toEndpointHook(changeOperation),
    )
    .delete(
      '/:webhook',
      async ({ request, params }) => {
        const admin = await requireSiteAdmin(requireSession, request, params.site);
        const id = parseId(params.webhook);
        await database.write(async (db) => {
          await audited(db, admin, 'webhook.deleted', await findEndpoint(db, admin.site.id, id));
          await deleteEndpoint(db, admin.site.id, id);
        });
        return envelope('Webhook deleted', { id });
      },
      toEndpointHook(deleteOperation),
    )
    .post(
      '/:webhook/rotate-secret',
      async ({ request, params }) => {
        const admin = await requireSiteAdmin(requireSession, request, params.site);
        const rotated = await database.write(async (db) => {
          const endpoint = await rotateSecret(db, admin.site.id, parseId(params.webhook));
          await audited(db, admin, 'webhook.secret_rotated', endpoint);
          return endpoint;
        });
        return Response.json(envelope('Secret rotated', { ...toWebhookRecord(rotated), secret: rotated.secret }), {
          status: 201,
        });
      },
      toEndpointHook(rotateOperation),
    );
}

/**
 * Asked by every route here.
 * @throws AppError as `SessionAccess.site`; `not_allowed` for whoever is no admin
 */
export async function requireSiteAdmin(requireSession: RequireSession, request: Request, siteParam: string) {
  const signedIn = await requireSession.site(request, siteParam, 'viewer');
  if (signedIn.user.role !== 'admin') throw new AppError('not_allowed', 'Not allowed');
  return signedIn;
}

/** @throws AppError `validation_failed` */
async function validateTargetUrl(targets: OutboundGuard, given: string): Promise<string> {
  const target = await validateOutboundUrl(targets, given);
  if (target.problem === undefined) return target.url;
  throw new AppError('validation_failed', 'Validation failed', { url: [target.problem] });
}
