import ipaddr from 'ipaddr.js';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import { parseIpAddress } from '../setting.ts';
import { requestContext } from './request-context.ts';
import { type CreateWindowCounter, maxCallers, type WindowCounter, type WindowState } from './window-counter.ts';

/** Budgets and their settings: requests and events by key, public requests and events by domain. */
const budgetSettings = { key: 'rateKey', track: 'rateTrack', page: 'ratePage', events: 'rateEvents' } as const;

export type RateBudget = keyof typeof budgetSettings;

/** Requests per minute. */
type RateSettings = Pick<Config, (typeof budgetSettings)[RateBudget]> & {
  /** Share of one address in the public requests of a domain. */
  readonly publicRequestsPerAddress?: Config['publicRequestsPerAddress'];
};

export interface RateLimiter {
  /**
   * Counts a request, and sets the rate headers of its response. Only for callers that exist, a registered domain or a
   * valid key.
   * @throws AppError `rate_limited`; such a request is not counted
   */
  consume(request: Request, budget: RateBudget, caller: string | number): Promise<void>;
  /** @returns number of callers in memory, of all budgets */
  size(): number;
}

export function createRateLimiter(config: RateSettings, createCounter: CreateWindowCounter): RateLimiter {
  const create = (name: string, limit: number, maxTracked = Number.POSITIVE_INFINITY) =>
    createCounter(name, limit, { maxTracked });
  const counters = {
    key: create('key', config.rateKey),
    track: create('track', config.rateTrack),
    page: create('page', config.ratePage),
    events: create('events', config.rateEvents),
  } satisfies Record<RateBudget, WindowCounter>;
  const { publicRequestsPerAddress: shareLimit } = config;
  const shares = shareLimit === undefined ? undefined : create('page by address', shareLimit, maxCallers);
  return {
    consume: async (request, budget, caller) => {
      const share = budget === 'page' ? shares : undefined;
      const sharer = share === undefined ? '' : `${caller} ${clientNetwork(request)}`;
      const ofAddress = await share?.consume(sharer);
      if (ofAddress?.isSpent) throw rateLimitError(request, ofAddress);
      const state = await counters[budget].consume(caller);
      if (state.isSpent) {
        await share?.refund(sharer);
        throw rateLimitError(request, state);
      }
      setRateHeaders(request, ofAddress !== undefined && ofAddress.remaining < state.remaining ? ofAddress : state);
    },
    size: () => [...Object.values(counters), ...(shares ? [shares] : [])].reduce((sum, { size }) => sum + size, 0),
  };
}

function setRateHeaders(request: Request, { limit, remaining }: WindowState): void {
  const { responseHeaders } = requestContext(request);
  responseHeaders['x-ratelimit-limit'] = String(limit);
  responseHeaders['x-ratelimit-remaining'] = String(remaining);
}

/** Sets the rate headers. @returns the error for a request whose window is spent */
function rateLimitError(request: Request, state: WindowState): AppError {
  setRateHeaders(request, state);
  const seconds = Math.max(1, Math.ceil(state.msLeft / 1000));
  requestContext(request).responseHeaders['retry-after'] = String(seconds);
  return new AppError('rate_limited', 'Rate limit exceeded');
}

/** Customers have at least a /64 network. */
const ipv6PrefixLength = 64;

/** @returns the client address as the key of a counter: an IPv4 address or an IPv6 network */
export function clientNetwork(request: Request): string {
  const address = requestContext(request).address();
  return parseIpAddress(address)?.kind() === 'ipv6'
    ? ipaddr.IPv6.networkAddressFromCIDR(`${address}/${ipv6PrefixLength}`).toString()
    : address;
}

/**
 * Counts an attempt of a request. If its check takes time, count it before and refund it on success, so that parallel attempts
 * are counted.
 * @throws AppError `rate_limited`
 */
export async function consumeAttempt(
  request: Request,
  counter: WindowCounter,
  caller: string | number,
  amount = 1,
): Promise<void> {
  const state = await counter.consume(caller, amount);
  if (state.isSpent) throw rateLimitError(request, state);
}
