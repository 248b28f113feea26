import { Elysia } from 'elysia';
import type { QuotaUsage } from '../audio/quota.ts';
import type { SiteDeletion } from '../audio/site-deletion.ts';
import { insertAuditEntry } from '../auth/audit-log.ts';
import type { AuthContext, RequireSession } from '../auth/sessions.ts';
import type { Database } from '../database/open.ts';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { endpointSpec, envelope, toEndpointHook } from '../http/endpoint.ts';
import { decodeCursor, paginate } from '../http/pagination.ts';
import { readJsonBody } from '../http/request-body.ts';
import { parseIsoTimestamp, parseQuery, validate } from '../http/validation.ts';
import { defaultNarrationSettings } from '../speech/narration-settings.ts';
import type { Catalog } from '../voices/catalog.ts';
import { defaultFeedSettings } from './feed-settings.ts';
import {
  adminFields,
  CreateSiteBody,
  SiteDetail,
  SiteId,
  SitePage,
  SiteParams,
  SiteRecord,
  SitesQuery,
  UpdateSiteBody,
} from './schema.ts';
import { createSite, updateSite, validateVoiceChoice } from './site-changes.ts';
import { findSite, findSiteRole, listSites, type SiteChanges, type SiteWithDomains, toSiteRecord } from './store.ts';

const maxBodyBytes = 100_000;

export interface SiteDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly requireSession: RequireSession;
  /** In the order given. */
  readonly getQuotas: (sites: readonly Site[]) => Promise<QuotaUsage[]>;
  readonly siteDeletion: Pick<SiteDeletion, 'deleteSite'>;
}

const exampleSite = {
  id: 1,
  slug: 'harbor-news',
  name: 'Harbor News',
  plan: 'enterprise',
  subscription: 'active',
  trial_ends_at: null,
  active: true,
  domains: ['www.example.org', 'example.org'],
  default_voice_id: 1,
  allow_switch: false,
  extra_voices: [],
  bit_rate_kbps: 64,
  timings_text: true,
  reading: defaultNarrationSettings,
  feed: defaultFeedSettings,
  created_at: '2026-11-02T08:15:00.000Z',
  updated_at: '2026-11-02T08:15:00.000Z',
};
const exampleQuota = { month: '2026-11', posts_used: 17, posts_limit: null };

const listOperation = endpointSpec({
  summary: 'List sites',
  description: 'Sites on which the user has a role, ordered by id, with this month’s post quota. Admins see all sites.',
  tag: 'Sites',
  access: 'session',
  query: SitesQuery,
  responses: {
    200: {
      description: 'A page of sites',
      message: 'OK',
      data: SitePage,
      example: { items: [{ ...exampleSite, quota: exampleQuota }], next_cursor: null },
    },
  },
});

const createOperation = endpointSpec({
  summary: 'Create a site',
  description: 'Requires the admin role. With `trial_ends_at` the subscription is `trialing`.',
  tag: 'Sites',
  access: 'session',
  body: CreateSiteBody,
  bodyExample: { name: 'Harbor News', domains: ['www.example.org', 'example.org'] },
  responses: {
    201: {
      description: 'Site created',
      message: 'Site created',
      data: SiteRecord,
      example: exampleSite,
    },
  },
  errors: ['not_allowed', 'domain_taken'],
});

const showOperation = endpointSpec({
  summary: 'Get a site',
  description: 'Includes this month’s post quota.',
  tag: 'Sites',
  access: 'session',
  params: SiteParams,
  responses: {
    200: {
      description: 'The site',
      message: 'OK',
      data: SiteDetail,
      example: {
        ...exampleSite,
        role: 'editor',
        quota: exampleQuota,
      },
    },
  },
  errors: ['not_found'],
});

