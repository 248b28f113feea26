import { check, type Row } from './row.ts';
import type { ConformanceSite, SiteOptions, World } from './world.ts';

const content = 'The harbor master counted forty ships before the fog came in from the sea.';
const past = '2020-01-01T00:00:00.000Z';

const createRow =
  (table: string) =>
  (says: string, run: Row['run']): Row => ({ table, rule: says, run });
const endpoint = createRow('Endpoints');
const authentication = createRow('Authentication');
const siteAndKey = createRow('Site and API key');
const errors = createRow('Errors');
const versioning = createRow('Versioning');

async function createChangedSite(
  world: World,
  changes: Record<string, unknown>,
  options?: SiteOptions,
): Promise<ConformanceSite> {
  const site = await world.createSite(options);
  await world.manage('PATCH', `/v1/sites/${site.id}`, changes);
  return site;
}

const inactive = { subscription: 'inactive' };
const trialOver = { subscription: 'trialing', trial_ends_at: past };

function requestWithKey(world: World, key: string) {
  return world.get('/v1/audio/nothing/status', { key });
}

function requestPublicStatus(world: World, { domain }: { domain: string }) {
  return world.get(`/v1/public/audio/status?domain=${domain}&post_id=nothing`);
}

function createUnknownKey(): string {
  return `svc_live_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')}`;
}

