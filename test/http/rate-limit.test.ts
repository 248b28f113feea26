import { describe, expect, setSystemTime, test } from 'bun:test';
import { AppError } from '../../src/errors.ts';
import {
  type CreateWindowCounter,
  clientNetwork,
  consumeAttempt,
  createRateLimiter,
  MemoryWindowCounter,
  type RateLimiter,
  type WindowCounter,
} from '../../src/http/rate-limit.ts';
import { BodyLimits, setRequestContext } from '../../src/http/request-context.ts';

function requestFrom(address: string) {
  const request = new Request('http://localhost/');
  const responseHeaders: Record<string, string> = {};
  setRequestContext(request, {
    id: 'test',
    address: () => address,
    responseHeaders,
    setIdleTimeout: () => {},
    bodyLimits: new BodyLimits({ bodyMemoryMb: 1, bodyRatePeriodS: 1 }),
  });
  return { request, responseHeaders };
}

/** @returns the rate limit headers of a request */
async function takeOne(rates: RateLimiter, name: string, address = '192.0.2.1') {
  const { request, responseHeaders } = requestFrom(address);
  const passed = await isAllowed(rates.consume(request, 'page', name));
  return { passed, retryAfter: responseHeaders['retry-after'], limit: responseHeaders['x-ratelimit-limit'] };
}

async function fail(counter: WindowCounter, address: string) {
  const { request, responseHeaders } = requestFrom(address);
  const passed = await isAllowed(consumeAttempt(request, counter, clientNetwork(request)));
  return { passed, retryAfter: responseHeaders['retry-after'] };
}

async function isAllowed(counted: Promise<void>): Promise<boolean> {
  try {
    await counted;
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'rate_limited' });
    return false;
  }
}

async function runThreeTimes<T>(run: () => Promise<T>): Promise<T[]> {
  return [await run(), await run(), await run()];
}

const rates = { rateKey: 1, rateTrack: 1, ratePage: 2, rateEvents: 1 };

const createMemoryCounter =
  (now?: () => number): CreateWindowCounter =>
  (_name, limit, options) =>
    new MemoryWindowCounter(limit, options, now);

/** A monotonic clock that the test moves. */
function createClock() {
  let ms = 1_000_000;
  return {
    now: () => ms,
    after: (elapsed: number) => {
      ms = 1_000_000 + elapsed;
    },
  };
}

describe('a window', () => {
  test('starts with its first request, lasts 60 s, and is not extended by rejected requests', async () => {
    const { now, after } = createClock();
    const limiter = createRateLimiter(rates, createMemoryCounter(now));
    expect(await takeOne(limiter, 'a')).toMatchObject({ passed: true, retryAfter: undefined });
    after(30_000);
    expect(await takeOne(limiter, 'a')).toMatchObject({ passed: true, retryAfter: undefined });
    expect(await takeOne(limiter, 'a')).toMatchObject({ passed: false, retryAfter: '30' });
    // The window of another address starts with its first request.
    expect(await takeOne(limiter, 'b')).toMatchObject({ passed: true, retryAfter: undefined });
    after(59_999);
    for (let index = 0; index < 10; index += 1) {
      expect(await takeOne(limiter, 'a')).toMatchObject({ passed: false, retryAfter: '1' });
    }
    after(60_000);
    expect(await takeOne(limiter, 'a')).toMatchObject({ passed: true, retryAfter: undefined });
    expect(await takeOne(limiter, 'a')).toMatchObject({ passed: true, retryAfter: undefined });
    expect(await takeOne(limiter, 'a')).toMatchObject({ passed: false, retryAfter: '60' });
  });

  test('does not depend on the system clock', async () => {
    const limiter = createRateLimiter(rates, createMemoryCounter());
    const started = Date.now();
    const addDays = (count: number) => new Date(started + count * 86_400_000);
    try {
      for (const [before, after] of [[0, -2] as const, [0, 400] as const, [400, 0] as const]) {
        const name = `from ${before} to ${after}`;
        setSystemTime(addDays(before));
        await takeOne(limiter, name);
        setSystemTime(addDays(after));
        await takeOne(limiter, name);
        const { passed, retryAfter } = await takeOne(limiter, name);
        expect(passed).toBe(false);
        expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
        expect(Number(retryAfter)).toBeLessThanOrEqual(60);
      }
    } finally {
      setSystemTime();
    }
  });
});

