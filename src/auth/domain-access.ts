import type { Database } from '../database/open.ts';
import { prepared, rememberUntilWritten, type Value } from '../database/query-cache.ts';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { factsOf } from '../http/request-context.ts';
import { queryValue } from '../http/validation.ts';

const nameLengthMax = 253;
/** Underscores are no part of a host name by the book, but browsers open such hosts. */
const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/**
 * One way to write a host: lower case, punycode, no port, no trailing dot. `www.` stays: it is another host.
 * @throws AppError `validation_failed` when it is no host name
 */
export function normalizeDomain(given: string): string {
  const name = hostName(given);
  if (name !== undefined) return name;
  throw new AppError('validation_failed', 'Validation failed', {
    domain: [`${JSON.stringify(given)} is not a host name`],
  });
}

/** @returns a host in its one way to be written (see `normalizeDomain`); undefined when it is none */
export function hostName(given: string): string | undefined {
  const host = given.trim();
  // A URL reads on, or reads over, what stands behind or inside a host; nothing of that is a name.
  if (/[\s/\\?#@%]/.test(host)) return undefined;
  const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '');
  if (name === undefined || name.length > nameLengthMax) return undefined;
  const isAddress = name.startsWith('[');
  return isAddress || name.split('.').every((part) => label.test(part)) ? name : undefined;
}

/** @returns the host of an `Origin` header; undefined for `null` and whatever is no http(s) origin */
function originHost(origin: string): string | undefined {
  const [, host] = /^https?:\/\/([^/]+)$/i.exec(origin) ?? [];
  return host === undefined ? undefined : hostName(host);
}

/** Domains whose sites are remembered. */
const knownDomainsMax = 1_000;
/** How long a browser may rely on a preflight; the request itself is checked in any case. */
const preflightMaxAgeS = 7_200;
const exposedHeaders = 'Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, ETag';

/**
 * The site that a public request is for. Checked in this order: domain, origin, rate, subscription. From its call on every
 * answer to the request carries the CORS headers.
 * @param domain as the caller wrote it, a host name; a port is no matter
 * @throws AppError `validation_failed` without a domain, `unknown_domain`, `origin_not_allowed`, `rate_limited`,
 *   `public_subscription_inactive`, `public_trial_expired`
 */
export type DomainAccess = (
  request: Request,
  domain: string | null | undefined,
  budget: 'page' | 'events',
) => Promise<Site>;

/**
 * The site of a request that anyone may make, as a podcast app does: no origin is demanded, and nothing is counted. Any
 * page may read the answer, an error too.
 * @throws AppError `validation_failed` without a domain, `unknown_domain`, `public_subscription_inactive`,
 *   `public_trial_expired`
 */
export type OpenDomainAccess = (
  request: Request,
  domain: string | null | undefined,
) => Promise<Site>;

/**
 * Answers the question a browser asks before a request. A domain in the query restricts it as it does the request itself;
 * without one any registered host may ask.
 * @param methods what the path takes, like `GET, HEAD`
 * @throws AppError `origin_not_allowed`
 */
export type Preflight = (request: Request, methods: string) => Promise<Response>;

/** Counts a request; @throws AppError `rate_limited` */
type TakeRate = (request: Request, budget: 'page' | 'events', domain: string) => Promise<void>;

interface Known {
  readonly site: Site;
  readonly hosts: ReadonlySet<string>;
}

/**
 * @param baseUrl the address of this server: its own pages may show any site
 * @param takeRate counts a request of a domain
 */
export function createDomainAccess(
  database: Database,
  baseUrl: string,
  takeRate: TakeRate,
): {
  readonly byDomain: DomainAccess;
  readonly byDomainForAnyone: OpenDomainAccess;
  readonly preflight: Preflight;
} {
  const ownHost = hostName(new URL(baseUrl).host);
  const find = rememberUntilWritten(database, knownDomainsMax, async (domain) => {
    const [site] = await sitesByDomain(database.read, { domain });
    if (site === undefined || site.active === 0) return undefined;
    const rows = await domainsOfSite(database.read, { siteId: site.id });
    return { site, hosts: new Set(rows.map((row) => row.domain)) };
  });
  const checkOrigin = (request: Request, known: Known): void => {
    const origin = request.headers.get('origin');
    const host = origin === null ? undefined : originHost(origin);
    const isAllowed =
      origin === null || (host !== undefined && (host === ownHost || known.hosts.has(host)));
    if (!isAllowed) throw notAllowed(request);
  };
  return {
    byDomain: async (request, given, budget) => {
      allowReading(request);
      const { domain, known } = await findSite(find, given);
      if (known === undefined) throw new AppError('unknown_domain', 'Unknown domain');
      const { site } = known;
      factsOf(request).siteId = site.id;
      checkOrigin(request, known);
      await takeRate(request, budget, domain);
      checkSubscription(site);
      return site;
    },
    byDomainForAnyone: async (request, given) => {
      factsOf(request).answerHeaders['access-control-allow-origin'] = '*';
      const { known } = await findSite(find, given);
      if (known === undefined) throw new AppError('unknown_domain', 'Unknown domain');
      factsOf(request).siteId = known.site.id;
      checkSubscription(known.site);
      return known.site;
    },
    preflight: async (request, methods) => {
      allowReading(request);
      const given = queryValue(request, 'domain');
      const host = originHost(request.headers.get('origin') ?? '');
      if (isBlank(given)) {
        const isKnown = host !== undefined && (host === ownHost || (await find(host)));
        if (request.headers.has('origin') && !isKnown) throw notAllowed(request);
      } else {
        const { known } = await findSite(find, given);
        // Of an unknown domain the request itself is to tell, not a failed preflight, whose reason no script learns.
        if (known !== undefined) checkOrigin(request, known);
      }
      return preflightAnswer(methods);
    },
  };
}

/**
 * Lets the page that asks read the answer, whatever it becomes. Right only as long as no site is known: a refusal then
 * says nothing of anyone. `DomainAccess` narrows it to the site's own pages.
 */
export function allowReading(request: Request): void {
  const { answerHeaders } = factsOf(request);
  answerHeaders['vary'] = 'Origin';
  answerHeaders['access-control-expose-headers'] = exposedHeaders;
  const origin = request.headers.get('origin');
  if (origin !== null && originHost(origin) !== undefined) {
    answerHeaders['access-control-allow-origin'] = origin;
  }
}

/** A page that is neither the site's nor ours: its scripts can read nothing, not even why. */
function notAllowed(request: Request): AppError {
  const { answerHeaders } = factsOf(request);
  delete answerHeaders['access-control-allow-origin'];
  delete answerHeaders['access-control-expose-headers'];
  return new AppError('origin_not_allowed', 'Origin not allowed');
}

async function findSite(
  find: (domain: string) => Promise<Known | undefined>,
  given: string | null | undefined,
): Promise<{ domain: string; known: Known | undefined }> {
  if (isBlank(given)) {
    throw new AppError('validation_failed', 'Validation failed', { domain: ['is required'] });
  }
  const domain = hostName(given ?? '');
  return { domain: domain ?? '', known: domain === undefined ? undefined : await find(domain) };
}

function isBlank(given: string | null | undefined): boolean {
  return given == null || given.trim() === '';
}

function checkSubscription(site: Site): void {
  const problem = subscriptionProblem(site);
  if (problem === 'inactive') {
    throw new AppError('public_subscription_inactive', 'Subscription inactive');
  }
  if (problem === 'trial over') throw new AppError('public_trial_expired', 'Trial expired');
}

function preflightAnswer(methods: string): Response {
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

const sitesByDomain = prepared((db, value: Value<{ domain: string }>) =>
  db
    .selectFrom('site_domain')
    .innerJoin('site', 'site.id', 'site_domain.site_id')
    .selectAll('site')
    .where('site_domain.domain', '=', value('domain')),
);

const domainsOfSite = prepared((db, value: Value<{ siteId: number }>) =>
  db.selectFrom('site_domain').select('domain').where('site_id', '=', value('siteId')),
);

/** What decides whether a site is served. */
type ServedSite = Pick<Site, 'active' | 'subscription' | 'trial_ends_at'>;

/** @returns why a site may not be served just now; undefined when it may */
export function subscriptionProblem(
  site: Pick<Site, 'subscription' | 'trial_ends_at'>,
): 'inactive' | 'trial over' | undefined {
  if (site.subscription === 'inactive') return 'inactive';
  const isOver =
    site.subscription === 'trialing' &&
    site.trial_ends_at !== null &&
    Date.parse(site.trial_ends_at) <= Date.now();
  return isOver ? 'trial over' : undefined;
}

/** @throws AppError `not_allowed` when nothing may be made for a site just now; says why to its people */
export function checkServed(site: ServedSite): void {
  const problem = servingProblem(site);
  if (problem !== undefined) throw new AppError('not_allowed', problem);
}

/** @returns why nothing may be made for a site just now, in words for its people; undefined when it may */
export function servingProblem(site: ServedSite): string | undefined {
  if (site.active === 0) return 'Site inactive';
  const problem = subscriptionProblem(site);
  if (problem === 'inactive') return 'Subscription inactive';
  return problem === 'trial over' ? 'Trial expired' : undefined;
}
