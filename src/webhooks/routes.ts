import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { audit } from '../auth/audit-log.ts';
import type { SessionAccess, SignedIn } from '../auth/sessions.ts';
import type { WebhookEndpoint } from '../database/feature-schema.ts';
import type { Database, Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { described, envelope } from '../http/endpoint.ts';
import { readTarget, type Targets } from '../http/outbound-guard.ts';
import { PageQuery, pageFrom, pageOf, startOfPage } from '../http/pagination.ts';
import { readJsonBody } from '../http/request-body.ts';
import { idIn, readQuery, validate } from '../http/validation.ts';
import type { Delivering } from './delivery.ts';
import {
  auditedWebhook,
  auditName,
  deleteEndpoint,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  rotateSecret,
  updateEndpoint,
  webhookRecord,
} from './endpoints.ts';
import { audioEventTypes } from './outbox.ts';
import {
  SiteParams,
  Webhook,
  WebhookBody,
  WebhookChanges,
  WebhookParams,
  WebhookWithSecret,
} from './schema.ts';

export interface WebhookDeps {
  readonly database: Database;
  readonly bySession: SessionAccess;
  readonly webhookTargets: Targets;
  readonly delivering: Delivering;
  readonly baseUrl: string;
}

/** Bodies here are small. */
const bodyByteMax = 65_536;
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

const listOperation = described({
  summary: "A site's webhooks",
  tag,
  access: 'session',
  params: SiteParams,
  query: PageQuery,
  answers: {
    200: {
      description: 'A page of webhooks, oldest first, without their secrets',
      message: 'OK',
      data: pageOf(Webhook),
      example: { items: [exampleWebhook], next_cursor: null },
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const createOperation = described({
  summary: 'Add a webhook',
  description:
    'Messages follow Standard Webhooks and are posted as JSON: `{type, timestamp, data: {site, id, post_id, language, status, audio_url, duration_seconds, error}}`. A host that leads to a private address is refused.',
  tag,
  access: 'session',
  params: SiteParams,
  body: WebhookBody,
  bodyExample: { url: exampleWebhook.url, event_types: ['audio.ready'] },
  answers: {
    201: {
      description: 'Added; its signing secret is shown this once',
      message: 'Webhook created',
      data: WebhookWithSecret,
      example: { ...exampleWithSecret, event_types: ['audio.ready'] },
      headers: { Location: 'Address of the webhook' },
    },
  },
  errors: ['not_found', 'not_allowed', 'conflict'],
});

const showOperation = described({
  summary: 'A webhook',
  tag,
  access: 'session',
  params: WebhookParams,
  answers: {
    200: {
      description: 'The webhook, without its secret',
      message: 'OK',
      data: Webhook,
      example: exampleWebhook,
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const changeOperation = described({
  summary: 'Change a webhook, or switch it on or off',
  description:
    'While it is off nothing new is written for it; what already waited goes out when it is switched on again.',
  tag,
  access: 'session',
  params: WebhookParams,
  body: WebhookChanges,
  bodyExample: { active: false },
  answers: {
    200: {
      description: 'As it is now',
      message: 'Webhook updated',
      data: Webhook,
      example: { ...exampleWebhook, active: false },
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const deleteOperation = described({
  summary: 'Delete a webhook with its log',
  tag,
  access: 'session',
  params: WebhookParams,
  answers: {
    200: {
      description: 'Deleted; what waited for it is not sent',
      message: 'Webhook deleted',
      data: Type.Object({ id: Type.Integer() }),
      example: { id: 1 },
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const rotateOperation = described({
  summary: 'Give a webhook a new signing secret',
  description:
    'The one before signs too for 24 hours: there are two signatures in `webhook-signature`.',
  tag,
  access: 'session',
  params: WebhookParams,
  answers: {
    201: {
      description: 'The new secret, shown this once',
      message: 'Secret rotated',
      data: WebhookWithSecret,
      example: { ...exampleWithSecret, previous_secret_until: '2026-11-03T08:15:00.000Z' },
    },
  },
  errors: ['not_found', 'not_allowed'],
});

/** Whom a site tells of its audio: for admins, as an address may be as good as a password. */
export function webhookRoutes(deps: WebhookDeps) {
  const { database, bySession, webhookTargets, delivering, baseUrl } = deps;
  const audited = (db: Queries, by: SignedIn, action: string, now: WebhookEndpoint) =>
    audit(db, {
      ...{ userId: by.user.id, action, siteId: now.site_id },
      subject: auditName(now),
    });
  return new Elysia({ name: 'webhooks', prefix: '/v1/sites/:site/webhooks' })
    .get(
      '',
      async ({ request, params }) => {
        const { site } = await siteOfAdmin(bySession, request, params.site);
        const { limit, after } = startOfPage(readQuery(PageQuery, request), Type.Integer());
        const rows = await listEndpoints(database.read, site.id, after, limit + 1);
        return envelope(
          'OK',
          pageFrom(rows, limit, ({ id }) => id, webhookRecord),
        );
      },
      listOperation,
    )
    .post(
      '',
      async ({ request, params }) => {
        const admin = await siteOfAdmin(bySession, request, params.site);
        const asked = validate(WebhookBody, await readJsonBody(request, bodyByteMax));
        const url = await checkedUrl(webhookTargets, asked.url);
        const eventTypes = [...new Set(asked.event_types ?? audioEventTypes)];
        const made = await database.write(async (db) => {
          const endpoint = await insertEndpoint(db, admin.site.id, { url, eventTypes });
          await audit(db, {
            ...{ userId: admin.user.id, action: 'webhook.created', siteId: admin.site.id },
            ...{ subject: auditName(endpoint), after: auditedWebhook(endpoint) },
          });
          return endpoint;
        });
        const location = `${baseUrl}/v1/sites/${admin.site.id}/webhooks/${made.id}`;
        return Response.json(
          envelope('Webhook created', { ...webhookRecord(made), secret: made.secret }),
          { status: 201, headers: { location } },
        );
      },
      createOperation,
    )
    .get(
      '/:webhook',
      async ({ request, params }) => {
        const { site } = await siteOfAdmin(bySession, request, params.site);
        const found = await findEndpoint(database.read, site.id, idIn(params.webhook));
        return envelope('OK', webhookRecord(found));
      },
      showOperation,
    )
    .patch(
      '/:webhook',
      async ({ request, params }) => {
        const admin = await siteOfAdmin(bySession, request, params.site);
        const id = idIn(params.webhook);
        await findEndpoint(database.read, admin.site.id, id);
        const asked = validate(WebhookChanges, await readJsonBody(request, bodyByteMax));
        const changes = {
          active: asked.active,
          ...(asked.url !== undefined && { url: await checkedUrl(webhookTargets, asked.url) }),
          ...(asked.event_types !== undefined && { eventTypes: [...new Set(asked.event_types)] }),
        };
        const changed = await database.write(async (db) => {
          const before = await findEndpoint(db, admin.site.id, id);
          const now = await updateEndpoint(db, admin.site.id, id, changes);
          await audit(db, {
            ...{ userId: admin.user.id, action: 'webhook.changed', siteId: admin.site.id },
            subject: auditName(now),
            ...{ before: auditedWebhook(before), after: auditedWebhook(now) },
          });
          return now;
        });
        delivering.nudge();
        return envelope('Webhook updated', webhookRecord(changed));
      },
      changeOperation,
    )
    .delete(
      '/:webhook',
      async ({ request, params }) => {
        const admin = await siteOfAdmin(bySession, request, params.site);
        const id = idIn(params.webhook);
        await database.write(async (db) => {
          await audited(db, admin, 'webhook.deleted', await findEndpoint(db, admin.site.id, id));
          await deleteEndpoint(db, admin.site.id, id);
        });
        return envelope('Webhook deleted', { id });
      },
      deleteOperation,
    )
    .post(
      '/:webhook/rotate-secret',
      async ({ request, params }) => {
        const admin = await siteOfAdmin(bySession, request, params.site);
        const rotated = await database.write(async (db) => {
          const endpoint = await rotateSecret(db, admin.site.id, idIn(params.webhook));
          await audited(db, admin, 'webhook.secret_rotated', endpoint);
          return endpoint;
        });
        return Response.json(
          envelope('Secret rotated', { ...webhookRecord(rotated), secret: rotated.secret }),
          { status: 201 },
        );
      },
      rotateOperation,
    );
}

/**
 * Asked by every route here.
 * @throws AppError as `SessionAccess.site`; `not_allowed` for whoever is no admin
 */
export async function siteOfAdmin(bySession: SessionAccess, request: Request, siteParam: string) {
  const signedIn = await bySession.site(request, siteParam, 'viewer');
  if (signedIn.user.role !== 'admin') throw new AppError('not_allowed', 'Not allowed');
  return signedIn;
}

/** @throws AppError `validation_failed` */
async function checkedUrl(targets: Targets, given: string): Promise<string> {
  const target = await readTarget(targets, given);
  if (target.problem === undefined) return target.url;
  throw new AppError('validation_failed', 'Validation failed', { url: [target.problem] });
}
