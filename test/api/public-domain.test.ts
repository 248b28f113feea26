import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Envelope, runCommand, startTestServer, type TestServer, temporaryFolder } from '../fixtures/server.ts';

const data = temporaryFolder();
let server: TestServer;

const main = 'news.example';
const domains = [main, 'www.news.example', 'bücher.example', 'my_blog.example', '127.0.0.9:4000'];
const foreign = 'https://other.example';

const site = async (words: readonly string[]) => {
  const { code, stdout, stderr } = await runCommand(['site', ...words, '--data', data, '--json']);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as { id: number; slug: string };
};

beforeAll(async () => {
  const names = (list: readonly string[]) => list.flatMap((domain) => ['--domain', domain]);
  await site(['create', '--name', 'News', ...names(domains), '--force', '--plan', 'starter']);
  await site(['create', '--name', 'Other', ...names(['other.example'])]);
  await site(['create', '--name', 'Closed', ...names(['closed.example'])]);
  await site(['create', '--name', 'Off', ...names(['off.example'])]);
  await site(['create', '--name', 'Lapsed', ...names(['lapsed.example'])]);
  const past = new Date(Date.now() - 1_000).toISOString();
  await site(['create', '--name', 'Tried', ...names(['tried.example']), '--trial-ends', past]);
  await site(['update', 'closed', '--active', 'false']);
  await site(['update', 'off', '--active', 'false', '--subscription', 'inactive']);
  await site(['update', 'lapsed', '--subscription', 'inactive']);
  server = await startTestServer({ data });
});
afterAll(() => server.stop('SIGKILL'));

const request = (domain: string | undefined, origin?: string, init: RequestInit = {}) =>
  fetch(`${server.url}/v1/public/voices${domain === undefined ? '' : `?domain=${encodeURIComponent(domain)}`}`, {
    ...init,
    ...(origin !== undefined && { headers: { ...init.headers, origin } }),
  });

const said = async (answer: Response) => {
  const body = (await answer.json()) as Envelope<unknown>;
  return { status: answer.status, message: body.message };
};

describe('a site is found by', () => {
  test.each([
    ['its host', 'news.example'],
    ['another of its hosts', 'www.news.example'],
    ['its host in capitals', 'NEWS.Example'],
    ['its host with a port', 'news.example:8443'],
    ['its host with a trailing dot', 'news.example.'],
    ['a trailing dot and a port', 'news.example.:80'],
    ['an IDN as it is read', 'bücher.example'],
    ['an IDN in capitals', 'BÜCHER.example'],
    ['an IDN in punycode', 'xn--bcher-kva.example'],
    ['an IDN decomposed', 'bu\u0308cher.example'],
    ['a host with an underscore', 'my_blog.example'],
    ['an address', '127.0.0.9'],
    ['blanks around it', ' news.example '],
  ])('%s', async (_, domain) => {
    expect((await request(domain)).status).toBe(200);
  });
});

describe('nothing is found by', () => {
  test.each([
    ['a host nobody registered', 'nobody.example'],
    ['www of a host that has none', 'www.other.example'],
    ['the host without its www', 'example'],
    ['a host below a registered one', 'a.news.example'],
    ['a wildcard', '*.example'],
    ['a URL', 'https://news.example'],
    ['a path', 'news.example/'],
    ['user and host', 'x@news.example'],
    ['a fragment', 'news.example#x'],
    ['an empty label', 'news..example'],
    ['two trailing dots', 'news.example..'],
    ['a percent-encoded letter', 'n%65ws.example'],
    ['a line break inside', 'news\n.example'],
    ['two hosts', 'news.example,other.example'],
    ['a broken punycode', 'xn--a.example'],
    ['a name of 300 characters', `${'a.'.repeat(145)}example`],
    ['SQL', "' or 1=1 --"],
    ['a site that is off', 'closed.example'],
    ['a site that is off and has no subscription', 'off.example'],
  ])('%s', async (_, domain) => {
    expect(await said(await request(domain))).toEqual({ status: 404, message: 'Unknown domain' });
  });
});

test.each([undefined, '', ' '])('no domain (%p) is a wrong field', async (domain) => {
  const answer = await request(domain);
  expect(answer.status).toBe(422);
  expect(((await answer.json()) as Envelope<unknown>).errors).toEqual({ domain: ['is required'] });
});

test('a domain cannot be registered twice in different spellings', async () => {
  for (const domain of ['NEWS.example.', 'xn--bcher-kva.example', 'my_blog.example:1']) {
    const words = ['site', 'create', '--data', data, '--name', 'Thief', '--domain', domain];
    expect((await runCommand(words)).stderr).toContain('already registered');
  }
});

test.each(['*.example', 'a..b', 'https://a.example', '-a.example', ''])(
  'a site cannot have the domain %p',
  async (domain) => {
    const words = ['site', 'create', '--data', data, '--name', 'X', '--domain', domain];
    const { code, stderr } = await runCommand(words);
    expect(code).not.toBe(0);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  },
);

