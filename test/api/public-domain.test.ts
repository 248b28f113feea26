import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  createTemporaryFolder,
  type Envelope,
  runCommand,
  startTestServer,
  type TestServer,
} from '../fixtures/server.ts';

const data = createTemporaryFolder();
let server: TestServer;

const main = 'news.example';
const domains = [main, 'www.news.example', 'bücher.example', 'my_blog.example', '127.0.0.9:4000'];
const foreign = 'https://other.example';

const runSiteCommand = async (words: readonly string[]) => {
  const { code, stdout, stderr } = await runCommand(['site', ...words, '--data', data, '--json']);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as { id: number; slug: string };
};

beforeAll(async () => {
  const buildDomainFlags = (list: readonly string[]) => list.flatMap((domain) => ['--domain', domain]);
  await runSiteCommand(['create', '--name', 'News', ...buildDomainFlags(domains), '--force', '--plan', 'starter']);
  await runSiteCommand(['create', '--name', 'Other', ...buildDomainFlags(['other.example'])]);
  await runSiteCommand(['create', '--name', 'Closed', ...buildDomainFlags(['closed.example'])]);
  await runSiteCommand(['create', '--name', 'Off', ...buildDomainFlags(['off.example'])]);
  await runSiteCommand(['create', '--name', 'Lapsed', ...buildDomainFlags(['lapsed.example'])]);
  const past = new Date(Date.now() - 1_000).toISOString();
  await runSiteCommand(['create', '--name', 'Tried', ...buildDomainFlags(['tried.example']), '--trial-ends', past]);
  await runSiteCommand(['update', 'closed', '--active', 'false']);
  await runSiteCommand(['update', 'off', '--active', 'false', '--subscription', 'inactive']);
  await runSiteCommand(['update', 'lapsed', '--subscription', 'inactive']);
  server = await startTestServer({ data });
});
afterAll(() => server.stop('SIGKILL'));

const request = (domain: string | undefined, origin?: string, init: RequestInit = {}) =>
  fetch(`${server.url}/v1/public/voices${domain === undefined ? '' : `?domain=${encodeURIComponent(domain)}`}`, {
    ...init,
    ...(origin !== undefined && { headers: { ...init.headers, origin } }),
  });

const readResponse = async (response: Response) => {
  const body = (await response.json()) as Envelope<unknown>;
  return { status: response.status, message: body.message };
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
    expect(await readResponse(await request(domain))).toEqual({ status: 404, message: 'Unknown domain' });
  });
});

test.each([undefined, '', ' '])('no domain (%p) is a wrong field', async (domain) => {
  const response = await request(domain);
  expect(response.status).toBe(422);
  expect(((await response.json()) as Envelope<unknown>).errors).toEqual({ domain: ['is required'] });
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
const readCorsHeaders = ({ headers }: Response) => ({
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
    const response = await request(domain, origin);
    expect(response.status).toBe(200);
    expect(readCorsHeaders(response)).toEqual({ origin, exposed, vary: 'Origin' });
  });

  test('of this server has access', async () => {
    const response = await request(main, server.url);
    expect(response.status).toBe(200);
    expect(readCorsHeaders(response).origin).toBe(server.url);
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
    const response = await request(main, origin);
    expect(readCorsHeaders(response)).toEqual({ origin: null, exposed: null, vary: 'Origin' });
    expect(await readResponse(response)).toEqual({ status: 403, message: 'Origin not allowed' });
  });

  test('is not required', async () => {
    const response = await request(main);
    expect(response.status).toBe(200);
    expect(readCorsHeaders(response)).toEqual({ origin: null, exposed, vary: 'Origin' });
  });

  test.each([
    ['an unknown domain', 'nobody.example', 'https://nobody.example', 404],
    ['no domain', undefined, 'https://news.example', 422],
    ['a lapsed subscription', 'lapsed.example', 'https://lapsed.example', 402],
    ['an ended trial', 'tried.example', 'https://tried.example', 402],
  ])('learns of %s', async (_, domain, origin, status) => {
    const response = await request(domain, origin);
    expect(response.status).toBe(status);
    expect(readCorsHeaders(response)).toEqual({ origin, exposed, vary: 'Origin' });
  });
});

test('an ended subscription', async () => {
  const lapsed = await readResponse(await request('lapsed.example'));
  expect(lapsed).toEqual({ status: 402, message: 'Subscription inactive' });
  const tried = await readResponse(await request('tried.example'));
  expect(tried).toEqual({ status: 402, message: 'Trial expired' });
});

test('the origin is checked before the subscription', async () => {
  expect((await request('lapsed.example', foreign)).status).toBe(403);
});

test('changes by a command apply from the next request on', async () => {
  const { slug } = await runSiteCommand(['create', '--name', 'Brief', '--domain', 'brief.example']);
  expect((await request('brief.example')).status).toBe(200);
  await runSiteCommand(['update', slug, '--subscription', 'inactive']);
  expect((await request('brief.example')).status).toBe(402);
  await runSiteCommand(['update', slug, '--subscription', 'active']);
  expect((await request('brief.example')).status).toBe(200);
  await runSiteCommand(['update', slug, '--active', 'false']);
  expect((await request('brief.example')).status).toBe(404);
});

describe('a preflight', () => {
  const sendPreflight = (domain: string | undefined, origin?: string) =>
    request(domain, origin, {
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'GET' },
    });

  test('of the site is accepted', async () => {
    const response = await sendPreflight(main, 'https://news.example');
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    expect(readCorsHeaders(response)).toEqual({ origin: 'https://news.example', exposed, vary: 'Origin' });
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS');
    expect(response.headers.get('access-control-allow-headers')).toBe('Content-Type, If-None-Match');
    expect(Number(response.headers.get('access-control-max-age'))).toBeGreaterThan(0);
  });

  test('of another page is rejected', async () => {
    const response = await sendPreflight(main, foreign);
    expect(readCorsHeaders(response).origin).toBeNull();
    expect(await readResponse(response)).toEqual({ status: 403, message: 'Origin not allowed' });
  });

  test('for an unknown domain is accepted, so that the page can read the error', async () => {
    const response = await sendPreflight('nobody.example', 'https://nobody.example');
    expect(response.status).toBe(204);
    expect(readCorsHeaders(response).origin).toBe('https://nobody.example');
  });

  test('without a domain is accepted for registered hosts and for this server', async () => {
    for (const origin of ['https://news.example', foreign, server.url]) {
      const response = await sendPreflight(undefined, origin);
      expect(response.status).toBe(204);
      expect(readCorsHeaders(response).origin).toBe(origin);
    }
    for (const origin of ['https://nobody.example', 'https://closed.example', 'null']) {
      const response = await sendPreflight(undefined, origin);
      expect(response.status).toBe(403);
      expect(readCorsHeaders(response).origin).toBeNull();
    }
  });
});
