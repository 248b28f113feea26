import { currentTimeMs } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { cacheUntilWrite, type PlaceholderFor, prepareQuery } from '../database/query-cache.ts';
import type { Site } from '../database/schema.ts';
import { AppError, invalid } from '../errors.ts';
import type { RateBudget } from '../http/rate-limit.ts';
import { requestContext } from '../http/request-context.ts';
import { getQueryParam } from '../http/validation.ts';

const maxHostLength = 253;
/** Underscores are no part of a host name by the book, but browsers open such hosts. */
const labelPattern = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/**
 * Lower case, punycode, no port, no trailing dot. `www.` stays: it is another host.
 * @throws AppError `validation_failed` for an invalid host name
 */
export function normalizeDomain(host: string): string {
  const name = parseHostName(host);
  if (name !== undefined) return name;
  throw invalid('domain', `${JSON.stringify(host)} is not a valid host name`);
}

/** @returns a normalized host (see `normalizeDomain`); undefined if invalid */
export function parseHostName(text: string): string | undefined {
  const host = text.trim();
  // A URL parser would accept these as the end of the host, or ignore them.
  if (/[\s/\\?#@%]/.test(host)) return undefined;
  const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '');
  if (name === undefined || name.length > maxHostLength) return undefined;
  const isAddress = name.startsWith('[');
  return isAddress || name.split('.').every((part) => labelPattern.test(part)) ? name : undefined;
}

/** @returns the host of an `Origin` header; undefined for `null` and other schemes than http(s) */
function parseOriginHost(origin: string): string | undefined {
  const [, host] = /^https?:\/\/([^/]+)$/i.exec(origin) ?? [];
  return host === undefined ? undefined : parseHostName(host);
}

const maxCachedDomains = 1_000;
/** How long a browser may rely on a preflight; the request itself is checked in any case. */
const preflightMaxAgeS = 7_200;
const exposedHeaders = 'Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, ETag';

/**
 * The site of a public request. Checked in this order: domain, origin, rate, subscription. Every later response to the
 * request has CORS headers.
 * @param domain host name as sent; a port is ignored
 * @throws AppError `validation_failed` without a domain, `unknown_domain`, `origin_not_allowed`, `rate_limited`,
 *   `public_subscription_inactive`, `public_trial_expired`
 */
export type RequireDomain = (request: Request, domain: string | null | undefined, budget: RateBudget) => Promise<Site>;

/**
 * The site of a request that anyone may send, for example a podcast app: no origin check and no rate limit. Any page may
 * read the response.
 * @throws AppError `validation_failed` without a domain, `unknown_domain`, `public_subscription_inactive`,
 *   `public_trial_expired`
 */
export type RequireDomainAnyOrigin = (request: Request, domain: string | null | undefined) => Promise<Site>;

/**
 * Responds to a CORS preflight. With a domain in the query only pages of that site are allowed, else any registered host.
 * @param methods of the path, for example `GET, HEAD`
 * @throws AppError `origin_not_allowed`
 */
export type Preflight = (request: Request, methods: string) => Promise<Response>;

/** Counts a request; @throws AppError `rate_limited` */
type ConsumeRate = (request: Request, budget: RateBudget, domain: string) => Promise<void>;

interface CachedSite {
  readonly site: Site;
  readonly hosts: ReadonlySet<string>;
}

/**
 * @param baseUrl pages of this server may request any site
 */
export function createRequireDomain(
  database: Database,
  baseUrl: string,
  consumeRate: ConsumeRate,
): {
  readonly requireDomain: RequireDomain;
  readonly requireDomainAnyOrigin: RequireDomainAnyOrigin;
  readonly preflight: Preflight;
} {
  const ownHost = parseHostName(new URL(baseUrl).host);
  const find = cacheUntilWrite(database, maxCachedDomains, async (domain) => {
    const [site] = await findSitesByDomain(database.read, { domain });
    if (site === undefined || site.active === 0) return undefined;
    const rows = await listSiteDomains(database.read, { siteId: site.id });
    return { site, hosts: new Set(rows.map((row) => row.domain)) };
  });
  const checkOrigin = (request: Request, entry: CachedSite, budget?: RateBudget): void => {
    const origin = request.headers.get('origin');
    // Firefox sends no origin with a beacon of a page with `Referrer-Policy: no-referrer`. The page cannot read the response.
    if (origin === 'null' && budget === 'events' && !isBlank(getQueryParam(request, 'domain'))) return;
    const host = origin === null ? undefined : parseOriginHost(origin);
    const isAllowed = origin === null || (host !== undefined && (host === ownHost || entry.hosts.has(host)));
    if (!isAllowed) throw originNotAllowedError(request);
  };
  return {
    requireDomain: async (request, domainParam, budget) => {
      allowRequestOrigin(request);
      const { domain, entry } = await findSiteByDomain(find, domainParam);
      if (entry === undefined) throw new AppError('unknown_domain');
      const { site } = entry;
      requestContext(request).siteId = site.id;
      checkOrigin(request, entry, budget);
      await consumeRate(request, budget, domain);
      requirePublicSubscription(site);
      return site;
    },
    requireDomainAnyOrigin: async (request, domainParam) => {
      requestContext(request).responseHeaders['access-control-allow-origin'] = '*';
      const { entry } = await findSiteByDomain(find, domainParam);
      if (entry === undefined) throw new AppError('unknown_domain');
      requestContext(request).siteId = entry.site.id;
      requirePublicSubscription(entry.site);
      return entry.site;
    },
    preflight: async (request, methods) => {
      allowRequestOrigin(request);
      const domainParam = getQueryParam(request, 'domain');
      const host = parseOriginHost(request.headers.get('origin') ?? '');
      if (isBlank(domainParam)) {
        const isKnown = host !== undefined && (host === ownHost || (await find(host)));
        if (request.headers.has('origin') && !isKnown) throw originNotAllowedError(request);
      } else {
        const { entry } = await findSiteByDomain(find, domainParam);
        // Scripts cannot read why a preflight failed: the request itself reports an unknown domain.
        if (entry !== undefined) checkOrigin(request, entry);
      }
      return preflightResponse(methods);
    },
  };
}

/**
 * Allows the requesting page to read the response. Only before the site is known, when an error reveals nothing about a
 * site; `RequireDomain` restricts it to pages of the site.
 */
export function allowRequestOrigin(request: Request): void {
  const { responseHeaders } = requestContext(request);
  responseHeaders['vary'] = 'Origin';
  responseHeaders['access-control-expose-headers'] = exposedHeaders;
  const origin = request.headers.get('origin');
  if (origin !== null && parseOriginHost(origin) !== undefined) {
    responseHeaders['access-control-allow-origin'] = origin;
  }
}

/** Pages of other sites cannot read the response, not even the error. */
function originNotAllowedError(request: Request): AppError {
  const { responseHeaders } = requestContext(request);
  delete responseHeaders['access-control-allow-origin'];
  delete responseHeaders['access-control-expose-headers'];
  return new AppError('origin_not_allowed');
}

async function findSiteByDomain(
  find: (domain: string) => Promise<CachedSite | undefined>,
  domainParam: string | null | undefined,
): Promise<{ domain: string; entry: CachedSite | undefined }> {
  if (isBlank(domainParam)) {
    throw invalid('domain', 'is required');
  }
  const domain = parseHostName(domainParam ?? '');
  return { domain: domain ?? '', entry: domain === undefined ? undefined : await find(domain) };
}

function isBlank(text: string | null | undefined): boolean {
  return text == null || text.trim() === '';
}

function requirePublicSubscription(site: Site): void {
  const error = findPublicSubscriptionError(site);
  if (error !== undefined) throw error;
}

/** @returns why nothing of the site may be shown to the public now; undefined if it may */
export function findPublicSubscriptionError(site: Pick<Site, 'subscription' | 'trial_ends_at'>): AppError | undefined {
  const lapse = findSubscriptionLapse(site);
  if (lapse === 'inactive') return new AppError('public_subscription_inactive');
  return lapse === 'trial_expired' ? new AppError('public_trial_expired') : undefined;
}

function preflightResponse(methods: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      allow: `${methods}, OPTIONS`,
      'access-control-allow-methods': `${methods}, OPTIONS`,
      'access-control-allow-headers': 'Content-Type, If-None-Match',
      'access-control-max-age': String(preflightMaxAgeS),
    },
  });
}

