import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { buildArticle } from '../api/articles.ts';
import { createContract } from '../fixtures/contract.ts';
import { type GeneratedRequest, generateRequest, type Material } from '../fixtures/generated-request.ts';
import { listRoutes, type OpenApiDocument, type Route } from '../fixtures/openapi.ts';
import { buildHead, exchangeRaw } from '../fixtures/raw-http.ts';
import { scale } from '../fixtures/scale.ts';
import { testSeed } from '../fixtures/seed.ts';
import { type Envelope, runCommand, startServerForFile } from '../fixtures/server.ts';
import { createSignedInClient, type SignedInClient } from '../fixtures/users.ts';

// Requests generated from the OpenAPI document, valid and invalid, whose responses are compared with it. TEST_REQUESTS sets their
// number, TEST_SEED repeats a run.
const requestCount = Number(process.env['TEST_REQUESTS'] ?? scale.requests);
const responseTimeoutMs = 20_000;
const domain = 'generated.example';

const server = await startServerForFile({
  env: {
    LECTERN_LOG_LEVEL: 'error',
    LECTERN_BODY_BYTE_MAX: '100000',
    // Synthesis takes time: most posts may be rejected as documented.
    LECTERN_QUEUED_POSTS_PER_SITE_MAX: '5',
    LECTERN_WEBHOOK_TIMEOUT_S: '1',
  },
});
const material = await prepare();
const contract = createContract(material.document);

test(
  `${requestCount} generated requests get documented responses (TEST_SEED=${testSeed})`,
  async () => {
    const requests = fc.sample(generateRequest(material), {
      seed: testSeed,
      numRuns: requestCount,
    });
    const findings = new Map<string, string>();
    const successes = new Set<string>();
    let received = 0;
    for (const request of requests) {
      const name = `${request.route.method} ${request.route.path}`;
      const problems = await findProblems(request, (status) => {
        received += 1;
        if (status < 400) successes.add(name);
      });
      for (const problem of problems) {
        const finding = `${name}: ${problem}`;
        const shown = `${finding}\n${formatRequest(request)}`;
        // Among requests with the same violation, the shortest is most useful.
        const known = findings.get(finding);
        if (known === undefined || shown.length < known.length) findings.set(finding, shown);
      }
    }

    expect([...findings.values()].join('\n\n')).toBe('');
    expect(received).toBe(requestCount);
    // Otherwise only errors would be tested.
    expect(successes.size).toBeGreaterThan(material.routes.length * 0.6);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(server.log()).toBe('');
  },
  120_000 + requestCount * 100,
);

