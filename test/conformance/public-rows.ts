import { check, type Row } from './row.ts';
import type { ConformanceSite, World } from './world.ts';

const content = 'The harbor master counted forty ships before the fog came in from the sea.';

const createRow =
  (table: string) =>
  (says: string, run: Row['run']): Row => ({ table, rule: says, run });
const voice = createRow('Voice');
const voiceList = createRow('Voice list');
const status = createRow('GET /v1/public/audio/status');
const events = createRow('Events');

async function requestVoices(world: World) {
  const { domain } = await world.createSite();
  const response = await world.get(`/v1/public/voices?domain=${domain}`);
  const list = response.data['voices'];
  const all: Record<string, unknown>[] = Array.isArray(list) ? list : [];
  return { response, all };
}

function checkEachVoice(member: string, expectation: string, holds: (value: unknown) => boolean): Row['run'] {
  return async (world) => {
    const { response, all } = await requestVoices(world);
    return check(response)
      .expectStatus(200)
      .expect(all.length > 0, 'voices')
      .expect(
        all.every((voice) => holds(voice[member])),
        `${member} ${expectation} in every voice`,
      );
  };
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const plans = ['starter', 'growth', 'enterprise'];

async function createSpokenPost(world: World): Promise<ConformanceSite> {
  const site = await world.createSite();
  await world.post('/v1/audio/generate', { post_id: 'post', content }, { key: site.key });
  await world.pollPost(site, 'post');
  return site;
}

function poll(world: World, domain: string, rest = '&post_id=post') {
  return world.get(`/v1/public/audio/status?domain=${domain}${rest}`);
}

/** Requests of a browser: voices, public status, events. */
export const publicRows: readonly Row[] = [
  voice('`id`: integer, used as `voice_id`', checkEachVoice('id', 'an integer', Number.isInteger)),
  voice('`name`: display name', checkEachVoice('name', 'a string', isText)),
  voice('`type`: voice kind', checkEachVoice('type', 'a string', isText)),
  voice(
    '`language`: language code',
    checkEachVoice('language', 'a code', (value) => /^[a-z]{2,3}$/.test(String(value))),
  ),
  voice('`gender`: voice gender', checkEachVoice('gender', 'a string', isText)),
  voice(
    '`plan_required`: starter, growth, enterprise',
    checkEachVoice('plan_required', 'a plan', (value) => plans.includes(String(value))),
  ),

  voiceList('`voices`: those allowed for the site', async (world) => {
    const { response } = await requestVoices(world);
    return check(response).expectStatus(200).expectKind('voices', 'a list');
  }),
  voiceList('`default_voice_id`: integer', async (world) => {
    const { response, all } = await requestVoices(world);
    return check(response)
      .expectKind('default_voice_id', 'an integer')
      .expect(
        all.some(({ id }) => id === response.data['default_voice_id']),
        'a default voice out of the list',
      );
  }),
  voiceList('`allow_switch`: boolean', async (world) => {
    const { response } = await requestVoices(world);
    return check(response).expectKind('allow_switch', 'true or false');
  }),
  voiceList('query `domain`: required; primary or allowed domain', async (world) => {
    const second = world.createDomain();
    const site = await world.createSite({ moreDomains: [second] });
    return check(await world.get('/v1/public/voices'))
      .expectError(422)
      .continueWith(await world.get(`/v1/public/voices?domain=${site.domain}`))
      .expectStatus(200)
      .continueWith(await world.get(`/v1/public/voices?domain=${second}`))
      .expectStatus(200);
  }),
  voiceList("only voices that the site's plan unlocks", async (world) => {
    const known = await world.manage('GET', '/v1/voices');
    const all: Record<string, unknown>[] = Object.values(known).flat() as never;
    const last = all.at(-1) ?? {};
    const change = (plan: unknown) => world.manage('PATCH', `/v1/voices/${last['id']}`, { plan_required: plan });
    const starter = await world.createSite({ plan: 'starter' });
    const enterprise = await world.createSite();
    await change('enterprise');
    try {
      const listVoiceIds = async ({ domain }: ConformanceSite) => {
        const response = await world.get(`/v1/public/voices?domain=${domain}`);
        return { response, ids: (response.data['voices'] as { id: number }[]).map(({ id }) => id) };
      };
      const [low, high] = [await listVoiceIds(starter), await listVoiceIds(enterprise)];
      return check(high.response)
        .expect(high.ids.includes(Number(last['id'])), 'the voice on the enterprise plan')
        .continueWith(low.response)
        .expect(!low.ids.includes(Number(last['id'])), 'no enterprise voice on the starter plan');
    } finally {
      await change(last['plan_required']);
    }
  }),

  status('query `domain`: required; must match a registered one', async (world) => {
    const { domain } = await createSpokenPost(world);
    return check(await world.get('/v1/public/audio/status?post_id=post'))
      .expectError(422)
      .continueWith(await poll(world, world.createDomain()))
      .expectError(404)
      .continueWith(await poll(world, domain))
      .expectStatus(200);
  }),
  status('query `post_id`: required', async (world) => {
    const { domain } = await world.createSite();
    return check(await poll(world, domain, '')).expectError(422);
  }),
  status('query `lang`: optional, default `en`', async (world) => {
    const { domain } = await createSpokenPost(world);
    return check(await poll(world, domain, '&post_id=post&lang=en'))
      .expectStatus(200)
      .expectField('status', 'ready')
      .continueWith(await poll(world, domain, '&post_id=post&lang=tlh'))
      .expectError(422);
  }),
  status('200: same shape as the authenticated status', async (world) => {
    const site = await createSpokenPost(world);
    const keyed = await world.get('/v1/audio/post/status', { key: site.key });
    const open = await poll(world, site.domain);
    const names = ['status', 'progress_percent', 'audio_url', 'duration_seconds'];
    const found = check(open).expectStatus(200).expectMessage('OK');
    for (const name of names) found.expectField(name, keyed.data[name]);
    return found;
  }),

  events('POST `/v1/public/events`: accepted by domain', async (world) => {
    const { domain } = await world.createSite();
    const event = { type: 'play', post_id: 'post' };
    return check(await world.post('/v1/public/events', { domain, events: [event] })).expectStatus(202);
  }),
  events('POST `/v1/events/track`: accepted with a key', async (world) => {
    const { key } = await world.createSite();
    const event = { type: 'complete', post_id: 'post' };
    return check(await world.post('/v1/events/track', { events: [event] }, { key })).expectStatus(202);
  }),
];
