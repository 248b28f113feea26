import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../errors.ts';
import { factsOf } from './request-facts.ts';

/** How long a window lasts; it starts at its first request. */
const windowS = 60;

/** What is counted apart: keyed requests, keyed events, the public routes of a domain, its events. */
type RateBudget = 'key' | 'track' | 'page' | 'events';

/** Requests a minute. */
export type RateFigures = Readonly<Record<RateBudget, number>>;

/** Holds callers to so many requests a minute. */
export interface RateLimits {
  /**
   * Counts a request, and says on its answer how many are left, whatever that answer becomes. Ask only for callers that
   * exist, a registered domain or a valid key: each is remembered for a minute.
   * @param caller id or name of who is counted
   * @throws AppError `rate_limited`, which counts for nothing itself
   */
  take(request: Request, budget: RateBudget, caller: string | number): Promise<void>;
  /** @returns callers remembered, those of each budget apart */
  size(): number;
}

export function createRateLimits(figures: RateFigures): RateLimits {
  const limiters = {
    key: limiterOf(figures.key),
    track: limiterOf(figures.track),
    page: limiterOf(figures.page),
    events: limiterOf(figures.events),
  };
  return {
    take: async (request, budget, caller) => {
      const { taken, isSpent } = await take(limiters[budget], caller);
      sayRate(request, figures[budget], taken);
      if (isSpent) throw rateLimited(request, taken);
    },
    size: () => Object.values(limiters).reduce((sum, limiter) => sum + entryCount(limiter), 0),
  };
}

/** @param points how often something may be done in a window */
export function limiterOf(points: number): RateLimiterMemory {
  return new RateLimiterMemory({ points, duration: windowS });
}

/** @returns callers that a limiter remembers */
export function entryCount(limiter: RateLimiterMemory): number {
  return limiter.dump().storage.length;
}

/** @returns what is left after one more; spent when that was one too many */
export async function take(
  limiter: RateLimiterMemory,
  caller: string | number,
): Promise<{ taken: RateLimiterRes; isSpent: boolean }> {
  try {
    return { taken: await limiter.consume(caller), isSpent: false };
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    return { taken: refusal, isSpent: true };
  }
}

/** Puts the figures of a budget on the answer. */
export function sayRate(request: Request, limit: number, taken: RateLimiterRes): void {
  const { answerHeaders } = factsOf(request);
  answerHeaders['x-ratelimit-limit'] = String(limit);
  answerHeaders['x-ratelimit-remaining'] = String(taken.remainingPoints);
}

/** The refusal, with when to come again on its answer. */
export function rateLimited(request: Request, taken: RateLimiterRes): AppError {
  const seconds = Math.max(1, Math.ceil(taken.msBeforeNext / 1000));
  factsOf(request).answerHeaders['retry-after'] = String(seconds);
  return new AppError('rate_limited', 'Rate limit exceeded');
}
