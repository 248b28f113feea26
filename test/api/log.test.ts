import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { StartedSession } from '../../src/auth/schema.ts';
import { eventually } from '../fixtures/eventually.ts';
import {
  createSite,
  createTemporaryFolder,
  type Envelope,
  runCommand,
  startTestServer,
  type TestServer,
} from '../fixtures/server.ts';
import { requireTool } from '../fixtures/tools.ts';
import { createUser, password, sendLogin } from '../fixtures/users.ts';

const data = createTemporaryFolder();
/** Marks everything private that a client sends. */
const mark = 'zqmark';
const metricsToken = `token-${mark}`;
/** Receives webhooks and responds with a failure that contains the mark. */
let hookCount = 0;
const receiver = Bun.serve({
  port: 0,
  fetch: () => {
    hookCount += 1;
    return new Response(mark, { status: 500 });
  },
});
const secrets: string[] = [];
let server: TestServer;

beforeAll(async () => {
  const { siteId, key } = await createSite(data, { domains: ['logged.example'] });
  const env = { LECTERN_WEBHOOK_ALLOW: '127.0.0.1', LECTERN_LOG_LEVEL: 'debug' };
  const url = `http://127.0.0.1:${receiver.port}/hook/${mark}`;
  const words = ['webhook', 'create', '--site', String(siteId), '--url', url];
  const result = await runCommand([...words, '--data', data, '--json'], { env });
  if (result.code !== 0) throw new Error(result.stderr);
  secrets.push(key, (JSON.parse(result.stdout) as { secret: string }).secret);
  server = await startTestServer({
    ...{ data, key },
    env: { ...env, LECTERN_METRICS_TOKEN: metricsToken, LECTERN_WEBHOOK_RETRY_S: '1,1' },
  });
});
afterAll(async () => {
  await receiver.stop(true);
  await server.stop('SIGKILL');
});

const readLines = (): Record<string, unknown>[] =>
  server
    .log()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const waitForLine = (id: string | null) =>
  eventually(() => readLines().find(({ request }) => request === id), `a line of request ${id}`);
const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  server.request(path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });

/** Sends articles that become audio, articles that fail, and every kind of invalid request. */
async function useFeatures(): Promise<void> {
  const content = `The ${mark} sailed at dawn. Nobody had seen the ${mark} before, and nobody saw it again.`;
  const good = { post_id: `good-${mark}`, post_title: `On ${mark}`, content };
  await server.generate({ ...good, post_url: `https://logged.example/${mark}?draft=${mark}` });
  await server.generate({
    post_id: `silent-${mark}`,
    content: `<p title="${mark}"></p>`.repeat(9),
  });
  await server.generate({ post_id: `short-${mark}`, content: mark });
  await server.generate({ ...good, post_id: 'x', voice_id: mark, language: mark });
  await post('/v1/audio/generate', `{"post_id":"${mark}","content":"${mark}`);
  await post('/v1/audio/generate', mark, { 'content-type': `text/${mark}` });
  await post('/v1/audio/generate', '{}', { 'x-api-key': `svc_live_${mark.padEnd(43, 'x')}` });
  await post('/v1/audio/generate', '{}', { 'x-api-key': mark });
  const paths = [
    `/v1/audio/${mark}/status?language=${mark}`,
    `/v1/audio/status?post_id=${mark}`,
    `/v1/public/voices?domain=${mark}.example`,
    `/v1/public/audio/status?domain=logged.example&post_id=${mark}`,
    `/v1/public/audio?domain=logged.example&url=https://logged.example/${mark}`,
    `/v1/media/${mark}.mp3`,
    `/v1/media/${mark}.json?${mark}`,
    `/nowhere/svc_live_${mark.padEnd(43, 'x')}`,
    `/metrics?${mark}`,
  ];
  for (const path of paths) {
    const headers = { cookie: `session=${mark}`, authorization: `Bearer ${mark}`, origin: mark };
    for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS']) {
      await server.request(path, { method, headers, referrer: `https://logged.example/${mark}` });
    }
  }
  const track = JSON.stringify({ type: 'play', post_id: mark, session_id: mark, event_id: mark });
  await post('/v1/events/track', track);
  await post('/v1/public/events?domain=logged.example', track, { 'content-type': 'text/plain' });
  await sendLogin(server, `${mark}@example.org`, `${password} ${mark}`);
  await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } });
}

