import type { Database } from '../database/open.ts';
import { prepared, type Value } from '../database/prepared.ts';
import { rememberUntilWritten } from '../database/remember.ts';
import type { Site } from '../database/tables.ts';
import { AppError } from '../errors.ts';
import { bearerOf } from '../http/bearer.ts';
import type { FailureLimits } from '../http/failure-limit.ts';
import type { RateLimits } from '../http/rate-limit.ts';
import { factsOf } from '../http/request-facts.ts';
import { hashOfKey, type KeyUse, looksLikeKey } from './api-keys.ts';
import { subscriptionProblem } from './subscription.ts';

/** Keys whose sites are remembered. */
const knownKeysMax = 1_000;

/**
 * The site that the API key of a request speaks for. Checked in this order: key, site, subscription, plan, rate.
 * @throws AppError `api_key_missing`, `api_key_invalid`, `site_inactive`, `subscription_inactive`, `trial_expired`,
 *   `plan_restriction`, `rate_limited`
 */
export type KeyAccess = (request: Request, options?: KeyOptions) => Promise<Site>;

/** What routes by key differ in. */
interface KeyOptions {
  /** What the request is counted in, `key` unless named. */
  readonly budget?: 'key' | 'track';
  /** The key may come as `Authorization: Bearer`, too; where both are there, `X-API-Key` counts. */
  readonly asBearer?: boolean;
}

/**
 * Remembers sites until anything in the database changes: polls come many times between two changes.
 * @param rates counts the requests of each key
 * @param wrongKeys counts the wrong keys of each address; a valid key passes whatever its address did
 */
export function createKeyAccess(
  database: Database,
  keyUse: KeyUse,
  rates: RateLimits,
  wrongKeys: FailureLimits,
): KeyAccess {
  const find = rememberUntilWritten(database, knownKeysMax, async (hash) => {
    const [found] = await sitesByKeyHash(database.read, { hash });
    return found;
  });
  return async (request, { budget = 'key', asBearer = false } = {}) => {
    const key = request.headers.get('x-api-key') || (asBearer && bearerOf(request));
    if (!key) throw new AppError('api_key_missing', 'API key missing');
    const found = looksLikeKey(key) ? await find(hashOfKey(key)) : undefined;
    if (found === undefined || found.revoked_at !== null) {
      await wrongKeys.count(request);
      throw new AppError('api_key_invalid', 'API key invalid');
    }
    checkSite(found);
    if (found.plan !== 'enterprise') {
      throw new AppError('plan_restriction', 'Plan restriction', {
        plan: [`the REST API needs the enterprise plan; this site has ${found.plan}`],
      });
    }
    keyUse.note(found.key_id);
    const facts = factsOf(request);
    facts.siteId = found.id;
    facts.keyId = found.key_id;
    await rates.take(request, budget, found.key_id);
    return found;
  };
}

/** Looked up by its hash: how long that takes tells nothing about the key. */
const sitesByKeyHash = prepared((db, value: Value<{ hash: string }>) =>
  db
    .selectFrom('api_key')
    .innerJoin('site', 'site.id', 'api_key.site_id')
    .selectAll('site')
    .select(['api_key.id as key_id', 'api_key.revoked_at'])
    .where('api_key.hash', '=', value('hash')),
);

function checkSite(site: Site): void {
  if (site.active === 0) throw new AppError('site_inactive', 'Site inactive');
  const problem = subscriptionProblem(site);
  if (problem === 'inactive') throw new AppError('subscription_inactive', 'Subscription inactive');
  if (problem === 'trial over') throw new AppError('trial_expired', 'Trial expired');
}
