import { sql } from 'kysely';
import { normalizeDomain } from '../auth/domain-access.ts';
import { timestamp } from '../clock.ts';
import { fromColumns, toColumns } from '../database/columns.ts';
import type { Queries } from '../database/database.ts';
import type { Plan, Site } from '../database/schema.ts';
import { AppError, notFound } from '../errors.ts';
import { parseNarrationSettings } from '../speech/narration-settings.ts';
import { parsePlayerSettings } from './player-settings.ts';
import { SiteRecord } from './schema.ts';
import { parseFeedSettings, type SiteChanges, SiteSettings } from './settings.ts';

export function toSiteRecord(site: SiteWithDomains): SiteRecord {
  const reading = parseNarrationSettings(site.reading);
  const feed = parseFeedSettings(site.feed);
  const player = parsePlayerSettings(site.player);
  return fromColumns(SiteRecord, { ...site, reading, feed, player });
}

/** A site for the audit log, whose entries have their own time. */
export function toAuditState(site: SiteWithDomains): Omit<SiteRecord, 'updated_at'> {
  const { updated_at: _, ...audited } = toSiteRecord(site);
  return audited;
}

/** A site with its hosts, the primary one first. */
export type SiteWithDomains = Site & { readonly domains: string[] };

export interface NewSite {
  readonly name: string;
  readonly domains: readonly string[];
  readonly plan: Plan;
  readonly trial_ends_at: string | null;
  readonly time_zone?: string | undefined;
}

const maxSlugLength = 60;

/**
 * Run it in a transaction.
 * @throws AppError `domain_taken`, `validation_failed`
 */
