import { Elysia } from 'elysia';
import { normalizeDomain } from '../auth/domain-access.ts';
import type { RequireSession } from '../auth/sessions.ts';
import type { Database, Queries } from '../database/open.ts';
import { endpointSpec, envelope, toEndpointHook } from '../http/endpoint.ts';
import { readJsonBody } from '../http/request-body.ts';
import { validate } from '../http/validation.ts';
import { AddDomainBody, SiteDomainParams, SiteDomains, SiteParams, UpdateDomainBody } from './schema.ts';
import { updateDomains } from './site-changes.ts';
import { addDomain, removeDomain, setPrimaryDomain } from './store.ts';

const maxBodyBytes = 10_000;

export interface DomainDeps {
  readonly database: Database;
  readonly requireSession: RequireSession;
}

const exampleDomains = {
  items: [
    { domain: 'www.example.org', primary: true },
    { domain: 'example.org', primary: false },
  ],
};

const listOperation = endpointSpec({
  summary: 'List domains',
  tag: 'Domains',
  access: 'session',
  params: SiteParams,
  responses: {
    200: {
      description: 'Domains, primary first',
      message: 'OK',
      data: SiteDomains,
      example: exampleDomains,
    },
  },
  errors: ['not_found'],
});

const addOperation = endpointSpec({
  summary: 'Add a domain',
  description:
    'Requires the editor role. Host names match exactly: `www.example.org` and `example.org` are different domains. A domain belongs to one site.',
  tag: 'Domains',
  access: 'session',
  params: SiteParams,
  body: AddDomainBody,
  bodyExample: { domain: 'example.org' },
  responses: {
    201: {
      description: 'The domains as they are now',
      message: 'Domain added',
      data: SiteDomains,
      example: exampleDomains,
    },
    200: {
      description: 'The site already has this domain',
      message: 'Domain already added',
      data: SiteDomains,
      example: exampleDomains,
    },
  },
  errors: ['not_found', 'not_allowed', 'domain_taken', 'conflict'],
});

const updateOperation = endpointSpec({
  summary: 'Set the primary domain',
  description: 'For editors.',
  tag: 'Domains',
  access: 'session',
  params: SiteDomainParams,
  body: UpdateDomainBody,
  bodyExample: { primary: true },
  responses: {
    200: {
      description: 'The domains as they are now',
      message: 'Primary domain set',
      data: SiteDomains,
      example: exampleDomains,
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const removeOperation = endpointSpec({
  summary: 'Remove a domain',
  description:
    'Requires the editor role. A site needs at least one domain. If the primary domain is removed, the next one becomes primary.',
  tag: 'Domains',
  access: 'session',
  params: SiteDomainParams,
  responses: {
    200: {
      description: 'The remaining domains',
      message: 'Domain removed',
      data: SiteDomains,
      example: { items: [{ domain: 'example.org', primary: true }] },
    },
  },
  errors: ['validation_failed', 'not_found', 'not_allowed', 'conflict'],
});

/** The hosts by which public routes find a site. */
export function domainRoutes({ database, requireSession }: DomainDeps) {
  const change = (
    { user, site }: Awaited<ReturnType<RequireSession['site']>>,
    action: string,
    domain: string,
    work: (db: Queries) => Promise<unknown>,
  ): Promise<string[]> =>
    database.write((db) => updateDomains(db, user.id, { siteId: site.id, action, domain }, () => work(db)));
  return new Elysia({ name: 'domains', prefix: '/v1/sites/:site/domains' })
    .get(
      '',
      async ({ request, params }) => {
        const { site } = await requireSession.site(request, params.site, 'viewer');
        return envelope('OK', toDomainList(site.domains));
      },
      toEndpointHook(listOperation),
    )
    .post(
      '',
      async ({ request, params }) => {
        const signedIn = await requireSession.site(request, params.site, 'editor');
        const body = validate(AddDomainBody, await readJsonBody(request, maxBodyBytes));
        const domain = normalizeDomain(body.domain);
        const { id } = signedIn.site;
        let isNew = false;
        const domains = await change(signedIn, 'domain.added', domain, async (db) => {
          isNew = await addDomain(db, id, domain);
          if (body.primary === true) await setPrimaryDomain(db, id, domain);
        });
        const message = isNew ? 'Domain added' : 'Domain already added';
        return Response.json(envelope(message, toDomainList(domains)), {
          status: isNew ? 201 : 200,
        });
      },
      toEndpointHook(addOperation),
    )
    .patch(
      '/:domain',
      async ({ request, params }) => {
        const signedIn = await requireSession.site(request, params.site, 'editor');
        validate(UpdateDomainBody, await readJsonBody(request, maxBodyBytes));
        const domain = normalizeDomain(params.domain);
        const domains = await change(signedIn, 'domain.primary', domain, (db) =>
          setPrimaryDomain(db, signedIn.site.id, domain),
        );
        return envelope('Primary domain set', toDomainList(domains));
      },
      toEndpointHook(updateOperation),
    )
    .delete(
      '/:domain',
      async ({ request, params }) => {
        const signedIn = await requireSession.site(request, params.site, 'editor');
        const domain = normalizeDomain(params.domain);
        const domains = await change(signedIn, 'domain.removed', domain, (db) =>
          removeDomain(db, signedIn.site.id, domain),
        );
        return envelope('Domain removed', toDomainList(domains));
      },
      toEndpointHook(removeOperation),
    );
}

function toDomainList(domains: readonly string[]) {
  return { items: domains.map((domain, index) => ({ domain, primary: index === 0 })) };
}
