import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { listKeys } from '../auth/api-keys.ts';
import { AppError, invalid } from '../errors.ts';
import { endpointSpec } from '../http/endpoint.ts';
import { decodeCursor, PageQuery, paginate } from '../http/pagination.ts';
import { parseId } from '../http/validation.ts';
import type { Services } from '../services.ts';
import { CreatedKey, CreateKeyBody, KeyPage, KeyRecord, SiteKeyParams, SiteParams } from './schema.ts';
import { createKey, revokeKey, rotateKeys } from './site-changes.ts';

const defaultKeyName = 'production';

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

const listSpec = endpointSpec({
  summary: 'List API keys',
  description: 'Newest first. Key values are not included.',
  tag: 'Keys',
  access: 'session',
  role: 'viewer',
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

const createSpec = endpointSpec({
  summary: 'Create an API key',
  description: 'Requires the editor role. The key value is returned only in this response.',
  tag: 'Keys',
  access: 'session',
  role: 'editor',
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

const revokeSpec = endpointSpec({
  summary: 'Revoke an API key',
  description: 'Requires the editor role. Later requests with this key get 401.',
  tag: 'Keys',
  access: 'session',
  role: 'editor',
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

const rotateSpec = endpointSpec({
  summary: 'Rotate API keys',
  description: 'Requires the editor role. Revokes all keys of the site and creates a new one in one transaction.',
  tag: 'Keys',
  access: 'session',
  role: 'editor',
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
export function keyRoutes({ endpoint, database, keyUsage }: Services) {
  return new Elysia({ name: 'keys', prefix: '/v1/sites/:site' })
    .get(
      '/keys',
      ...endpoint(listSpec, async ({ site, query }) => {
        const { limit, after } = decodeCursor(query, Type.Integer());
        // What was noted since the last time is written down first.
        await keyUsage.flush();
        const keys = await listKeys(database.read, site.id, { before: after, limit: limit + 1 });
        return paginate(
          keys,
          limit,
          ({ id }) => id,
          (key) => key,
        );
      }),
    )
    .post(
      '/keys',
      ...endpoint(createSpec, ({ user, site, body }) =>
        database.write((db) => createKey(db, user.id, site.id, parseKeyName(body.name))),
      ),
    )
    .delete(
      '/keys/:key',
      ...endpoint(revokeSpec, ({ user, site, params }) =>
        database.write((db) => revokeKey(db, user.id, site.id, parseId(params.key, keyNotFoundError))),
      ),
    )
    .post(
      '/rotate-key',
      ...endpoint(rotateSpec, ({ user, site, body }) =>
        database.write((db) => rotateKeys(db, user.id, site.id, parseKeyName(body.name))),
      ),
    );
}

/** @throws AppError `validation_failed` for a blank name */
function parseKeyName(name = defaultKeyName): string {
  const trimmed = name.trim();
  if (trimmed !== '') return trimmed;
  throw invalid('name', 'must not be blank');
}

function keyNotFoundError(id: string): AppError {
  return new AppError('not_found', `API key ${id} not found on this site`);
}
