import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  createSite,
  createTemporaryFolder,
  type Envelope,
  runCommand,
  startTestServer,
  type TestServer,
} from '../fixtures/server.ts';

const data = createTemporaryFolder();
let server: TestServer;

const runLectern = async (...words: string[]): Promise<Record<string, unknown>> => {
  const { code, stdout, stderr } = await runCommand([...words, '--data', data, '--json']);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
};

beforeAll(async () => {
  const domains = ['--domain', 'news.example', '--domain', 'www.news.example'];
  await runLectern('site', 'create', '--name', 'News', ...domains);
  await runLectern('site', 'create', '--name', 'Lapsed', '--domain', 'lapsed.example');
  await runLectern('site', 'update', 'lapsed', '--subscription', 'inactive');
  server = await startTestServer({ data, rates: 'usual' });
});
afterAll(() => server.stop('SIGKILL'));

const createKey = async (): Promise<string> => (await createSite(data)).key;
const createKeyForSite = async (site: string): Promise<string> =>
  String((await runLectern('key', 'create', '--site', site))['key']);

interface LimitedResponse {
  status: number;
  limit: number | null;
  remaining: number | null;
  retryAfter: string | null;
  body: string;
}

const request = async (path: string, init: RequestInit = {}): Promise<LimitedResponse> => {
  const response = await fetch(`${server.url}${path}`, init);
  const readHeader = (name: string) => {
    const value = response.headers.get(name);
    return value === null ? null : Number(value);
  };
  return {
    status: response.status,
    limit: readHeader('x-ratelimit-limit'),
    remaining: readHeader('x-ratelimit-remaining'),
    retryAfter: response.headers.get('retry-after'),
    body: await response.text(),
  };
};
const requestWithKey = (key: string, path = '/v1/audio/none/status', init: RequestInit = {}) =>
  request(path, { ...init, headers: { ...init.headers, 'x-api-key': key } });
const getMessage = ({ body }: LimitedResponse) => (JSON.parse(body) as Envelope<unknown>).message;

const expectRefused = (response: LimitedResponse, limit: number) => {
  expect(response).toMatchObject({ status: 429, limit, remaining: 0 });
  expect(getMessage(response)).toBe('Rate limit exceeded');
  expect(response.retryAfter).toMatch(/^[1-9]\d?$/);
  expect(Number(response.retryAfter)).toBeLessThanOrEqual(60);
};

describe('a key', () => {
  test('has 60 requests a minute for all routes, whatever their status', async () => {
    const key = await createKey();
    const json = { 'content-type': 'application/json' };
    const generate = (init: RequestInit) => requestWithKey(key, '/v1/audio/generate', { method: 'POST', ...init });
    const several = '/v1/audio/status?post_id=a';
    const first = await fetch(`${server.url}${several}`, { headers: { 'x-api-key': key } });
    const etag = first.headers.get('etag') ?? '';
    const responses = [
      await requestWithKey(key),
      await requestWithKey(key, several),
      await requestWithKey(key, several, { headers: { 'if-none-match': etag } }),
      await requestWithKey(key, '/v1/audio/none/status?language=tlh'),
      await generate({ headers: json, body: '{"broken' }),
      await generate({ headers: json, body: '{}' }),
      await generate({ headers: { 'content-type': 'text/html' }, body: 'x' }),
    ];
    const statuses = [404, 200, 304, 422, 400, 422, 415];
    expect(responses.map(({ status }) => status)).toEqual(statuses);
    expect(responses.map(({ limit }) => limit)).toEqual(statuses.map(() => 60));
    const left = statuses.map((_, index) => 58 - index);
    expect(responses.map(({ remaining }) => remaining)).toEqual(left);
    expect(responses.every(({ retryAfter }) => retryAfter === null)).toBe(true);

    for (let index = 0; index < 52; index += 1) await requestWithKey(key);
    expectRefused(await requestWithKey(key), 60);
    expectRefused(await requestWithKey(key, several, { headers: { 'if-none-match': etag } }), 60);
    // The rate is checked before the body.
    expectRefused(await generate({ headers: json, body: '{"broken' }), 60);
  });

  test('has exactly 60 when they are concurrent, separate from other keys of its site', async () => {
    const { siteId, key } = await createSite(data);
    const other = await createKeyForSite(String(siteId));
    const all = await Promise.all(Array.from({ length: 100 }, () => requestWithKey(key)));
    expect(all.filter(({ status }) => status === 404)).toHaveLength(60);
    expect(all.filter(({ status }) => status === 429)).toHaveLength(40);
    const lefts = all.filter(({ status }) => status === 404).map(({ remaining }) => remaining);
    expect(new Set(lefts).size).toBe(60);
    expect(await requestWithKey(other)).toMatchObject({ status: 404, remaining: 59 });
  });

  test('that is invalid or of a lower plan has no rate limit headers', async () => {
    const { siteId, key } = await createSite(data);
    await runLectern('site', 'update', String(siteId), '--plan', 'growth');
    for (let index = 0; index < 61; index += 1) {
      expect(await requestWithKey(key)).toMatchObject({ status: 403, limit: null, remaining: null });
    }
    expect(await request('/v1/audio/none/status')).toMatchObject({ status: 401, limit: null });
  });
});

