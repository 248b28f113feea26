import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { type KeyUse, listKeys } from '../auth/api-keys.ts';
import type { SessionAccess } from '../auth/sessions.ts';
import type { Database } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { described, envelope } from '../http/endpoint.ts';
import { PageQuery, pageFrom, startOfPage } from '../http/pagination.ts';
import { readOptionalJsonBody } from '../http/request-body.ts';
import { idIn, readQuery, validate } from '../http/validation.ts';
import { CreatedKey, KeyPage, KeyRecord, NewKeyBody, SiteKeyParams, SiteParams } from './schema.ts';
import { addKey, endKey, replaceKeys } from './site-changes.ts';

const bodyByteMax = 10_000;
const usualName = 'production';

export interface KeyDeps {
  readonly database: Database;
  readonly bySession: SessionAccess;
  readonly keyUse: Pick<KeyUse, 'save'>;
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

const listOperation = described({
  summary: 'Keys of a site',
  description: 'Newest first, without their values.',
  tag: 'Keys',
  access: 'session',
  params: SiteParams,
  query: PageQuery,
  answers: {
    200: {
      description: 'A page of keys, revoked ones too',
      message: 'OK',
      data: KeyPage,
      example: { items: [exampleRecord], next_cursor: null },
    },
  },
  errors: ['not_found'],
});

const createOperation = described({
  summary: 'Make a key',
  description: 'For editors. The only answer that ever holds its value.',
  tag: 'Keys',
  access: 'session',
  params: SiteParams,
  body: NewKeyBody,
  bodyExample: { name: 'production' },
  bodyOptional: true,
  answers: {
    201: {
      description: 'Made',
      message: 'API key created',
      data: CreatedKey,
      example: exampleCreated,
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const revokeOperation = described({
  summary: 'Revoke a key',
  description: 'For editors. The next request made with it answers 401.',
  tag: 'Keys',
  access: 'session',
  params: SiteKeyParams,
  answers: {
    200: {
      description: 'Revoked',
      message: 'API key revoked',
      data: KeyRecord,
      example: { ...exampleRecord, revoked_at: '2026-11-21T09:00:00.000Z' },
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const rotateOperation = described({
  summary: 'Revoke all keys of a site and make a new one',
  description:
    'For editors. In one transaction: no request begun after the answer passes with an older key.',
  tag: 'Keys',
  access: 'session',
  params: SiteParams,
  body: NewKeyBody,
  bodyExample: { name: 'production' },
  bodyOptional: true,
  answers: {
    201: {
      description: 'The new key',
      message: 'API keys rotated',
      data: CreatedKey,
      example: exampleCreated,
    },
  },
  errors: ['not_found', 'not_allowed'],
});

/** The keys that server routes are asked with. */
export function keyRoutes({ database, bySession, keyUse }: KeyDeps) {
  return new Elysia({ name: 'keys', prefix: '/v1/sites/:site' })
    .get(
      '/keys',
      async ({ request, params }) => {
        const { site } = await bySession.site(request, params.site, 'viewer');
        const { limit, after } = startOfPage(readQuery(PageQuery, request), Type.Integer());
        // What was noted since the last time is written down first.
        await keyUse.save();
        const keys = await listKeys(database.read, site.id, { before: after, most: limit + 1 });
        return envelope(
          'OK',
          pageFrom(
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
        const { user, site } = await bySession.site(request, params.site, 'editor');
        const name = await readName(request);
        const key = await database.write((db) => addKey(db, user.id, site.id, name));
        return Response.json(envelope('API key created', key), { status: 201 });
      },
      createOperation,
    )
    .delete(
      '/keys/:key',
      async ({ request, params }) => {
        const { user, site } = await bySession.site(request, params.site, 'editor');
        const keyId = idIn(params.key, unknownKey);
        const key = await database.write((db) => endKey(db, user.id, site.id, keyId));
        return envelope('API key revoked', key);
      },
      revokeOperation,
    )
    .post(
      '/rotate-key',
      async ({ request, params }) => {
        const { user, site } = await bySession.site(request, params.site, 'editor');
        const name = await readName(request);
        const key = await database.write((db) => replaceKeys(db, user.id, site.id, name));
        return Response.json(envelope('API keys rotated', key), { status: 201 });
      },
      rotateOperation,
    );
}

async function readName(request: Request): Promise<string> {
  const { name } = validate(NewKeyBody, await readOptionalJsonBody(request, bodyByteMax));
  const given = (name ?? usualName).trim();
  if (given !== '') return given;
  throw new AppError('validation_failed', 'Validation failed', { name: ['must not be blank'] });
}

function unknownKey(id: string): AppError {
  return new AppError('not_found', `The site has no key ${id}`);
}
