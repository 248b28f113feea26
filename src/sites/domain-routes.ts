import { Elysia } from 'elysia';
import { normalizeDomain } from '../auth/domain-access.ts';
import { endpointSpec, envelope, reply } from '../http/endpoint.ts';
import type { Services } from '../services.ts';
import { AddDomainBody, SiteDomainParams, SiteDomains, SiteParams, UpdateDomainBody } from './schema.ts';
import { updateDomains } from './site-changes.ts';
import { addDomain, removeDomain, setPrimaryDomain } from './store.ts';

const shared = { tag: 'Domains', access: 'session' } as const;

const listSpec = endpointSpec({
  ...shared,
  summary: 'List domains',
  role: 'viewer',
  params: SiteParams,
  responses: reply(200, 'OK', 'Domains, primary first', SiteDomains),
});

const addSpec = endpointSpec({
  ...shared,
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
  ...shared,
  summary: 'Set the primary domain',
  description: 'For editors.',
  role: 'editor',
  params: SiteDomainParams,
  body: UpdateDomainBody,
  bodyExample: { primary: true },
  responses: reply(200, 'Primary domain set', 'The domains as they are now', SiteDomains),
});

const removeSpec = endpointSpec({
  ...shared,
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
  return new Elysia({ name: 'domains', prefix: '/v1/sites/:site/domains' })
    .get('', ...endpoint(listSpec, async ({ site }) => toDomainList(site.domains)))
    .post(
      '',
      ...endpoint(addSpec, async ({ user, site, body }) => {
        const domain = normalizeDomain(body.domain);
        let isNew = false;
        const domains = await database.write((db) =>
          updateDomains(db, user.id, { siteId: site.id, action: 'domain.added', domain }, async () => {
            isNew = await addDomain(db, site.id, domain);
            if (body.primary === true) await setPrimaryDomain(db, site.id, domain);
          }),
        );
        const status = isNew ? 201 : 200;
        return Response.json(envelope(addSpec.responses[status].message, toDomainList(domains)), { status });
      }),
    )
    .patch(
      '/:domain',
      ...endpoint(updateSpec, async ({ user, site, params }) => {
        const domain = normalizeDomain(params.domain);
        const domains = await database.write((db) =>
          updateDomains(db, user.id, { siteId: site.id, action: 'domain.primary', domain }, () =>
            setPrimaryDomain(db, site.id, domain),
          ),
        );
        return toDomainList(domains);
      }),
    )
    .delete(
      '/:domain',
      ...endpoint(removeSpec, async ({ user, site, params }) => {
        const domain = normalizeDomain(params.domain);
        const domains = await database.write((db) =>
          updateDomains(db, user.id, { siteId: site.id, action: 'domain.removed', domain }, () =>
            removeDomain(db, site.id, domain),
          ),
        );
        return toDomainList(domains);
      }),
    );
}

function toDomainList(domains: readonly string[]) {
  return { items: domains.map((domain, index) => ({ domain, primary: index === 0 })) };
}
