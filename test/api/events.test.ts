import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { join } from 'node:path';
import { isOnPostgres } from '../fixtures/database.ts';
import { passMidnight } from '../fixtures/eventually.ts';
import { buildHead } from '../fixtures/raw-http.ts';
import {
  createTemporaryFolder,
  type Envelope,
  runCommand,
  startTestServer,
  type TestServer,
} from '../fixtures/server.ts';
import { Database } from '../fixtures/sqlite.ts';
import { buildArticle } from './articles.ts';
import { readRows } from './stored-rows.ts';

interface AcceptedEvents {
  accepted: number;
  duplicates: number;
}

let server: TestServer;
/** Of the site of the server's key. */
const domain = 'listeners.example';

beforeAll(async () => {
  // Quotas are those of a month, listeners those of a day.
  await passMidnight();
  const data = createTemporaryFolder();
  const site = await createSiteWithDomain(data, 'Listeners', domain);
  server = await startTestServer({
    ...{ data, key: site.key },
    env: {
      ...{ LECTERN_QUOTA_EVENTS: 'starter=5,growth=60' },
      ...{ LECTERN_RATE_EVENTS: '2000', LECTERN_RATE_TRACK: '1200' },
    },
  });
  await server.generate({ post_id: 'known', content: buildArticle('the known post') });
});
afterAll(() => server.stop('SIGKILL'));

async function createSiteWithDomain(data: string, name: string, host: string, ...flags: string[]) {
  const words = ['site', 'create', '--data', data, '--name', name, '--domain', host, '--json'];
  const site = await runCommand([...words, ...flags]);
  if (site.code !== 0) throw new Error(site.stderr);
  const { id } = JSON.parse(site.stdout) as { id: number };
  const result = await runCommand(['key', 'create', '--data', data, '--site', `${id}`, '--json']);
  return { id, domain: host, key: (JSON.parse(result.stdout) as { key: string }).key };
}

/** A site in the server's data folder. */
function createTestSite(plan: string) {
  const host = `${crypto.randomUUID().slice(0, 8)}.example`;
  return createSiteWithDomain(server.data, 'Further', host, '--plan', plan);
}

function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

function track(body: unknown, key = server.key) {
  return post('/v1/events/track', body, { 'x-api-key': key });
}

function sendPublic(body: unknown, host = domain, headers: Record<string, string> = {}) {
  return post(`/v1/public/events?domain=${host}`, body, headers);
}

async function readAccepted(response: Response): Promise<AcceptedEvents> {
  const { message, data } = (await response.json()) as Envelope<AcceptedEvents>;
  expect([response.status, message]).toEqual([202, 'Events accepted']);
  return data;
}

async function readErrors(response: Response): Promise<unknown[]> {
  const { success, message, errors } = (await response.json()) as Envelope<undefined>;
  expect(success).toBe(false);
  return [response.status, message, ...(errors === undefined ? [] : [errors])];
}

function buildEvents(count: number, name: string) {
  return Array.from({ length: count }, (_, index) => ({
    ...{ type: 'play', post_id: 'known', event_id: `${name}-${index}` },
  }));
}

function readEvents(eventId: string) {
  return readRows<Record<string, unknown>>(server.data, `select * from event where event_id = '${eventId}'`);
}

function readTotals(siteId: number, where: string) {
  return readRows<{ value: string; metric: string; amount: number }>(
    server.data,
    `select value, metric, amount from event_day where site_id = ${siteId} and ${where}
      order by dimension, value, metric`,
  );
}

const bothIntakes = [
  ['POST /v1/events/track', (body: unknown) => track(body)],
  ['POST /v1/public/events', (body: unknown) => sendPublic(body)],
] as const;