export async function insertSite(db: Queries, site: NewSite): Promise<SiteWithDomains> {
  const now = timestamp();
  const row = await db
    .insertInto('site')
    .values({
      slug: await generateSlug(db, site.name),
      name: site.name,
      plan: site.plan,
      subscription: site.trial_ends_at === null ? 'active' : 'trialing',
      trial_ends_at: site.trial_ends_at,
      ...(site.time_zone !== undefined && { time_zone: site.time_zone }),
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  for (const domain of site.domains.map(normalizeDomain)) await addDomain(db, row.id, domain);
  return loadDomains(db, row);
}

export async function updateSiteRow(db: Queries, before: Site, changes: SiteChanges): Promise<SiteWithDomains> {
  await db
    .updateTable('site')
    .set({ ...toColumns(SiteSettings, changes, before), updated_at: timestamp() })
    .where('id', '=', before.id)
    .execute();
  return findSite(db, String(before.id));
}

export interface SiteFilter {
  /** Sites on which the user has a role; undefined: all sites. */
  readonly userId?: number | undefined;
  /** Id of the site before. */
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
  /** Those that can be restored, in place of the others. */
  readonly isDeleted?: boolean | undefined;
}

export async function listSites(
  db: Queries,
  { userId, after, limit, isDeleted = false }: SiteFilter = {},
): Promise<SiteWithDomains[]> {
  const sites = await db
    .selectFrom('site')
    .selectAll()
    .where((site) => (isDeleted ? site('purge_at', '>', timestamp()) : site('deleted_at', 'is', null)))
    .$if(userId !== undefined, (all) =>
      all.where('id', 'in', (domains) =>
        domains
          .selectFrom('membership')
          .select('site_id')
          .where('user_id', '=', userId ?? 0),
      ),
    )
    .$if(after !== undefined, (all) => all.where('id', '>', after ?? 0))
    .orderBy('id')
    .$if(limit !== undefined, (all) => all.limit(limit ?? 0))
    .execute();
  return Promise.all(sites.map((site) => loadDomains(db, site)));
}

/**
 * @throws AppError `not_found`
 */
export async function findSite(db: Queries, idOrSlug: string): Promise<SiteWithDomains> {
  const number = /^\d+$/.test(idOrSlug) ? Number(idOrSlug) : -1;
  const site = await db
    .selectFrom('site')
    .selectAll()
    .where((is) => is.or([is('id', '=', number), is('slug', '=', idOrSlug)]))
    .where('deleted_at', 'is', null)
    .orderBy((order) => order.case().when('id', '=', number).then(0).else(1).end())
    .executeTakeFirst();
  if (site === undefined) throw notFound('Site', idOrSlug);
  return loadDomains(db, site);
}

/** @throws AppError `not_found`, also when its data is being deleted */
export async function findDeletedSite(db: Queries, siteId: number): Promise<SiteWithDomains> {
  const site = await db
    .selectFrom('site')
    .selectAll()
    .where('id', '=', siteId)
    .where('purge_at', '>', timestamp())
    .executeTakeFirst();
  if (site === undefined) throw notFound('Deleted site', siteId);
  return loadDomains(db, site);
}

async function loadDomains(db: Queries, site: Site): Promise<SiteWithDomains> {
  const domains = await listDomains(db, site.id);
  if (site.deleted_at === null) return { ...site, domains };
  const toFormer = (name: string): string => name.replace(buildDeletedPrefix(site.id), '');
  return { ...site, slug: toFormer(site.slug), domains: domains.map(toFormer) };
}

/** Of slug and domains of a deleted site, which are free for others: no slug and no host begins with it. */
function buildDeletedPrefix(siteId: number): string {
  return `deleted:${siteId}:`;
}

/** Hides a site, until it is restored or its rows are deleted. */
export async function hideSite(db: Queries, siteId: number, purgeAt: string): Promise<void> {
  const prefix = buildDeletedPrefix(siteId);
  const now = timestamp();
  await db
    .updateTable('site')
    .set({ deleted_at: now, purge_at: purgeAt, slug: sql<string>`${prefix} || slug`, updated_at: now })
    .where('id', '=', siteId)
    .execute();
  await db
    .updateTable('site_domain')
    .set({ domain: sql<string>`${prefix} || domain` })
    .where('site_id', '=', siteId)
    .execute();
}

/**
 * Shows a deleted site again, with those of its domains that no other site has taken, and a similar slug where its own is taken.
 * @throws AppError `not_found`; `domain_taken`: all of its domains
 */
export async function showSite(db: Queries, siteId: number): Promise<SiteWithDomains> {
  const { slug, domains } = await findDeletedSite(db, siteId);
  const taken = await db.selectFrom('site_domain').select('domain').where('domain', 'in', domains).execute();
  const free = domains.filter((domain) => taken.every((other) => other.domain !== domain));
  if (free.length === 0) throw domainTakenError(domains[0] ?? '');
  await db.deleteFrom('site_domain').where('site_id', '=', siteId).execute();
  for (const domain of free) await addDomain(db, siteId, domain);
  await db
    .updateTable('site')
    .set({ deleted_at: null, purge_at: null, slug: await findFreeSlug(db, slug), updated_at: timestamp() })
    .where('id', '=', siteId)
    .execute();
  return findSite(db, String(siteId));
}

async function generateSlug(db: Queries, name: string): Promise<string> {
  const words = name
    .normalize('NFKD')
    // The decomposed accents would split the word.
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['site'];
  const base = words.join('-').slice(0, maxSlugLength);
  // Digits alone would be an id.
  return findFreeSlug(db, /^\d+$/.test(base) ? `site-${base}` : base);
}

async function findFreeSlug(db: Queries, stem: string): Promise<string> {
  const similar = await db
    .selectFrom('site')
    .select('slug')
    .where((is) => is.or([is('slug', '=', stem), is('slug', 'like', `${stem}-%`)]))
    .execute();
  const slugs = new Set(similar.map(({ slug }) => slug));
  if (!slugs.has(stem)) return stem;
  let number = 2;
  while (slugs.has(`${stem}-${number}`)) number += 1;
  return `${stem}-${number}`;
}

export const maxDomains = 100;

/** @returns the hosts of a site, the primary one first */
export async function listDomains(db: Queries, siteId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('site_domain')
    .select('domain')
    .where('site_id', '=', siteId)
    .orderBy('position')
    .execute();
  return rows.map(({ domain }) => domain);
}

/**
 * Adds a host after the others; an existing one stays in its place. Run it in a transaction.
 * @param domain as `normalizeDomain` writes it
 * @returns false when the site had it already
 * @throws AppError `domain_taken`; `conflict` when the site has too many
 */
export async function addDomain(db: Queries, siteId: number, domain: string): Promise<boolean> {
  const domains = await listDomains(db, siteId);
  if (domains.includes(domain)) return false;
  if (domains.length >= maxDomains) {
    throw new AppError('conflict', `A site has at most ${maxDomains} domains`);
  }
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('site_domain')
    .values({ domain, site_id: siteId, position: domains.length })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) {
    throw domainTakenError(domain);
  }
  return true;
}

function domainTakenError(domain: string): AppError {
  return new AppError('domain_taken', 'Domain already registered', { domain: [`${domain} belongs to another site`] });
}

/** A host that an editor has requested, until an admin decides. */
type DomainClaim = Awaited<ReturnType<typeof listDomainClaims>>[number];

/** @returns the requested hosts of a site, the oldest first */
export function listDomainClaims(db: Queries, siteId: number) {
  return db
    .selectFrom('domain_claim')
    .select(['domain', 'requested_by', 'requested_at'])
    .where('site_id', '=', siteId)
    .orderBy('requested_at')
    .orderBy('domain')
    .execute();
}

/** @returns the number of requested hosts of each site that has any */
export function countDomainClaims(db: Queries) {
  return db
    .selectFrom('domain_claim')
    .innerJoin('site', 'site.id', 'domain_claim.site_id')
    .select(['site.slug as site', (row) => row.fn.countAll<number>().as('count')])
    .where('site.deleted_at', 'is', null)
    .groupBy('site.id')
    .orderBy('site.id')
    .execute();
}

/**
 * Stores a request for a host; a repeated one stays as it is. Run it in a transaction.
 * @returns false when it was requested before
 * @throws AppError `domain_taken`; `conflict` when the site has too many
 */
export async function insertDomainClaim(
  db: Queries,
  siteId: number,
  { domain, requested_by }: Pick<DomainClaim, 'domain' | 'requested_by'>,
): Promise<boolean> {
  const owner = await db.selectFrom('site_domain').select('site_id').where('domain', '=', domain).executeTakeFirst();
  if (owner !== undefined) throw domainTakenError(domain);
  const claims = await listDomainClaims(db, siteId);
  if (claims.some((claim) => claim.domain === domain)) return false;
  if (claims.length >= maxDomains) throw new AppError('conflict', `A site has at most ${maxDomains} requested domains`);
  const requested_at = timestamp();
  await db.insertInto('domain_claim').values({ site_id: siteId, domain, requested_by, requested_at }).execute();
  return true;
}

/** @param requestedBy undefined: anybody @returns the deleted request; undefined if there was none */
export function deleteDomainClaim(
  db: Queries,
  siteId: number,
  domain: string,
  requestedBy?: string,
): Promise<DomainClaim | undefined> {
  return db
    .deleteFrom('domain_claim')
    .where('site_id', '=', siteId)
    .where('domain', '=', domain)
    .$if(requestedBy !== undefined, (all) => all.where('requested_by', '=', requestedBy ?? ''))
    .returning(['domain', 'requested_by', 'requested_at'])
    .executeTakeFirst();
}

/**
 * Run it in a transaction. After the primary domain the next one is primary.
 * @throws AppError `not_found`; `conflict` for the last one: public routes find a site by its domains alone
 */
export async function removeDomain(db: Queries, siteId: number, domain: string): Promise<void> {
  const domains = await listDomains(db, siteId);
  requireOwnDomain(domains, domain);
  if (domains.length === 1) {
    throw new AppError('conflict', 'A site needs at least one domain. Add another domain first.');
  }
  await db.deleteFrom('site_domain').where('site_id', '=', siteId).where('domain', '=', domain).execute();
  await updateDomainPositions(
    db,
    domains.filter((other) => other !== domain),
  );
}

/**
 * Puts a host of the site first. Run it in a transaction.
 * @throws AppError `not_found`
 */
export async function setPrimaryDomain(db: Queries, siteId: number, domain: string): Promise<void> {
  const domains = await listDomains(db, siteId);
  requireOwnDomain(domains, domain);
  await updateDomainPositions(db, [domain, ...domains.filter((other) => other !== domain)]);
}

function requireOwnDomain(domains: readonly string[], domain: string): void {
  if (!domains.includes(domain)) {
    throw new AppError('not_found', `Domain ${domain} not found on this site`);
  }
}

async function updateDomainPositions(db: Queries, domains: readonly string[]): Promise<void> {
  for (const [position, domain] of domains.entries()) {
    await db.updateTable('site_domain').set({ position }).where('domain', '=', domain).execute();
  }
}