describe('the share of an address in the requests of a domain', () => {
  test('leaves the rest to other addresses, and does not count requests beyond the limit of the domain', async () => {
    const { now, after } = createClock();
    const limiter = createRateLimiter({ ...rates, ratePage: 5, publicRequestsPerAddress: 2 }, createMemoryCounter(now));
    const takeThree = (address: string, domain = 'a.example') =>
      runThreeTimes(async () => (await takeOne(limiter, domain, address)).passed);
    expect(await takeThree('192.0.2.1')).toEqual([true, true, false]);
    expect(await takeOne(limiter, 'a.example', '192.0.2.1')).toEqual({ passed: false, retryAfter: '60', limit: '2' });
    expect(await takeThree('192.0.2.1', 'b.example')).toEqual([true, true, false]);
    expect(await takeThree('192.0.2.2')).toEqual([true, true, false]);
    expect(await takeThree('192.0.2.3')).toEqual([true, false, false]);
    expect(await takeOne(limiter, 'a.example', '192.0.2.3')).toMatchObject({ passed: false, limit: '5' });
    after(60_000);
    expect(await takeThree('192.0.2.3')).toEqual([true, true, false]);
  });
});

describe('failures by address', () => {
  test('are refunded after a success, up to the counted number', async () => {
    const counter = new MemoryWindowCounter(2);
    for (let index = 0; index < 10; index += 1) {
      expect((await fail(counter, '192.0.2.1')).passed).toBe(true);
      counter.refund('192.0.2.1');
    }
    counter.refund('192.0.2.1');
    counter.refund('192.0.2.2');
    for (const address of ['192.0.2.1', '192.0.2.2']) {
      expect(await runThreeTimes(async () => (await fail(counter, address)).passed)).toEqual([true, true, false]);
    }
  });

  test('are tracked for a limited number of addresses', async () => {
    const counter = new MemoryWindowCounter(2, { maxTracked: 1_000 });
    for (let index = 0; index < 50_000; index += 1) {
      const address = `2001:db8:${(index >> 16).toString(16)}:${(index & 0xffff).toString(16)}::1`;
      await fail(counter, address);
      if (index % 997 === 0) expect(counter.size).toBeLessThanOrEqual(1_000);
    }
    expect(counter.size).toBe(1_000);
    // The most recent addresses are still tracked.
    expect((await fail(counter, '2001:db8:0:c34f::2')).passed).toBe(true);
    expect((await fail(counter, '2001:db8:0:c34f::3')).passed).toBe(false);
  });

  test('are counted together for the addresses of a network', async () => {
    const counter = new MemoryWindowCounter(1_000_000);
    for (let index = 0; index < 10_000; index += 1) {
      await fail(counter, `2001:db8::${index.toString(16)}`);
    }
    expect(counter.size).toBe(1);
  });

  test('double the window up to 16 minutes; each quiet hour reduces it by one step', async () => {
    const { now, after } = createClock();
    const counter = new MemoryWindowCounter(2, { isGrowing: true }, now);
    let elapsedMs = 0;
    const pass = (ms: number): void => {
      elapsedMs += ms;
      after(elapsedMs);
    };
    const pause = async (): Promise<number> => {
      for (let guess = 0; guess < 2; guess += 1) expect((await fail(counter, '192.0.2.1')).passed).toBe(true);
      const { passed, retryAfter } = await fail(counter, '192.0.2.1');
      expect(passed).toBe(false);
      pass(Number(retryAfter) * 1000 - 1);
      expect(await fail(counter, '192.0.2.1')).toEqual({ passed: false, retryAfter: '1' });
      pass(1);
      return Number(retryAfter) / 60;
    };
    for (const minutes of [1, 2, 4, 8, 16, 16]) expect(await pause()).toBe(minutes);
    pass(2 * 60 * 60_000);
    expect(await pause()).toBe(8);
    pass(5 * 60 * 60_000);
    expect(await pause()).toBe(1);
  });

  test('are slowed down even below the limit of a minute', async () => {
    const { now, after } = createClock();
    const counter = new MemoryWindowCounter(10, { isGrowing: true }, now);
    let passed = 0;
    const day = 24 * 60;
    for (let minute = 0; minute < day; minute += 1) {
      after(minute * 60_000);
      for (let guess = 0; guess < 9; guess += 1) if ((await fail(counter, '192.0.2.1')).passed) passed += 1;
    }
    // Ten in 16 minutes, and those of the first half hour.
    expect(passed).toBeLessThan(10 * (day / 16) + 50);
    expect(passed).toBeGreaterThan(500);
  });

  test('that are rare do not accumulate', async () => {
    const { now, after } = createClock();
    const counter = new MemoryWindowCounter(2, { isGrowing: true }, now);
    for (let hour = 0; hour < 100; hour += 2) {
      after(hour * 60 * 60_000);
      expect(await runThreeTimes(async () => (await fail(counter, '192.0.2.1')).passed)).toEqual([true, true, false]);
      expect((await fail(counter, '192.0.2.1')).retryAfter).toBe('60');
    }
  });
});
