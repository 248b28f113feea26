import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { listKeys } from '../auth/api-keys.ts';
import { AppError, invalid } from '../errors.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
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

const shared = { tag: 'Keys', access: 'session' } as const;

const listSpec = endpointSpec({
  ...shared,
  summary: 'List API keys',
  description: 'Newest first. Key values are not included.',
  role: 'viewer',
  params: SiteParams,
  query: PageQuery,
  responses: reply(200, 'OK', 'A page of API keys, including revoked ones', KeyPage, {
    example: { items: [exampleRecord], next_cursor: null },
  }),
});

const createSpec = endpointSpec({
  ...shared,
  summary: 'Create an API key',
  description: 'Requires the editor role. The key value is returned only in this response.',
  role: 'editor',
  params: SiteParams,
  body: CreateKeyBody,
  bodyExample: { name: 'production' },
  bodyOptional: true,
  responses: reply(201, 'API key created', 'API key created', CreatedKey, { example: exampleCreated }),
});

const revokeSpec = endpointSpec({
  ...shared,
  summary: 'Revoke an API key',
  description: 'Requires the editor role. Later requests with this key get 401.',
  role: 'editor',
  params: SiteKeyParams,
  responses: reply(200, 'API key revoked', 'API key revoked', KeyRecord, {
    example: { ...exampleRecord, revoked_at: '2026-11-21T09:00:00.000Z' },
  }),
});

const rotateSpec = endpointSpec({
  ...shared,
  summary: 'Rotate API keys',
  description: 'Requires the editor role. Revokes all keys of the site and creates a new one in one transaction.',
  role: 'editor',
  params: SiteParams,
  body: CreateKeyBody,
  bodyExample: { name: 'production' },
  bodyOptional: true,
  responses: reply(201, 'API keys rotated', 'The new API key', CreatedKey, { example: exampleCreated }),
});

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
