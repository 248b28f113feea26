import { Elysia } from 'elysia';
import { insertAuditEntry } from '../auth/audit-log.ts';
import type { AuthContext } from '../auth/sessions.ts';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { paginateById } from '../http/pagination.ts';
import { requestContext } from '../http/request-context.ts';
import { parseId } from '../http/validation.ts';
import type { Services } from '../services.ts';
import { toVoiceRecord } from '../voices/schema.ts';
import { allowedVoices } from '../voices/store.ts';
import {
  CreateSiteBody,
  DeletedSiteParams,
  DeleteSiteQuery,
  exampleSite,
  SiteDetail,
  SiteId,
  SiteListQuery,
  SitePage,
  SiteParams,
  type SiteQuota,
  SiteRecord,
  SiteVoices,
  UpdateSiteVoicesBody,
} from './schema.ts';
import { adminFields, type SiteChanges, UpdateSiteBody } from './settings.ts';
import { createSite, updateSite, validateVoiceChoice } from './site-changes.ts';
import { findDeletedSite, findSite, listSites, type SiteWithDomains, toSiteRecord } from './store.ts';

const maxBodyBytes = 100_000;

const shared = { tag: 'Sites', access: 'session' } as const;

const listSpec = endpointSpec({
  summary: 'List sites',
  description: 'Sites on which the user has a role, ordered by id, with this month’s post quota. Admins see all sites.',
  ...shared,
  query: SiteListQuery,
  responses: reply(200, 'OK', 'A page of sites', SitePage),
  errors: ['not_allowed'],
});

const createSpec = endpointSpec({
  summary: 'Create a site',
  description:
    'Requires the admin role. With `trial_ends_at` the subscription is `trialing`. Public suffixes and IP addresses as domains need `force`.',
  ...shared,
  role: 'admin',
  body: CreateSiteBody,
  bodyExample: { name: 'Harbor News', domains: ['www.example.org', 'example.org'] },
  maxBodyBytes,
  responses: reply(201, 'Site created', 'Site created', SiteRecord),
  errors: ['domain_taken'],
});

const showSpec = endpointSpec({
  summary: 'Get a site',
  description: 'Includes this month’s post quota.',
  ...shared,
  role: 'viewer',
  params: SiteParams,
  responses: reply(200, 'OK', 'The site', SiteDetail),
});

