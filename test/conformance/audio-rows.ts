import { type Check, check, type Row } from './row.ts';
import type { ConformanceSite, World } from './world.ts';

const sentence = 'The harbor master counted forty ships before the fog came in from the sea.';
const article = { post_title: 'Harbor news', content: `<p>${sentence}</p>` };
const longArticle = {
  content: Array.from({ length: 1_000 }, (_, i) => `${sentence} Part ${i}.`).join(' '),
};

/** One site whose posts most rows look at; made by the first that asks. */
function once<T>(make: (world: World) => Promise<T>): (world: World) => Promise<T> {
  const made = new WeakMap<World, Promise<T>>();
  return (world) => {
    const known = made.get(world) ?? make(world);
    made.set(world, known);
    return known;
  };
}

const queued = once(async (world) => {
  const site = await world.newSite();
  const post_url = `https://${site.domain}/news/1`;
  const answer = await world.post('/v1/audio/generate', { post_id: 'news-1', post_url, ...article }, { key: site.key });
  return { site, answer };
});
const spoken = once(async (world) => {
  const { site } = await queued(world);
  return { site, answer: await world.polled(site, 'news-1') };
});
const long = once(async (world) => {
  const site = await world.newSite();
  const posted = await world.post('/v1/audio/generate', { post_id: 'long', ...longArticle }, { key: site.key });
  if (posted.status !== 202) throw new Error(`${posted.request}: ${posted.status} ${posted.text}`);
  return { site, answer: await world.polled(site, 'long', 'generating') };
});
const failed = once(async (world) => {
  const site = await world.newSite();
  const posted = await world.post(
    '/v1/audio/generate',
    { post_id: 'wordless', content: '<p></p>'.repeat(12) },
    { key: site.key },
  );
  return { site, posted, answer: await world.polled(site, 'wordless') };
});

async function generated(world: World, body: Record<string, unknown>, site?: ConformanceSite): Promise<Check> {
  const { key } = site ?? (await world.newSite());
  return check(await world.post('/v1/audio/generate', body, { key }));
}

const row =
  (table: string) =>
  (says: string, run: Row['run']): Row => ({ table, says, run });
const envelope = row('Envelope');
const record = row('Audio record');
const states = row('States');
const body = row('POST /v1/audio/generate');
const status = row('GET /v1/audio/{post_id}/status');

