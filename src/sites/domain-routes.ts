import { Elysia } from 'elysia';
import { normalizeDomain } from '../auth/domain-access.ts';
import type { SessionAccess } from '../auth/sessions.ts';
import type { Database, Queries } from '../database/open.ts';
import { described, envelope } from '../http/endpoint.ts';
import { readJsonBody } from '../http/request-body.ts';
import { validate } from '../http/validation.ts';
import {
  AddDomainBody,
  SiteDomainParams,
  SiteDomains,
  SiteParams,
  UpdateDomainBody,
} from './schema.ts';
import { changeDomains } from './site-changes.ts';
import { addDomain, makePrimary, removeDomain } from './store.ts';

const bodyByteMax = 10_000;

export interface DomainDeps {
  readonly database: Database;
  readonly bySession: SessionAccess;
}

const exampleDomains = {
  items: [
    { domain: 'www.example.org', primary: true },
    { domain: 'example.org', primary: false },
  ],
};

const listOperation = described({
  summary: 'Domains of a site',
  tag: 'Domains',
  access: 'session',
  params: SiteParams,
  answers: {
    200: {
      description: 'The primary one first',
      message: 'OK',
      data: SiteDomains,
      example: exampleDomains,
    },
  },
  errors: ['not_found'],
});

const addOperation = described({
  summary: 'Add a domain',
  description:
    'For editors. A host name counts exactly: `www.example.org` and `example.org` are two. It belongs to one site.',
  tag: 'Domains',
  access: 'session',
  params: SiteParams,
  body: AddDomainBody,
  bodyExample: { domain: 'example.org' },
  answers: {
    201: {
      description: 'The domains as they are now',
      message: 'Domain added',
      data: SiteDomains,
      example: exampleDomains,
    },
    200: {
      description: 'The site had it already',
      message: 'Domain already there',
      data: SiteDomains,
      example: exampleDomains,
    },
  },
  errors: ['not_found', 'not_allowed', 'domain_taken', 'conflict'],
});

const updateOperation = described({
  summary: 'Make a domain the primary one',
  description: 'For editors.',
  tag: 'Domains',
  access: 'session',
  params: SiteDomainParams,
  body: UpdateDomainBody,
  bodyExample: { primary: true },
  answers: {
    200: {
      description: 'The domains as they are now',
      message: 'Domain is primary',
      data: SiteDomains,
      example: exampleDomains,
    },
  },
  errors: ['not_found', 'not_allowed'],
});

const removeOperation = described({
  summary: 'Remove a domain',
  description: 'For editors. A site keeps at least one. After the primary one the next is primary.',
  tag: 'Domains',
  access: 'session',
  params: SiteDomainParams,
  answers: {
    200: {
      description: 'The domains that are left',
      message: 'Domain removed',
      data: SiteDomains,
      example: { items: [{ domain: 'example.org', primary: true }] },
    },
  },
  errors: ['validation_failed', 'not_found', 'not_allowed', 'conflict'],
});

/** The hosts by which public routes find a site. */
export function domainRoutes({ database, bySession }: DomainDeps) {
  const change = (
    { user, site }: Awaited<ReturnType<SessionAccess['site']>>,
    action: string,
    domain: string,
    work: (db: Queries) => Promise<unknown>,
  ): Promise<string[]> =>
    database.write((db) =>
      changeDomains(db, user.id, { siteId: site.id, action, domain }, () => work(db)),
    );
  return new Elysia({ name: 'domains', prefix: '/v1/sites/:site/domains' })
    .get(
      '',
      async ({ request, params }) => {
        const { site } = await bySession.site(request, params.site, 'viewer');
        return envelope('OK', shown(site.domains));
      },
      listOperation,
    )
    .post(
      '',
      async ({ request, params }) => {
        const signedIn = await bySession.site(request, params.site, 'editor');
        const body = validate(AddDomainBody, await readJsonBody(request, bodyByteMax));
        const domain = normalizeDomain(body.domain);
        const { id } = signedIn.site;
        let isNew = false;
        const domains = await change(signedIn, 'domain.added', domain, async (db) => {
          isNew = await addDomain(db, id, domain);
          if (body.primary === true) await makePrimary(db, id, domain);
        });
        const message = isNew ? 'Domain added' : 'Domain already there';
        return Response.json(envelope(message, shown(domains)), { status: isNew ? 201 : 200 });
      },
      addOperation,
    )
    .patch(
      '/:domain',
      async ({ request, params }) => {
        const signedIn = await bySession.site(request, params.site, 'editor');
        validate(UpdateDomainBody, await readJsonBody(request, bodyByteMax));
        const domain = normalizeDomain(params.domain);
        const domains = await change(signedIn, 'domain.primary', domain, (db) =>
          makePrimary(db, signedIn.site.id, domain),
        );
        return envelope('Domain is primary', shown(domains));
      },
      updateOperation,
    )
    .delete(
      '/:domain',
      async ({ request, params }) => {
        const signedIn = await bySession.site(request, params.site, 'editor');
        const domain = normalizeDomain(params.domain);
        const domains = await change(signedIn, 'domain.removed', domain, (db) =>
          removeDomain(db, signedIn.site.id, domain),
        );
        return envelope('Domain removed', shown(domains));
      },
      removeOperation,
    );
}

function shown(domains: readonly string[]) {
  return { items: domains.map((domain, index) => ({ domain, primary: index === 0 })) };
}
