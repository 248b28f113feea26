import { Elysia } from 'elysia';
import type { QuotaFigures } from '../audio/quota.ts';
import type { SiteRemoval } from '../audio/site-deletion.ts';
import { audit } from '../auth/audit-log.ts';
import type { SessionAccess, SignedIn } from '../auth/sessions.ts';
import type { Database } from '../database/open.ts';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { described, envelope } from '../http/endpoint.ts';
import { pageFrom, startOfPage } from '../http/pagination.ts';
import { readJsonBody } from '../http/request-body.ts';
import { readQuery, readTimestamp, validate } from '../http/validation.ts';
import { usualReading } from '../speech/narration-settings.ts';
import type { Catalog } from '../voices/catalog.ts';
import { usualFeed } from './feed-settings.ts';
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
import { addSite, changeSite, checkVoiceChoice } from './site-changes.ts';
import {
  findSite,
  listSites,
  memberRole,
  type SiteChanges,
  type SiteWithDomains,
  siteRecord,
} from './store.ts';

const bodyByteMax = 100_000;

export interface SiteDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly bySession: SessionAccess;
  /** In the order given. */
  readonly quotasOf: (sites: readonly Site[]) => Promise<QuotaFigures[]>;
  readonly siteRemoval: Pick<SiteRemoval, 'begin'>;
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
  reading: usualReading,
  feed: usualFeed,
  created_at: '2026-11-02T08:15:00.000Z',
  updated_at: '2026-11-02T08:15:00.000Z',
};
const exampleQuota = { month: '2026-11', posts_used: 17, posts_limit: null };

const listOperation = described({
  summary: 'Sites one has a part in',
  description:
    'By id, with the posts that count against the plan of each this month. Admins see all.',
  tag: 'Sites',
  access: 'session',
  query: SitesQuery,
  answers: {
    200: {
      description: 'A page of sites',
      message: 'OK',
      data: SitePage,
      example: { items: [{ ...exampleSite, quota: exampleQuota }], next_cursor: null },
    },
  },
});

const createOperation = described({
  summary: 'Add a site',
  description: 'For admins. A trial is a subscription with an end.',
  tag: 'Sites',
  access: 'session',
  body: CreateSiteBody,
  bodyExample: { name: 'Harbor News', domains: ['www.example.org', 'example.org'] },
  answers: {
    201: { description: 'Added', message: 'Site created', data: SiteRecord, example: exampleSite },
  },
  errors: ['not_allowed', 'domain_taken'],
});

