import { Elysia } from 'elysia';
import { createKey, listKeys, revokeKey, rotateKeys } from '../auth/api-keys.ts';
import { AppError, invalid } from '../errors.ts';
import { endpointSpec, envelope, reply } from '../http/endpoint.ts';
import { PageQuery, paginateById } from '../http/pagination.ts';
import { parseId } from '../http/validation.ts';
import type { Services } from '../services.ts';
import {
  AddDomainBody,
  CreatedKey,
  CreateKeyBody,
  exampleKey,
  KeyPage,
  KeyRecord,
  SiteDomainParams,
  SiteDomains,
  SiteKeyParams,
  SiteParams,
  UpdateDomainBody,
} from './schema.ts';
import { changeDomain, type DomainChange } from './site-changes.ts';

const sharedDomainSpec = { tag: 'Domains', access: 'session' } as const;

const listDomainsSpec = endpointSpec({
  ...sharedDomainSpec,
  summary: 'List domains',
  role: 'viewer',
  params: SiteParams,
  responses: reply(200, 'OK', 'Domains, primary first', SiteDomains),
});

const addSpec = endpointSpec({
  ...sharedDomainSpec,
  summary: 'Add a domain',
  description:
    'Requires the editor role. Host names match exactly: `www.example.org` and `example.org` are different domains. A domain belongs to one site.',
  role: 'editor',
  params: SiteParams,
  body: AddDomainBody,
  bodyExample: { domain: 'example.org' },
  responses: {
    201: {
      description: 'The domains as they are now',
      message: 'Domain added',
      data: SiteDomains,
    },
    200: {
      description: 'The site already has this domain',
      message: 'Domain already added',
      data: SiteDomains,
    },
  },
  errors: ['domain_taken', 'conflict'],
});

const updateSpec = endpointSpec({
  ...sharedDomainSpec,
  summary: 'Set the primary domain',
  description: 'For editors.',
  role: 'editor',
  params: SiteDomainParams,
  body: UpdateDomainBody,
  bodyExample: { primary: true },
  responses: reply(200, 'Primary domain set', 'The domains as they are now', SiteDomains),
});

const removeSpec = endpointSpec({
  ...sharedDomainSpec,
  summary: 'Remove a domain',
  description:
    'Requires the editor role. A site needs at least one domain. If the primary domain is removed, the next one becomes primary.',
  role: 'editor',
  params: SiteDomainParams,
  responses: reply(200, 'Domain removed', 'The remaining domains', SiteDomains, {
    example: { items: [{ domain: 'example.org', primary: true }] },
  }),
  errors: ['validation_failed', 'conflict'],
});

export function domainRoutes({ endpoint, database }: Services) {
  const change = (userId: number, siteId: number, name: DomainChange, host: string) =>
    database.write(siteId, (db) => changeDomain(db, userId, siteId, name, host));
  return new Elysia({ name: 'domains', prefix: '/v1/sites/:site/domains' })
    .get('', ...endpoint(listDomainsSpec, async ({ site }) => toDomainList(site.domains)))
    .post(
      '',
      ...endpoint(addSpec, async ({ user, site, body: { domain, primary = false } }) => {
        const { domains, status } = await database.write(site.id, async (db) => {
          const added = await changeDomain(db, user.id, site.id, 'added', domain);
          const { domains } = primary ? await changeDomain(db, user.id, site.id, 'primary', domain) : added;
          return { domains, status: added.isChanged ? (201 as const) : (200 as const) };
        });
        return Response.json(envelope(addSpec.responses[status].message, toDomainList(domains)), { status });
      }),
    )
    .patch(
      '/:domain',
      ...endpoint(updateSpec, async ({ user, site, params }) =>
        toDomainList((await change(user.id, site.id, 'primary', params.domain)).domains),
      ),
    )
    .delete(
      '/:domain',
      ...endpoint(removeSpec, async ({ user, site, params }) =>
        toDomainList((await change(user.id, site.id, 'removed', params.domain)).domains),
      ),
    );
}

function toDomainList(domains: readonly string[]) {
  return { items: domains.map((domain, index) => ({ domain, primary: index === 0 })) };
}

const defaultKeyName = 'production';

const sharedKeySpec = { tag: 'Keys', access: 'session' } as const;

const listKeysSpec = endpointSpec({
  ...sharedKeySpec,
  summary: 'List API keys',
  description: 'Newest first. Key values are not included.',
  role: 'viewer',
  params: SiteParams,
  query: PageQuery,
  responses: reply(200, 'OK', 'A page of API keys, including revoked ones', KeyPage),
});

const createSpec = endpointSpec({
  ...sharedKeySpec,
  summary: 'Create an API key',
  description: 'Requires the editor role. The key value is returned only in this response.',
  role: 'editor',
  params: SiteParams,
  body: CreateKeyBody,
  bodyExample: { name: 'production' },
  bodyOptional: true,
  responses: reply(201, 'API key created', 'API key created', CreatedKey),
});

const revokeSpec = endpointSpec({
  ...sharedKeySpec,
  summary: 'Revoke an API key',
  description: 'Requires the editor role. Later requests with this key get 401.',
  role: 'editor',
  params: SiteKeyParams,
  responses: reply(200, 'API key revoked', 'API key revoked', KeyRecord, {
    example: { ...exampleKey, revoked_at: '2026-11-21T09:00:00.000Z' },
  }),
});

const rotateSpec = endpointSpec({
  ...sharedKeySpec,
  summary: 'Rotate API keys',
  description: 'Requires the editor role. Revokes all keys of the site and creates a new one in one transaction.',
  role: 'editor',
  params: SiteParams,
  body: CreateKeyBody,
  bodyExample: { name: 'production' },
  bodyOptional: true,
  responses: reply(201, 'API keys rotated', 'The new API key', CreatedKey),
});

export function keyRoutes({ endpoint, database, keyUsage }: Services) {
  return new Elysia({ name: 'keys', prefix: '/v1/sites/:site' })
    .get(
      '/keys',
      ...endpoint(listKeysSpec, async ({ site, query }) => {
        await keyUsage.flush();
        return paginateById(
          query,
          (before, limit) => listKeys(database.read, site.id, { before, limit }),
          (keys) => [...keys],
        );
      }),
    )
    .post(
      '/keys',
      ...endpoint(createSpec, ({ user, site, body }) =>
        database.write(site.id, (db) => createKey(db, user.id, site.id, parseKeyName(body.name))),
      ),
    )
    .delete(
      '/keys/:key',
      ...endpoint(revokeSpec, ({ user, site, params }) =>
        database.write(site.id, (db) => revokeKey(db, user.id, site.id, parseId(params.key, keyNotFoundError))),
      ),
    )
    .post(
      '/rotate-key',
      ...endpoint(rotateSpec, ({ user, site, body }) =>
        database.write(site.id, (db) => rotateKeys(db, user.id, site.id, parseKeyName(body.name))),
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