const exposed = 'Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, ETag';
const cors = ({ headers }: Response) => ({
  origin: headers.get('access-control-allow-origin'),
  exposed: headers.get('access-control-expose-headers'),
  vary: headers.get('vary'),
});

describe('a page', () => {
  test.each([
    ['of the domain', main, 'https://news.example'],
    ['of the domain on another port', main, 'http://news.example:8443'],
    ['of another domain of the site', main, 'https://www.news.example'],
    ['of an IDN', main, 'https://xn--bcher-kva.example'],
    ['that asks by another domain of its site', 'www.news.example', 'https://my_blog.example'],
    ['on an address', main, 'http://127.0.0.9'],
  ])('%s may read', async (_, domain, origin) => {
    const answer = await request(domain, origin);
    expect(answer.status).toBe(200);
    expect(cors(answer)).toEqual({ origin, exposed, vary: 'Origin' });
  });

  test('of this server has access', async () => {
    const answer = await request(main, server.url);
    expect(answer.status).toBe(200);
    expect(cors(answer).origin).toBe(server.url);
  });

  test.each([
    ['of another site', foreign],
    ['of nobody', 'https://nobody.example'],
    ['of a host below', 'https://a.news.example'],
    ['of a host that begins alike', 'https://news.example.evil.example'],
    ['without an origin of its own', 'null'],
    ['of a file', 'file://'],
    ['of an extension', 'chrome-extension://news.example'],
    ['with a path behind its origin', 'https://news.example/x'],
    ['that claims two origins', 'https://news.example https://other.example'],
  ])('%s may not', async (_, origin) => {
    const answer = await request(main, origin);
    expect(cors(answer)).toEqual({ origin: null, exposed: null, vary: 'Origin' });
    expect(await said(answer)).toEqual({ status: 403, message: 'Origin not allowed' });
  });

  test('is not required', async () => {
    const answer = await request(main);
    expect(answer.status).toBe(200);
    expect(cors(answer)).toEqual({ origin: null, exposed, vary: 'Origin' });
  });

  test.each([
    ['an unknown domain', 'nobody.example', 'https://nobody.example', 404],
    ['no domain', undefined, 'https://news.example', 422],
    ['a lapsed subscription', 'lapsed.example', 'https://lapsed.example', 402],
    ['an ended trial', 'tried.example', 'https://tried.example', 402],
  ])('learns of %s', async (_, domain, origin, status) => {
    const answer = await request(domain, origin);
    expect(answer.status).toBe(status);
    expect(cors(answer)).toEqual({ origin, exposed, vary: 'Origin' });
  });
});

test('an ended subscription', async () => {
  const lapsed = await said(await request('lapsed.example'));
  expect(lapsed).toEqual({ status: 402, message: 'Subscription inactive' });
  const tried = await said(await request('tried.example'));
  expect(tried).toEqual({ status: 402, message: 'Trial expired' });
});

test('the origin is checked before the subscription', async () => {
  expect((await request('lapsed.example', foreign)).status).toBe(403);
});

test('changes by a command apply from the next request on', async () => {
  const { slug } = await site(['create', '--name', 'Brief', '--domain', 'brief.example']);
  expect((await request('brief.example')).status).toBe(200);
  await site(['update', slug, '--subscription', 'inactive']);
  expect((await request('brief.example')).status).toBe(402);
  await site(['update', slug, '--subscription', 'active']);
  expect((await request('brief.example')).status).toBe(200);
  await site(['update', slug, '--active', 'false']);
  expect((await request('brief.example')).status).toBe(404);
});

describe('a preflight', () => {
  const preflight = (domain: string | undefined, origin?: string) =>
    request(domain, origin, {
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'GET' },
    });

  test('of the site is accepted', async () => {
    const answer = await preflight(main, 'https://news.example');
    expect(answer.status).toBe(204);
    expect(await answer.text()).toBe('');
    expect(cors(answer)).toEqual({ origin: 'https://news.example', exposed, vary: 'Origin' });
    expect(answer.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS');
    expect(answer.headers.get('access-control-allow-headers')).toBe('Content-Type, If-None-Match');
    expect(Number(answer.headers.get('access-control-max-age'))).toBeGreaterThan(0);
  });

  test('of another page is rejected', async () => {
    const answer = await preflight(main, foreign);
    expect(cors(answer).origin).toBeNull();
    expect(await said(answer)).toEqual({ status: 403, message: 'Origin not allowed' });
  });

  test('for an unknown domain is accepted, so that the page can read the error', async () => {
    const answer = await preflight('nobody.example', 'https://nobody.example');
    expect(answer.status).toBe(204);
    expect(cors(answer).origin).toBe('https://nobody.example');
  });

  test('without a domain is accepted for registered hosts and for this server', async () => {
    for (const origin of ['https://news.example', foreign, server.url]) {
      const answer = await preflight(undefined, origin);
      expect(answer.status).toBe(204);
      expect(cors(answer).origin).toBe(origin);
    }
    for (const origin of ['https://nobody.example', 'https://closed.example', 'null']) {
      const answer = await preflight(undefined, origin);
      expect(answer.status).toBe(403);
      expect(cors(answer).origin).toBeNull();
    }
  });
});
