import type { Static } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { createKey, listKeys, restoreKey, revokeKey, rotateKeys } from '../auth/api-keys.ts';
import { normalizeDomain } from '../auth/domain-access.ts';
import type { AuthContext } from '../auth/sessions.ts';
import type { Queries } from '../database/database.ts';
import { AppError } from '../errors.ts';
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
import {
  changeDomain,
  requestDomain,
  resolveDomainRequest,
  restoreDomain,
  withdrawDomainRequest,
} from './site-changes.ts';
import { listDomainClaims, listDomains } from './store.ts';

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
    'An admin registers a domain at once. The request of an editor is stored as pending and gets 202: the domain gives no access, and other sites can register it, until an admin approves it. Public suffixes such as `co.uk` and IP addresses are refused, unless an admin sends `force`. Host names match exactly: `www.example.org` and `example.org` are different domains. A domain belongs to one site.',
  role: 'editor',
  params: SiteParams,
  body: AddDomainBody,
  bodyExample: { domain: 'example.org' },
  responses: {
    201: {
      description: 'The domains of the site',
      message: 'Domain added',
      data: SiteDomains,
    },
    202: {
      description: 'Requested by an editor; an admin must approve it',
      message: 'Domain awaits approval',
      data: SiteDomains,
      example: {
        items: [{ domain: 'www.example.org', primary: true }],
        pending: [{ domain: 'example.org', requested_by: 'ed@example.org', requested_at: '2026-11-02T08:15:00.000Z' }],
      },
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
  responses: reply(200, 'Primary domain set', 'The domains of the site', SiteDomains),
});

const removeSpec = endpointSpec({
  ...sharedDomainSpec,
  summary: 'Remove a domain',
  description:
    'Requires the editor role. A site needs at least one domain. If the primary domain is removed, the next one becomes primary. For a minute, `…/restore` undoes it. A pending request is withdrawn by the user who made it; admins reject it.',
  role: 'editor',
  params: SiteDomainParams,
  responses: reply(200, 'Domain removed', 'The remaining domains', SiteDomains, {
    example: { items: [{ domain: 'example.org', primary: true }], pending: [] },
  }),
  errors: ['validation_failed', 'conflict'],
});

const restoreDomainSpec = endpointSpec({
  ...sharedDomainSpec,
  summary: 'Undo the removal of a domain',
  description:
    'Within a minute, without approval. For the editor who removed it, and for admins. A primary domain is primary again.',
  role: 'editor',
  params: SiteDomainParams,
  responses: reply(200, 'Domain restored', 'The domains of the site', SiteDomains),
  errors: ['validation_failed', 'domain_taken', 'conflict'],
});

const approveSpec = endpointSpec({
  ...sharedDomainSpec,
  summary: 'Approve a requested domain',
  description: 'Requires the admin role. Registers the domain. 409 if another site has registered it since.',
  role: 'site admin',
  params: SiteDomainParams,
  responses: reply(200, 'Domain approved', 'The domains of the site', SiteDomains),
  errors: ['validation_failed', 'domain_taken', 'conflict'],
});

const rejectSpec = endpointSpec({
  ...sharedDomainSpec,
  summary: 'Reject a requested domain',
  description: 'Requires the admin role. Drops the request.',
  role: 'site admin',
  params: SiteDomainParams,
  responses: reply(200, 'Domain rejected', 'The domains of the site', SiteDomains),
  errors: ['validation_failed'],
});