const updateOperation = endpointSpec({
  summary: 'Update a site',
  description: `Requires the editor role; ${adminFields.map((name) => `\`${name}\``).join(', ')} require the admin role. A new bit rate or new narration settings apply to audio generated afterwards.`,
  tag: 'Sites',
  access: 'session',
  params: SiteParams,
  body: UpdateSiteBody,
  bodyExample: { bit_rate_kbps: 96, default_voice_id: 2 },
  responses: {
    200: {
      description: 'The updated site',
      message: 'Site updated',
      data: SiteRecord,
      example: { ...exampleSite, bit_rate_kbps: 96, default_voice_id: 2 },
    },
  },
  errors: ['not_found', 'not_allowed', 'plan_restriction'],
});

const deleteOperation = endpointSpec({
  summary: 'Delete a site',
  description:
    'Requires the admin role. API keys, domains, MP3 URLs and queued jobs end at once; the data is deleted in the background.',
  tag: 'Sites',
  access: 'session',
  params: SiteParams,
  responses: {
    200: {
      description: 'Site deleted',
      message: 'Site deleted',
      data: SiteId,
      example: { id: 1, slug: 'harbor-news' },
    },
  },
  errors: ['not_found', 'not_allowed'],
});

/** Sites: who may have posts spoken, and how. */
export function siteRoutes(deps: SiteDeps) {
  const { database, requireSession, siteDeletion } = deps;
  return new Elysia({ name: 'sites', prefix: '/v1/sites' })
    .get(
      '',
      async ({ request }) => {
        const { user } = await requireSession.user(request);
        const { limit, after } = decodeCursor(parseQuery(SitesQuery, request), SiteRecord.properties.id);
        const userId = user.role === 'admin' ? undefined : user.id;
        const sites = await listSites(database.read, { userId, after, limit: limit + 1 });
        const page = paginate(
          sites,
          limit,
          ({ id }) => id,
          (site) => site,
        );
        const items = await toListedSites(deps, page.items);
        return envelope('OK', { items, next_cursor: page.next_cursor });
      },
      toEndpointHook(listOperation),
    )
    .post(
      '',
      async ({ request }) => {
        const { user } = await requireSession.admin(request);
        const body = validate(CreateSiteBody, await readJsonBody(request, maxBodyBytes));
        const created = {
          name: parseSiteName(body.name),
          domains: body.domains,
          plan: body.plan ?? 'enterprise',
          trialEndsAt: parseTrialEnd(body.trial_ends_at) ?? null,
        };
        const site = await database.write((db) => createSite(db, user.id, created));
        return Response.json(envelope('Site created', toSiteRecord(site)), { status: 201 });
      },
      toEndpointHook(createOperation),
    )
    .get(
      '/:site',
      async ({ request, params }) => {
        const signedIn = await requireSession.site(request, params.site, 'viewer');
        const role = await resolveRole(deps, signedIn);
        const [listed] = await toListedSites(deps, [signedIn.site]);
        if (listed === undefined) throw new Error('a site has no record');
        return envelope('OK', { ...listed, role });
      },
      toEndpointHook(showOperation),
    )
    .patch(
      '/:site',
      async ({ request, params }) => {
        const signedIn = await requireSession.site(request, params.site, 'editor');
        const body = validate(UpdateSiteBody, await readJsonBody(request, maxBodyBytes));
        requireAdminForAdminFields(signedIn, body);
        const site = await updateSiteForUser(deps, signedIn, toSiteChanges(body));
        return envelope('Site updated', toSiteRecord(site));
      },
      toEndpointHook(updateOperation),
    )
    .delete(
      '/:site',
      async ({ request, params }) => {
        const { user } = await requireSession.admin(request);
        const { site } = await requireSession.site(request, params.site, 'editor');
        await siteDeletion.deleteSite(site.id, (db) =>
          insertAuditEntry(db, {
            ...{ userId: user.id, action: 'site.deleted', siteId: site.id, subject: site.slug },
            before: toSiteRecord(site),
          }),
        );
        return envelope('Site deleted', { id: site.id, slug: site.slug });
      },
      toEndpointHook(deleteOperation),
    );
}

/**
 * Changes a site for a user, with its entry in the audit log.
 * @throws AppError `validation_failed`, `plan_restriction`: the voices it names
 */
export async function updateSiteForUser(
  { database, catalog }: Pick<SiteDeps, 'database' | 'catalog'>,
  { user, site: { id } }: AuthContext & { readonly site: Pick<Site, 'id'> },
  changes: SiteChanges,
): Promise<SiteWithDomains> {
  const voices = await catalog.voices();
  return database.write(async (db) => {
    const { plan } = await findSite(db, String(id));
    validateVoiceChoice(voices, changes.plan ?? plan, changes);
    return updateSite(db, user.id, id, changes);
  });
}

/** With what each has used this month. */
async function toListedSites({ getQuotas }: SiteDeps, sites: readonly SiteWithDomains[]) {
  const quotas = await getQuotas(sites);
  return sites.flatMap((site, index) => {
    const quota = quotas[index];
    return quota === undefined ? [] : [{ ...toSiteRecord(site), quota }];
  });
}

async function resolveRole(
  { database }: SiteDeps,
  { user, site }: AuthContext & { readonly site: Site },
): Promise<SiteDetail['role']> {
  if (user.role === 'admin') return 'admin';
  return (await findSiteRole(database.read, user.id, site.id)) ?? 'viewer';
}

function requireAdminForAdminFields({ user }: AuthContext, body: UpdateSiteBody): void {
  const named = adminFields.filter((name) => body[name] !== undefined);
  if (user.role === 'admin' || named.length === 0) return;
  throw new AppError(
    'not_allowed',
    'Not allowed',
    Object.fromEntries(named.map((name) => [name, ['requires the admin role']])),
  );
}

function toSiteChanges(body: UpdateSiteBody): SiteChanges {
  return {
    plan: body.plan,
    subscription: body.subscription,
    trialEndsAt: parseTrialEnd(body.trial_ends_at),
    active: body.active,
    name: body.name === undefined ? undefined : parseSiteName(body.name),
    defaultVoiceId: body.default_voice_id,
    allowSwitch: body.allow_switch,
    extraVoices: body.extra_voices,
    bitRateKbps: body.bit_rate_kbps,
    timingsText: body.timings_text,
    reading: body.reading,
    feed: body.feed,
  };
}

function parseSiteName(given: string): string {
  const name = given.trim();
  if (name !== '') return name;
  throw new AppError('validation_failed', 'Validation failed', { name: ['must not be blank'] });
}

function parseTrialEnd(given: string | null | undefined): string | null | undefined {
  if (given == null) return given;
  const moment = parseIsoTimestamp(given);
  if (moment !== undefined) return moment;
  throw new AppError('validation_failed', 'Validation failed', {
    trial_ends_at: ['must be an ISO 8601 date and time'],
  });
}
