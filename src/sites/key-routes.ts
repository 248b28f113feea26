import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { type KeyUsageTracker, listKeys } from '../auth/api-keys.ts';
import type { RequireSession } from '../auth/sessions.ts';
import type { Database } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { endpoint, envelope } from '../http/endpoint.ts';
import { decodeCursor, PageQuery, paginate } from '../http/pagination.ts';
import { readOptionalJsonBody } from '../http/request-body.ts';
import { parseId, parseQuery, validate } from '../http/validation.ts';
import { CreatedKey, CreateKeyBody, KeyPage, KeyRecord, SiteKeyParams, SiteParams } from './schema.ts';
import { createKey, revokeKey, rotateKeys } from './site-changes.ts';

const maxBodyBytes = 10_000;
const defaultKeyName = 'production';

export interface KeyDeps {
  readonly database: Database;
  readonly requireSession: RequireSession;
  readonly keyUsage: Pick<KeyUsageTracker, 'flush'>;
}

const exampleRecord = {
  id: 3,
  name: 'production',
  prefix: 'svc_live_Wm3xQp',
  created_at: '2026-11-02T08:15:00.000Z',
  last_used_at: '2026-11-20T17:02:41.310Z',
  revoked_at: null,
};
const exampleCreated = {
  key: 'svc_live_Wm3xQpL0vT2aYcU8sNf1Rk6jHdEiGzXb4oC7tPq5wMy',
  id: 3,
  name: 'production',
  prefix: 'svc_live_Wm3xQp',
  created_at: '2026-11-02T08:15:00.000Z',
};

const listOperation = endpoint({
  summary: 'List API keys',
  description: 'Newest first. Key values are not included.',
  tag: 'Keys',
  access: 'session',
  params: SiteParams,
  query: PageQuery,
  responses: {
    200: {
      description: 'A page of API keys, including revoked ones',
      message: 'OK',
      data: KeyPage,
      example: { items: [exampleRecord], next_cursor: null },
    },
  },
  errors: ['not_found'],
});

const createOperation = endpoint({
  summary: 'Create an API key',
  description: 'Requires the editor role. The key value is returned only in this response.',
  tag: 'Keys',
  access: 'session',
  params: SiteParams,
  body: CreateKeyBody,
  bodyExample: { name: 'production' },
  bodyOptional: true,
  responses: {
    201: {
      description: 'API key created',
      message: 'API key created',
      data: CreatedKey,
      example: exampleCreated,
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const revokeOperation = endpoint({
  summary: 'Revoke an API key',
  description: 'Requires the editor role. Later requests with this key get 401.',
  tag: 'Keys',
  access: 'session',
  params: SiteKeyParams,
  responses: {
    200: {
      description: 'API key revoked',
      message: 'API key revoked',
      data: KeyRecord,
      example: { ...exampleRecord, revoked_at: '2026-11-21T09:00:00.000Z' },
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const rotateOperation = endpoint({
  summary: 'Rotate API keys',
  description: 'Requires the editor role. Revokes all keys of the site and creates a new one in one transaction.',
  tag: 'Keys',
  access: 'session',
  params: SiteParams,
  body: CreateKeyBody,
  bodyExample: { name: 'production' },
  bodyOptional: true,
  responses: {
    201: {
      description: 'The new API key',
      message: 'API keys rotated',
      data: CreatedKey,
      example: exampleCreated,
    },
  },
  errors: ['not_found', 'not_allowed'],
});

/** The keys that server routes are asked with. */
export function keyRoutes({ database, requireSession, keyUsage }: KeyDeps) {
  return new Elysia({ name: 'keys', prefix: '/v1/sites/:site' })
    .get(
      '/keys',
      async ({ request, params }) => {
        const { site } = await requireSession.site(request, params.site, 'viewer');
        const { limit, after } = decodeCursor(parseQuery(PageQuery, request), Type.Integer());
        // What was noted since the last time is written down first.
        await keyUsage.flush();
        const keys = await listKeys(database.read, site.id, { before: after, limit: limit + 1 });
        return envelope(
          'OK',
          paginate(
            keys,
            limit,
            ({ id }) => id,
            (key) => key,
          ),
        );
      },
      listOperation,
    )
    .post(
      '/keys',
      async ({ request, params }) => {
        const { user, site } = await requireSession.site(request, params.site, 'editor');
        const name = await readKeyName(request);
        const key = await database.write((db) => createKey(db, user.id, site.id, name));
        return Response.json(envelope('API key created', key), { status: 201 });
      },
      createOperation,
    )
    .delete(
      '/keys/:key',
      async ({ request, params }) => {
        const { user, site } = await requireSession.site(request, params.site, 'editor');
        const keyId = parseId(params.key, keyNotFoundError);
        const key = await database.write((db) => revokeKey(db, user.id, site.id, keyId));
        return envelope('API key revoked', key);
      },
      revokeOperation,
    )
    .post(
      '/rotate-key',
      async ({ request, params }) => {
        const { user, site } = await requireSession.site(request, params.site, 'editor');
        const name = await readKeyName(request);
        const key = await database.write((db) => rotateKeys(db, user.id, site.id, name));
        return Response.json(envelope('API keys rotated', key), { status: 201 });
      },
      rotateOperation,
    );
}

async function readKeyName(request: Request): Promise<string> {
  const { name } = validate(CreateKeyBody, await readOptionalJsonBody(request, maxBodyBytes));
  const given = (name ?? defaultKeyName).trim();
  if (given !== '') return given;
  throw new AppError('validation_failed', 'Validation failed', { name: ['must not be blank'] });
}

function keyNotFoundError(id: string): AppError {
  return new AppError('not_found', `API key ${id} not found on this site`);
}
