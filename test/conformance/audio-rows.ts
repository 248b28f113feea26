import { type Check, check, type Row } from './row.ts';
import type { ConformanceSite, World } from './world.ts';

const sentence = 'The harbor master counted forty ships before the fog came in from the sea.';
const article = { post_title: 'Harbor news', content: `<p>${sentence}</p>` };
const longArticle = {
  content: Array.from({ length: 1_000 }, (_, i) => `${sentence} Part ${i}.`).join(' '),
};

/** One site for most rows, created at the first use. */
function runOnce<T>(make: (world: World) => Promise<T>): (world: World) => Promise<T> {
  const results = new WeakMap<World, Promise<T>>();
  return (world) => {
    const known = results.get(world) ?? make(world);
    results.set(world, known);
    return known;
  };
}

const queued = runOnce(async (world) => {
  const site = await world.createSite();
  const post_url = `https://${site.domain}/news/1`;
  const response = await world.post(
    '/v1/audio/generate',
    { post_id: 'news-1', post_url, ...article },
    { key: site.key },
  );
  return { site, response };
});
const spoken = runOnce(async (world) => {
  const { site } = await queued(world);
  return { site, response: await world.pollPost(site, 'news-1') };
});
const long = runOnce(async (world) => {
  const site = await world.createSite();
  const posted = await world.post('/v1/audio/generate', { post_id: 'long', ...longArticle }, { key: site.key });
  if (posted.status !== 202) throw new Error(`${posted.request}: ${posted.status} ${posted.text}`);
  return { site, response: await world.pollPost(site, 'long', 'generating') };
});
const failed = runOnce(async (world) => {
  const site = await world.createSite();
  const posted = await world.post(
    '/v1/audio/generate',
    { post_id: 'wordless', content: '<p></p>'.repeat(12) },
    { key: site.key },
  );
  return { site, posted, response: await world.pollPost(site, 'wordless') };
});

async function checkGenerate(world: World, body: Record<string, unknown>, site?: ConformanceSite): Promise<Check> {
  const { key } = site ?? (await world.createSite());
  return check(await world.post('/v1/audio/generate', body, { key }));
}

const createRow =
  (table: string) =>
  (says: string, run: Row['run']): Row => ({ table, rule: says, run });
const envelope = createRow('Envelope');
const record = createRow('Audio record');
const states = createRow('States');
const body = createRow('POST /v1/audio/generate');
const status = createRow('GET /v1/audio/{post_id}/status');