describe.each(bothIntakes)('%s', (intake, send) => {
  test('accepts a single event without an array', async () => {
    expect(await readAccepted(await send({ type: 'play', post_id: 'known' }))).toEqual({
      ...{ accepted: 1, duplicates: 0 },
    });
  });

  test('accepts a batch of up to 100 events', async () => {
    const events = Array.from({ length: 100 }, () => ({ type: 'progress', post_id: 'known' }));
    expect(await readAccepted(await send({ events }))).toEqual({ accepted: 100, duplicates: 0 });
    const tooMany = await send({ events: [...events, events[0]] });
    expect(await readErrors(tooMany)).toEqual([
      ...[422, 'Validation failed', { events: ['must have at most 100 items'] }],
    ]);
    expect((await send({ events: [] })).status).toBe(422);
  });

  test('accepts text/plain, as a beacon sends it', async () => {
    const name = crypto.randomUUID();
    const text = JSON.stringify({ type: 'play', post_id: 'known', event_id: name });
    const path = intake.slice('POST '.length);
    const response = await post(path === '/v1/events/track' ? path : `${path}?domain=${domain}`, text, {
      ...{ 'content-type': 'text/plain;charset=UTF-8', 'x-api-key': server.key },
    });
    expect(await readAccepted(response)).toEqual({ accepted: 1, duplicates: 0 });
    expect(readEvents(name)).toHaveLength(1);
  });

  test('names each invalid field, and then stores no event', async () => {
    const fine = { type: 'play', post_id: 'known', event_id: crypto.randomUUID() };
    const events = [
      fine,
      { type: 'listen', post_id: 'known' },
      { type: 'play' },
      { type: 'play', post_id: 'known', heard_seconds: -1, position_seconds: '3' },
      { type: 'play', post_id: 'known', session_id: 'x'.repeat(129), value: 'x'.repeat(501) },
      { type: 'play', post_id: 'known', occurred_at: 'yesterday', language: '?' },
      { type: 'play', post_id: 'kno\u0000wn', event_id: '\ud800' },
    ];
    const [status, message, errors] = await readErrors(await send({ events }));
    expect([status, message]).toEqual([422, 'Validation failed']);
    expect(Object.keys(errors as object).sort()).toEqual([
      'events.1.type',
      'events.2.post_id',
      'events.3.heard_seconds',
      'events.3.position_seconds',
      'events.4.session_id',
      'events.4.value',
    ]);
    const [, , further] = await readErrors(await send({ events: [events[5], events[6]] }));
    expect(Object.keys(further as object).sort()).toEqual([
      'events.0.language',
      'events.0.occurred_at',
      'events.1.event_id',
      'events.1.post_id',
    ]);
    expect(readEvents(fine.event_id)).toEqual([]);
  });

  test('names the invalid field of a single event, and rejects a value that is no event', async () => {
    expect(Object.keys((await readErrors(await send({ post_id: 'known' })))[2] as object)).toEqual(['type']);
    for (const body of ['[]', '3', 'null', '"play"', '{"events":3}', '{"events":[3]}']) {
      expect((await send(body)).status).toBe(422);
    }
    const huge = '{"type":"play","post_id":"known","heard_seconds":1e999}';
    expect((await send(huge)).status).toBe(422);
  });

  test('rejects invalid JSON and bodies that are too large', async () => {
    expect(await readErrors(await send('{"type":'))).toEqual([400, 'Malformed JSON']);
    const large = JSON.stringify({ type: 'play', post_id: 'known', more: 'x'.repeat(600_000) });
    expect((await send(large)).status).toBe(413);
  });

  test('counts an event once, however often it is sent', async () => {
    const events = buildEvents(3, crypto.randomUUID());
    const [first, second, third] = events;
    expect(await readAccepted(await send({ events: [first, second, first] }))).toEqual({
      ...{ accepted: 2, duplicates: 1 },
    });
    const responses = await Promise.all(Array.from({ length: 20 }, () => send(third)));
    const sums = await Promise.all(responses.map(readAccepted));
    expect(sums.filter(({ accepted }) => accepted === 1)).toHaveLength(1);
    expect(await readAccepted(await send({ events }))).toEqual({ accepted: 0, duplicates: 3 });
    expect(readEvents(third?.event_id ?? '')).toHaveLength(1);
  });
});