/** Signs a user in and reads several pages. */
async function signInAndLook(): Promise<void> {
  const user = await createUser(data, '--role', 'admin');
  const response = await sendLogin(server, user.email);
  expect(response.status).toBe(200);
  const { data: session } = (await response.json()) as Envelope<StartedSession>;
  secrets.push(user.email, session.token, session.csrf_token, password);
  const headers = { authorization: `Bearer ${session.token}` };
  for (const path of ['/v1/me', '/v1/sites', '/v1/sites/1']) {
    await fetch(`${server.url}${path}`, { headers });
  }
  const rotated = await fetch(`${server.url}/v1/sites/1/rotate-key`, { method: 'POST', headers });
  expect(rotated.status).toBe(201);
  secrets.push(((await rotated.json()) as Envelope<{ key: string }>).data.key);
}

describe('the log', () => {
  test('contains no secrets and no content of requests', async () => {
    await useFeatures();
    expect((await server.waitUntilFinished(`good-${mark}`)).status).toBe('ready');
    const silent = await server.waitUntilFinished(`silent-${mark}`);
    expect(silent.status).toBe('failed');
    const media = (await server.status(`good-${mark}`)).audio_url ?? '';
    await (await fetch(media)).bytes();
    await eventually(() => hookCount >= 4, 'both webhooks were sent and resent');
    await signInAndLook();
    secrets.push(media.replace(/^.*\/|\.mp3$/g, ''));
    // The line of the last request exists, so all earlier ones do.
    const last = await fetch(`${server.url}/healthz`);
    await waitForLine(last.headers.get('x-request-id'));
    expect(readLines().length).toBeGreaterThan(40);
    expect(readLines().some(({ msg }) => msg === 'audio ended')).toBe(true);
    expect(server.log()).not.toContain(mark);
    expect(secrets.filter((secret) => server.log().includes(secret))).toEqual([]);
    expect(secrets.every((secret) => secret.length > 10)).toBe(true);
  });

  test('has a line for each request, with the id of its response', async () => {
    const cases: [string, Record<string, unknown>][] = [
      ['/v1/audio/some-post/status?a=b', { path: '/v1/audio/:post_id/status', status: 401 }],
      ['/v1/public/voices?domain=logged.example', { path: '/v1/public/voices', site: 1 }],
      ['/wp-login.php?a=b', { path: '/wp-login.php', status: 404 }],
      [`/a/${'long'.repeat(9)}/b%20c/d`, { path: '/a/*/*/d', status: 404 }],
    ];
    for (const [path, expected] of cases) {
      const response = await fetch(`${server.url}${path}`, { headers: { 'x-request-id': mark } });
      const id = response.headers.get('x-request-id');
      expect(id).toMatch(/^[0-9a-f-]{36}$/);
      expect(await waitForLine(id)).toMatchObject({
        ...{ level: 30, msg: 'request completed', method: 'GET', status: response.status },
        ...{ time: expect.stringMatching(/Z$/), ms: expect.any(Number) },
        ...expected,
      });
    }
  });

  test('can be on a full disk: requests still get responses', async () => {
    const main = join(import.meta.dir, '../../src/main.ts');
    const command = [requireTool('sh'), '-c', 'exec "$0" "$@" 2>/dev/full', process.execPath, main];
    const deaf = await startTestServer({ command });
    try {
      for (let count = 0; count < 3; count += 1) {
        expect((await fetch(`${deaf.url}/healthz`)).status).toBe(200);
      }
    } finally {
      await deaf.stop('SIGKILL');
    }
  });
});
