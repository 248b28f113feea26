import ipaddr from 'ipaddr.js';
import { monotonicMs } from '../clock.ts';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import { parseIpAddress } from '../setting.ts';
import { requestContext } from './request-context.ts';

const windowMs = 60_000;
/** Callers that anyone can invent, such as addresses. About 5 MB. */
export const maxCallers = 20_000;
/** 1, 2, 4, 8, 16 minutes. */
const maxDoublings = 4;
/** Quiet time after which a growing window is shortened by one step. */
const recoveryMs = 60 * 60_000;

/** A window after a request. */
interface WindowState {
  /** True if the request exceeds the limit; then it is not counted. */
  readonly isSpent: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly msLeft: number;
}

interface Window {
  used: number;
  readonly endsAtMs: number;
  /** Counted in the windows before, without those that are forgotten. */
  readonly usedBefore: number;
}

interface WindowOptions {
  /** Above it the caller whose window began first is dropped. */
  readonly maxTracked?: number;
  /** The next window lasts twice as long whenever as much as the limit was counted, however slowly. */
  readonly isGrowing?: boolean;
  /** Monotonic: a change of the system clock neither ends nor extends a window. */
  readonly now?: () => number;
}

/** Counts per caller. A window starts with its first request and lasts a minute. */
export class WindowCounter {
  readonly #limit: number;
  readonly #maxTracked: number;
  readonly #isGrowing: boolean;
  readonly #now: () => number;
  /** In the order in which the windows began. */
  readonly #windows = new Map<string | number, Window>();

  constructor(limit: number, { maxTracked = maxCallers, isGrowing = false, now = monotonicMs }: WindowOptions = {}) {
    this.#limit = limit;
    this.#maxTracked = maxTracked;
    this.#isGrowing = isGrowing;
    this.#now = now;
  }

  get size(): number {
    return this.#windows.size;
  }

  consume(caller: string | number, amount = 1): WindowState {
    const now = this.#now();
    const window = this.#currentWindow(caller, now);
    const isSpent = window.used + amount > this.#limit;
    if (!isSpent) window.used += amount;
    const remaining = Math.max(0, this.#limit - window.used);
    return { isSpent, limit: this.#limit, remaining, msLeft: window.endsAtMs - now };
  }

  /** Takes back what was counted in the current window. */
  refund(caller: string | number, amount = 1): void {
    const window = this.#windows.get(caller);
    if (window !== undefined) window.used = Math.max(0, window.used - amount);
  }

  #currentWindow(caller: string | number, now: number): Window {
    const last = this.#windows.get(caller);
    if (last !== undefined && now < last.endsAtMs) return last;
    const usedBefore = this.#isGrowing && last !== undefined ? this.#countRemembered(last, now) : 0;
    const doublings = Math.floor(usedBefore / this.#limit);
    const window = { used: 0, endsAtMs: now + windowMs * 2 ** doublings, usedBefore };
    this.#windows.delete(caller);
    this.#windows.set(caller, window);
    this.#dropOldest(now);
    return window;
  }

  #countRemembered({ used, usedBefore, endsAtMs }: Window, now: number): number {
    const forgotten = this.#limit * Math.floor((now - endsAtMs) / recoveryMs);
    return Math.min(Math.max(0, usedBefore + used - forgotten), this.#limit * maxDoublings);
  }

  #dropOldest(now: number): void {
    const keptMs = this.#isGrowing ? (maxDoublings + 1) * recoveryMs : 0;
    for (const [caller, { endsAtMs }] of this.#windows) {
      if (this.#windows.size <= this.#maxTracked && now < endsAtMs + keptMs) return;
      this.#windows.delete(caller);
    }
  }
}

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
  consume(request: Request, budget: RateBudget, caller: string | number): void;
  /** @returns number of stored callers, of all budgets */
  size(): number;
}

export function createRateLimiter(config: RateSettings, now = monotonicMs): RateLimiter {
  const create = (limit: number, maxTracked = Number.POSITIVE_INFINITY) =>
    new WindowCounter(limit, { maxTracked, now });
  const counters = {
    key: create(config.rateKey),
    track: create(config.rateTrack),
    page: create(config.ratePage),
    events: create(config.rateEvents),
  } satisfies Record<RateBudget, WindowCounter>;
  const shares =
    config.publicRequestsPerAddress === undefined ? undefined : create(config.publicRequestsPerAddress, maxCallers);
  return {
    consume: (request, budget, caller) => {
      const share = budget === 'page' ? shares : undefined;
      const sharer = share === undefined ? '' : `${caller} ${clientNetwork(request)}`;
      const ofAddress = share?.consume(sharer);
      if (ofAddress?.isSpent) throw rateLimitError(request, ofAddress);
      const state = counters[budget].consume(caller);
      if (state.isSpent) {
        share?.refund(sharer);
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
export function consumeAttempt(request: Request, counter: WindowCounter, caller: string | number, amount = 1): void {
  const state = counter.consume(caller, amount);
  if (state.isSpent) throw rateLimitError(request, state);
}
