import type { Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';

/** Domains a site may have. */
const domainsMax = 100;

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
 * Adds a host behind the others; one that the site has already stays where it is. Run it in a transaction.
 * @param domain as `normalizeDomain` writes it
 * @returns false when the site had it already
 * @throws AppError `domain_taken`; `conflict` when the site has too many
 */
export async function addDomain(db: Queries, siteId: number, domain: string): Promise<boolean> {
  const domains = await listDomains(db, siteId);
  if (domains.includes(domain)) return false;
  if (domains.length >= domainsMax) {
    throw new AppError('conflict', `A site has at most ${domainsMax} domains`);
  }
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('site_domain')
    .values({ domain, site_id: siteId, position: domains.length })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) {
    throw new AppError('domain_taken', 'Domain already registered', {
      domain: [`${domain} belongs to another site`],
    });
  }
  return true;
}

/**
 * Run it in a transaction. After the primary domain the next one is primary.
 * @throws AppError `not_found`; `conflict` for the last one: public routes find a site by its domains alone
 */
export async function removeDomain(db: Queries, siteId: number, domain: string): Promise<void> {
  const domains = await listDomains(db, siteId);
  checkOwn(domains, domain);
  if (domains.length === 1) {
    throw new AppError('conflict', 'A site keeps at least one domain: add another one first');
  }
  await db
    .deleteFrom('site_domain')
    .where('site_id', '=', siteId)
    .where('domain', '=', domain)
    .execute();
  await putInOrder(
    db,
    domains.filter((other) => other !== domain),
  );
}

/**
 * Puts a host of the site first. Run it in a transaction.
 * @throws AppError `not_found`
 */
export async function makePrimary(db: Queries, siteId: number, domain: string): Promise<void> {
  const domains = await listDomains(db, siteId);
  checkOwn(domains, domain);
  await putInOrder(db, [domain, ...domains.filter((other) => other !== domain)]);
}

function checkOwn(domains: readonly string[], domain: string): void {
  if (!domains.includes(domain)) {
    throw new AppError('not_found', `The site has no domain ${domain}`);
  }
}

async function putInOrder(db: Queries, domains: readonly string[]): Promise<void> {
  for (const [position, domain] of domains.entries()) {
    await db.updateTable('site_domain').set({ position }).where('domain', '=', domain).execute();
  }
}
