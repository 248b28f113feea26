import { check, type Row } from './row.ts';
import type { ConformanceSite, World } from './world.ts';

const content = 'The harbor master counted forty ships before the fog came in from the sea.';

const row =
  (table: string) =>
  (says: string, run: Row['run']): Row => ({ table, says, run });
const voice = row('Voice');
const voiceList = row('Voice list');
const status = row('GET /v1/public/audio/status');
const events = row('Events');

async function voices(world: World) {
  const { domain } = await world.newSite();
  const answer = await world.get(`/v1/public/voices?domain=${domain}`);
  const list = answer.data['voices'];
  const all: Record<string, unknown>[] = Array.isArray(list) ? list : [];
  return { answer, all };
}

function eachVoice(member: string, expectation: string, holds: (value: unknown) => boolean): Row['run'] {
  return async (world) => {
    const { answer, all } = await voices(world);
    return check(answer)
      .status(200)
      .that(all.length > 0, 'voices')
      .that(
        all.every((voice) => holds(voice[member])),
        `${member} ${expectation} in every voice`,
      );
  };
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const plans = ['starter', 'growth', 'enterprise'];

async function spokenPost(world: World): Promise<ConformanceSite> {
  const site = await world.newSite();
  await world.post('/v1/audio/generate', { post_id: 'post', content }, { key: site.key });
  await world.polled(site, 'post');
  return site;
}

function poll(world: World, domain: string, rest = '&post_id=post') {
  return world.get(`/v1/public/audio/status?domain=${domain}${rest}`);
}

/** What a browser asks: voices, public status, events. */
export const publicRows: readonly Row[] = [
  voice('`id`: integer, used as `voice_id`', eachVoice('id', 'an integer', Number.isInteger)),
  voice('`name`: display name', eachVoice('name', 'a string', isText)),
  voice('`type`: voice kind', eachVoice('type', 'a string', isText)),
  voice(
    '`language`: language code',
    eachVoice('language', 'a code', (value) => /^[a-z]{2,3}$/.test(String(value))),
  ),
  voice('`gender`: voice gender', eachVoice('gender', 'a string', isText)),
  voice(
    '`plan_required`: starter, growth, enterprise',
    eachVoice('plan_required', 'a plan', (value) => plans.includes(String(value))),
  ),

  voiceList('`voices`: those allowed for the site', async (world) => {
    const { answer } = await voices(world);
    return check(answer).status(200).kind('voices', 'a list');
  }),
  voiceList('`default_voice_id`: integer', async (world) => {
    const { answer, all } = await voices(world);
    return check(answer)
      .kind('default_voice_id', 'an integer')
      .that(
        all.some(({ id }) => id === answer.data['default_voice_id']),
        'a default voice out of the list',
      );
  }),
  voiceList('`allow_switch`: boolean', async (world) => {
    const { answer } = await voices(world);
    return check(answer).kind('allow_switch', 'true or false');
  }),
  voiceList('query `domain`: required; primary or allowed domain', async (world) => {
    const second = world.newDomain();
    const site = await world.newSite({ moreDomains: [second] });
    return check(await world.get('/v1/public/voices'))
      .refused(422)
      .next(await world.get(`/v1/public/voices?domain=${site.domain}`))
      .status(200)
      .next(await world.get(`/v1/public/voices?domain=${second}`))
      .status(200);
  }),
  voiceList("only voices that the site's plan unlocks", async (world) => {
    const known = await world.manage('GET', '/v1/voices');
    const all: Record<string, unknown>[] = Object.values(known).flat() as never;
    const last = all.at(-1) ?? {};
    const change = (plan: unknown) => world.manage('PATCH', `/v1/voices/${last['id']}`, { plan_required: plan });
    const starter = await world.newSite({ plan: 'starter' });
    const enterprise = await world.newSite();
    await change('enterprise');
    try {
      const idsOf = async ({ domain }: ConformanceSite) => {
        const answer = await world.get(`/v1/public/voices?domain=${domain}`);
        return { answer, ids: (answer.data['voices'] as { id: number }[]).map(({ id }) => id) };
      };
      const [low, high] = [await idsOf(starter), await idsOf(enterprise)];
      return check(high.answer)
        .that(high.ids.includes(Number(last['id'])), 'the voice on the enterprise plan')
        .next(low.answer)
        .that(!low.ids.includes(Number(last['id'])), 'no enterprise voice on the starter plan');
    } finally {
      await change(last['plan_required']);
    }
  }),

  status('query `domain`: required; must match a registered one', async (world) => {
    const { domain } = await spokenPost(world);
    return check(await world.get('/v1/public/audio/status?post_id=post'))
      .refused(422)
      .next(await poll(world, world.newDomain()))
      .refused(404)
      .next(await poll(world, domain))
      .status(200);
  }),
  status('query `post_id`: required', async (world) => {
    const { domain } = await world.newSite();
    return check(await poll(world, domain, '')).refused(422);
  }),
  status('query `lang`: optional, default `en`', async (world) => {
    const { domain } = await spokenPost(world);
    return check(await poll(world, domain, '&post_id=post&lang=en'))
      .status(200)
      .member('status', 'ready')
      .next(await poll(world, domain, '&post_id=post&lang=tlh'))
      .refused(422);
  }),
  status('200: same shape as the authenticated status', async (world) => {
    const site = await spokenPost(world);
    const keyed = await world.get('/v1/audio/post/status', { key: site.key });
    const open = await poll(world, site.domain);
    const names = ['status', 'progress_percent', 'audio_url', 'duration_seconds'];
    const found = check(open).status(200).message('OK');
    for (const name of names) found.member(name, keyed.data[name]);
    return found;
  }),

  events('POST `/v1/public/events`: accepted by domain', async (world) => {
    const { domain } = await world.newSite();
    const event = { type: 'play', post_id: 'post' };
    return check(await world.post('/v1/public/events', { domain, events: [event] })).status(202);
  }),
  events('POST `/v1/events/track`: accepted with a key', async (world) => {
    const { key } = await world.newSite();
    const event = { type: 'complete', post_id: 'post' };
    return check(await world.post('/v1/events/track', { events: [event] }, { key })).status(202);
  }),
];
