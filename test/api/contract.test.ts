import { describe, expect, test } from 'bun:test';
import { type AppDeps, createApp } from '../../src/app.ts';
import { type Authentication, createEndpoint } from '../../src/auth/endpoint.ts';
import { getEndpointSpec } from '../../src/http/endpoint.ts';
import { createContract } from '../fixtures/contract.ts';
import { listRoutes, type OpenApiDocument, type Route } from '../fixtures/openapi.ts';
import { type Envelope, runCommand, startServerForFile } from '../fixtures/server.ts';
import { createSignedInClient } from '../fixtures/users.ts';

/** Mounted but not documented, with the reason. */
const undescribed = [
  // Preflight requests, which follow from their routes.
  /^OPTIONS /,
  // Equal to GET by definition of HTTP.
  /^HEAD /,
  // Pages and their files, not the API.
  /^GET \/docs(\/(page\.css|reference\.js))?$/,
  /^GET \/(favicon\.(svg|ico)|assets\/(fonts\/)?:file)$/,
  /^GET \/(dashboard\/:file)?$/,
  /^GET \/v1\/public\/(embed\.css|feed\.(css|js))$/,
  /^GET \/v1\/public\/player-(texts\/:language|extras\/:file)$/,
];

/** Public routes. All others require a key or a session. */
const open = [
  'GET /healthz',
  'GET /readyz',
  // From this machine, or with a separate token.
  'GET /metrics',
  'GET /v1/openapi.json',
  'GET /v1/media/{file}',
  'GET /v1/public/audio',
  'GET /v1/public/audio/status',
  'GET /v1/public/audio/stream',
  'GET /v1/public/cover.png',
  'GET /v1/public/embed',
  'GET /v1/public/feed.xml',
  'GET /v1/public/oembed',
  'GET /v1/public/player.js',
  'GET /v1/public/voices',
  'POST /v1/public/events',
  'GET /v1/auth/state',
  'POST /v1/auth/accept',
  'POST /v1/auth/login',
  'POST /v1/auth/setup',
];

/** The setup link, in its own header, is the credential. */
const byLink = 'GET /v1/auth/invitation';

const server = await startServerForFile();
const document = (await (await fetch(`${server.url}/v1/openapi.json`)).json()) as OpenApiDocument;
const routes = listRoutes(document);
const admin = await createSignedInClient(server, '--role', 'admin');

test('every mounted route is documented, or listed as internal', () => {
  const unknown = listMountedRoutes()
    .filter(({ hooks }) => getEndpointSpec(hooks) === undefined)
    .map(({ method, path }) => `${method} ${path}`)
    .filter((name) => !undescribed.some((pattern) => pattern.test(name)));

  expect(unknown).toEqual([]);
});

test('every documented route exists', async () => {
  const statuses = await Promise.all(
    routes.map(async (route) => {
      const { status, message } = await request(route);
      return status === 405 || (status === 404 && message === 'Not found') ? [formatRoute(route)] : [];
    }),
  );

  expect(statuses.flat()).toEqual([]);
});

test('without credentials every protected route returns 401, whatever the request contains', async () => {
  const responses = await Promise.all(
    routes.map(async (route) => ({ name: formatRoute(route), ...(await request(route, {}, '{"broken')) })),
  );
  const unprotected = responses.filter(({ status }) => status !== 401).map(({ name }) => name);

  expect(unprotected.sort()).toEqual(open.toSorted());
  expect(routes.filter(isProtected).map(formatRoute)).toEqual(
    routes.map(formatRoute).filter((name) => !open.includes(name) && name !== byLink),
  );
});