/** Audio: tables of the audio record, its states, generate and status. */
export const audioRows: readonly Row[] = [
  envelope('`success`: whether the call succeeded', async (world) => {
    const good = (await queued(world)).response;
    const bad = await world.get('/v1/audio/nothing/status');
    return check(good)
      .expect(good.body['success'] === true, 'success true')
      .continueWith(bad)
      .expect(bad.body['success'] === false, 'success false');
  }),
  envelope('`message`: short text, e.g. a queued notice', async (world) => {
    const { response } = await queued(world);
    return check(response).expect(
      /queued/i.test(String(response.body['message'])),
      'a message stating that generation was queued',
    );
  }),
  envelope('`data`: object, present on success', async (world) => {
    const { response } = await queued(world);
    return check(response).expect(Object.keys(response.data).length > 0, 'data');
  }),

  record('`id`: integer, in the queued response', async (world) =>
    check((await queued(world)).response).expectKind('id', 'an integer'),
  ),
  record('`post_id`: echoed in the queued response', async (world) =>
    check((await queued(world)).response).expectField('post_id', 'news-1'),
  ),
  record('`status`: pending, generating, ready, failed', async (world) =>
    check((await queued(world)).response)
      .expectField('status', 'pending')
      .continueWith((await long(world)).response)
      .expectField('status', 'generating')
      .continueWith((await failed(world)).response)
      .expectField('status', 'failed')
      .continueWith((await spoken(world)).response)
      .expectField('status', 'ready'),
  ),
  record('`progress_percent`: 0 when queued, 100 when ready', async (world) =>
    check((await queued(world)).response)
      .expectField('progress_percent', 0)
      .continueWith((await spoken(world)).response)
      .expectField('progress_percent', 100),
  ),
  record('`audio_url`: URL of the MP3 when ready', async (world) => {
    const { response } = await spoken(world);
    const found = check(response).expectKind('audio_url', 'an http(s) URL');
    const address = new URL(String(response.data['audio_url']));
    // The host of the run, regardless of the server's base URL.
    const mp3 = await world.get(address.pathname.replace(/^.*(?=\/v1\/)/, ''));
    return found
      .continueWith(mp3)
      .expectStatus(200)
      .expectHeader('content-type', /^audio\/mpeg/)
      .expect(/^ID3|^\xff/.test(mp3.text) || mp3.text.length > 1_000, 'an MP3');
  }),
  record('`duration_seconds`: integer, in the ready response', async (world) => {
    const { response } = await spoken(world);
    return check(response)
      .expectKind('duration_seconds', 'an integer')
      .expect(Number(response.data['duration_seconds']) > 2, 'some seconds');
  }),

  states('`pending`: queued; `audio_url` null', async (world) =>
    check((await queued(world)).response)
      .expectField('status', 'pending')
      .expectField('audio_url', null),
  ),
  states('`generating`: in progress; `audio_url` null', async (world) =>
    check((await long(world)).response)
      .expectField('status', 'generating')
      .expectField('audio_url', null),
  ),
  states('`ready`: `audio_url` is the URL of the MP3', async (world) =>
    check((await spoken(world)).response)
      .expectField('status', 'ready')
      .expectKind('audio_url', 'an http(s) URL'),
  ),
  states('`failed`: reported on a status poll, not as an HTTP error; `audio_url` null', async (world) => {
    const { posted, response } = await failed(world);
    return check(posted)
      .expectStatus(202)
      .continueWith(response)
      .expectStatus(200)
      .expectField('status', 'failed')
      .expectField('audio_url', null);
  }),
  states('(no record) → generate accepted → `pending`', async (world) => {
    const site = await world.createSite();
    const before = await world.get('/v1/audio/fresh/status', { key: site.key });
    const accepted = await world.post('/v1/audio/generate', { post_id: 'fresh', ...article }, { key: site.key });
    return check(before)
      .expectError(404)
      .continueWith(accepted)
      .expectStatus(202)
      .expectField('status', 'pending')
      .expectField('progress_percent', 0);
  }),

  body('header `Content-Type: application/json` is required', async (world) => {
    const { key } = await world.createSite();
    const text = JSON.stringify({ post_id: 'x', ...article });
    const headers = { 'content-type': 'text/html' };
    return check(await world.request('POST', '/v1/audio/generate', { key, body: text, headers })).expectError(415);
  }),
  body('header `X-API-Key` is required', async (world) =>
    check(await world.post('/v1/audio/generate', { post_id: 'x', ...article })).expectError(401),
  ),
  body('`post_id`: string, required', async (world) =>
    (await checkGenerate(world, article))
      .expectError(422)
      .continueWith(await generate(world, { post_id: 7, ...article }))
      .expectError(422),
  ),
  body('`content`: string, required, plain or HTML', async (world) =>
    (await checkGenerate(world, { post_id: 'x' }))
      .expectError(422)
      .continueWith(await generate(world, { post_id: 'plain', content: sentence }))
      .expectStatus(202)
      .continueWith(await generate(world, { post_id: 'html', content: `<p>${sentence}</p>` }))
      .expectStatus(202),
  ),
  body('`content`: at least 50 characters', async (world) =>
    (await checkGenerate(world, { post_id: 'x', content: 'a'.repeat(49) }))
      .expectError(422)
      .continueWith(await generate(world, { post_id: 'x', content: 'a'.repeat(50) }))
      .expectStatus(202),
  ),
  body('`post_title`: title of the post', async (world) =>
    (await checkGenerate(world, { post_id: 'x', content: sentence, post_title: 'A title' })).expectStatus(202),
  ),
  body('`post_url`: its host is the domain of public polling', async (world) => {
    const { site } = await queued(world);
    const path = `/v1/public/audio/status?domain=${site.domain}&post_id=news-1`;
    return check(await world.get(path)).expectStatus(200);
  }),
  body('`voice_id`: id of a voice from the voice list', async (world) => {
    const site = await world.createSite();
    const { voices } = (await world.get(`/v1/public/voices?domain=${site.domain}`)).data;
    const last = (voices as { id: number }[]).at(-1)?.id;
    return (await checkGenerate(world, { post_id: 'x', content: sentence, voice_id: last }, site))
      .expectStatus(202)
      .expectField('voice_id', last)
      .continueWith(await generate(world, { post_id: 'y', content: sentence, voice_id: 987_654 }))
      .expectError(422);
  }),
  body('answer: success, queued message, `pending`, 0', async (world) =>
    check((await queued(world)).response)
      .expectStatus(202)
      .expectMessage('Audio generation queued')
      .expectField('status', 'pending')
      .expectField('progress_percent', 0),
  ),

  status('header `X-API-Key` is required', async (world) => {
    await queued(world);
    return check(await world.get('/v1/audio/news-1/status')).expectError(401);
  }),
  status('path `post_id`: the id sent to generate', async (world) =>
    check((await spoken(world)).response).expectStatus(200),
  ),
  status('query `language`: default `en`; a code outside the set is refused', async (world) => {
    const { site } = await spoken(world);
    const request = (query: string) => world.get(`/v1/audio/news-1/status${query}`, { key: site.key });
    return check(await request('?language=en'))
      .expectStatus(200)
      .expectField('status', 'ready')
      .continueWith(await request(''))
      .expectField('status', 'ready')
      .continueWith(await request('?language=tlh'))
      .expectError(422);
  }),
  status('the post is looked up within the site of the key', async (world) => {
    await queued(world);
    const other = await world.createSite();
    return check(await world.get('/v1/audio/news-1/status', { key: other.key })).expectError(404);
  }),
  status('200: message `OK`; status, progress, audio_url, duration', async (world) =>
    check((await spoken(world)).response)
      .expectStatus(200)
      .expectMessage('OK')
      .expectField('status', 'ready')
      .expectField('progress_percent', 100)
      .expectKind('audio_url', 'an http(s) URL')
      .expectKind('duration_seconds', 'an integer'),
  ),
];

async function generate(world: World, json: Record<string, unknown>) {
  const { key } = await world.createSite();
  return world.post('/v1/audio/generate', json, { key });
}
