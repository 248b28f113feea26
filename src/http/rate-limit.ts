import ipaddr from 'ipaddr.js';
import { sql } from 'kysely';
import { monotonicMs } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Queries } from '../database/database.ts';
import { type PlaceholderFor, prepareQuery, type RunQuery } from '../database/query-cache.ts';
import { AppError } from '../errors.ts';
import { parseIpAddress } from '../setting.ts';
import { requestContext } from './request-context.ts';

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
  return new AppError('rate_limited');
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

/** Of the first window, and of each where windows do not grow. */
export const windowMs = 60_000;
/** Callers that anyone can invent, such as addresses. About 5 MB. */
export const maxCallers = 20_000;
/** 1, 2, 4, 8, 16 minutes. */
const maxDoublings = 4;
/** Quiet time after which a growing window is shortened by one step. */
const recoveryMs = 60 * 60_000;
/** After its end a growing window is remembered for this time. */
const growingMemoryMs = (maxDoublings + 1) * recoveryMs;

/** A window after a request. */
export interface WindowState {
  /** True if the request exceeds the limit; then it is not counted. */
  readonly isSpent: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly msLeft: number;
}

export interface WindowOptions {
  /** Above it the caller whose window began first is dropped. A database keeps all. */
  readonly maxTracked?: number;
  /** The next window lasts twice as long whenever as much as the limit was counted, however slowly. */
  readonly isGrowing?: boolean;
}

/** Counts per caller. A window starts with its first request and lasts a minute. */
export interface WindowCounter {
  /** Number of callers in memory. */
  readonly size: number;
  /** @throws AppError `busy` while the database that counts is unavailable */
  consume(caller: string | number, amount?: number): WindowState | Promise<WindowState>;
  /** Subtracts a count from the current window. */
  refund(caller: string | number, amount?: number): void | Promise<void>;
}

/** @param name of the counter, which servers on one database share */
export type CreateWindowCounter = (name: string, limit: number, options?: WindowOptions) => WindowCounter;

interface Window {
  used: number;
  readonly endsAtMs: number;
  /** Counted in the windows before, without those that are forgotten. */
  readonly usedBefore: number;
}

/** Counts for this process, until it ends. */
export class MemoryWindowCounter implements WindowCounter {
  readonly #limit: number;
  readonly #maxTracked: number;
  readonly #isGrowing: boolean;
  readonly #now: () => number;
  /** In the order in which the windows began. */
  readonly #windows = new Map<string | number, Window>();

  /** @param now monotonic: a change of the system clock neither ends nor extends a window */
  constructor(limit: number, { maxTracked = maxCallers, isGrowing = false }: WindowOptions = {}, now = monotonicMs) {
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
    const keptMs = this.#isGrowing ? growingMemoryMs : 0;
    for (const [caller, { endsAtMs }] of this.#windows) {
      if (this.#windows.size <= this.#maxTracked && now < endsAtMs + keptMs) return;
      this.#windows.delete(caller);
    }
  }
}

/** A refused caller causes one query in this time, however many requests it sends. */
const refusalMs = 1_000;
/** Milliseconds since 1970 by the clock of the database: the clocks of servers differ. */
const databaseNow = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Counts for all servers on a PostgreSQL database, exactly: one statement finds the window, counts, and compares. */
export class SharedWindowCounter implements WindowCounter {
  readonly #db: Queries;
  readonly #name: string;
  readonly #limit: number;
  readonly #isGrowing: boolean;
  readonly #now: () => number;
  readonly #queryCount: RunQuery<{ caller: string; amount: number }, { used: number; msLeft: number }>;
  /** Callers over the limit, and until when they are not queried again; in order of that time. */
  readonly #refused = new Map<string, WindowState & { readonly untilMs: number }>();

  /**
   * @param db for queries outside of transactions
   * @param now monotonic
   */
  constructor(db: Queries, name: string, limit: number, { isGrowing = false }: WindowOptions = {}, now = monotonicMs) {
    this.#db = db;
    this.#name = name;
    this.#limit = limit;
    this.#isGrowing = isGrowing;
    this.#now = now;
    this.#queryCount = this.#prepareCount();
  }

  get size(): number {
    return this.#refused.size;
  }