async function findProblems(request: GeneratedRequest, seen: (status: number) => void): Promise<string[]> {
  try {
    const response = await exchangeRaw(server.url, request, responseTimeoutMs);
    seen(response.status);
    const [path = ''] = request.target.split('?');
    if (request.method === 'OPTIONS') return response.status >= 500 ? [`${response.status}`] : [];
    return contract.problems(contract.matching(request.method, path), request.method, response);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** Routes with endless event streams. */
function isEndless({ operation }: Route): boolean {
  return Object.keys(operation.responses['200']?.content ?? {}).includes('text/event-stream');
}

function formatRequest(request: GeneratedRequest): string {
  const body = request.body === undefined ? '' : Buffer.from(request.body).toString('latin1');
  const text = JSON.stringify(body.length > 600 ? `${body.slice(0, 600)}…` : body);
  return `${buildHead(request, 'x').toString('latin1').trim().slice(0, 1_500)}\n${text}`;
}

/** Creates a server with one of each resource, and returns their names. */
async function prepare(): Promise<Material> {
  const response = await fetch(`${server.url}/v1/openapi.json`);
  const document = (await response.json()) as OpenApiDocument;
  const site = await runLectern('site', 'create', '--name', 'Kept', '--domain', domain);
  const { key } = await runLectern('key', 'create', '--site', String(site['id']));
  const flags = ['--site', String(site['id'])];
  const admin = await createSignedInClient(server, '--role', 'admin');
  const editor = await createSignedInClient(server, '--role', 'editor', ...flags);
  const viewer = await createSignedInClient(server, '--role', 'viewer', ...flags);
  const leaving = await createSignedInClient(server, '--role', 'viewer', ...flags);
  const changed = await createSignedInClient(server);
  const changeable = await createChangeableSite(admin, changed);
  const parts = [site['id'], changeable['site']?.[0]].map((id) => ({ site: id, role: 'editor' }));
  await admin.request('PATCH', `/v1/users/${editor.user.id}`, { sites: parts });
  const audio = await createFirstAudio(String(key));
  const keys = [{ 'x-api-key': String(key) }, { 'x-api-key': server.key }];
  return {
    document,
    routes: listRoutes(document).filter((route) => !isEndless(route)),
    credentials: {
      key: keys,
      session: [
        ...[admin, admin, admin, editor, viewer].map(buildBearerHeaders),
        ...[admin, editor].map(buildCookieHeaders),
      ],
      ending: [buildBearerHeaders(leaving), buildCookieHeaders(leaving)],
      wrong: [{}, { 'x-api-key': 'svc_live_' }, { authorization: 'Bearer x' }, buildCookieWithoutCsrf(admin)],
    },
    known: {
      ...changeable,
      site: [...(changeable['site'] ?? []), site['id'], site['slug']],
      post_id: ['first', 'a/b c', 'missing', 'é'],
      domain: [domain, domain.toUpperCase(), `${domain}:443`, 'unknown.example'],
      language: ['en', 'en-US', 'de', 'xx', 'EN'],
      lang: ['en', 'fr', 'it'],
      voice_id: [1, 2, 99, null],
      voice: [1, 2, 'aspen', 'nobody'],
      content: [buildArticle('the generated harbor').slice(0, 60), '🙂'.repeat(50)],
      input: ['A short sentence.', ''],
      url: ['https://hooks.invalid/lectern', 'http://127.0.0.1:9/', 'nonsense'],
      post_url: [`https://${domain}/first`, 'ftp://x', null],
      email: [viewer.user.email, 'new@example.org', 'nonsense'],
      password: ['wrong', 'correct horse battery staple'],
      current: ['wrong'],
      token: ['x'.repeat(43), ''],
      publish_at: ['2026-01-01', '2099-12-31T23:59:59Z', 'tomorrow', null],
      occurred_at: ['2026-11-21T08:00:00Z', 'yesterday', null],
      from: ['2026-11-01', '2026-02-30'],
      to: ['2026-11-30', '0000-00-00'],
      cursor: ['W10', 'bm9uc2Vuc2U', 'MQ', '%'],
      limit: [1, 50, 100, 101, 0],
      file: [audio, audio.replace(/mp3$/, 'json'), 'missing.mp3', 'x'],
    },
    changeable,
    doomedSites: [...(await createDoomedSites(admin)), 999_999],
  };
}

/** A site with content and a user, both of which may be changed and deleted. */
async function createChangeableSite(admin: SignedInClient, user: SignedInClient): Promise<Record<string, unknown[]>> {
  const make = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const response = await admin.request('POST', path, body);
    const { data, message } = (await response.json()) as Envelope<Record<string, unknown>>;
    if (response.status >= 300) throw new Error(`${path}: ${message}`);
    return data;
  };
  const site = await make('/v1/sites', { name: 'Changeable', domains: ['changeable.example'] });
  const path = `/v1/sites/${site['id']}`;
  // Several, as requests may delete them.
  const several = Array.from({ length: 10 }, (_, index) => index);
  const createIds = async (name: string, body: (index: number) => unknown): Promise<unknown[]> => {
    const records = await Promise.all(several.map((index) => make(`${path}/${name}`, body(index))));
    return records.map(({ id }) => id);
  };
  return {
    site: [site['id'], site['slug']],
    post_id: ['changeable', 'changeable/too', 'missing'],
    id: [user.user.id, 999_999],
    key: [...(await createIds('keys', (index) => ({ name: `spare ${index}` }))), 999_999],
    domain: [...several.map((index) => `changeable-${index}.example`), 'unknown.example'],
    webhook: await createIds('webhooks', (index) => ({
      url: `https://hooks.invalid/${index}`,
      event_types: ['audio.ready'],
    })),
    pronunciation: await createIds('pronunciations', (index) => ({
      word: `word ${index}`,
      alias: `spoken ${index}`,
    })),
    delivery: [1, 999_999],
  };
}

async function createDoomedSites(admin: SignedInClient): Promise<unknown[]> {
  const responses = ['one', 'two', 'three'].map(async (name) => {
    const response = await admin.request('POST', '/v1/sites', { name, domains: [`${name}.example`] });
    return ((await response.json()) as Envelope<{ id: number }>).data.id;
  });
  return Promise.all(responses);
}

/** @returns the file name of an MP3 */
async function createFirstAudio(key: string): Promise<string> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  await fetch(`${server.url}/v1/audio/generate`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      post_id: 'first',
      post_url: `https://${domain}/first`,
      content: buildArticle('the first harbor'),
    }),
  });
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const response = await fetch(`${server.url}/v1/audio/first/status`, { headers });
    const { data } = (await response.json()) as Envelope<{ audio_url: string | null }>;
    if (data.audio_url !== null) return data.audio_url.split('/').at(-1) ?? '';
    await Bun.sleep(50);
  }
  throw new Error('the first post is not ready in time');
}

function buildBearerHeaders({ session }: SignedInClient): Record<string, string> {
  return { authorization: `Bearer ${session.token}` };
}

function buildCookieHeaders(client: SignedInClient): Record<string, string> {
  return { ...buildCookieWithoutCsrf(client), 'x-csrf-token': client.session.csrf_token };
}

function buildCookieWithoutCsrf({ session }: SignedInClient): Record<string, string> {
  return { cookie: `lectern_session=${session.token}` };
}

async function runLectern(...words: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runCommand([...words, '--data', server.data, '--json']);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
