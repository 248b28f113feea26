import ipaddr from 'ipaddr.js';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import { parseIpAddress } from '../setting.ts';
import { requestContext } from './request-context.ts';

/** A window starts with its first request. */
const windowS = 60;

/** Budgets and their settings: requests and events by key, public requests and events by domain. */
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

/** Customers have at least a /64 network. */
const ipv6PrefixLength = 64;
/** About 15 MB. */
const maxAddresses = 20_000;

/** Limits failed keys and passwords per address and minute. */
export interface FailureLimiter {
  /**
   * Counts a failure of the client address. If an attempt takes time, count it before and revert it on success, so that
   * parallel attempts are counted.
   * @throws AppError `rate_limited`
   */
  recordFailure(request: Request): Promise<void>;
  /** Takes a counted failure back. */
  revertFailure(request: Request): Promise<void>;
  size(): number;
}

/**
 * @param maxFailures per minute and address
 * @param maxTracked addresses; above it the oldest is dropped
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
      // After the window, a reward would grant an extra attempt.
      if ((counted?.consumedPoints ?? 0) > 0) await limiter.reward(network);
    },
    size: () => countEntries(limiter),
  };
}

/** @returns the key of a counter: an IPv4 address or an IPv6 network */
function toNetwork(address: string): string {
  return parseIpAddress(address)?.kind() === 'ipv6'
    ? ipaddr.IPv6.networkAddressFromCIDR(`${address}/${ipv6PrefixLength}`).toString()
    : address;
}