  async consume(given: string | number, amount = 1): Promise<WindowState> {
    const caller = String(given);
    const refused = this.#findRefused(caller);
    if (refused !== undefined) return refused;
    const counted = amount > this.#limit ? undefined : await this.#count(caller, amount);
    const { used, msLeft } = counted ?? (await this.#look(caller));
    const remaining = Math.max(0, this.#limit - used);
    const state = { isSpent: counted === undefined, limit: this.#limit, remaining, msLeft };
    if (state.isSpent && remaining === 0) this.#refuse(caller, state);
    return state;
  }

  async refund(caller: string | number, amount = 1): Promise<void> {
    this.#refused.delete(String(caller));
    await this.#db
      .updateTable('rate_window')
      .set({ used: sql`greatest(0, used - ${amount})` })
      .where('counter', '=', this.#name)
      .where('caller', '=', String(caller))
      .execute();
  }

  /** @returns undefined: the limit would be exceeded, and nothing was counted */
  async #count(caller: string, amount: number): Promise<{ used: number; msLeft: number } | undefined> {
    const [counted] = await this.#queryCount(this.#db, { caller, amount });
    return counted;
  }

  #prepareCount() {
    const limit = sql`${this.#limit}::bigint`;
    const now = sql`(excluded.ends_at - ${windowMs}::bigint)`;
    const hasEnded = sql<boolean>`last.ends_at <= ${now}`;
    const keptMs = this.#isGrowing ? growingMemoryMs : 0;
    const usedBefore = this.#isGrowing
      ? sql`least(greatest(0, last.used_before + last.used - ${limit} * ((${now} - last.ends_at) / ${recoveryMs}::bigint)),
          ${limit} * ${maxDoublings}::bigint)`
      : sql`0`;
    const endsAt = sql`${now} + (${windowMs}::bigint << (${usedBefore} / ${limit})::integer)`;
    return prepareQuery((db, value: PlaceholderFor<{ caller: string; amount: number }>) => {
      const statement = sql<{ used: number; msLeft: number }>`
      insert into rate_window as last (counter, caller, used, used_before, ends_at, kept_until)
      select ${this.#name}, ${value('caller')}, ${value('amount')}, 0, now + ${windowMs}::bigint, now + ${windowMs + keptMs}::bigint
      from (select ${databaseNow} as now) as clock
      on conflict (counter, caller) do update set
        used = case when ${hasEnded} then 0 else last.used end + excluded.used,
        used_before = case when ${hasEnded} then ${usedBefore} else last.used_before end,
        ends_at = case when ${hasEnded} then ${endsAt} else last.ends_at end,
        kept_until = case when ${hasEnded} then ${endsAt} + ${keptMs}::bigint else last.kept_until end
      where ${hasEnded} or last.used + excluded.used <= ${limit}
      returning used, ends_at - ${databaseNow} as "msLeft"`;
      return { compile: () => statement.compile(db) };
    });
  }

  async #look(caller: string): Promise<{ used: number; msLeft: number }> {
    const row = await this.#db
      .selectFrom('rate_window')
      .select(['used', sql<number>`ends_at - ${databaseNow}`.as('msLeft')])
      .where('counter', '=', this.#name)
      .where('caller', '=', caller)
      .executeTakeFirst();
    return row !== undefined && row.msLeft > 0 ? row : { used: 0, msLeft: windowMs };
  }

  #findRefused(caller: string): WindowState | undefined {
    const refused = this.#refused.get(caller);
    if (refused === undefined) return undefined;
    const leftMs = refused.untilMs - this.#now();
    if (leftMs > 0) {
      const { untilMs, ...state } = refused;
      return { ...state, msLeft: state.msLeft - (refusalMs - leftMs) };
    }
    this.#refused.delete(caller);
    return undefined;
  }

  #refuse(caller: string, state: WindowState): void {
    const now = this.#now();
    for (const [other, { untilMs }] of this.#refused) {
      if (this.#refused.size < maxCallers && untilMs > now) break;
      this.#refused.delete(other);
    }
    if (state.msLeft > refusalMs) this.#refused.set(caller, { ...state, untilMs: now + refusalMs });
  }
}

/** Deletes the windows that no later request depends on. */
export async function deleteEndedWindows(db: Queries): Promise<void> {
  await db.deleteFrom('rate_window').where('kept_until', '<=', databaseNow).execute();
}