describe('a domain', () => {
  const requestVoices = (domain: string, init: RequestInit = {}) => request(`/v1/public/voices?domain=${domain}`, init);

  test('has 60 requests a minute in every spelling, separate for each domain of a site', async () => {
    expect(await requestVoices('news.example')).toMatchObject({ status: 200, limit: 60, remaining: 59 });
    const again = await requestVoices('NEWS.example.:80');
    expect(again).toMatchObject({ status: 200, remaining: 58 });
    for (let index = 0; index < 58; index += 1) await requestVoices('news.example');
    expectRefused(await requestVoices('news.example'), 60);
    expect(await requestVoices('www.news.example')).toMatchObject({ status: 200, remaining: 59 });
  });

  test('is counted after the check of domain and origin, and before that of the subscription', async () => {
    const foreign = { headers: { origin: 'https://elsewhere.example' } };
    expect(await requestVoices('nobody.example')).toMatchObject({ status: 404, limit: null });
    expect(await requestVoices('lapsed.example', foreign)).toMatchObject({ status: 403, limit: null });
    expect(await requestVoices('lapsed.example')).toMatchObject({ status: 402, remaining: 59 });
    for (let index = 0; index < 59; index += 1) await requestVoices('lapsed.example');
    expectRefused(await requestVoices('lapsed.example'), 60);
  });
});

describe('an address', () => {
  test('can send 30 invalid keys a minute; a valid key is still accepted', async () => {
    const key = await createKey();
    const rotated = await createKey();
    await runLectern('key', 'revoke', String(await findKeyId(rotated)));
    const invalidInputs = [`svc_live_${'A'.repeat(43)}`, 'not a key', rotated];
    // A request without a key does not count as a guess.
    for (let index = 0; index < 40; index += 1) {
      expect((await request('/v1/audio/none/status')).status).toBe(401);
    }
    for (let index = 0; index < 30; index += 1) {
      const response = await requestWithKey(invalidInputs[index % invalidInputs.length] ?? '');
      expect(response).toMatchObject({ status: 401, limit: null });
      expect(getMessage(response)).toBe('API key invalid');
    }
    for (const invalidKey of invalidInputs) expectRefused(await requestWithKey(invalidKey), 30);
    expect((await requestWithKey(key)).status).toBe(404);
    expect((await request('/v1/audio/none/status')).status).toBe(401);
    expectRefused(await requestWithKey('not a key'), 30);
  });
});

async function findKeyId(key: string): Promise<number> {
  for (let siteId = 1; siteId < 20; siteId += 1) {
    const list = await runLectern('key', 'list', '--site', String(siteId));
    const found = (list as unknown as { id: number; prefix: string }[]).find(({ prefix }) => key.startsWith(prefix));
    if (found !== undefined) return found.id;
  }
  throw new Error('no such key');
}
