import type { Queries } from '../database/open.ts';
import type { Plan, Site, Subscription } from '../database/tables.ts';
import { AppError } from '../errors.ts';
import { normalizeDomain } from './domain.ts';

/** A site with its hosts, the primary one first. */
export type SiteWithDomains = Site & { readonly domains: string[] };

export interface NewSite {
  readonly name: string;
  readonly domains: readonly string[];
  readonly plan: Plan;
  readonly trialEndsAt: string | null;
}

export interface SiteChanges {
  readonly plan?: Plan | undefined;
  readonly subscription?: Subscription | undefined;
  readonly active?: boolean | undefined;
  readonly trialEndsAt?: string | undefined;
  readonly defaultVoiceId?: number | undefined;
  readonly allowSwitch?: boolean | undefined;
}

const slugLengthMax = 60;

/**
 * Run it in a transaction.
 * @throws AppError `domain_taken`, `validation_failed`
 */
export async function insertSite(db: Queries, site: NewSite): Promise<SiteWithDomains> {
  const now = new Date().toISOString();
  const row = await db
    .insertInto('site')
    .values({
      slug: await freeSlug(db, site.name),
      name: site.name,
      plan: site.plan,
      subscription: site.trialEndsAt === null ? 'active' : 'trialing',
      trial_ends_at: site.trialEndsAt,
      active: 1,
      default_voice_id: null,
      allow_switch: 0,
      bit_rate_kbps: 64,
      timings_text: 1,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const domains = [...new Set(site.domains.map(normalizeDomain))];
  for (const [position, domain] of domains.entries()) {
    await insertDomain(db, { domain, site_id: row.id, position });
  }
  return { ...row, domains };
}

/** @throws AppError `not_found` */
export async function updateSite(
  db: Queries,
  siteId: number,
  changes: SiteChanges,
): Promise<SiteWithDomains> {
  await db
    .updateTable('site')
    .set({
      ...(changes.plan !== undefined && { plan: changes.plan }),
      ...(changes.subscription !== undefined && { subscription: changes.subscription }),
      ...(changes.active !== undefined && { active: Number(changes.active) }),
      ...(changes.trialEndsAt !== undefined && { trial_ends_at: changes.trialEndsAt }),
      ...(changes.defaultVoiceId !== undefined && { default_voice_id: changes.defaultVoiceId }),
      ...(changes.allowSwitch !== undefined && { allow_switch: Number(changes.allowSwitch) }),
      updated_at: new Date().toISOString(),
    })
    .where('id', '=', siteId)
    .execute();
  return findSite(db, String(siteId));
}

export async function listSites(db: Queries): Promise<SiteWithDomains[]> {
  const sites = await db.selectFrom('site').selectAll().orderBy('id').execute();
  return Promise.all(sites.map((site) => withDomains(db, site)));
}

/**
 * @param idOrSlug what a person names a site by
 * @throws AppError `not_found`
 */
export async function findSite(db: Queries, idOrSlug: string): Promise<SiteWithDomains> {
  const number = /^\d+$/.test(idOrSlug) ? Number(idOrSlug) : -1;
  const site = await db
    .selectFrom('site')
    .selectAll()
    .where((is) => is.or([is('id', '=', number), is('slug', '=', idOrSlug)]))
    .orderBy((order) => order.case().when('id', '=', number).then(0).else(1).end())
    .executeTakeFirst();
  if (site === undefined) throw new AppError('not_found', `There is no site ${idOrSlug}`);
  return withDomains(db, site);
}

async function withDomains(db: Queries, site: Site): Promise<SiteWithDomains> {
  const rows = await db
    .selectFrom('site_domain')
    .select('domain')
    .where('site_id', '=', site.id)
    .orderBy('position')
    .execute();
  return { ...site, domains: rows.map(({ domain }) => domain) };
}

async function insertDomain(
  db: Queries,
  row: { domain: string; site_id: number; position: number },
): Promise<void> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('site_domain')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) {
    throw new AppError('domain_taken', 'Domain already registered', {
      domain: [`${row.domain} belongs to another site`],
    });
  }
}

async function freeSlug(db: Queries, name: string): Promise<string> {
  const words = name
    .normalize('NFKD')
    // An accent stands behind its letter then, and would part the word.
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['site'];
  const base = words.join('-').slice(0, slugLengthMax);
  // A slug of digits alone would read as an id.
  const stem = /^\d+$/.test(base) ? `site-${base}` : base;
  const taken = await db
    .selectFrom('site')
    .select('slug')
    .where((is) => is.or([is('slug', '=', stem), is('slug', 'like', `${stem}-%`)]))
    .execute();
  const slugs = new Set(taken.map(({ slug }) => slug));
  if (!slugs.has(stem)) return stem;
  let number = 2;
  while (slugs.has(`${stem}-${number}`)) number += 1;
  return `${stem}-${number}`;
}
