import { check, type Row } from './row.ts';
import type { Exchange, World } from './world.ts';

const content = 'The harbor master counted forty ships before the fog came in from the sea.';
const quota = { starter: 50, growth: 500 };
const eventsPerBatch = 100;

const createRow =
  (table: string) =>
  (says: string, run: Row['run']): Row => ({ table, rule: says, run });
const rates = createRow('Request rate limits');
const errors = createRow('Errors');
const quotas = createRow('Monthly post quota');

const windowMs = 60_000;
const maxAttempts = 5;
/** Events are sent concurrently, as the server writes them in batches: in sequence they would take a minute on a busy machine. */
const concurrentRequests = 20;

/**
 * @param prepare returns a request that uses a new limit
 * @returns the last permitted request and the first one above the limit; repeated if they were not within one window
 */
async function spend(count: number, prepare: () => Promise<() => Promise<Exchange>>) {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const request = await prepare();
    const started = performance.now();
    const passing: Exchange[] = [];
    while (passing.length < count) {
      const batch = Math.min(concurrentRequests, count - passing.length);
      passing.push(...(await Promise.all(Array.from({ length: batch }, request))));
    }
    const last = passing.find(({ status }) => status === 429) ?? passing.at(-1);
    const beyond = await request();
    if (last !== undefined && performance.now() - started < windowMs) return { last, beyond };
  }
  throw new Error(`${count} requests took longer than a minute, ${maxAttempts} times: the server is too slow to check`);
}

function checkLimit(limit: number, prepare: (world: World) => Promise<() => Promise<Exchange>>): Row['run'] {
  return async (world) => {
    const { last, beyond } = await spend(limit, () => prepare(world));
    return check(last)
      .expect(last.status !== 429, `request ${limit} to pass`)
      .continueWith(beyond)
      .expectError(429)
      .expectHeader('x-ratelimit-limit', new RegExp(`^${limit}$`))
      .expectHeader('x-ratelimit-remaining', /^0$/)
      .expectHeader('retry-after', /^([1-9]|[1-5]\d|60)$/);
  };
}

/** Submits posts by the dashboard, as plans below enterprise have no REST API. */
async function fill(world: World, plan: 'starter' | 'growth' | 'enterprise', count: number) {
  const { id } = await world.createSite({ plan });
  const post = (number: number) =>
    world.post(
      `/v1/sites/${id}/posts`,
      { post_id: `post-${number}`, content: `${content} Number ${number}.`, priority: 'low' },
      { token: world.token },
    );
  let last = await post(1);
  for (let number = 2; number <= count && last.status === 202; number += 1) last = await post(number);
  const beyond = await post(count + 1);
  await world.dropSite(id);
  return { last, beyond };
}

function checkQuota(plan: 'starter' | 'growth'): Row['run'] {
  return async (world) => {
    const { last, beyond } = await fill(world, plan, quota[plan]);
    return check(last).expectStatus(202).continueWith(beyond).expectError(403);
  };
}

/** Limits: rates and quotas. */
export const limitRows: readonly Row[] = [
  rates(
    'routes that use `X-API-Key`: 60 a minute and key',
    checkLimit(60, async (world) => {
      const { key } = await world.createSite();
      return () => world.get('/v1/audio/nothing/status', { key });
    }),
  ),
  rates(
    'public player routes: 60 a minute and domain',
    checkLimit(60, async (world) => {
      const { domain } = await world.createSite();
      const paths = ['audio?post_id=a&', 'audio/status?post_id=a&', 'voices?'];
      let turn = 0;
      return () => {
        turn += 1;
        return world.get(`/v1/public/${paths[turn % paths.length]}domain=${domain}`);
      };
    }),
  ),
  rates(
    'POST `/v1/public/events`: 200 a minute and domain',
    checkLimit(200, async (world) => {
      const { domain } = await world.createSite();
      return () => world.post(`/v1/public/events?domain=${domain}`, { type: 'play', post_id: 'a' });
    }),
  ),
  rates(
    'POST `/v1/events/track`: 120 a minute and key',
    checkLimit(120, async (world) => {
      const { key } = await world.createSite();
      return () => world.post('/v1/events/track', { type: 'play', post_id: 'a' }, { key });
    }),
  ),
  rates('each budget is its own: per key, per domain', async (world) => {
    let site = await world.createSite();
    const request = (key: string) => world.get('/v1/audio/nothing/status', { key });
    const { beyond } = await spend(60, async () => {
      site = await world.createSite();
      return () => request(site.key);
    });
    const second = await world.createKey(site.id);
    return check(beyond)
      .expectError(429)
      .continueWith(await request(second))
      .expectError(404)
      .continueWith(await world.post('/v1/events/track', { type: 'play', post_id: 'a' }, { key: site.key }))
      .expectStatus(202)
      .continueWith(await world.get(`/v1/public/voices?domain=${site.domain}`))
      .expectStatus(200);
  }),

  quotas('starter: 50 posts', checkQuota('starter')),
  quotas('growth: 500 posts', checkQuota('growth')),
  quotas('enterprise: no fixed cap', async (world) => {
    const { last, beyond } = await fill(world, 'enterprise', quota.growth + 1);
    return check(last).expectStatus(202).continueWith(beyond).expectStatus(202);
  }),
  quotas('new posts count, not new versions of one', async (world) => {
    const { id } = await world.createSite({ plan: 'starter' });
    const submitVersion = (number: number) =>
      world.post(
        `/v1/sites/${id}/posts`,
        { post_id: 'same', content: `${content} Version ${number}.` },
        { token: world.token },
      );
    let last = await submitVersion(0);
    for (let number = 1; number <= quota.starter; number += 1) last = await submitVersion(number);
    await world.dropSite(id);
    return check(last).expectStatus(202);
  }),

  errors('403: monthly post quota exceeded', async (world) => {
    const { beyond } = await fill(world, 'starter', quota.starter);
    return check(beyond)
      .expectError(403, 'Monthly post quota exceeded')
      .expect('errors' in beyond.body, 'errors');
  }),
  errors('403: analytics quota exceeded', async (world) => {
    // One address may store 2,000 events a minute for each domain.
    const moreDomains = Array.from({ length: 5 }, () => world.createDomain());
    const { domain } = await world.createSite({ plan: 'starter', moreDomains });
    const domains = [domain, ...moreDomains];
    const events = Array.from({ length: eventsPerBatch }, () => ({ type: 'play', post_id: 'a' }));
    const send = (count: number) => world.post('/v1/public/events', { domain: domains[count % 6], events });
    let response = await send(0);
    for (let sentCount = 1; sentCount <= 100 && response.status === 202; sentCount += 1)
      response = await send(sentCount);
    return check(response).expectError(403, 'Analytics quota exceeded');
  }),
  errors('429: rate limit exceeded, with its headers', async (world) => {
    const { beyond } = await spend(60, async () => {
      const { key } = await world.createSite();
      return () => world.get('/v1/audio/nothing/status', { key });
    });
    return check(beyond)
      .expectError(429, 'Rate limit exceeded')
      .expectHeader('retry-after', /^\d+$/)
      .expectHeader('x-ratelimit-limit', /^\d+$/)
      .expectHeader('x-ratelimit-remaining', /^\d+$/);
  }),
];