const findSitesByDomain = prepareQuery((db, value: PlaceholderFor<{ domain: string }>) =>
  db
    .selectFrom('site_domain')
    .innerJoin('site', 'site.id', 'site_domain.site_id')
    .selectAll('site')
    .where('site_domain.domain', '=', value('domain')),
);

const listSiteDomains = prepareQuery((db, value: PlaceholderFor<{ siteId: number }>) =>
  db.selectFrom('site_domain').select('domain').where('site_id', '=', value('siteId')),
);

type SiteSubscription = Pick<Site, 'active' | 'subscription' | 'trial_ends_at'>;

/** @returns why the site may not be served now; undefined if it may */
export function findSubscriptionLapse(
  site: Pick<Site, 'subscription' | 'trial_ends_at'>,
): 'inactive' | 'trial_expired' | undefined {
  if (site.subscription === 'inactive') return 'inactive';
  const isOver =
    site.subscription === 'trialing' &&
    site.trial_ends_at !== null &&
    Date.parse(site.trial_ends_at) <= currentTimeMs();
  return isOver ? 'trial_expired' : undefined;
}

/** @throws AppError `not_allowed` with the reason if nothing may be generated for the site */
export function requireActiveSubscription(site: SiteSubscription): void {
  const problem = subscriptionError(site);
  if (problem !== undefined) throw new AppError('not_allowed', problem);
}

/** @returns why nothing may be generated for the site; undefined if it may */
export function subscriptionError(site: SiteSubscription): string | undefined {
  if (site.active === 0) return 'Site inactive';
  const problem = findSubscriptionLapse(site);
  if (problem === 'inactive') return 'Subscription inactive';
  return problem === 'trial_expired' ? 'Trial expired' : undefined;
}