export function domainRoutes({ endpoint, database }: Services) {
  const resolve = async (userId: number, siteId: number, resolution: 'approved' | 'rejected', host: string) => {
    await database.write(siteId, (db) => resolveDomainRequest(db, userId, siteId, resolution, host));
    return readDomains(database.read, siteId);
  };
  return new Elysia({ name: 'domains', prefix: '/v1/sites/:site/domains' })
    .get('', ...endpoint(listDomainsSpec, ({ site }) => readDomains(database.read, site.id)))
    .post(
      '',
      ...endpoint(addSpec, async ({ user, site, body }) => {
        const status = await database.write(site.id, (db) => addOrRequestDomain(db, user, site.id, body));
        const data = await readDomains(database.read, site.id);
        return Response.json(envelope(addSpec.responses[status].message, data), { status });
      }),
    )
    .post(
      '/:domain/approve',
      ...endpoint(approveSpec, ({ user, site, params }) => resolve(user.id, site.id, 'approved', params.domain)),
    )
    .post(
      '/:domain/reject',
      ...endpoint(rejectSpec, ({ user, site, params }) => resolve(user.id, site.id, 'rejected', params.domain)),
    )
    .patch(
      '/:domain',
      ...endpoint(updateSpec, async ({ user, site, params }) => {
        await database.write(site.id, (db) => changeDomain(db, user.id, site.id, 'primary', params.domain));
        return readDomains(database.read, site.id);
      }),
    )
    .delete(
      '/:domain',
      ...endpoint(removeSpec, async ({ user, site, params: { domain } }) => {
        await database.write(site.id, async (db) => {
          if (await withdrawDomainRequest(db, user, site.id, domain)) return;
          await changeDomain(db, user.id, site.id, 'removed', domain);
        });
        return readDomains(database.read, site.id);
      }),
    )
    .post(
      '/:domain/restore',
      ...endpoint(restoreDomainSpec, async ({ user, site, params }) => {
        await database.write(site.id, (db) => restoreDomain(db, user, site.id, params.domain));
        return readDomains(database.read, site.id);
      }),
    );
}

/** @returns the status of the response: an editor only requests a domain that the site does not have */
async function addOrRequestDomain(
  db: Queries,
  user: AuthContext['user'],
  siteId: number,
  { domain, primary = false, force = false }: Static<typeof AddDomainBody>,
): Promise<200 | 201 | 202> {
  const isAdmin = user.role === 'admin';
  if (force && !isAdmin) throw new AppError('not_allowed', 'Not allowed', { force: ['requires the admin role'] });
  const domains = await listDomains(db, siteId);
  if (!isAdmin && !domains.includes(normalizeDomain(domain))) {
    await requestDomain(db, user, siteId, domain);
    return 202;
  }
  const { isChanged } = await changeDomain(db, user.id, siteId, 'added', domain, force);
  if (primary) await changeDomain(db, user.id, siteId, 'primary', domain);
  return isChanged ? 201 : 200;
}

async function readDomains(db: Queries, siteId: number): Promise<Static<typeof SiteDomains>> {
  const domains = await listDomains(db, siteId);
  return {
    items: domains.map((domain, index) => ({ domain, primary: index === 0 })),
    pending: await listDomainClaims(db, siteId),
  };
}

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
  description: 'Requires the editor role. Later requests with this key get 401. For a minute, `…/restore` undoes it.',
  role: 'editor',
  params: SiteKeyParams,
  responses: reply(200, 'API key revoked', 'API key revoked', KeyRecord, {
    example: { ...exampleKey, revoked_at: '2026-11-21T09:00:00.000Z' },
  }),
});

const restoreKeySpec = endpointSpec({
  ...sharedKeySpec,
  summary: 'Undo the revocation of an API key',
  description: 'Requires the editor role; within a minute. The same key is valid again.',
  role: 'editor',
  params: SiteKeyParams,
  responses: reply(200, 'API key restored', 'The API key', KeyRecord),
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
        database.write(site.id, (db) => createKey(db, user.id, site.id, body.name)),
      ),
    )
    .delete(
      '/keys/:key',
      ...endpoint(revokeSpec, ({ user, site, params }) =>
        database.write(site.id, (db) => revokeKey(db, user.id, site.id, parseKeyId(params.key))),
      ),
    )
    .post(
      '/keys/:key/restore',
      ...endpoint(restoreKeySpec, ({ user, site, params }) =>
        database.write(site.id, (db) => restoreKey(db, user.id, site.id, parseKeyId(params.key))),
      ),
    )
    .post(
      '/rotate-key',
      ...endpoint(rotateSpec, ({ user, site, body }) =>
        database.write(site.id, (db) => rotateKeys(db, user.id, site.id, body.name)),
      ),
    );
}

function parseKeyId(param: string): number {
  return parseId(param, 'API key', 'not found on this site');
}
