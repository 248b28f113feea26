import { afterEach, describe, expect, setSystemTime, test } from 'bun:test';
import { AppError } from '../../src/errors.ts';
import {
  createFailureLimiter,
  createRateLimiter,
  type FailureLimiter,
  type RateLimiter,
} from '../../src/http/rate-limit.ts';
import { setRequestContext } from '../../src/http/request-context.ts';

afterEach(() => setSystemTime());

function requestFrom(address: string) {
  const request = new Request('http://localhost/');
  const responseHeaders: Record<string, string> = {};
  setRequestContext(request, {
    id: 'test',
    address: () => address,
    responseHeaders,
    setIdleTimeout: () => {},
  });
  return { request, answerHeaders: responseHeaders };
}

/** @returns what a request would be told of its rate */
async function takeOne(rates: RateLimiter, caller: string) {
  const { request, answerHeaders } = requestFrom('192.0.2.1');
  const passed = await passes(rates.consume(request, 'page', caller));
  return { passed, retryAfter: answerHeaders['retry-after'] };
}

const fail = (limits: FailureLimiter, address: string): Promise<boolean> =>
  passes(limits.recordFailure(requestFrom(address).request));

async function passes(counted: Promise<void>): Promise<boolean> {
  try {
    await counted;
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'rate_limited' });
    return false;
  }
}

const start = new Date('2026-11-21T12:00:00.000Z');
const after = (ms: number) => setSystemTime(new Date(start.getTime() + ms));

describe('a window', () => {
  test('starts with its first request, lasts 60 s, and is not extended by rejected requests', async () => {
    const rates = createRateLimiter({ rateKey: 1, rateTrack: 1, ratePage: 2, rateEvents: 1 });
    after(0);
    expect(await takeOne(rates, 'a')).toEqual({ passed: true, retryAfter: undefined });
    after(30_000);
    expect(await takeOne(rates, 'a')).toEqual({ passed: true, retryAfter: undefined });
    expect(await takeOne(rates, 'a')).toEqual({ passed: false, retryAfter: '30' });
    // Another one's starts with its own first request.
    expect(await takeOne(rates, 'b')).toEqual({ passed: true, retryAfter: undefined });
    after(59_999);
    for (let index = 0; index < 10; index += 1) {
      expect(await takeOne(rates, 'a')).toEqual({ passed: false, retryAfter: '1' });
    }
    after(60_000);
    expect(await takeOne(rates, 'a')).toEqual({ passed: true, retryAfter: undefined });
    expect(await takeOne(rates, 'a')).toEqual({ passed: true, retryAfter: undefined });
    expect(await takeOne(rates, 'a')).toEqual({ passed: false, retryAfter: '60' });
  });
});

describe('failures by address', () => {
  test('are reverted after a success, only as many as were counted', async () => {
    const limits = createFailureLimiter(2);
    after(0);
    for (let index = 0; index < 10; index += 1) {
      expect(await fail(limits, '192.0.2.1')).toBe(true);
      await limits.revertFailure(requestFrom('192.0.2.1').request);
    }
    await limits.revertFailure(requestFrom('192.0.2.1').request);
    await limits.revertFailure(requestFrom('192.0.2.2').request);
    for (const address of ['192.0.2.1', '192.0.2.2']) {
      const outcomes = [await fail(limits, address), await fail(limits, address), await fail(limits, address)];
      expect(outcomes).toEqual([true, true, false]);
    }
  });

  test('are tracked for a limited number of addresses', async () => {
    const limits = createFailureLimiter(2, 1_000);
    for (let index = 0; index < 50_000; index += 1) {
      const address = `2001:db8:${(index >> 16).toString(16)}:${(index & 0xffff).toString(16)}::1`;
      await fail(limits, address);
      if (index % 997 === 0) expect(limits.size()).toBeLessThanOrEqual(1_000);
    }
    expect(limits.size()).toBe(1_000);
    // Those that came last are still known.
    expect(await fail(limits, '2001:db8:0:c34f::2')).toBe(true);
    expect(await fail(limits, '2001:db8:0:c34f::3')).toBe(false);
  });

  test('are counted together for the addresses of a network', async () => {
    const limits = createFailureLimiter(1_000_000);
    for (let index = 0; index < 10_000; index += 1) {
      await fail(limits, `2001:db8::${index.toString(16)}`);
    }
    expect(limits.size()).toBe(1);
  });
});
