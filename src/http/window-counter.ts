import { monotonicMs } from '../clock.ts';

/** Of the first window, and of each where windows do not grow. */
export const windowMs = 60_000;
/** Callers that anyone can invent, such as addresses. About 5 MB. */
export const maxCallers = 20_000;
/** 1, 2, 4, 8, 16 minutes. */
export const maxDoublings = 4;
/** Quiet time after which a growing window is shortened by one step. */
export const recoveryMs = 60 * 60_000;
/** After its end a growing window is remembered for this time. */
export const growingMemoryMs = (maxDoublings + 1) * recoveryMs;

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
