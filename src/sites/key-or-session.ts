import type { Site } from '../database/tables.ts';
import { AppError } from '../errors.ts';
import { bearerOf } from '../http/bearer.ts';
import type { RateLimits } from '../http/rate-limit.ts';
import type { SessionAccess } from '../users/session-access.ts';
import type { KeyAccess } from './access.ts';
import { startsLikeKey } from './api-keys.ts';

/**
 * The site that a request may speak for: that of its API key, or one that a signed-in user reads. Sessions are counted as
 * keys are.
 * @param siteParam id or slug of the site that a user names; a key has its own
 * @throws AppError as `KeyAccess` for a key; as `SessionAccess`, `validation_failed` without a site, `rate_limited`
 */
export type KeyOrSessionAccess = (request: Request, siteParam: string | undefined) => Promise<Site>;

export function createKeyOrSessionAccess(
  byKey: KeyAccess,
  bySession: SessionAccess,
  rates: RateLimits,
): KeyOrSessionAccess {
  return async (request, siteParam) => {
    if (isByKey(request)) return byKey(request, { asBearer: true });
    const { user } = await bySession.user(request);
    if (siteParam === undefined || siteParam === '') {
      throw new AppError('validation_failed', 'Validation failed', {
        site: ['is required in the query: ?site=ID'],
      });
    }
    const { site } = await bySession.site(request, siteParam, 'viewer');
    await rates.take(request, 'key', `user ${user.id}`);
    return site;
  };
}

/** Whoever shows nothing at all is told that a key is missing. */
function isByKey(request: Request): boolean {
  if (request.headers.get('x-api-key')) return true;
  const bearer = bearerOf(request);
  return bearer === undefined ? !request.headers.has('cookie') : startsLikeKey(bearer);
}
