import ipaddr from 'ipaddr.js';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import { parseIpAddress } from '../setting.ts';
import { requestContext } from './request-context.ts';

/** How long a window lasts; it starts at its first request. */
const windowS = 60;

/** What is counted apart, with its setting: keyed requests, keyed events, the public routes of a domain, its events. */
const budgetSettings = { key: 'rateKey', track: 'rateTrack', page: 'ratePage', events: 'rateEvents' } as const;

export type RateBudget = keyof typeof budgetSettings;

/** Requests per minute. */
type RateSettings = Pick<Config, (typeof budgetSettings)[RateBudget]>;

export interface RateLimiter {
  /**
   * Counts a request, and sets the rate headers of its response. Only for callers that exist, a registered domain or a
   * valid key: each is stored for a minute.
   * @throws AppError `rate_limited`; such a request is not counted
   */
  consume(request: Request, budget: RateBudget, caller: string | number): Promise<void>;
  /** @returns number of stored callers, by budget */
  size(): number;
}

export function createRateLimiter(config: RateSettings): RateLimiter {
  const limiters = new Map<RateBudget, RateLimiterMemory>();
  const limitOf = (budget: RateBudget): number => config[budgetSettings[budget]];
  return {
    consume: async (request, budget, caller) => {
      const limiter = limiters.getOrInsertComputed(budget, () => createMemoryLimiter(limitOf(budget)));
      const { state, isSpent } = await consume(limiter, caller);
      setRateHeaders(request, limitOf(budget), state);
      if (isSpent) throw rateLimitError(request, state);
    },
    size: () => limiters.values().reduce((sum, limiter) => sum + countEntries(limiter), 0),
  };
}

export function createMemoryLimiter(points: number): RateLimiterMemory {
  return new RateLimiterMemory({ points, duration: windowS });
}

function countEntries(limiter: RateLimiterMemory): number {
  return limiter.dump().storage.length;
}

/** @returns the state after this request; `isSpent` if it exceeds the limit */
export async function consume(
  limiter: RateLimiterMemory,
  caller: string | number,
): Promise<{ state: RateLimiterRes; isSpent: boolean }> {
  try {
    return { state: await limiter.consume(caller), isSpent: false };
  } catch (rejection) {
    if (!(rejection instanceof RateLimiterRes)) throw rejection;
    return { state: rejection, isSpent: true };
  }
}

export function setRateHeaders(request: Request, limit: number, state: RateLimiterRes): void {
  const { responseHeaders: answerHeaders } = requestContext(request);
  answerHeaders['x-ratelimit-limit'] = String(limit);
  answerHeaders['x-ratelimit-remaining'] = String(state.remainingPoints);
}

export function rateLimitError(request: Request, state: RateLimiterRes): AppError {
  const seconds = Math.max(1, Math.ceil(state.msBeforeNext / 1000));
  requestContext(request).responseHeaders['retry-after'] = String(seconds);
  return new AppError('rate_limited', 'Rate limit exceeded');
}

/** An IPv6 customer has at least a /64, that is, all of its addresses. */
const ipv6PrefixLength = 64;
/** About 15 MB. Whoever attacks from more addresses than that is not stopped by counting by address. */
const maxAddresses = 20_000;

/** Holds an address to so many failures a minute: guesses at keys or passwords. */
export interface FailureLimiter {
  /**
   * Counts a failure of the address that a request comes from. Where it takes time to find out whether an attempt is
   * good, count it before, so that many at once are many, and `forgive` it when it was.
   * @throws AppError `rate_limited`
   */
  recordFailure(request: Request): Promise<void>;
  /** Takes a counted failure back: the attempt was good. */
  revertFailure(request: Request): Promise<void>;
  size(): number;
}

/**
 * @param failuresMax failures a minute and address
 * @param most addresses remembered; beyond it the one that began to fail longest ago is forgotten
 */
export function createFailureLimiter(maxFailures: number, maxTracked = maxAddresses): FailureLimiter {
  const limiter = createMemoryLimiter(maxFailures);
  const inOrder = new Set<string>();
  const remember = async (network: string): Promise<void> => {
    inOrder.delete(network);
    inOrder.add(network);
    if (inOrder.size <= maxTracked) return;
    const [oldest = ''] = inOrder;
    inOrder.delete(oldest);
    await limiter.delete(oldest);
  };
  return {
    recordFailure: async (request) => {
      const network = toNetwork(requestContext(request).address());
      const { state, isSpent } = await consume(limiter, network);
      if (state.isFirstInDuration) await remember(network);
      if (!isSpent) return;
      setRateHeaders(request, maxFailures, state);
      throw rateLimitError(request, state);
    },
    revertFailure: async (request) => {
      const network = toNetwork(requestContext(request).address());
      const counted = await limiter.get(network);
      // Its minute may be over: taking back from nothing would grant an attempt.
      if ((counted?.consumedPoints ?? 0) > 0) await limiter.reward(network);
    },
    size: () => countEntries(limiter),
  };
}

/** @returns what an address is counted by: itself, or its network for IPv6 */
function toNetwork(address: string): string {
  return parseIpAddress(address)?.kind() === 'ipv6'
    ? ipaddr.IPv6.networkAddressFromCIDR(`${address}/${ipv6PrefixLength}`).toString()
    : address;
}
