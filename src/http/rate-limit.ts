import ipaddr from 'ipaddr.js';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../errors.ts';
import { readAddress } from '../setting.ts';
import { factsOf } from './request-context.ts';

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
function entryCount(limiter: RateLimiterMemory): number {
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

/** An IPv6 customer gets at least a /64: whoever has one address has all of these. */
const networkBitCount = 64;
/** About 15 MB. Whoever attacks from more addresses than that is not stopped by counting by address. */
const addressesMax = 20_000;

/** Holds an address to so many failures a minute: guesses at keys or passwords. */
export interface FailureLimits {
  /**
   * Counts a failure of the address that a request comes from. Where it takes time to find out whether an attempt is
   * good, count it before, so that many at once are many, and `forgive` it when it was.
   * @throws AppError `rate_limited`
   */
  count(request: Request): Promise<void>;
  /** Takes a counted failure back: the attempt was good. */
  forgive(request: Request): Promise<void>;
  /** @returns addresses remembered */
  size(): number;
}

/**
 * @param failuresMax failures a minute and address
 * @param most addresses remembered; beyond it the one that began to fail longest ago is forgotten
 */
export function createFailureLimits(failuresMax: number, most = addressesMax): FailureLimits {
  const limiter = limiterOf(failuresMax);
  const inOrder = new Set<string>();
  const remember = async (network: string): Promise<void> => {
    inOrder.delete(network);
    inOrder.add(network);
    if (inOrder.size <= most) return;
    const [oldest = ''] = inOrder;
    inOrder.delete(oldest);
    await limiter.delete(oldest);
  };
  return {
    count: async (request) => {
      const network = networkOf(factsOf(request).address());
      const { taken, isSpent } = await take(limiter, network);
      if (taken.isFirstInDuration) await remember(network);
      if (!isSpent) return;
      sayRate(request, failuresMax, taken);
      throw rateLimited(request, taken);
    },
    forgive: async (request) => {
      const network = networkOf(factsOf(request).address());
      const counted = await limiter.get(network);
      // Its minute may be over: taking back from nothing would grant an attempt.
      if ((counted?.consumedPoints ?? 0) > 0) await limiter.reward(network);
    },
    size: () => entryCount(limiter),
  };
}

/** @returns what an address is counted by: itself, or its network for IPv6 */
function networkOf(address: string): string {
  return readAddress(address)?.kind() === 'ipv6'
    ? ipaddr.IPv6.networkAddressFromCIDR(`${address}/${networkBitCount}`).toString()
    : address;
}