const updateSpec = endpointSpec({
  summary: 'Update a site',
  description: `Requires the editor role; ${adminFields.map((name) => `\`${name}\``).join(', ')} require the admin role. A new bit rate or new narration settings apply to audio generated afterwards.`,
  ...shared,
  role: 'editor',
  params: SiteParams,
  body: UpdateSiteBody,
  bodyExample: { bit_rate_kbps: 96, default_voice_id: 2 },
  maxBodyBytes,
  responses: reply(200, 'Site updated', 'The updated site', SiteRecord, {
    example: { ...exampleSite, bit_rate_kbps: 96, default_voice_id: 2 },
  }),
  errors: ['plan_restriction'],
});

const deleteSpec = endpointSpec({
  summary: 'Delete a site',
  description:
    'Requires the admin role. API keys, domains, MP3 URLs and queued jobs end at once. `…/restore` undoes it, by default for 30 days; then the data is deleted. Slug and domains are free for other sites.',
  ...shared,
  role: 'admin',
  params: SiteParams,
  query: DeleteSiteQuery,
  responses: reply(200, 'Site deleted', 'Site deleted', SiteId, { example: { id: 1, slug: 'harbor-news' } }),
});

const restoreSpec = endpointSpec({
  summary: 'Restore a deleted site',
  description:
    'Requires the admin role. Everything is as before: posts, MP3 URLs, API keys, users, feeds; waiting audio is generated. The site gets those of its domains that no other site has taken (409 if all are), and another slug where its own is taken.',
  ...shared,
  role: 'admin',
  params: DeletedSiteParams,
  responses: reply(200, 'Site restored', 'The site', SiteRecord),
  errors: ['domain_taken'],
});

/**
 * @param getQuotas returns this month's usage of the sites, in their order
 */
export function siteRoutes(services: Services, getQuotas: (sites: readonly Site[]) => Promise<SiteQuota[]>) {
  const { endpoint, database, siteDeletion, config } = services;
  return new Elysia({ name: 'sites', prefix: '/v1/sites' })
    .get(
      '',
      ...endpoint(listSpec, async ({ user, query }) => {
        const isAdmin = user.role === 'admin';
        const isDeleted = query.state === 'deleted';
        if (isDeleted && !isAdmin) throw new AppError('not_allowed');
        const userId = isAdmin ? undefined : user.id;
        return paginateById(
          query,
          (after, limit) => listSites(database.read, { userId, after, limit, isDeleted }),
          async (sites) => withQuotas(sites, await getQuotas(sites)),
        );
      }),
    )
    .post(
      '',
      ...endpoint(createSpec, async ({ user, body }) => {
        const newSite = {
          ...{ name: body.name, domains: body.domains },
          ...{ plan: body.plan ?? 'enterprise', trial_ends_at: body.trial_ends_at ?? null },
          time_zone: body.time_zone ?? config.timeZone,
        };
        return toSiteRecord(await database.write('server', (db) => createSite(db, user.id, newSite, body.force)));
      }),
    )
    .get(
      '/:site',
      ...endpoint(showSpec, async ({ user, site, siteRole }) => {
        const [record] = withQuotas([site], await getQuotas([site]));
        if (record === undefined) throw new Error('a site has no quota');
        const role: SiteDetail['role'] = user.role === 'admin' ? 'admin' : siteRole;
        return { ...record, role };
      }),
    )
    .patch(
      '/:site',
      ...endpoint(updateSpec, async (caller) => {
        requireAdminForAdminFields(caller, caller.body);
        return toSiteRecord(await updateSiteForUser(services, caller, caller.body));
      }),
    )
    .delete(
      '/:site',
      ...endpoint(deleteSpec, async ({ request, user, params, query: { permanently = false } }) => {
        const site = await findSite(database.read, params.site).catch((error: unknown) => {
          if (!permanently) throw error;
          return findDeletedSite(database.read, parseId(params.site, 'Site'));
        });
        const { id, slug } = site;
        requestContext(request).siteId = id;
        await database.write(id, async (db) => {
          if (site.deleted_at === null) await siteDeletion.deleteSite(db, id);
          if (permanently) await siteDeletion.purgeSite(db, id);
          await insertAuditEntry(db, {
            ...{ userId: user.id, action: permanently ? 'site.purged' : 'site.deleted', siteId: id, subject: slug },
            before: toSiteRecord(site),
          });
        });
        return { id, slug };
      }),
    )
    .post(
      '/:site/restore',
      ...endpoint(restoreSpec, async ({ request, user, params }) => {
        const siteId = parseId(params.site, 'Site');
        requestContext(request).siteId = siteId;
        return database.write(siteId, async (db) => {
          const site = await siteDeletion.restoreSite(db, siteId);
          const after = toSiteRecord(site);
          await insertAuditEntry(db, { userId: user.id, action: 'site.restored', siteId, subject: site.slug, after });
          return after;
        });
      }),
    );
}

/**
 * Changes a site for a user, with its entry in the audit log.
 * @throws AppError `validation_failed`, `plan_restriction`: the voices it names
 */
async function updateSiteForUser(
  { database, catalog }: Pick<Services, 'database' | 'catalog'>,
  { user, site: { id } }: AuthContext & { readonly site: Pick<Site, 'id'> },
  changes: SiteChanges,
): Promise<SiteWithDomains> {
  const voices = await catalog.voices();
  return database.write(id, async (db) => {
    const { plan } = await findSite(db, String(id));
    validateVoiceChoice(voices, changes.plan ?? plan, changes);
    return updateSite(db, user.id, id, changes);
  });
}

/** @param quotas in the order of the sites */
function withQuotas(sites: readonly SiteWithDomains[], quotas: readonly SiteQuota[]) {
  return sites.flatMap((site, index) => {
    const quota = quotas[index];
    const { deleted_at, purge_at } = site;
    return quota === undefined ? [] : [{ ...toSiteRecord(site), quota, deleted_at, purge_at }];
  });
}

function requireAdminForAdminFields({ user }: AuthContext, body: UpdateSiteBody): void {
  const restricted = adminFields.filter((name) => body[name] !== undefined);
  if (user.role === 'admin' || restricted.length === 0) return;
  throw new AppError(
    'not_allowed',
    'Not allowed',
    Object.fromEntries(restricted.map((name) => [name, ['requires the admin role']])),
  );
}

const showVoicesSpec = endpointSpec({
  ...shared,
  summary: 'Get voice settings',
  role: 'viewer',
  params: SiteParams,
  responses: reply(200, 'OK', 'Voice settings and the voices available to the site', SiteVoices),
});

const updateVoicesSpec = endpointSpec({
  ...shared,
  summary: 'Update voice settings',
  description: 'Requires the editor role. Existing audio is not changed.',
  role: 'editor',
  params: SiteParams,
  body: UpdateSiteVoicesBody,
  bodyExample: { default_voice_id: 1, allow_switch: true, extra_voices: [2] },
  responses: reply(200, 'Voices updated', 'The updated voice settings', SiteVoices),
  errors: ['plan_restriction'],
});

export function siteVoiceRoutes(services: Services) {
  const { endpoint, catalog } = services;
  const toVoiceSettings = async (site: SiteWithDomains) => {
    const { default_voice_id, default_voices, allow_switch, extra_voices } = toSiteRecord(site);
    const voices = allowedVoices(await catalog.voices(), site).map(toVoiceRecord);
    return { default_voice_id, default_voices, allow_switch, extra_voices, voices };
  };
  return new Elysia({ name: 'site-voices', prefix: '/v1/sites/:site/voices' })
    .get('', ...endpoint(showVoicesSpec, ({ site }) => toVoiceSettings(site)))
    .patch(
      '',
      ...endpoint(updateVoicesSpec, async (caller) => {
        const { default_voice_id, default_voices, allow_switch, extra_voices } = caller.body;
        const changes = { default_voice_id, default_voices, allow_switch, extra_voices };
        return toVoiceSettings(await updateSiteForUser(services, caller, changes));
      }),
    );
}