const showOperation = described({
  summary: 'One site',
  description: 'With the posts that count against its plan this month.',
  tag: 'Sites',
  access: 'session',
  params: SiteParams,
  answers: {
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

const updateOperation = described({
  summary: 'Change a site',
  description: `For editors; ${adminFields.map((name) => `\`${name}\``).join(', ')} for admins only. Another bit rate or way of reading holds for what is made from then on.`,
  tag: 'Sites',
  access: 'session',
  params: SiteParams,
  body: UpdateSiteBody,
  bodyExample: { bit_rate_kbps: 96, default_voice_id: 2 },
  answers: {
    200: {
      description: 'The site as it is now',
      message: 'Site updated',
      data: SiteRecord,
      example: { ...exampleSite, bit_rate_kbps: 96, default_voice_id: 2 },
    },
  },
  errors: ['not_found', 'not_allowed', 'plan_restriction'],
});

const deleteOperation = described({
  summary: 'Delete a site',
  description:
    'For admins. Keys, domains and MP3 addresses end at once, and so does queued work; the rows follow in the background.',
  tag: 'Sites',
  access: 'session',
  params: SiteParams,
  answers: {
    200: {
      description: 'Deleted',
      message: 'Site deleted',
      data: SiteId,
      example: { id: 1, slug: 'harbor-news' },
    },
  },
  errors: ['not_found', 'not_allowed'],
});

/** Sites: who may have posts spoken, and how. */
export function siteRoutes(deps: SiteDeps) {
  const { database, bySession, siteRemoval } = deps;
  return new Elysia({ name: 'sites', prefix: '/v1/sites' })
    .get(
      '',
      async ({ request }) => {
        const { user } = await bySession.user(request);
        const { limit, after } = startOfPage(
          readQuery(SitesQuery, request),
          SiteRecord.properties.id,
        );
        const ofUser = user.role === 'admin' ? undefined : user.id;
        const sites = await listSites(database.read, { ofUser, after, most: limit + 1 });
        const page = pageFrom(
          sites,
          limit,
          ({ id }) => id,
          (site) => site,
        );
        const items = await listedSites(deps, page.items);
        return envelope('OK', { items, next_cursor: page.next_cursor });
      },
      listOperation,
    )
    .post(
      '',
      async ({ request }) => {
        const { user } = await bySession.admin(request);
        const body = validate(CreateSiteBody, await readJsonBody(request, bodyByteMax));
        const created = {
          name: readName(body.name),
          domains: body.domains,
          plan: body.plan ?? 'enterprise',
          trialEndsAt: readTrialEnd(body.trial_ends_at) ?? null,
        };
        const site = await database.write((db) => addSite(db, user.id, created));
        return Response.json(envelope('Site created', siteRecord(site)), { status: 201 });
      },
      createOperation,
    )
    .get(
      '/:site',
      async ({ request, params }) => {
        const signedIn = await bySession.site(request, params.site, 'viewer');
        const role = await roleIn(deps, signedIn);
        const [listed] = await listedSites(deps, [signedIn.site]);
        if (listed === undefined) throw new Error('a site has no record');
        return envelope('OK', { ...listed, role });
      },
      showOperation,
    )
    .patch(
      '/:site',
      async ({ request, params }) => {
        const signedIn = await bySession.site(request, params.site, 'editor');
        const body = validate(UpdateSiteBody, await readJsonBody(request, bodyByteMax));
        checkRights(signedIn, body);
        const site = await updateForUser(deps, signedIn, readChanges(body));
        return envelope('Site updated', siteRecord(site));
      },
      updateOperation,
    )
    .delete(
      '/:site',
      async ({ request, params }) => {
        const { user } = await bySession.admin(request);
        const { site } = await bySession.site(request, params.site, 'editor');
        await siteRemoval.begin(site.id, (db) =>
          audit(db, {
            ...{ userId: user.id, action: 'site.deleted', siteId: site.id, subject: site.slug },
            before: siteRecord(site),
          }),
        );
        return envelope('Site deleted', { id: site.id, slug: site.slug });
      },
      deleteOperation,
    );
}

/**
 * Changes a site for a user, with its entry in the audit log.
 * @throws AppError `validation_failed`, `plan_restriction`: the voices it names
 */
export async function updateForUser(
  { database, catalog }: Pick<SiteDeps, 'database' | 'catalog'>,
  { user, site: { id } }: SignedIn & { readonly site: Pick<Site, 'id'> },
  changes: SiteChanges,
): Promise<SiteWithDomains> {
  const voices = await catalog.voices();
  return database.write(async (db) => {
    const { plan } = await findSite(db, String(id));
    checkVoiceChoice(voices, changes.plan ?? plan, changes);
    return changeSite(db, user.id, id, changes);
  });
}

/** With what each has used this month. */
async function listedSites({ quotasOf }: SiteDeps, sites: readonly SiteWithDomains[]) {
  const quotas = await quotasOf(sites);
  return sites.flatMap((site, index) => {
    const quota = quotas[index];
    return quota === undefined ? [] : [{ ...siteRecord(site), quota }];
  });
}

async function roleIn(
  { database }: SiteDeps,
  { user, site }: SignedIn & { readonly site: Site },
): Promise<SiteDetail['role']> {
  if (user.role === 'admin') return 'admin';
  return (await memberRole(database.read, user.id, site.id)) ?? 'viewer';
}

function checkRights({ user }: SignedIn, body: UpdateSiteBody): void {
  const named = adminFields.filter((name) => body[name] !== undefined);
  if (user.role === 'admin' || named.length === 0) return;
  throw new AppError(
    'not_allowed',
    'Not allowed',
    Object.fromEntries(named.map((name) => [name, ['only an admin may change it']])),
  );
}

function readChanges(body: UpdateSiteBody): SiteChanges {
  return {
    plan: body.plan,
    subscription: body.subscription,
    trialEndsAt: readTrialEnd(body.trial_ends_at),
    active: body.active,
    name: body.name === undefined ? undefined : readName(body.name),
    defaultVoiceId: body.default_voice_id,
    allowSwitch: body.allow_switch,
    extraVoices: body.extra_voices,
    bitRateKbps: body.bit_rate_kbps,
    timingsText: body.timings_text,
    reading: body.reading,
    feed: body.feed,
  };
}

function readName(given: string): string {
  const name = given.trim();
  if (name !== '') return name;
  throw new AppError('validation_failed', 'Validation failed', { name: ['must not be blank'] });
}

function readTrialEnd(given: string | null | undefined): string | null | undefined {
  if (given == null) return given;
  const moment = readTimestamp(given);
  if (moment !== undefined) return moment;
  throw new AppError('validation_failed', 'Validation failed', {
    trial_ends_at: ['must be an ISO 8601 date and time'],
  });
}