/** The main job: tables of the audio record, its states, generate and status. */
export const audioRows: readonly Row[] = [
  envelope('`success`: whether the call succeeded', async (world) => {
    const good = (await queued(world)).answer;
    const bad = await world.get('/v1/audio/nothing/status');
    return check(good)
      .that(good.body['success'] === true, 'success true')
      .next(bad)
      .that(bad.body['success'] === false, 'success false');
  }),
  envelope('`message`: short text, e.g. a queued notice', async (world) => {
    const { answer } = await queued(world);
    return check(answer).that(
      /queued/i.test(String(answer.body['message'])),
      'a message stating that generation was queued',
    );
  }),
  envelope('`data`: object, present on success', async (world) => {
    const { answer } = await queued(world);
    return check(answer).that(Object.keys(answer.data).length > 0, 'data');
  }),

  record('`id`: integer, in the queued response', async (world) =>
    check((await queued(world)).answer).kind('id', 'an integer'),
  ),
  record('`post_id`: echoed in the queued response', async (world) =>
    check((await queued(world)).answer).member('post_id', 'news-1'),
  ),
  record('`status`: pending, generating, ready, failed', async (world) =>
    check((await queued(world)).answer)
      .member('status', 'pending')
      .next((await long(world)).answer)
      .member('status', 'generating')
      .next((await failed(world)).answer)
      .member('status', 'failed')
      .next((await spoken(world)).answer)
      .member('status', 'ready'),
  ),
  record('`progress_percent`: 0 when queued, 100 when ready', async (world) =>
    check((await queued(world)).answer)
      .member('progress_percent', 0)
      .next((await spoken(world)).answer)
      .member('progress_percent', 100),
  ),
  record('`audio_url`: URL of the MP3 when ready', async (world) => {
    const { answer } = await spoken(world);
    const found = check(answer).kind('audio_url', 'an http(s) URL');
    const address = new URL(String(answer.data['audio_url']));
    // Whatever host the server calls itself: it is asked where the run asks.
    const mp3 = await world.get(address.pathname.replace(/^.*(?=\/v1\/)/, ''));
    return found
      .next(mp3)
      .status(200)
      .header('content-type', /^audio\/mpeg/)
      .that(/^ID3|^\xff/.test(mp3.text) || mp3.text.length > 1_000, 'an MP3');
  }),
  record('`duration_seconds`: integer, in the ready response', async (world) => {
    const { answer } = await spoken(world);
    return check(answer)
      .kind('duration_seconds', 'an integer')
      .that(Number(answer.data['duration_seconds']) > 2, 'some seconds');
  }),

  states('`pending`: queued; `audio_url` null', async (world) =>
    check((await queued(world)).answer)
      .member('status', 'pending')
      .member('audio_url', null),
  ),
  states('`generating`: in progress; `audio_url` null', async (world) =>
    check((await long(world)).answer)
      .member('status', 'generating')
      .member('audio_url', null),
  ),
  states('`ready`: `audio_url` is the URL of the MP3', async (world) =>
    check((await spoken(world)).answer)
      .member('status', 'ready')
      .kind('audio_url', 'an http(s) URL'),
  ),
  states('`failed`: reported on a status poll, not as an HTTP error; `audio_url` null', async (world) => {
    const { posted, answer } = await failed(world);
    return check(posted).status(202).next(answer).status(200).member('status', 'failed').member('audio_url', null);
  }),
  states('(no record) → generate accepted → `pending`', async (world) => {
    const site = await world.newSite();
    const before = await world.get('/v1/audio/fresh/status', { key: site.key });
    const accepted = await world.post('/v1/audio/generate', { post_id: 'fresh', ...article }, { key: site.key });
    return check(before)
      .refused(404)
      .next(accepted)
      .status(202)
      .member('status', 'pending')
      .member('progress_percent', 0);
  }),

  body('header `Content-Type: application/json` is required', async (world) => {
    const { key } = await world.newSite();
    const text = JSON.stringify({ post_id: 'x', ...article });
    const headers = { 'content-type': 'text/html' };
    return check(await world.request('POST', '/v1/audio/generate', { key, body: text, headers })).refused(415);
  }),
  body('header `X-API-Key` is required', async (world) =>
    check(await world.post('/v1/audio/generate', { post_id: 'x', ...article })).refused(401),
  ),
  body('`post_id`: string, required', async (world) =>
    (await generated(world, article))
      .refused(422)
      .next(await generatedExchange(world, { post_id: 7, ...article }))
      .refused(422),
  ),
  body('`content`: string, required, plain or HTML', async (world) =>
    (await generated(world, { post_id: 'x' }))
      .refused(422)
      .next(await generatedExchange(world, { post_id: 'plain', content: sentence }))
      .status(202)
      .next(await generatedExchange(world, { post_id: 'html', content: `<p>${sentence}</p>` }))
      .status(202),
  ),
  body('`content`: at least 50 characters', async (world) =>
    (await generated(world, { post_id: 'x', content: 'a'.repeat(49) }))
      .refused(422)
      .next(await generatedExchange(world, { post_id: 'x', content: 'a'.repeat(50) }))
      .status(202),
  ),
  body('`post_title`: title of the post', async (world) =>
    (await generated(world, { post_id: 'x', content: sentence, post_title: 'A title' })).status(202),
  ),
  body('`post_url`: its host is the domain of public polling', async (world) => {
    const { site } = await queued(world);
    const path = `/v1/public/audio/status?domain=${site.domain}&post_id=news-1`;
    return check(await world.get(path)).status(200);
  }),
  body('`voice_id`: id of a voice from the voice list', async (world) => {
    const site = await world.newSite();
    const { voices } = (await world.get(`/v1/public/voices?domain=${site.domain}`)).data;
    const last = (voices as { id: number }[]).at(-1)?.id;
    return (await generated(world, { post_id: 'x', content: sentence, voice_id: last }, site))
      .status(202)
      .member('voice_id', last)
      .next(await generatedExchange(world, { post_id: 'y', content: sentence, voice_id: 987_654 }))
      .refused(422);
  }),
  body('answer: success, queued message, `pending`, 0', async (world) =>
    check((await queued(world)).answer)
      .status(202)
      .message('Audio generation queued')
      .member('status', 'pending')
      .member('progress_percent', 0),
  ),

  status('header `X-API-Key` is required', async (world) => {
    await queued(world);
    return check(await world.get('/v1/audio/news-1/status')).refused(401);
  }),
  status('path `post_id`: the id sent to generate', async (world) => check((await spoken(world)).answer).status(200)),
  status('query `language`: default `en`; a code outside the set is refused', async (world) => {
    const { site } = await spoken(world);
    const request = (query: string) => world.get(`/v1/audio/news-1/status${query}`, { key: site.key });
    return check(await request('?language=en'))
      .status(200)
      .member('status', 'ready')
      .next(await request(''))
      .member('status', 'ready')
      .next(await request('?language=tlh'))
      .refused(422);
  }),
  status('the post is looked up within the site of the key', async (world) => {
    await queued(world);
    const other = await world.newSite();
    return check(await world.get('/v1/audio/news-1/status', { key: other.key })).refused(404);
  }),
  status('200: message `OK`; status, progress, audio_url, duration', async (world) =>
    check((await spoken(world)).answer)
      .status(200)
      .message('OK')
      .member('status', 'ready')
      .member('progress_percent', 100)
      .kind('audio_url', 'an http(s) URL')
      .kind('duration_seconds', 'an integer'),
  ),
];

async function generatedExchange(world: World, json: Record<string, unknown>) {
  const { key } = await world.newSite();
  return world.post('/v1/audio/generate', json, { key });
}
