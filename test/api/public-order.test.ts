import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type PublicSite, startPublicSite } from '../fixtures/public-site.ts';
import type { Envelope } from '../fixtures/server.ts';

const limit = 150;
let site: PublicSite;

beforeAll(async () => {
  const domains = ['good.example', 'spent.example', 'fresh.example'];
  site = await startPublicSite(domains, { env: { LECTERN_RATE_PAGE: String(limit) } });
  const lapsed = ['--domain', 'lapsed.example', '--domain', 'spent-lapsed.example'];
  await site.runLectern('site', 'create', '--name', 'Lapsed', ...lapsed);
  await site.runLectern('site', 'update', 'lapsed', '--subscription', 'inactive');
});
afterAll(() => site.stop('SIGKILL'));

/** Exhausts the rate limit of a domain, unless it stays exhausted for the duration of a request. */
async function spend(domain: string): Promise<void> {
  while (true) {
    const { status, headers } = await site.open(`voices?domain=${domain}`);
    if (status !== 429) continue;
    if (Number(headers.get('retry-after')) > 20) return;
    await Bun.sleep(500);
  }
}

/** All errors of a request, in the order of the checks. */
const faults = ['domain', 'origin', 'rate', 'subscription', 'parameters', 'post'] as const;
type Fault = (typeof faults)[number];

const responses: Record<Fault, { status: number; message: string }> = {
  domain: { status: 404, message: 'Unknown domain' },
  origin: { status: 403, message: 'Origin not allowed' },
  rate: { status: 429, message: 'Rate limit exceeded' },
  subscription: { status: 402, message: 'Subscription inactive' },
  parameters: { status: 422, message: 'Validation failed' },
  post: { status: 404, message: 'Post not found' },
};
const routes = {
  voices: ['domain', 'origin', 'rate', 'subscription'],
  'audio/status': faults,
  audio: faults,
  'audio/stream': faults,
} satisfies Record<string, readonly Fault[]>;

const listSubsets = (all: readonly Fault[]): Fault[][] =>
  Array.from({ length: 2 ** all.length }, (_, bits) => all.filter((_, index) => (bits >> index) & 1)).filter(
    ({ length }) => length > 0,
  );

function createDomainWith(faults: readonly Fault[]): string {
  if (faults.includes('domain')) return 'nobody.example';
  if (faults.includes('rate')) {
    return faults.includes('subscription') ? 'spent-lapsed.example' : 'spent.example';
  }
  return faults.includes('subscription') ? 'lapsed.example' : 'good.example';
}

describe.each(Object.entries(routes))('%s', (route, possible) => {
  test.each(listSubsets(possible).map((faults) => [faults.join(', '), faults] as const))(
    'reports the first of several errors: %s',
    async (_, requestFaults) => {
      const domain = createDomainWith(requestFaults);
      if (domain.startsWith('spent')) await spend(domain);
      const origin = requestFaults.includes('origin') ? 'https://other.example' : `https://${domain}`;
      const query = new URLSearchParams({ domain });
      if (requestFaults.includes('parameters')) query.set('lang', 'not a language');
      query.set('post_id', 'nothing');
      const response = await site.open(`${route}?${query}`, { headers: { origin } });
      const { success, message } = (await response.json()) as Envelope<unknown>;
      const first = requestFaults[0] ?? 'post';
      expect({ status: response.status, message }).toEqual(responses[first]);
      expect(success).toBe(false);

      const { headers } = response;
      const isCounted = faults.indexOf(first) >= faults.indexOf('rate');
      expect(headers.get('x-ratelimit-limit')).toBe(isCounted ? String(limit) : null);
      expect(headers.has('x-ratelimit-remaining')).toBe(isCounted);
      expect(headers.has('retry-after')).toBe(first === 'rate');
      expect(headers.get('access-control-allow-origin')).toBe(first === 'origin' ? null : origin);
      expect(headers.has('access-control-expose-headers')).toBe(first !== 'origin');
      expect(headers.get('vary')).toBe('Origin');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.has('x-request-id')).toBe(true);
    },
  );

  test('reports a missing domain first', async () => {
    const headers = { origin: 'https://other.example' };
    const response = await site.open(`${route}?lang=nothing`, { headers });
    expect(response.status).toBe(422);
    const { errors } = (await response.json()) as Envelope<unknown>;
    expect(errors).toEqual({ domain: ['is required'] });
    expect(response.headers.has('x-ratelimit-limit')).toBe(false);
  });

  test('does not count a preflight', async () => {
    await spend('spent.example');
    for (const domain of ['spent.example', 'lapsed.example']) {
      const headers = { origin: `https://${domain}`, 'access-control-request-method': 'GET' };
      const response = await site.open(`${route}?domain=${domain}`, { method: 'OPTIONS', headers });
      expect(response.status).toBe(204);
      expect(response.headers.get('access-control-allow-origin')).toBe(headers.origin);
      expect(response.headers.has('x-ratelimit-remaining')).toBe(false);
    }
  });

  test('supports HEAD and no other method', async () => {
    const head = await site.open(`${route}?domain=good.example&post_id=nothing`, {
      method: 'HEAD',
    });
    expect(head.status).toBe(route === 'voices' ? 200 : 404);
    expect(await head.text()).toBe('');
    const origin = 'https://good.example';
    const post = await site.open(`${route}?domain=good.example`, {
      method: 'POST',
      headers: { origin },
    });
    expect(post.status).toBe(405);
    expect(post.headers.get('access-control-allow-origin')).toBe(origin);
    expect(post.headers.get('vary')).toBe('Origin');
    expect(post.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });
});

test('a starter site has access: the plan has no effect here', async () => {
  const small = ['--domain', 'small.example', '--plan', 'starter'];
  await site.runLectern('site', 'create', '--name', 'Small', ...small);
  expect((await site.open('voices?domain=small.example')).status).toBe(200);
  const status = await site.open('audio/status?domain=small.example&post_id=nothing');
  expect(await status.json()).toEqual({ success: false, message: 'Post not found' });
});

test('each domain has its own rate limit, regardless of the parameters', async () => {
  const getRemaining = async (domain: string) =>
    Number((await site.open(`voices?domain=${domain}`)).headers.get('x-ratelimit-remaining'));
  await spend('spent.example');
  // First request of the domain: its minute starts now.
  expect(await getRemaining('fresh.example')).toBe(limit - 1);
  expect(await getRemaining('FRESH.example.:80')).toBe(limit - 2);
  expect(await getRemaining('spent.example')).toBe(0);
  expect(await getRemaining('fresh.example')).toBe(limit - 3);
});
