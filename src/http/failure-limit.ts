import ipaddr from 'ipaddr.js';
import { readAddress } from '../address.ts';
import { entryCount, limiterOf, rateLimited, sayRate, take } from './rate-limit.ts';
import { factsOf } from './request-facts.ts';

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