/** Access: endpoints, authentication, errors, versioning. */
export const accessRows: readonly Row[] = [
  endpoint('POST `/v1/audio/generate`: X-API-Key', async (world) => {
    const { key } = await world.createSite();
    return check(await world.post('/v1/audio/generate', { post_id: 'a', content }, { key }))
      .expectStatus(202)
      .continueWith(await world.post('/v1/audio/generate', { post_id: 'a', content }))
      .expectError(401);
  }),
  endpoint('GET `/v1/audio/{post_id}/status`: X-API-Key', async (world) => {
    const { key } = await world.createSite();
    return check(await world.get('/v1/audio/nothing/status', { key }))
      .expectError(404)
      .continueWith(await world.get('/v1/audio/nothing/status'))
      .expectError(401);
  }),
  endpoint('GET `/v1/public/audio/status`: domain, no key', async (world) => {
    const site = await world.createSite();
    return check(await world.get('/v1/public/audio/status?domain=nobody.example&post_id=a'))
      .expectError(404)
      .continueWith(await requestPublicStatus(world, site))
      .expectError(404, 'Post not found');
  }),
  endpoint('GET `/v1/public/voices`: domain, no key', async (world) => {
    const { domain } = await world.createSite();
    return check(await world.get('/v1/public/voices?domain=nobody.example'))
      .expectError(404)
      .continueWith(await world.get(`/v1/public/voices?domain=${domain}`))
      .expectStatus(200);
  }),
  endpoint('GET `/v1/public/audio`: domain, no key', async (world) => {
    const { domain } = await world.createSite();
    return check(await world.get('/v1/public/audio?domain=nobody.example&post_id=a'))
      .expectError(404)
      .continueWith(await world.get(`/v1/public/audio?domain=${domain}&post_id=a`))
      .expectError(404, 'Post not found');
  }),
  endpoint('POST `/v1/public/events`: domain, no key', async (world) => {
    const { domain } = await world.createSite();
    return check(await world.post('/v1/public/events?domain=nobody.example', { type: 'play' }))
      .expectError(404)
      .continueWith(await world.post(`/v1/public/events?domain=${domain}`, { type: 'play', post_id: 'a' }))
      .expectStatus(202);
  }),
  endpoint('POST `/v1/events/track`: X-API-Key', async (world) => {
    const { key } = await world.createSite();
    return check(await world.post('/v1/events/track', { type: 'play', post_id: 'a' }))
      .expectError(401)
      .continueWith(await world.post('/v1/events/track', { type: 'play', post_id: 'a' }, { key }))
      .expectStatus(202);
  }),
  endpoint('POST `/v1/sites/{site}/rotate-key`: dashboard session', async (world) => {
    const { id, key } = await world.createSite();
    return check(await world.post(`/v1/sites/${id}/rotate-key`, {}, { key }))
      .expectError(401)
      .continueWith(await world.post(`/v1/sites/${id}/rotate-key`, {}, { token: world.token }))
      .expectStatus(201)
      .expectKind('key', 'a string');
  }),
  endpoint('GET `/v1/voices`: dashboard session token', async (world) => {
    const { key } = await world.createSite();
    return check(await world.get('/v1/voices', { key }))
      .expectError(401)
      .continueWith(await world.get('/v1/voices', { token: world.token }))
      .expectStatus(200);
  }),

  siteAndKey('a site has a primary domain and further allowed ones', async (world) => {
    const more = [world.createDomain(), world.createDomain()];
    const site = await world.createSite({ moreDomains: more });
    const unknownPost = check(await requestPublicStatus(world, site)).expectError(404, 'Post not found');
    for (const domain of more) {
      unknownPost.continueWith(await requestPublicStatus(world, { domain })).expectError(404, 'Post not found');
    }
    return unknownPost;
  }),
  siteAndKey('a site can have several API keys', async (world) => {
    const { id, key } = await world.createSite();
    const second = await world.createKey(id);
    return check(await requestWithKey(world, key))
      .expectError(404)
      .continueWith(await requestWithKey(world, second))
      .expectError(404);
  }),
  siteAndKey('a key begins with `svc_live_`', async (world) => {
    const { id } = await world.createSite();
    const response = await world.post(`/v1/sites/${id}/keys`, { name: 'x' }, { token: world.token });
    return check(response).expect(/^svc_live_./.test(String(response.data['key'])), 'the prefix svc_live_');
  }),
  siteAndKey("a key's value is shown only once", async (world) => {
    const { id, key } = await world.createSite();
    const list = await world.get(`/v1/sites/${id}/keys`, { token: world.token });
    return check(list)
      .expectStatus(200)
      .expect(list.text.includes('svc_live_'), 'the key listed by its prefix')
      .expect(!list.text.includes(key), 'no key value in the list');
  }),

  authentication('1. the header is required on every authenticated request', async (world) =>
    check(await world.get('/v1/audio/a/status'))
      .expectError(401)
      .continueWith(await world.get('/v1/audio/status?post_id=a'))
      .expectError(401)
      .continueWith(await world.post('/v1/audio/generate', {}))
      .expectError(401)
      .continueWith(await world.post('/v1/events/track', {}))
      .expectError(401),
  ),
  authentication('2. a key is scoped to one site', async (world) => {
    const [site, otherSite] = [await world.createSite(), await world.createSite()];
    await world.post('/v1/audio/generate', { post_id: 'mine', content }, { key: site.key });
    return check(await world.get('/v1/audio/mine/status', { key: site.key }))
      .expectStatus(200)
      .continueWith(await world.get('/v1/audio/mine/status', { key: otherSite.key }))
      .expectError(404);
  }),
  authentication('4. rotation revokes every active key at once and issues a new one', async (world) => {
    const { id, key } = await world.createSite();
    const second = await world.createKey(id);
    const rotated = await world.post(`/v1/sites/${id}/rotate-key`, {}, { token: world.token });
    return check(rotated)
      .expectStatus(201)
      .continueWith(await requestWithKey(world, key))
      .expectError(401)
      .continueWith(await requestWithKey(world, second))
      .expectError(401)
      .continueWith(await requestWithKey(world, String(rotated.data['key'])))
      .expectError(404);
  }),
  authentication('6. public routes validate the `domain` against the registered ones', async (world) =>
    check(await requestPublicStatus(world, { domain: world.createDomain() })).expectError(404),
  ),
  authentication('7. dashboard routes use a session token', async (world) =>
    check(await world.get('/v1/voices'))
      .expectError(401)
      .continueWith(await world.get('/v1/voices', { token: 'invented' }))
      .expectError(401)
      .continueWith(await world.get('/v1/voices', { token: world.token }))
      .expectStatus(200),
  ),
  authentication('9. the REST API is available only on the enterprise plan', async (world) => {
    const [starter, growth, enterprise] = [
      await world.createSite({ plan: 'starter' }),
      await world.createSite({ plan: 'growth' }),
      await world.createSite(),
    ];
    return check(await requestWithKey(world, starter.key))
      .expectError(403)
      .continueWith(await requestWithKey(world, growth.key))
      .expectError(403)
      .continueWith(await requestWithKey(world, enterprise.key))
      .expectError(404);
  }),

  errors('401: API key missing', async (world) => check(await world.get('/v1/audio/a/status')).expectError(401)),
  errors('401: API key invalid', async (world) =>
    check(await requestWithKey(world, createUnknownKey()))
      .expectError(401)
      .continueWith(await requestWithKey(world, 'nonsense'))
      .expectError(401),
  ),
  errors('401: site inactive', async (world) => {
    const { key } = await createChangedSite(world, { active: false });
    return check(await requestWithKey(world, key)).expectError(401);
  }),
  errors('401: subscription not allowed', async (world) => {
    const { key } = await createChangedSite(world, inactive);
    return check(await requestWithKey(world, key)).expectError(401);
  }),
  errors('401: trial ended', async (world) => {
    const { key } = await createChangedSite(world, trialOver);
    return check(await requestWithKey(world, key)).expectError(401);
  }),
  errors('403: plan restriction', async (world) => {
    const { key } = await world.createSite({ plan: 'growth' });
    const response = await requestWithKey(world, key);
    return check(response)
      .expectError(403)
      .expect('errors' in response.body, 'errors');
  }),
  errors('402: public routes, subscription inactive: `Subscription inactive`', async (world) => {
    const site = await createChangedSite(world, inactive);
    return check(await requestPublicStatus(world, site))
      .expectError(402, 'Subscription inactive')
      .continueWith(await world.get(`/v1/public/voices?domain=${site.domain}`))
      .expectError(402, 'Subscription inactive');
  }),
  errors('402: public routes, trial expired: `Trial expired`', async (world) =>
    check(await requestPublicStatus(world, await createChangedSite(world, trialOver))).expectError(
      402,
      'Trial expired',
    ),
  ),
  errors('a trial that still runs is let in', async (world) => {
    const running = { subscription: 'trialing', trial_ends_at: '2999-01-01T00:00:00.000Z' };
    const site = await createChangedSite(world, running);
    return check(await requestWithKey(world, site.key))
      .expectError(404)
      .continueWith(await requestPublicStatus(world, site))
      .expectError(404);
  }),
  errors('rule 1: error bodies carry `message`', async (world) => {
    const { key } = await world.createSite();
    const broken = { key, body: '{', headers: { 'content-type': 'application/json' } };
    return check(await world.get('/v1/audio/a/status'))
      .expectError(401)
      .continueWith(await world.request('POST', '/v1/audio/generate', broken))
      .expectError(400)
      .continueWith(await world.get('/v1/no/such/route'))
      .expectError(404);
  }),

  versioning('every route begins with `/v1`', async (world) =>
    check(await world.get('/audio/a/status'))
      .expectError(404)
      .continueWith(await world.get('/v2/audio/a/status'))
      .expectError(404),
  ),
];