describe('a route is protected as documented', () => {
  test('with a key, which a session does not replace', async () => {
    for (const route of routes.filter(
      (route) => acceptsCredential(route, 'apiKey') && !acceptsCredential(route, 'session'),
    )) {
      for (const credentials of [buildBearerHeaders(), buildCookieHeaders(true)]) {
        // Routes with keys as bearer treat a session token as a key.
        const isKey = acceptsCredential(route, 'bearerKey') && 'authorization' in credentials;
        expect([formatRoute(route), await request(route, credentials)]).toEqual([
          formatRoute(route),
          { status: 401, message: isKey ? 'API key invalid' : 'API key missing' },
        ]);
      }
    }
  });

  test('with a key of a sufficient plan that is known and not revoked', async () => {
    const low = await createKeyOnPlan('growth');
    const revoked = await createKeyOnPlan('enterprise');
    await runLectern('key', 'revoke', String(revoked.id));
    const unknown = `svc_live_${'x'.repeat(43)}`;

    for (const route of routes.filter((route) => acceptsCredential(route, 'apiKey'))) {
      expect([formatRoute(route), await request(route, { 'x-api-key': low.key })]).toEqual([
        formatRoute(route),
        { status: 403, message: 'Plan restriction' },
      ]);
      for (const key of [unknown, revoked.key]) {
        expect([formatRoute(route), await request(route, { 'x-api-key': key })]).toEqual([
          formatRoute(route),
          { status: 401, message: 'API key invalid' },
        ]);
      }
    }
  });

  test('with a key as bearer token, only where documented', async () => {
    const { key } = await createKeyOnPlan('enterprise');
    for (const route of routes.filter((route) => acceptsCredential(route, 'apiKey'))) {
      const { status, message } = await request(route, { authorization: `Bearer ${key}` }, '{"broken');
      expect([formatRoute(route), status === 401, message === 'API key missing']).toEqual([
        ...[formatRoute(route), !acceptsCredential(route, 'bearerKey'), !acceptsCredential(route, 'bearerKey')],
      ]);
    }
  });

  test('with a session, which a key does not replace', async () => {
    for (const route of routes.filter(
      (route) => acceptsCredential(route, 'session') && !acceptsCredential(route, 'apiKey'),
    )) {
      expect([formatRoute(route), await request(route, { 'x-api-key': server.key })]).toEqual([
        formatRoute(route),
        { status: 401, message: 'Not signed in' },
      ]);
    }
  });

  test('with a session, whose cookie needs the CSRF token for changes', async () => {
    for (const route of routes.filter((route) => acceptsCredential(route, 'session'))) {
      const { message } = await request(route, buildCookieHeaders(false));
      const isRefused = message === 'CSRF token missing or wrong';
      expect([formatRoute(route), isRefused]).toEqual([formatRoute(route), route.method !== 'GET']);
      expect([formatRoute(route), acceptsCredential(route, 'csrfToken')]).toEqual([formatRoute(route), isRefused]);
    }
  });

  test('with a session by cookie or bearer token', async () => {
    // The route that ends the session is last.
    const endsSession = (route: Route) => Number(route.path === '/v1/auth/logout');
    const protectedRoutes = routes.filter((route) => acceptsCredential(route, 'session'));
    for (const route of protectedRoutes.toSorted((a, b) => endsSession(a) - endsSession(b))) {
      for (const credentials of [buildBearerHeaders(), buildCookieHeaders(true)].slice(endsSession(route))) {
        const { status, message } = await request(route, credentials, '{"broken');
        const isRefused = status === 401 || message === 'CSRF token missing or wrong';
        expect([formatRoute(route), isRefused]).toEqual([formatRoute(route), false]);
      }
    }
  });
});

test('error responses match their documentation', async () => {
  const contract = createContract(document);
  const rejection = await Promise.all(
    routes.flatMap((route) =>
      [{}, { 'x-api-key': 'svc_live_wrong' }, buildCookieHeaders(false)].map(async (credentials) => {
        const response = await send(route, credentials);
        const problems = contract.problems([route], route.method, {
          status: response.status,
          headers: response.headers,
          body: await response.bytes(),
        });
        return problems.map((problem) => `${formatRoute(route)} ${response.status}: ${problem}`);
      }),
    ),
  );

  expect(rejection.flat()).toEqual([]);
});

/** Mounting routes calls none of their services. */
function listMountedRoutes() {
  const anything: unknown = new Proxy(() => undefined, { get: () => anything, apply: () => anything });
  const known = { baseUrl: 'http://localhost', endpoint: createEndpoint(anything as Authentication, 0) };
  const services = new Proxy(known, { get: (target, name) => Reflect.get(target, name) ?? anything });
  return createApp(services as AppDeps).routes;
}

function formatRoute({ method, path }: Route): string {
  return `${method} ${path}`;
}

function isProtected({ operation }: Route): boolean {
  return operation.security.length > 0;
}

function acceptsCredential({ operation }: Route, kind: 'apiKey' | 'bearerKey' | 'session' | 'csrfToken'): boolean {
  const names = operation.security.flatMap((requirement) => Object.keys(requirement));
  return kind === 'session' ? names.includes('bearerSession') : names.includes(kind);
}

function buildBearerHeaders(): Record<string, string> {
  return { authorization: `Bearer ${admin.session.token}` };
}

function buildCookieHeaders(withToken: boolean): Record<string, string> {
  return {
    cookie: `lectern_session=${admin.session.token}`,
    ...(withToken ? { 'x-csrf-token': admin.session.csrf_token } : {}),
  };
}

/** A request for a resource that does not exist. */
function send(route: Route, headers: Record<string, string> = {}, body?: string) {
  const path = route.path.replace(/\{\w+\}/g, '999999');
  return fetch(`${server.url}${path}`, {
    method: route.method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined || route.method === 'GET' ? {} : { body }),
    redirect: 'manual',
  });
}

async function request(route: Route, headers?: Record<string, string>, body?: string) {
  const response = await send(route, headers, body);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const message = isJson ? ((JSON.parse(text) as Envelope<unknown>).message ?? '') : '';
  return { status: response.status, message };
}

async function createKeyOnPlan(plan: string): Promise<{ id: number; key: string }> {
  const domain = `${plan}-${crypto.randomUUID().slice(0, 8)}.example`;
  const site = await runLectern('site', 'create', '--name', plan, '--domain', domain, '--plan', plan);
  const key = await runLectern('key', 'create', '--site', String(site['id']));
  return { id: Number(key['id']), key: String(key['key']) };
}

async function runLectern(...words: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runCommand([...words, '--data', server.data, '--json']);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
