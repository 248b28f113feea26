import { check, type Row } from './row.ts';
import type { ConformanceSite, SiteOptions, World } from './world.ts';

const content = 'The harbor master counted forty ships before the fog came in from the sea.';
const past = '2020-01-01T00:00:00.000Z';

const row =
  (table: string) =>
  (says: string, run: Row['run']): Row => ({ table, says, run });
const endpoint = row('Endpoints');
const authentication = row('Authentication');
const siteAndKey = row('Site and API key');
const errors = row('Errors');
const versioning = row('Versioning');

async function changedSite(
  world: World,
  changes: Record<string, unknown>,
  options?: SiteOptions,
): Promise<ConformanceSite> {
  const site = await world.newSite(options);
  await world.manage('PATCH', `/v1/sites/${site.id}`, changes);
  return site;
}

const inactive = { subscription: 'inactive' };
const trialOver = { subscription: 'trialing', trial_ends_at: past };

function withKey(world: World, key: string) {
  return world.get('/v1/audio/nothing/status', { key });
}

function inPublic(world: World, { domain }: { domain: string }) {
  return world.get(`/v1/public/audio/status?domain=${domain}&post_id=nothing`);
}

function invented(): string {
  return `svc_live_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')}`;
}

/** Who may do what: endpoints, authentication, errors, versioning. */
export const accessRows: readonly Row[] = [
  endpoint('POST `/v1/audio/generate`: X-API-Key', async (world) => {
    const { key } = await world.newSite();
    return check(await world.post('/v1/audio/generate', { post_id: 'a', content }, { key }))
      .status(202)
      .next(await world.post('/v1/audio/generate', { post_id: 'a', content }))
      .refused(401);
  }),
  endpoint('GET `/v1/audio/{post_id}/status`: X-API-Key', async (world) => {
    const { key } = await world.newSite();
    return check(await world.get('/v1/audio/nothing/status', { key }))
      .refused(404)
      .next(await world.get('/v1/audio/nothing/status'))
      .refused(401);
  }),
  endpoint('GET `/v1/public/audio/status`: domain, no key', async (world) => {
    const site = await world.newSite();
    return check(await world.get('/v1/public/audio/status?domain=nobody.example&post_id=a'))
      .refused(404)
      .next(await inPublic(world, site))
      .refused(404, 'Post not found');
  }),
  endpoint('GET `/v1/public/voices`: domain, no key', async (world) => {
    const { domain } = await world.newSite();
    return check(await world.get('/v1/public/voices?domain=nobody.example'))
      .refused(404)
      .next(await world.get(`/v1/public/voices?domain=${domain}`))
      .status(200);
  }),
  endpoint('GET `/v1/public/audio`: domain, no key', async (world) => {
    const { domain } = await world.newSite();
    return check(await world.get('/v1/public/audio?domain=nobody.example&post_id=a'))
      .refused(404)
      .next(await world.get(`/v1/public/audio?domain=${domain}&post_id=a`))
      .refused(404, 'Post not found');
  }),
  endpoint('POST `/v1/public/events`: domain, no key', async (world) => {
    const { domain } = await world.newSite();
    return check(await world.post('/v1/public/events?domain=nobody.example', { type: 'play' }))
      .refused(404)
      .next(await world.post(`/v1/public/events?domain=${domain}`, { type: 'play', post_id: 'a' }))
      .status(202);
  }),
  endpoint('POST `/v1/events/track`: X-API-Key', async (world) => {
    const { key } = await world.newSite();
    return check(await world.post('/v1/events/track', { type: 'play', post_id: 'a' }))
      .refused(401)
      .next(await world.post('/v1/events/track', { type: 'play', post_id: 'a' }, { key }))
      .status(202);
  }),
  endpoint('POST `/v1/sites/{site}/rotate-key`: dashboard session', async (world) => {
    const { id, key } = await world.newSite();
    return check(await world.post(`/v1/sites/${id}/rotate-key`, {}, { key }))
      .refused(401)
      .next(await world.post(`/v1/sites/${id}/rotate-key`, {}, { token: world.token }))
      .status(201)
      .kind('key', 'a string');
  }),
  endpoint('GET `/v1/voices`: dashboard session token', async (world) => {
    const { key } = await world.newSite();
    return check(await world.get('/v1/voices', { key }))
      .refused(401)
      .next(await world.get('/v1/voices', { token: world.token }))
      .status(200);
  }),

  siteAndKey('a site has a primary domain and further allowed ones', async (world) => {
    const more = [world.newDomain(), world.newDomain()];
    const site = await world.newSite({ moreDomains: more });
    const asked = check(await inPublic(world, site)).refused(404, 'Post not found');
    for (const domain of more) {
      asked.next(await inPublic(world, { domain })).refused(404, 'Post not found');
    }
    return asked;
  }),
  siteAndKey('a site can have several API keys', async (world) => {
    const { id, key } = await world.newSite();
    const second = await world.newKey(id);
    return check(await withKey(world, key))
      .refused(404)
      .next(await withKey(world, second))
      .refused(404);
  }),
  siteAndKey('a key begins with `svc_live_`', async (world) => {
    const { id } = await world.newSite();
    const made = await world.post(`/v1/sites/${id}/keys`, { name: 'x' }, { token: world.token });
    return check(made).that(/^svc_live_./.test(String(made.data['key'])), 'the prefix svc_live_');
  }),
  siteAndKey("a key's value is shown only once", async (world) => {
    const { id, key } = await world.newSite();
    const list = await world.get(`/v1/sites/${id}/keys`, { token: world.token });
    return check(list)
      .status(200)
      .that(list.text.includes('svc_live_'), 'the key listed by its prefix')
      .that(!list.text.includes(key), 'no key value in the list');
  }),

  authentication('1. the header is required on every authenticated request', async (world) =>
    check(await world.get('/v1/audio/a/status'))
      .refused(401)
      .next(await world.get('/v1/audio/status?post_id=a'))
      .refused(401)
      .next(await world.post('/v1/audio/generate', {}))
      .refused(401)
      .next(await world.post('/v1/events/track', {}))
      .refused(401),
  ),
  authentication('2. a key is scoped to one site', async (world) => {
    const [one, other] = [await world.newSite(), await world.newSite()];
    await world.post('/v1/audio/generate', { post_id: 'mine', content }, { key: one.key });
    return check(await world.get('/v1/audio/mine/status', { key: one.key }))
      .status(200)
      .next(await world.get('/v1/audio/mine/status', { key: other.key }))
      .refused(404);
  }),
  authentication('4. rotation revokes every active key at once and issues a new one', async (world) => {
    const { id, key } = await world.newSite();
    const second = await world.newKey(id);
    const rotated = await world.post(`/v1/sites/${id}/rotate-key`, {}, { token: world.token });
    return check(rotated)
      .status(201)
      .next(await withKey(world, key))
      .refused(401)
      .next(await withKey(world, second))
      .refused(401)
      .next(await withKey(world, String(rotated.data['key'])))
      .refused(404);
  }),
  authentication('6. public routes validate the `domain` against the registered ones', async (world) =>
    check(await inPublic(world, { domain: world.newDomain() })).refused(404),
  ),
  authentication('7. dashboard routes use a session token', async (world) =>
    check(await world.get('/v1/voices'))
      .refused(401)
      .next(await world.get('/v1/voices', { token: 'invented' }))
      .refused(401)
      .next(await world.get('/v1/voices', { token: world.token }))
      .status(200),
  ),
  authentication('9. the REST API is available only on the enterprise plan', async (world) => {
    const [starter, growth, enterprise] = [
      await world.newSite({ plan: 'starter' }),
      await world.newSite({ plan: 'growth' }),
      await world.newSite(),
    ];
    return check(await withKey(world, starter.key))
      .refused(403)
      .next(await withKey(world, growth.key))
      .refused(403)
      .next(await withKey(world, enterprise.key))
      .refused(404);
  }),

  errors('401: API key missing', async (world) => check(await world.get('/v1/audio/a/status')).refused(401)),
  errors('401: API key invalid', async (world) =>
    check(await withKey(world, invented()))
      .refused(401)
      .next(await withKey(world, 'nonsense'))
      .refused(401),
  ),
  errors('401: site inactive', async (world) => {
    const { key } = await changedSite(world, { active: false });
    return check(await withKey(world, key)).refused(401);
  }),
  errors('401: subscription not allowed', async (world) => {
    const { key } = await changedSite(world, inactive);
    return check(await withKey(world, key)).refused(401);
  }),
  errors('401: trial ended', async (world) => {
    const { key } = await changedSite(world, trialOver);
    return check(await withKey(world, key)).refused(401);
  }),
  errors('403: plan restriction', async (world) => {
    const { key } = await world.newSite({ plan: 'growth' });
    const answer = await withKey(world, key);
    return check(answer)
      .refused(403)
      .that('errors' in answer.body, 'errors');
  }),
  errors('402: public routes, subscription inactive: `Subscription inactive`', async (world) => {
    const site = await changedSite(world, inactive);
    return check(await inPublic(world, site))
      .refused(402, 'Subscription inactive')
      .next(await world.get(`/v1/public/voices?domain=${site.domain}`))
      .refused(402, 'Subscription inactive');
  }),
  errors('402: public routes, trial expired: `Trial expired`', async (world) =>
    check(await inPublic(world, await changedSite(world, trialOver))).refused(402, 'Trial expired'),
  ),
  errors('a trial that still runs is let in', async (world) => {
    const running = { subscription: 'trialing', trial_ends_at: '2999-01-01T00:00:00.000Z' };
    const site = await changedSite(world, running);
    return check(await withKey(world, site.key))
      .refused(404)
      .next(await inPublic(world, site))
      .refused(404);
  }),
  errors('rule 1: error bodies carry `message`', async (world) => {
    const { key } = await world.newSite();
    const broken = { key, body: '{', headers: { 'content-type': 'application/json' } };
    return check(await world.get('/v1/audio/a/status'))
      .refused(401)
      .next(await world.request('POST', '/v1/audio/generate', broken))
      .refused(400)
      .next(await world.get('/v1/no/such/route'))
      .refused(404);
  }),

  versioning('every route begins with `/v1`', async (world) =>
    check(await world.get('/audio/a/status'))
      .refused(404)
      .next(await world.get('/v2/audio/a/status'))
      .refused(404),
  ),
];
