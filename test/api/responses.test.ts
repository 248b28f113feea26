import { describe, expect, test } from 'bun:test';
import { startServerForFile, startTestServer } from '../fixtures/server.ts';
import { createSignedInClient } from '../fixtures/users.ts';
import { buildArticle } from './articles.ts';

const server = await startServerForFile();
await server.generate({ post_id: 'post', content: buildArticle('the orchard') });
const media = ((await server.waitUntilFinished('post')).audio_url ?? '').slice(server.url.length);

describe('every response', () => {
  test.each([
    '/nothing',
    '/v1',
    '/v1/audio',
    '/v2/audio/generate',
    '/v1/audio/a/b/status',
    '/v1/audio//status',
    '/v1/media/',
    '/v1/media/a/b',
    '/%',
    '/.env',
    '/v1/media/../../etc/passwd',
  ])('to the unknown path %s is 404 in the envelope', async (path) => {
    const response = await server.request(path);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ success: false, message: 'Not found' });
  });

  test.each([
    ['/v1/media/unknown.mp3', 'Media not found'],
    ['/v1/media/unknown.json', 'Media not found'],
    ['/v1/media/unknown.wav', 'Media not found'],
    ['/v1/media/%', 'Not found'],
    ['/v1/media/..%2f..%2flectern.db', 'Media not found'],
    ['/v1/audio/nothing/status', 'Post not found'],
    ['/v1/audio/%/status', 'Not found'],
    ['/v1/audio/%E0%A4%A/status', 'Not found'],
    ['/v1/audio/%00/status', 'Not found'],
  ])('to %s is 404 with its own message', async (path, message) => {
    const response = await server.request(path);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ success: false, message });
  });

  test.each([
    // The id of a post can equal the name of a route.
    ['GET', '/v1/audio/generate', 'DELETE, POST'],
    ['PATCH', '/v1/audio/generate', 'DELETE, POST'],
    ['POST', '/v1/audio/post/status', 'GET, HEAD'],
    ['PUT', '/v1/audio/status', 'DELETE, GET, HEAD'],
    ['POST', '/v1/media/some.mp3', 'GET, HEAD, OPTIONS'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['PATCH', '/readyz', 'GET, HEAD'],
  ])('to %s %s is 405 and tells what is allowed', async (method, path, allowed) => {
    const response = await server.request(path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allowed);
    expect(await response.json()).toEqual({ success: false, message: 'Method not allowed' });
  });

  test.each(['/healthz', '/readyz', '/v1/audio/post/status', '/v1/audio/status?post_id=post', 'MP3', 'timings'])(
    'to HEAD has the headers of GET and no body: %s',
    async (named) => {
      const paths: Record<string, string> = { MP3: media, timings: media.replace('mp3', 'json') };
      const path = paths[named] ?? named;
      const get = await server.request(path);
      const body = await get.bytes();
      const head = await server.request(path, { method: 'HEAD' });
      expect(head.status).toBe(200);
      expect((await head.bytes()).length).toBe(0);
      const readHeaders = (response: Response) => {
        const { date, 'x-request-id': id, ...rest } = Object.fromEntries(response.headers);
        // Both responses count.
        delete rest['x-ratelimit-remaining'];
        return rest;
      };
      expect(readHeaders(head)).toEqual(readHeaders(get));
      expect(head.headers.get('content-length')).toBe(String(body.length));
    },
  );

  test('has the same status for HEAD as for GET when a resource is missing', async () => {
    for (const [path, status] of [
      ['/v1/audio/nothing/status', 404],
      ['/nowhere', 404],
    ] as const) {
      const response = await server.request(path, { method: 'HEAD' });
      expect(response.status).toBe(status);
      expect((await response.bytes()).length).toBe(0);
    }
    const keyless = await fetch(`${server.url}/v1/audio/post/status`, { method: 'HEAD' });
    expect(keyless.status).toBe(401);
  });

  test('has a unique request id that the log contains', async () => {
    const requests: [string, RequestInit][] = [
      ['/healthz', {}],
      ['/nowhere', {}],
      ['/v1/audio/generate', {}],
      ['/v1/audio/generate', { method: 'POST', body: '{' }],
      ['/v1/audio/post/status', { headers: { 'x-api-key': 'wrong' } }],
      [media, {}],
      [media, { method: 'HEAD' }],
      [media, { method: 'OPTIONS' }],
      [media, { headers: { range: 'bytes=999999999-' } }],
    ];
    const ids = new Set<string>();
    for (const [path, init] of requests) {
      const response = await server.request(path, init);
      await response.bytes();
      const id = response.headers.get('x-request-id') ?? 'no request id';
      ids.add(id);
      expect(JSON.parse(await server.waitForLogLine(id))).toMatchObject({ status: response.status });
    }
    expect(ids.size).toBe(requests.length);
    expect(server.log()).not.toContain(media);
  });

  test('contains no internals when a request is unexpected', async () => {
    const hostile: [string, RequestInit][] = [
      ["/v1/audio/'%3B%20drop%20table%20post%3B--/status", {}],
      ['/v1/audio/status', {}],
      [`/v1/audio/status?${'post_id=a&'.repeat(101).replaceAll(/a/g, () => `${Math.random()}`)}`, {}],
      ['/v1/audio/post/status?language=%00', {}],
      ['/v1/audio/post/status?language=__proto__', {}],
      [media, { headers: { range: `bytes=${'9'.repeat(400)}-` } }],
      [media, { headers: { 'if-modified-since': 'never', 'if-range': '"' } }],
      [`/${'a/'.repeat(3000)}`, {}],
    ];
    for (const [path, init] of hostile) {
      const response = await server.request(path, init);
      expect(response.status).toBeLessThan(500);
      if (response.headers.get('content-type') === 'audio/mpeg') continue;
      const text = await response.text();
      expect(text).not.toMatch(/select |sqlite|node_modules|\.ts\b|\/tmp|stack|at .*:\d+:\d+/i);
      expect(JSON.parse(text)).toHaveProperty('success');
    }
  });

  test('of the health endpoints says that the process runs and that it can synthesize', async () => {
    const health = await fetch(`${server.url}/healthz`);
    expect([health.status, await health.json()]).toEqual([200, { success: true, message: 'OK', data: {} }]);
    const ready = await fetch(`${server.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, { success: true, message: 'Ready', data: {} }]);
  });
});

describe('a base URL with a path', () => {
  test('prefixes every route and every returned URL', async () => {
    const proxied = await startTestServer({
      flags: ['--base-url', 'https://audio.example.org/tts/'],
    });
    try {
      const request = (path: string, init?: RequestInit) => proxied.request(`/tts${path}`, init);
      expect((await request('/healthz')).status).toBe(200);
      expect((await request('/nowhere')).status).toBe(404);
      expect((await request('/v1/audio/generate')).headers.get('allow')).toBe('DELETE, POST');
      const queued = await request('/v1/audio/generate', {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
        body: JSON.stringify({ post_id: 'a/b', content: buildArticle('the pier') }),
      });
      expect(queued.status).toBe(202);
      expect(queued.headers.get('location')).toBe('https://audio.example.org/tts/v1/audio/a%2Fb/status');
      const { audio_url } = await proxied.waitUntilFinished('a/b');
      expect(audio_url).toStartWith('https://audio.example.org/tts/v1/media/');
      const path = new URL(audio_url ?? '').pathname.slice('/tts'.length);
      const part = await request(path, { headers: { range: 'bytes=0-2' } });
      expect([part.status, await part.text()]).toEqual([206, 'ID3']);
      const status = await request('/v1/audio/a%2Fb/status');
      expect(status.status).toBe(200);
      // A path that only starts like the prefix is a different one.
      expect((await proxied.request('/ttsx/healthz')).status).toBe(404);
    } finally {
      await proxied.stop('SIGKILL');
    }
  });
});

test.each(['a', 'tts', 'tts:80', 'nas.example.com:8080'])('a server is found under the name %s', async (host) => {
  const found = await server.request('/healthz', { headers: { host } });
  expect(found.status).toBe(200);
  const missing = await server.request('/nowhere', { headers: { host } });
  expect(missing.status).toBe(404);
});

describe('an unknown field of a body is ignored, and listed as a warning', () => {
  const send = async (path: string, body: unknown, init: RequestInit = {}) => {
    const headers = { 'content-type': 'application/json', ...init.headers };
    const response = await server.request(path, { method: 'POST', ...init, headers, body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as { warnings?: string[]; data?: object } };
  };
  const buildWarnings = (...names: string[]) => names.map((name) => `Unknown field ignored: ${name}`);

  test('when the request is accepted', async () => {
    const post = { post_id: 'warned', content: buildArticle('warnings'), titel: 'x', post_url: null };
    const accepted = await send('/v1/audio/generate', post);
    expect(accepted).toMatchObject({
      status: 202,
      body: { data: { post_id: 'warned' }, warnings: buildWarnings('titel') },
    });
    const { titel: _, ...known } = post;
    expect((await send('/v1/audio/generate', known)).body).not.toHaveProperty('warnings');
  });

  test('when the request is rejected', async () => {
    const refused = await send('/v1/audio/generate', { post_id: 'refused', contents: 'x' });
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ errors: { content: ['is required'] }, warnings: buildWarnings('contents') });
  });

  test('with its index in a batch, and in a single event', async () => {
    const event = { type: 'play', post_id: 'post' };
    const batch = await send('/v1/events/track', { events: [event, { ...event, colour: 1 }], sent: 'x' });
    expect(batch).toMatchObject({ status: 202, body: { warnings: buildWarnings('events.1.colour', 'sent') } });
    expect((await send('/v1/events/track', { ...event, colour: 1 })).body.warnings).toEqual(buildWarnings('colour'));
    expect((await send('/v1/events/track', event)).body).not.toHaveProperty('warnings');
  });

  test('for sessions and nested fields, with at most 20 shortened names', async () => {
    const { session } = await createSignedInClient(server, '--role', 'admin');
    const headers = { authorization: `Bearer ${session.token}`, 'x-api-key': '' };
    const changed = await send(
      `/v1/sites/${server.siteId}`,
      { name: 'Renamed', reading: { tables: 'none', tabels: 'x' }, owner: 'x' },
      { method: 'PATCH', headers },
    );
    expect(changed).toMatchObject({ status: 200, body: { warnings: buildWarnings('reading.tabels', 'owner') } });
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${index}-${'x'.repeat(500)}`, 1]));
    const { warnings = [] } = (await send('/v1/events/track', { type: 'play', post_id: 'post', ...many })).body;
    expect(warnings).toHaveLength(20);
    expect(Math.max(...warnings.map(({ length }) => length))).toBeLessThan(150);
  });

  test('and responses other than JSON are unchanged', async () => {
    const body = JSON.stringify({ model: 'tts-1', input: 'Short.', voice: '1', instructions: 'calm' });
    const headers = { 'content-type': 'application/json' };
    const response = await server.request('/v1/audio/speech', { method: 'POST', headers, body });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
  });
});
