import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  createSite,
  type Envelope,
  runCommand,
  startTestServer,
  type TestServer,
  temporaryFolder,
} from '../fixtures/server.ts';

const data = temporaryFolder();
let server: TestServer;

const lectern = async (...words: string[]): Promise<Record<string, unknown>> => {
  const { code, stdout, stderr } = await runCommand([...words, '--data', data, '--json']);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
};

beforeAll(async () => {
  const domains = ['--domain', 'news.example', '--domain', 'www.news.example'];
  await lectern('site', 'create', '--name', 'News', ...domains);
  await lectern('site', 'create', '--name', 'Lapsed', '--domain', 'lapsed.example');
  await lectern('site', 'update', 'lapsed', '--subscription', 'inactive');
  server = await startTestServer({ data, rates: 'usual' });
});
afterAll(() => server.stop('SIGKILL'));

const freshKey = async (): Promise<string> => (await createSite(data)).key;
const anotherKey = async (site: string): Promise<string> =>
  String((await lectern('key', 'create', '--site', site))['key']);

interface Said {
  status: number;
  limit: number | null;
  remaining: number | null;
  retryAfter: string | null;
  body: string;
}

const request = async (path: string, init: RequestInit = {}): Promise<Said> => {
  const answer = await fetch(`${server.url}${path}`, init);
  const figure = (name: string) => {
    const value = answer.headers.get(name);
    return value === null ? null : Number(value);
  };
  return {
    status: answer.status,
    limit: figure('x-ratelimit-limit'),
    remaining: figure('x-ratelimit-remaining'),
    retryAfter: answer.headers.get('retry-after'),
    body: await answer.text(),
  };
};
const byKey = (key: string, path = '/v1/audio/none/status', init: RequestInit = {}) =>
  request(path, { ...init, headers: { ...init.headers, 'x-api-key': key } });
const messageOf = ({ body }: Said) => (JSON.parse(body) as Envelope<unknown>).message;

const expectRefused = (said: Said, limit: number) => {
  expect(said).toMatchObject({ status: 429, limit, remaining: 0 });
  expect(messageOf(said)).toBe('Rate limit exceeded');
  expect(said.retryAfter).toMatch(/^[1-9]\d?$/);
  expect(Number(said.retryAfter)).toBeLessThanOrEqual(60);
};

describe('a key', () => {
  test('has 60 requests a minute for all routes, whatever their status', async () => {
    const key = await freshKey();
    const json = { 'content-type': 'application/json' };
    const generate = (init: RequestInit) => byKey(key, '/v1/audio/generate', { method: 'POST', ...init });
    const several = '/v1/audio/status?post_id=a';
    const first = await fetch(`${server.url}${several}`, { headers: { 'x-api-key': key } });
    const etag = first.headers.get('etag') ?? '';
    const answers = [
      await byKey(key),
      await byKey(key, several),
      await byKey(key, several, { headers: { 'if-none-match': etag } }),
      await byKey(key, '/v1/audio/none/status?language=tlh'),
      await generate({ headers: json, body: '{"broken' }),
      await generate({ headers: json, body: '{}' }),
      await generate({ headers: { 'content-type': 'text/html' }, body: 'x' }),
    ];
    const statuses = [404, 200, 304, 422, 400, 422, 415];
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    expect(answers.map(({ limit }) => limit)).toEqual(statuses.map(() => 60));
    const left = statuses.map((_, index) => 58 - index);
    expect(answers.map(({ remaining }) => remaining)).toEqual(left);
    expect(answers.every(({ retryAfter }) => retryAfter === null)).toBe(true);

    for (let index = 0; index < 52; index += 1) await byKey(key);
    expectRefused(await byKey(key), 60);
    expectRefused(await byKey(key, several, { headers: { 'if-none-match': etag } }), 60);
    // The rate comes before the body.
    expectRefused(await generate({ headers: json, body: '{"broken' }), 60);
  });

  test('has exactly 60 when they are concurrent, separate from other keys of its site', async () => {
    const { siteId, key } = await createSite(data);
    const other = await anotherKey(String(siteId));
    const all = await Promise.all(Array.from({ length: 100 }, () => byKey(key)));
    expect(all.filter(({ status }) => status === 404)).toHaveLength(60);
    expect(all.filter(({ status }) => status === 429)).toHaveLength(40);
    const lefts = all.filter(({ status }) => status === 404).map(({ remaining }) => remaining);
    expect(new Set(lefts).size).toBe(60);
    expect(await byKey(other)).toMatchObject({ status: 404, remaining: 59 });
  });

  test('that is invalid or of a lower plan has no rate limit headers', async () => {
    const { siteId, key } = await createSite(data);
    await lectern('site', 'update', String(siteId), '--plan', 'growth');
    for (let index = 0; index < 61; index += 1) {
      expect(await byKey(key)).toMatchObject({ status: 403, limit: null, remaining: null });
    }
    expect(await request('/v1/audio/none/status')).toMatchObject({ status: 401, limit: null });
  });
});

describe('a domain', () => {
  const voices = (domain: string, init: RequestInit = {}) => request(`/v1/public/voices?domain=${domain}`, init);

  test('has 60 requests a minute in every spelling, separate for each domain of a site', async () => {
    expect(await voices('news.example')).toMatchObject({ status: 200, limit: 60, remaining: 59 });
    const again = await voices('NEWS.example.:80');
    expect(again).toMatchObject({ status: 200, remaining: 58 });
    for (let index = 0; index < 58; index += 1) await voices('news.example');
    expectRefused(await voices('news.example'), 60);
    expect(await voices('www.news.example')).toMatchObject({ status: 200, remaining: 59 });
  });

  test('is counted after the check of domain and origin, and before that of the subscription', async () => {
    const foreign = { headers: { origin: 'https://elsewhere.example' } };
    expect(await voices('nobody.example')).toMatchObject({ status: 404, limit: null });
    expect(await voices('lapsed.example', foreign)).toMatchObject({ status: 403, limit: null });
    expect(await voices('lapsed.example')).toMatchObject({ status: 402, remaining: 59 });
    for (let index = 0; index < 59; index += 1) await voices('lapsed.example');
    expectRefused(await voices('lapsed.example'), 60);
  });
});

describe('an address', () => {
  test('can send 30 invalid keys a minute; a valid key is still accepted', async () => {
    const key = await freshKey();
    const rotated = await freshKey();
    await lectern('key', 'revoke', String(await keyIdOf(rotated)));
    const wrong = [`svc_live_${'A'.repeat(43)}`, 'not a key', rotated];
    // To come without a key is no guess.
    for (let index = 0; index < 40; index += 1) {
      expect((await request('/v1/audio/none/status')).status).toBe(401);
    }
    for (let index = 0; index < 30; index += 1) {
      const said = await byKey(wrong[index % wrong.length] ?? '');
      expect(said).toMatchObject({ status: 401, limit: null });
      expect(messageOf(said)).toBe('API key invalid');
    }
    for (const one of wrong) expectRefused(await byKey(one), 30);
    expect((await byKey(key)).status).toBe(404);
    expect((await request('/v1/audio/none/status')).status).toBe(401);
    expectRefused(await byKey('not a key'), 30);
  });
});

async function keyIdOf(key: string): Promise<number> {
  for (let siteId = 1; siteId < 20; siteId += 1) {
    const list = await lectern('key', 'list', '--site', String(siteId));
    const found = (list as unknown as { id: number; prefix: string }[]).find(({ prefix }) => key.startsWith(prefix));
    if (found !== undefined) return found.id;
  }
  throw new Error('no such key');
}
