import { describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { eventually } from '../fixtures/eventually.ts';
import { buildHead, exchangeRaw, type Pace } from '../fixtures/raw-http.ts';
import { createSite, startServerForFile, withNewSite } from '../fixtures/server.ts';
import { createSignedInClient } from '../fixtures/users.ts';
import { buildArticle } from './articles.ts';

const responseTimeoutMs = 30_000;
const domain = 'bodies.example';

const server = await startServerForFile({
  env: {
    ...{ LECTERN_BODY_RATE_PERIOD_S: '3', LECTERN_BODY_MEMORY_MB: '1', LECTERN_LOG_LEVEL: 'debug' },
    LECTERN_TRUSTED_PROXIES: '127.0.0.1',
  },
});
await createSite(server.data, { domains: [domain] });

const json = ['Content-Type', 'application/json'] as const;

function request(target: string, body: Uint8Array, headers: readonly (readonly [string, string])[] = []) {
  return { method: 'POST', target, headers: [json, ...headers], body };
}

/** Sends a post. */
function generate(postId: string, pace?: Pace, padding = '') {
  const content = `${buildArticle(postId)}${padding}`;
  const body = new TextEncoder().encode(JSON.stringify({ post_id: postId, content }));
  return exchangeRaw(
    server.url,
    request('/v1/audio/generate', body, [['X-API-Key', server.key]]),
    responseTimeoutMs,
    pace,
  );
}

function parseEnvelope(body: Uint8Array) {
  return JSON.parse(new TextDecoder().decode(body)) as { message: string; success: boolean };
}

async function fetchMetrics(): Promise<string> {
  return (await fetch(`${server.url}/metrics`)).text();
}

/** Sends a part of a body, then the rest at the minimum rate. */
async function holdOpen(
  target: string,
  size: number,
  sent: number,
  headers: readonly (readonly [string, string])[] = [],
) {
  const { hostname, port, host } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  let response = '';
  socket.on('data', (chunk) => {
    response += chunk.toString();
  });
  // The server may close the connection first.
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(buildHead(request(target, new Uint8Array(size), headers), host));
  await new Promise((resolve) => socket.write(Buffer.alloc(sent, ' '), resolve));
  const sending = setInterval(() => socket.write(Buffer.alloc(1_000, ' ')), 400);
  socket.on('close', () => clearInterval(sending));
  return { close: () => socket.destroy(), isRefused: () => response.startsWith('HTTP/1.1 503') };
}

describe('a body', () => {
  test('at the minimum rate is read completely, however long it takes', async () => {
    const slow = generate('slow', { bytes: 300, everyMs: 100 }, ' '.repeat(9_000));
    expect((await slow).status).toBe(202);
  });

  test.each([
    ['stops', { bytes: 1_500, everyMs: 100, parts: 1 }],
    ['is too slow', { bytes: 50, everyMs: 100 }],
    ['comes quickly at first', { bytes: 5_000, everyMs: 100, parts: 1 }],
  ])('that %s gets 408, and its connection is closed', async (_what, pace) => {
    const response = await generate('stalled', pace, ' '.repeat(9_000));
    expect(response.status).toBe(408);
    expect(parseEnvelope(response.body)).toEqual({ success: false, message: 'Request body too slow' });
    expect(response.headers.get('connection')).toBe('close');
  });

  test('of a voice or of pronunciations that is too slow gets 408', async () => {
    const { session } = await createSignedInClient(server, '--role', 'admin');
    const authorization = ['Authorization', `Bearer ${session.token}`] as const;
    const pace = { bytes: 20, everyMs: 100 };
    const form = ['Content-Type', 'multipart/form-data; boundary=x'] as const;
    const part = '--x\r\nContent-Disposition: form-data; name="model"; filename="a.onnx"\r\n\r\n';
    const voice = {
      ...request('/v1/voices', new TextEncoder().encode(part.padEnd(5_000))),
      headers: [authorization, form],
    };
    const csv = ['Content-Type', 'text/csv'] as const;
    const words = new TextEncoder().encode('word,alias\r\n'.padEnd(5_000, 'a'));
    const list = { ...request('/v1/pronunciations/import', words), headers: [authorization, csv] };
    const responses = await Promise.all(
      [voice, list].map((slowRequest) => exchangeRaw(server.url, slowRequest, responseTimeoutMs, pace)),
    );
    expect(responses.map(({ status }) => status)).toEqual([408, 408]);
  });

  test('without credentials is limited to 64 KB', async () => {
    const post = (path: string, size: number, headers: Record<string, string> = {}) =>
      fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}'.padEnd(size),
      });
    const targets = [`/v1/public/events?domain=${domain}`, '/v1/public/events', '/v1/auth/login', '/v1/auth/setup'];
    for (const target of targets) {
      const responses = await Promise.all([post(target, 65_536), post(target, 65_537)]);
      expect(responses.map(({ status }) => status)).toEqual([422, 413]);
    }
    expect((await post('/v1/events/track', 70_000, { 'x-api-key': server.key })).status).toBe(422);
  });
});