describe('events of a page', () => {
  test('can name their domain in the body', async () => {
    const event = { type: 'play', post_id: 'known' };
    const { accepted } = await readAccepted(await post('/v1/public/events', { domain, ...event }));
    const batch = { domain, events: [event, event] };
    expect(accepted + (await readAccepted(await post('/v1/public/events', batch))).accepted).toBe(3);
    expect(await readErrors(await post('/v1/public/events', event))).toEqual([
      ...[422, 'Validation failed', { domain: ['is required'] }],
    ]);
    expect(await readErrors(await post('/v1/public/events', { ...event, domain: 'nobody.example' }))).toEqual([
      404,
      'Unknown domain',
    ]);
  });

  test('get responses and errors that only pages of their site can read', async () => {
    const origin = `https://${domain}`;
    const event = { type: 'play', post_id: 'known' };
    for (const body of [event, { type: 'none' }, '{']) {
      for (const response of [
        await sendPublic(body, domain, { origin }),
        await post('/v1/public/events', typeof body === 'string' ? body : { domain, ...body }, {
          origin,
        }),
      ]) {
        expect(response.headers.get('access-control-allow-origin')).toBe(origin);
      }
    }
    const other = await sendPublic(event, domain, { origin: 'https://elsewhere.example' });
    expect(await readErrors(other)).toEqual([403, 'Origin not allowed']);
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
    const asked = await fetch(`${server.url}/v1/public/events?domain=${domain}`, {
      ...{ method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-methods')).toContain('POST');
  });

  test('need no origin if the query names the domain, for Firefox under `no-referrer`', async () => {
    const event = { type: 'play', post_id: 'known' };
    const response = await sendPublic(event, domain, { origin: 'null' });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect((await readAccepted(response)).accepted).toBe(1);
    const inBody = await post('/v1/public/events', { domain, ...event }, { origin: 'null' });
    expect(await readErrors(inBody)).toEqual([403, 'Origin not allowed']);
  });

  test('are rejected with the content type of a form', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await sendPublic('type=play', domain, form);
    expect(await readErrors(response)).toEqual([...[415, 'Content-Type must be application/json or text/plain']]);
  });

  test('require a subscription', async () => {
    const { id, domain: host } = await createTestSite('starter');
    const update = (...flags: string[]) => runCommand(['site', 'update', `${id}`, '--data', server.data, ...flags]);
    await update('--subscription', 'inactive');
    // Before its body is read.
    expect(await readErrors(await sendPublic('{', host))).toEqual([402, 'Subscription inactive']);
    await update('--subscription', 'trialing', '--trial-ends', '2020-01-01');
    expect(await readErrors(await sendPublic('{', host))).toEqual([402, 'Trial expired']);
    await update('--active', 'false');
    expect(await readErrors(await sendPublic('{', host))).toEqual([404, 'Unknown domain']);
  });

  test('are stored with a device class, without address and user agent', async () => {
    const agents = {
      phone: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148 Safari/604.1',
      tablet: 'Mozilla/5.0 (Linux; Android 15; SM-X910) AppleWebKit/537.36 Chrome/140.0 Safari/537',
      desktop: 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
      other: 'curl/8.14.1',
    };
    for (const [device, agent] of Object.entries(agents)) {
      const event_id = crypto.randomUUID();
      const event = { type: 'play', post_id: 'known', event_id };
      await readAccepted(await sendPublic(event, domain, { 'user-agent': agent }));
      const [row] = readEvents(event_id);
      expect(row).toMatchObject({ device, post: 'known', source: 'public' });
      expect(JSON.stringify(row)).not.toMatch(/127\.0\.0\.1|::1|Mozilla|curl/);
    }
  });
});

describe('events of a server', () => {
  test('require a key, which is checked before the body', async () => {
    expect(await readErrors(await post('/v1/events/track', '{'))).toEqual([401, 'API key missing']);
    const growth = await createTestSite('growth');
    const [status, message] = await readErrors(await track('{', growth.key));
    expect([status, message]).toEqual([403, 'Plan restriction']);
  });

  test('get responses that no page can read', async () => {
    const response = await post(
      '/v1/events/track',
      { type: 'play', post_id: 'known' },
      { 'x-api-key': server.key, origin: `https://${domain}` },
    );
    await readAccepted(response);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('can have the same names as public events', async () => {
    const event = { type: 'play', post_id: 'known', event_id: crypto.randomUUID() };
    expect(await readAccepted(await sendPublic(event))).toEqual({ accepted: 1, duplicates: 0 });
    expect(await readAccepted(await track(event))).toEqual({ accepted: 1, duplicates: 0 });
  });
});

describe('daily totals', () => {
  const getToday = () => new Date().toISOString().slice(0, 10);

  test('count each known name, and all other names together', async () => {
    const site = await createTestSite('enterprise');
    const invented = Array.from({ length: 50 }, (_, index) => ({
      ...{ type: 'play', post_id: `invented ${index}`, language: 'xx', voice_id: 100 + index },
    }));
    await readAccepted(await sendPublic({ events: invented }, site.domain));
    expect(readTotals(site.id, `post <> '' or value like 'inv%'`)).toEqual([]);
    expect(readTotals(site.id, `metric = 'play'`)).toEqual([
      { value: '', metric: 'play', amount: 50 },
      { value: 'other', metric: 'play', amount: 50 },
      { value: '', metric: 'play', amount: 50 },
      { value: '', metric: 'play', amount: 50 },
      { value: '', metric: 'play', amount: 50 },
      { value: 'public', metric: 'play', amount: 50 },
      { value: '', metric: 'play', amount: 50 },
    ]);
  });

  test('count a session once, whatever it listens to', async () => {
    const site = await createTestSite('enterprise');
    const content = buildArticle('what two read');
    for (const post_id of ['a', 'b']) {
      await server.request('/v1/audio/generate', {
        method: 'POST',
        headers: { 'x-api-key': site.key, 'content-type': 'application/json' },
        body: JSON.stringify({ post_id, content }),
      });
    }
    const listen = (session_id: string, post_id: string) =>
      track({ type: 'progress', post_id, session_id, heard_seconds: 5 }, site.key).then(readAccepted);
    await listen('one', 'a');
    await listen('one', 'b');
    await Promise.all([listen('two', 'a'), listen('two', 'a')]);
    await readAccepted(await sendPublic({ type: 'play', post_id: 'a', session_id: 'two' }, site.domain));
    await readAccepted(await track({ type: 'load', post_id: 'a', session_id: 'three' }, site.key));
    const countListeners = (where: string) =>
      readTotals(site.id, `${where} and metric = 'listeners'`).map(({ amount }) => amount);
    expect(countListeners(`dimension = 'all' and post = ''`)).toEqual([2]);
    expect(countListeners(`dimension = 'post'`)).toEqual([2, 1]);
    expect(countListeners(`dimension = 'language' and post = ''`)).toEqual([2]);
    expect(countListeners(`dimension = 'source' and post = '' and value = 'key'`)).toEqual([2]);
    expect(countListeners(`dimension = 'source' and post = '' and value = 'public'`)).toEqual([1]);
    expect(readTotals(site.id, `dimension = 'all' and post = 'a' and metric = 'heard_s'`)).toEqual([
      { value: '', metric: 'heard_s', amount: 15 },
    ]);
  });

  test('use the day of the event, or of its receipt if its time is not plausible', async () => {
    const site = await createTestSite('enterprise');
    const now = Date.now();
    const formatDaysAgo = (days: number) => new Date(now - days * 86_400_000).toISOString();
    const events = [formatDaysAgo(2), formatDaysAgo(30), formatDaysAgo(-2), undefined].map((occurred_at) => ({
      ...{ type: 'click', post_id: 'known', occurred_at },
    }));
    const before = getToday();
    await readAccepted(await track({ events }, site.key));
    const received = getToday();
    const days = readRows<{ day: string; amount: number }>(
      server.data,
      `select day, amount from event_day where site_id = ${site.id} and dimension = 'all' order by day`,
    );
    const [sent, others] = days;
    expect(sent).toEqual({ day: formatDaysAgo(2).slice(0, 10), amount: 1 });
    expect([before, received]).toContain(others?.day ?? '');
    expect(days.map(({ amount }) => amount)).toEqual([1, 3]);
  });
});

describe('the rate limit of events', () => {
  test('is separate from that of other requests, by domain and by key', async () => {
    const site = await createTestSite('enterprise');
    const event = { type: 'play', post_id: 'known' };
    const readLimits = async (response: Response) => {
      await response.bytes();
      return ['limit', 'remaining'].map((name) => response.headers.get(`x-ratelimit-${name}`));
    };
    expect(await readLimits(await sendPublic(event, site.domain))).toEqual(['2000', '1999']);
    expect(await readLimits(await track(event, site.key))).toEqual(['1200', '1199']);
    expect(await readLimits(await track('{', site.key))).toEqual(['1200', '1198']);
  });
});

describe('an address', () => {
  const perMinute = 250;
  let limited: TestServer;
  let site: { readonly id: number; readonly domain: string };

  beforeAll(async () => {
    const data = createTemporaryFolder();
    const env = {
      ...{
        LECTERN_EVENTS_PER_ADDRESS: `${perMinute}`,
        LECTERN_TRUSTED_PROXIES: '127.0.0.1',
        LECTERN_RATE_FAILURES: '3',
      },
      ...{ LECTERN_EVENT_QUOTA_SHARE_PERCENT: '20', LECTERN_QUOTA_EVENTS: 'starter=500' },
    };
    const { key, ...newSite } = await createSiteWithDomain(data, 'Limited', 'one.example', '--domain', 'other.example');
    site = newSite;
    limited = await startTestServer({ data, key, env });
  });
  afterAll(() => limited.stop('SIGKILL'));

  const send = (address: string, host: string, events: readonly object[]) =>
    fetch(`${limited.url}/v1/public/events?domain=${host}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ events }),
    });
  const buildPlays = (count: number, name?: string) =>
    Array.from({ length: count }, (_, index) => ({
      ...{ type: 'play', post_id: 'a' },
      ...(name === undefined ? {} : { event_id: `${name}-${index}` }),
    }));
  const collectStatusCodes = async (...sent: Promise<Response>[]) =>
    (await Promise.all(sent)).map(({ status }) => status);

  test('can store a limited number of events a minute for a domain; repeated events do not count', async () => {
    const first = '192.0.2.1';
    expect((await send(first, 'one.example', buildPlays(100, 'a'))).status).toBe(202);
    for (let repeat = 0; repeat < 3; repeat += 1) {
      expect((await send(first, 'one.example', buildPlays(100, 'a'))).status).toBe(202);
    }
    expect((await send(first, 'one.example', buildPlays(100))).status).toBe(202);
    const refused = await send(first, 'one.example', buildPlays(51));
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-ratelimit-limit')).toBe(`${perMinute}`);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect((await send(first, 'one.example', buildPlays(50))).status).toBe(202);
    const stored = `select count(*) as count from event where site_id = ${site.id}`;
    expect(readRows<{ count: number }>(limited.data, stored)).toEqual([{ count: perMinute }]);
    // Of another domain, of another address, with a key.
    expect(
      await collectStatusCodes(
        send(first, 'other.example', buildPlays(100)),
        send('192.0.2.2', 'one.example', buildPlays(100)),
      ),
    ).toEqual([202, 202]);
    const tracked = { events: buildPlays(100) };
    const headers = { 'content-type': 'application/json' };
    const track = () => limited.request('/v1/events/track', { method: 'POST', headers, body: JSON.stringify(tracked) });
    expect(await collectStatusCodes(track(), track(), track())).toEqual([202, 202, 202]);
  });

  test('can name unknown domains a few times a minute, in the query or in the body', async () => {
    const sendFrom = (address: string) =>
      fetch(`${limited.url}/v1/public/events`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: JSON.stringify({ domain: `${crypto.randomUUID()}.example`, ...buildPlays(1)[0] }),
      });
    const [first, second] = ['192.0.2.3', '192.0.2.4'] as const;
    const statuses: number[] = [];
    for (let index = 0; index < 2; index += 1)
      statuses.push((await send(first, `unknown-${index}.example`, buildPlays(1))).status);
    for (let index = 0; index < 2; index += 1) statuses.push((await sendFrom(first)).status);
    expect(statuses).toEqual([404, 404, 404, 429]);
    expect((await send(first, 'one.example', buildPlays(1))).status).toBe(202);
    expect((await sendFrom(second)).status).toBe(404);
  });

  test('gets the error for an unknown domain in the query before the body is read', async () => {
    const { hostname, port, host } = new URL(limited.url);
    const socket = connect(Number(port), hostname);
    const request = { method: 'POST', target: '/v1/public/events?domain=nobody.example', body: new Uint8Array(1_000) };
    // The body never arrives.
    socket.write(buildHead({ ...request, headers: [['Content-Type', 'application/json']] }, host));
    const response = await new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(chunk.toString())));
    expect(response).toStartWith('HTTP/1.1 404');
    socket.destroy();
  });

  test('can use a share of the monthly quota of a plan, if configured', async () => {
    const starter = await createSiteWithDomain(limited.data, 'Small', 'small.example', '--plan', 'starter');
    const [first, second] = ['192.0.2.5', '192.0.2.6'] as const;
    expect((await send(first, starter.domain, buildPlays(99, 'b'))).status).toBe(202);
    expect((await send(first, starter.domain, buildPlays(50, 'b'))).status).toBe(403);
    expect((await send(first, starter.domain, buildPlays(1))).status).toBe(202);
    const refused = await send(first, starter.domain, buildPlays(1));
    expect(refused.status).toBe(403);
    expect(await refused.json()).toEqual({
      ...{ success: false, message: 'Analytics quota exceeded' },
      errors: { quota: [expect.stringMatching(/^100 of 100 events used by your address in \d{4}-\d{2}$/)] },
    });
    expect((await send(second, starter.domain, buildPlays(100))).status).toBe(202);
  });
});

describe('the analytics quota', () => {
  const getMonth = () => new Date().toISOString().slice(0, 7);
  const buildQuotaError = (used: number, most: number) => [
    ...[403, 'Analytics quota exceeded'],
    { quota: [`${used} of ${most} events used in ${getMonth()}`] },
  ];

  test('accepts a batch completely or not at all, and does not count repeats', async () => {
    const { id, domain: host } = await createTestSite('starter');
    const events = buildEvents(4, crypto.randomUUID());
    expect(await readAccepted(await sendPublic({ events }, host))).toEqual({ accepted: 4, duplicates: 0 });
    const more = buildEvents(2, crypto.randomUUID());
    expect(await readErrors(await sendPublic({ events: more }, host))).toEqual(buildQuotaError(4, 5));
    const last = await sendPublic({ events: [...events, more[0]] }, host);
    expect(await readAccepted(last)).toEqual({ accepted: 1, duplicates: 4 });
    expect(await readAccepted(await sendPublic({ events }, host))).toEqual({ accepted: 0, duplicates: 4 });
    expect(await readErrors(await sendPublic(more[1], host))).toEqual(buildQuotaError(5, 5));
    expect(readTotals(id, `dimension = 'all' and metric = 'play'`)).toEqual([{ value: '', metric: 'play', amount: 5 }]);
  });

  test('is exact for concurrent requests', async () => {
    const { id, domain: host } = await createTestSite('growth');
    const event = { type: 'play', post_id: 'known' };
    await readAccepted(await sendPublic({ events: Array.from({ length: 50 }, () => event) }, host));
    const responses = await Promise.all(Array.from({ length: 50 }, () => sendPublic(event, host)));
    const counts = Map.groupBy(responses, ({ status }) => status);
    expect([counts.get(202)?.length, counts.get(403)?.length]).toEqual([10, 40]);
    const stored = `select count(*) as count from event where site_id = ${id}`;
    expect(readRows(server.data, stored)).toEqual([{ count: 60 }]);
  });
});

describe('on a separate server', () => {
  // It locks the file of the database.
  test.skipIf(isOnPostgres)('events beyond the write capacity get 503, and none is lost', async () => {
    const data = createTemporaryFolder();
    const site = await createSiteWithDomain(data, 'Flooded', 'flooded.example');
    const separateServer = await startTestServer({ data, key: site.key });
    const lock = new Database(join(data, 'lectern.db'));
    try {
      const events = Array.from({ length: 100 }, () => ({ type: 'progress', post_id: 'a' }));
      const send = () =>
        separateServer.request('/v1/events/track', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ events }),
        });
      lock.run('begin immediate');
      const requests = Array.from({ length: 210 }, send);
      const first = await Promise.race(requests);
      expect(await readErrors(first)).toEqual([503, 'Too many pending events']);
      expect(Number(first.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      lock.run('rollback');
      const statuses = (await Promise.all(requests)).map(({ status }) => status);
      const accepted = statuses.filter((status) => status === 202).length;
      expect(accepted).toBeGreaterThanOrEqual(200);
      expect(readRows(data, 'select count(*) as count from event')).toEqual([{ count: accepted * 100 }]);
      expect((await send()).status).toBe(202);
    } finally {
      lock.close();
      await separateServer.stop('SIGKILL');
    }
  });

  test('public events and events with a key have separate quotas', async () => {
    const data = createTemporaryFolder();
    const site = await createSiteWithDomain(data, 'Both', 'both.example');
    const env = { LECTERN_QUOTA_EVENTS: 'enterprise=3' };
    const separateServer = await startTestServer({ data, key: site.key, env });
    try {
      const send = (path: string) =>
        separateServer.request(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ type: 'play', post_id: 'a' }),
        });
      const sendFifty = async (path: string) => {
        const responses = await Promise.all(Array.from({ length: 50 }, () => send(path)));
        return responses.map(({ status }) => status).sort();
      };
      const expected = [...Array(3).fill(202), ...Array(47).fill(403)];
      expect(await sendFifty('/v1/public/events?domain=both.example')).toEqual(expected);
      expect(await sendFifty('/v1/events/track')).toEqual(expected);
    } finally {
      await separateServer.stop('SIGKILL');
    }
  });

  test('accepted events survive kill -9, and their repeats are recognized', async () => {
    const data = createTemporaryFolder();
    const site = await createSiteWithDomain(data, 'Killed', 'killed.example');
    const separateServer = await startTestServer({ data, key: site.key });
    const name = crypto.randomUUID();
    const received: string[] = [];
    const send = async (url: string, event_id: string): Promise<AcceptedEvents> => {
      const response = await fetch(`${url}/v1/events/track`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': site.key },
        body: JSON.stringify({ type: 'play', post_id: 'a', event_id }),
      });
      return readAccepted(response);
    };
    const sending = Array.from({ length: 100 }, (_, index) =>
      send(separateServer.url, `${name}-${index}`).then(
        () => received.push(`${name}-${index}`),
        () => undefined,
      ),
    );
    await Promise.race(sending);
    await separateServer.stop('SIGKILL');
    await Promise.all(sending);
    expect(received.length).toBeGreaterThan(0);
    const stored = new Set(
      readRows<{ event_id: string }>(data, 'select event_id from event').map((row) => row.event_id),
    );
    expect(received.filter((id) => !stored.has(id))).toEqual([]);
    const again = await startTestServer({ data, key: site.key });
    try {
      const first = received[0] ?? '';
      expect(await send(again.url, first)).toEqual({ accepted: 0, duplicates: 1 });
      const sums = readRows<{ amount: number }>(
        data,
        `select amount from event_day where dimension = 'all' and metric = 'play'`,
      );
      expect(sums.reduce((sum, { amount }) => sum + amount, 0)).toBe(stored.size);
    } finally {
      await again.stop('SIGKILL');
    }
  });
});