describe('request bodies in memory', () => {
  test('share a memory budget; beyond it requests get 503', async () => {
    const held = [['X-API-Key', server.key]] as const;
    const bodies = await Promise.all([1, 2].map(() => holdOpen('/v1/audio/generate', 600_000, 450_000, held)));
    const response = await eventually(async () => {
      const refused = await generate('crowded', undefined, ' '.repeat(300_000));
      return refused.status === 503 && refused;
    }, 'the budget is used up');
    expect(parseEnvelope(response.body)).toMatchObject({
      message: 'Too many request bodies in flight. Try again in a few seconds.',
    });
    expect(response.headers.get('retry-after')).toBe('2');
    for (const { close } of bodies) close();
    await eventually(async () => {
      const accepted = await generate('room', undefined, ' '.repeat(300_000));
      return [200, 202].includes(accepted.status);
    }, 'the budget is free again');
  });

  test('can exceed the budget one at a time', async () => {
    const body = JSON.stringify({ post_id: 'large', content: buildArticle('large') }).padEnd(1_500_000);
    const headers = { 'content-type': 'application/json', 'x-api-key': server.key };
    const response = await eventually(async () => {
      const reply = await fetch(`${server.url}/v1/audio/generate`, { method: 'POST', headers, body });
      return reply.status === 202 && reply;
    }, 'the large body is read');
    expect(await response.json()).toMatchObject({ data: { post_id: 'large' } });
  });

  test('of the site with the largest share are rejected first', async () => {
    const other = await withNewSite(server);
    const key = [['X-API-Key', server.key]] as const;
    const bodies = await Promise.all([1, 2].map(() => holdOpen('/v1/audio/generate', 600_000, 450_000, key)));
    await eventually(async () => (await generate('full', undefined, ' '.repeat(300_000))).status === 503, 'no room');
    const posted = await other.generate({ post_id: 'beside', content: buildArticle('beside').padEnd(300_000) });
    expect(posted.status).toBe(202);
    await eventually(() => bodies.some(({ isRefused }) => isRefused()), 'a body of the first site is refused');
    expect(bodies.filter(({ isRefused }) => isRefused())).toHaveLength(1);
    for (const { close } of bodies) close();
  });

  /** @returns 20 requests with incomplete bodies */
  function holdEvents(address: (index: number) => string) {
    return Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        holdOpen(`/v1/public/events?domain=${domain}`, 60_000, 45_000, [['X-Forwarded-For', address(index)]]),
      ),
    );
  }

  async function postEvents(address: string, size: number): Promise<number> {
    const response = await fetch(`${server.url}/v1/public/events?domain=${domain}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: '{}'.padEnd(size),
    });
    return response.status;
  }

  test.each([
    ['many addresses', (index: number) => `192.0.2.${index}`],
    ['one address', () => '192.0.2.200'],
  ])('of %s without credentials leave room to all others', async (whose, address) => {
    let bodies: Awaited<ReturnType<typeof holdEvents>> = [];
    // Bodies at the minimum rate are complete after some seconds, before a slow test has sent another one.
    const isFull = async () => {
      for (const { close } of bodies) close();
      bodies = await holdEvents(address);
      await eventually(() => bodies.filter(({ isRefused }) => isRefused()).length >= 8, 'half of the memory is full');
      return (await postEvents(address(100), 60_000)) === 503;
    };
    await eventually(isFull, 'the space is smaller than the reserve');
    expect(await postEvents('198.51.100.1', 10_000)).toBe(422);
    expect((await generate(`beside ${whose}`, undefined, ' '.repeat(300_000))).status).toBe(202);
    for (const { close } of bodies) close();
  });
});

test('a client that disconnects is not an error in log and metrics', async () => {
  const countErrors = async () =>
    [...(await fetchMetrics()).matchAll(/duration_seconds_count{[^}]*status="5xx"[^}]*} (\d+)/g)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  const errors = await countErrors();
  const logged = server.log().length;
  const bodies = await Promise.all(
    Array.from({ length: 5 }, () => holdOpen(`/v1/public/events?domain=${domain}`, 60_000, 10_000)),
  );
  for (const { close } of bodies) close();
  const disconnected = await eventually(() => {
    const lines = server.log().slice(logged).split('\n');
    const ended = lines.filter((line) => line.includes('"status":499'));
    // A connection that closes before its headers are read is no request.
    return ended.length > 0 && ended;
  }, 'the requests have ended');
  const debugLevel = 20;
  for (const line of disconnected) expect(JSON.parse(line)).toMatchObject({ level: debugLevel });
  expect(server.log()).not.toContain('request failed');
  expect(await countErrors()).toBe(errors);
});
