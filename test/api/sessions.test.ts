import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { StartedSession, UserRecord } from '../../src/auth/schema.ts';
import { readLastEntry } from '../fixtures/audit-log.ts';
import { changeRows } from '../fixtures/change-rows.ts';
import { readDatabase } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import {
  createSite,
  type Envelope,
  runCommand,
  startServerForFile,
  startTestServer,
  type TestServer,
} from '../fixtures/server.ts';
import {
  createSignedInClient,
  createUser,
  password,
  runWithPassword,
  type SignedInClient,
  sendLogin,
  signIn,
} from '../fixtures/users.ts';
import { readRows } from './stored-rows.ts';

const hourMs = 3_600_000;
const newPassword = 'four other words entirely';

const server = await startServerForFile();
const user = await createUser(server.data);

/** @returns status and message of a response */
async function readMessage(input: Response | Promise<Response>): Promise<[number, string]> {
  const response = await input;
  const { message } = (await response.json()) as Envelope<unknown>;
  return [response.status, message];
}

function getOwnUser(headers: Record<string, string>): Promise<Response> {
  return fetch(`${server.url}/v1/me`, { headers });
}

function formatMsAgo(ms: number): string {
  return new Date(Date.now() - ms).toISOString();
}

/** The stored time of the last use of a user's session. */
function readLastSeen(at: TestServer, userId: number): string | undefined {
  const rows = `select last_seen_at at from session where user_id = ${userId}`;
  return readRows<{ at: string }>(at.data, rows)[0]?.at;
}

/** Moves the last use of a user's sessions into the past. @returns the stored time */
function setLastSeen(at: TestServer, userId: number, ms: number): string {
  const time = formatMsAgo(ms);
  changeRows(at.data, 'update session set last_seen_at = ? where user_id = ?', time, userId);
  return time;
}

/** Waits until a use is stored, which happens after its response and would overwrite changes of the test. */
function waitForLastSeen(at: TestServer, userId: number, before: string): Promise<string> {
  return eventually(() => {
    const lastSeen = readLastSeen(at, userId);
    return lastSeen !== undefined && lastSeen !== before && lastSeen;
  }, 'the use is written down');
}

const notSignedIn: [number, string] = [401, 'Not signed in'];
const signInFailed: [number, string] = [401, 'Wrong e-mail address or password'];

describe('a sign-in', () => {
  test('returns a token, its expiry, a CSRF token and the user', async () => {
    const response = await sendLogin(server, user.email);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    const body = (await response.json()) as Envelope<StartedSession>;
    expect(body).toEqual({
      ...{ success: true, message: 'Signed in' },
      data: {
        token: expect.stringMatching(/^[\w-]{43}$/),
        csrf_token: expect.stringMatching(/^[\w-]{43}$/),
        expires_at: expect.any(String),
        user: { ...user, last_sign_in_at: expect.any(String) },
      },
    });
    const days = (Date.parse(body.data.expires_at) - Date.now()) / (24 * hourMs);
    expect(Math.abs(days - 30)).toBeLessThan(0.01);
    expect(body.data.csrf_token).not.toBe(body.data.token);
    expect(JSON.stringify(body)).not.toContain('argon2');
  });

  test('accepts the e-mail address in any case, with surrounding spaces', async () => {
    expect((await sendLogin(server, ` ${user.email.toUpperCase()} `)).status).toBe(200);
  });

  test('fails with the same error for a wrong password, an unknown address and a disabled user', async () => {
    const disabled = await createUser(server.data);
    await runCommand(['user', 'disable', disabled.email, '--data', server.data]);
    const responses = await Promise.all([
      sendLogin(server, user.email, `${password}!`),
      sendLogin(server, user.email, password.toUpperCase()),
      sendLogin(server, 'nobody@example.org'),
      sendLogin(server, disabled.email),
    ]);
    const seen = await Promise.all(
      responses.map(async (response) => ({
        status: response.status,
        cookie: response.headers.get('set-cookie'),
        body: await response.json(),
      })),
    );
    const expected = { success: false, message: 'Wrong e-mail address or password' };
    for (const reply of seen) expect(reply).toEqual({ status: 401, cookie: null, body: expected });
  });

  test('reports missing fields', async () => {
    const response = await fetch(`${server.url}/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"email":"a@example.org"}',
    });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: { password: ['is required'] } });
  });

  test('requires JSON, so that a form of another page cannot send it', async () => {
    const body = JSON.stringify({ email: user.email, password });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const headers = { 'content-type': type };
      const response = await fetch(`${server.url}/v1/auth/login`, { method: 'POST', headers, body });
      expect(response.status).toBe(415);
    }
  });

  test('succeeds for many concurrent requests', async () => {
    const responses = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        sendLogin(server, user.email, index % 4 === 0 ? password : 'wrong password'),
      ),
    );
    const statuses = responses.map(({ status }) => status);
    expect(statuses).toEqual(statuses.map((_, index) => (index % 4 === 0 ? 200 : 401)));
  });
});

describe('a token', () => {
  test('is accepted as bearer token and as cookie', async () => {
    const { session } = await signIn(server, user);
    const bearer = await getOwnUser({ authorization: `Bearer ${session.token}` });
    expect(await bearer.json()).toMatchObject({
      data: { user: { id: user.id }, csrf_token: null, expires_at: session.expires_at },
    });
    const cookie = await getOwnUser({ cookie: `theme=dark; lectern_session=${session.token}; x=1` });
    expect(cookie.headers.get('cache-control')).toBe('private, no-store');
    expect(await cookie.json()).toMatchObject({
      data: { user: { id: user.id, email: user.email }, csrf_token: session.csrf_token },
    });
  });

  test('is read from the cookie if a proxy uses the Authorization header', async () => {
    const { session } = await signIn(server, user);
    const cookie = `lectern_session=${session.token}`;
    expect((await getOwnUser({ authorization: 'Basic YTpi', cookie })).status).toBe(200);
    expect((await getOwnUser({ authorization: 'Bearer nonsense', cookie })).status).toBe(401);
  });

  test.each([
    {},
    { authorization: 'Bearer' },
    { authorization: `Bearer ${'x'.repeat(43)}` },
    { authorization: `Bearer ${'x'.repeat(9_000)}` },
    { cookie: 'lectern_session=' },
    { cookie: "lectern_session=' or 1=1 --" },
    { 'x-api-key': `svc_live_${'x'.repeat(43)}` },
  ] as Record<string, string>[])('does not let in when it is wrong: %j', async (headers) => {
    expect(await readMessage(getOwnUser(headers))).toEqual(notSignedIn);
  });

  test('and the password are stored neither in the database nor in the log', async () => {
    const { session } = await signIn(server, user);
    const pieces = await readDatabase(server.data);
    expect(pieces.length).toBeGreaterThan(0);
    for (const secret of [session.token, session.csrf_token, password]) {
      for (const bytes of pieces) expect(bytes.includes(secret)).toBe(false);
      expect(server.log()).not.toContain(secret);
    }
    const words = ['user', 'create', '--data', server.data, '--email', 'hashed@example.org', '--role', 'admin'];
    expect(await runWithPassword(words)).toMatchObject({ code: 0 });
    const query = "select password_hash hash from user where email = 'hashed@example.org'";
    const [row] = readRows<{ hash: string }>(server.data, query);
    expect(row?.hash).toStartWith('$argon2id$v=19$m=65536,t=2,p=1$');
  });
});

describe('a cookie', () => {
  test('is HttpOnly, SameSite and limited to this server', async () => {
    const [cookie = ''] = (await sendLogin(server, user.email)).headers.getSetCookie();
    expect(cookie).toMatch(/^lectern_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
  });

  test('requires the CSRF token for changes; a bearer token does not', async () => {
    const { session } = await signIn(server, user);
    const other = await signIn(server, user);
    const cookie = `lectern_session=${session.token}`;
    const logout = (headers: Record<string, string>) =>
      fetch(`${server.url}/v1/auth/logout`, { method: 'POST', headers });
    const refused: [number, string] = [403, 'CSRF token missing or wrong'];
    expect(await readMessage(logout({ cookie }))).toEqual(refused);
    for (const invalidInputs of ['', 'x', session.token, other.session.csrf_token]) {
      expect(await readMessage(logout({ cookie, 'x-csrf-token': invalidInputs }))).toEqual(refused);
    }
    const patch = await fetch(`${server.url}/v1/users/1`, { method: 'PATCH', headers: { cookie } });
    expect(await readMessage(patch)).toEqual(refused);
    expect((await getOwnUser({ cookie })).status).toBe(200);
    expect(await readMessage(logout({ cookie, 'x-csrf-token': session.csrf_token }))).toEqual([200, 'Signed out']);
    expect((await other.request('POST', '/v1/auth/logout')).status).toBe(200);
  });
});

describe('a session', () => {
  test('ends at sign-out, without other sessions', async () => {
    const first = await signIn(server, user);
    const second = await signIn(server, user);
    const response = await first.request('POST', '/v1/auth/logout');
    expect(response.headers.get('set-cookie')).toStartWith('lectern_session=; Path=/; Max-Age=0;');
    expect(await readMessage(first.request('GET', '/v1/me'))).toEqual(notSignedIn);
    expect(await readMessage(first.request('POST', '/v1/auth/logout'))).toEqual(notSignedIn);
    expect((await second.request('GET', '/v1/me')).status).toBe(200);
  });

  test('can be ended with all sessions of its user', async () => {
    const account = await createUser(server.data);
    const [first, second] = [await signIn(server, account), await signIn(server, account)];
    const foreign = await signIn(server, user);
    const response = await first.request('POST', '/v1/auth/logout', { everywhere: true });
    expect(await readMessage(response)).toEqual([200, 'Signed out']);
    expect(await readMessage(first.request('GET', '/v1/me'))).toEqual(notSignedIn);
    expect(await readMessage(second.request('GET', '/v1/me'))).toEqual(notSignedIn);
    expect((await foreign.request('GET', '/v1/me')).status).toBe(200);
    expect(readLastEntry(server.data, 'user.signed_out_everywhere')).toMatchObject({
      ...{ actor: account.email, subject: account.email },
    });
  });

  test('expires after twelve hours without a request', async () => {
    const client = await createSignedInClient(server);
    const before = setLastSeen(server, client.user.id, 12 * hourMs - 120_000);
    expect((await client.request('GET', '/v1/me')).status).toBe(200);
    await waitForLastSeen(server, client.user.id, before);
    setLastSeen(server, client.user.id, 12 * hourMs + 1_000);
    expect(await readMessage(client.request('GET', '/v1/me'))).toEqual(notSignedIn);
  });

  test('is extended by use, without a write for each request', async () => {
    const client = await createSignedInClient(server);
    const firstSeen = readLastSeen(server, client.user.id);
    for (let count = 0; count < 20; count += 1) await client.request('GET', '/v1/me');
    expect(readLastSeen(server, client.user.id)).toBe(firstSeen);
    const before = setLastSeen(server, client.user.id, 11 * hourMs);
    const requestedAt = Date.now();
    await client.request('GET', '/v1/me');
    const lastSeen = await waitForLastSeen(server, client.user.id, before);
    expect(Date.parse(lastSeen)).toBeGreaterThanOrEqual(requestedAt);
  });

  test('expires after thirty days, however much it is used', async () => {
    const client = await createSignedInClient(server);
    changeRows(server.data, 'update session set expires_at = ? where user_id = ?', formatMsAgo(1_000), client.user.id);
    expect(await readMessage(client.request('GET', '/v1/me'))).toEqual(notSignedIn);
  });

  test('leaves no row when it has ended', async () => {
    const client = await createSignedInClient(server);
    changeRows(server.data, 'update session set expires_at = ? where user_id = ?', formatMsAgo(1_000), client.user.id);
    await signIn(server, user);
    const rows = `select id from session where user_id = ${client.user.id}`;
    expect(readRows(server.data, rows)).toEqual([]);
  });

  test('ends when the user is disabled, for good', async () => {
    const client = await createSignedInClient(server);
    const runUserCommand = (name: string) => runCommand(['user', name, client.user.email, '--data', server.data]);
    await runUserCommand('disable');
    expect(await readMessage(client.request('GET', '/v1/me'))).toEqual(notSignedIn);
    await runUserCommand('enable');
    expect(await readMessage(client.request('GET', '/v1/me'))).toEqual(notSignedIn);
    expect((await sendLogin(server, client.user.email)).status).toBe(200);
  });

  test('ends when the user is removed', async () => {
    const client = await createSignedInClient(server);
    await runCommand(['user', 'remove', client.user.email, '--data', server.data]);
    expect(await readMessage(client.request('GET', '/v1/me'))).toEqual(notSignedIn);
    expect(await readMessage(sendLogin(server, client.user.email))).toEqual(signInFailed);
  });
});

describe("the list of a user's own sessions", () => {
  interface Listed {
    readonly id: number;
    readonly device: string | null;
    readonly current: boolean;
  }

  const listSessions = async (client: SignedInClient): Promise<Listed[]> => {
    const response = await client.request('GET', '/v1/auth/sessions');
    return ((await response.json()) as Envelope<{ items: Listed[] }>).data.items;
  };

  test.each([
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Windows'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0',
      'Edge on macOS',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    [
      'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    ['curl/8.14.1', 'curl'],
    ['(secret) <script>', null],
  ])('names the device of %p %p, and stores no more of it', async (agent, device) => {
    const account = await createUser(server.data);
    const client = await signIn(server, account, { 'user-agent': agent });
    expect(await listSessions(client)).toEqual([
      {
        ...{ id: expect.any(Number), device, current: true, created_at: expect.any(String) },
        ...{ last_seen_at: expect.any(String), expires_at: client.session.expires_at },
      },
    ] as unknown as Listed[]);
    expect(JSON.stringify(readRows(server.data, 'select * from session'))).not.toContain('/5.0');
  });

  test('has the newest first, without ended ones and those of other users', async () => {
    const first = await createSignedInClient(server);
    const second = await signIn(server, first.user);
    const third = await signIn(server, first.user);
    await second.request('POST', '/v1/auth/logout');
    setLastSeen(server, first.user.id, 12 * hourMs + 1_000);
    const fourth = await signIn(server, first.user);
    const fifth = await signIn(server, first.user);
    expect((await listSessions(fourth)).map(({ current }) => current)).toEqual([false, true]);
    expect((await listSessions(fifth)).map(({ current }) => current)).toEqual([true, false]);
    expect((await third.request('GET', '/v1/auth/sessions')).status).toBe(401);
  });

  test('allows ending one session, but not of another user', async () => {
    const first = await createSignedInClient(server);
    const second = await signIn(server, first.user, { 'user-agent': 'curl/8.14.1' });
    const foreign = await createSignedInClient(server);
    const [newest] = await listSessions(first);
    const path = `/v1/auth/sessions/${newest?.id}`;
    expect(await readMessage(foreign.request('DELETE', path))).toEqual([404, `Session ${newest?.id} not found`]);
    expect((await second.request('GET', '/v1/me')).status).toBe(200);
    expect(await readMessage(first.request('DELETE', path))).toEqual([200, 'Session ended']);
    expect(await readMessage(second.request('GET', '/v1/me'))).toEqual(notSignedIn);
    expect(readLastEntry(server.data, 'user.session_ended')).toMatchObject({
      ...{ actor: first.user.email, subject: first.user.email, before: { device: 'curl' } },
    });
    const [current] = await listSessions(first);
    const response = await first.request('DELETE', `/v1/auth/sessions/${current?.id}`);
    expect(response.headers.get('set-cookie')).toStartWith('lectern_session=; Path=/; Max-Age=0;');
    expect(await readMessage(first.request('GET', '/v1/me'))).toEqual(notSignedIn);
  });

  test('allows ending all other sessions', async () => {
    const first = await createSignedInClient(server);
    const others = [await signIn(server, first.user), await signIn(server, first.user)];
    const foreign = await createSignedInClient(server);
    const response = await first.request('DELETE', '/v1/auth/sessions');
    expect(await response.json()).toMatchObject({ message: 'Signed out elsewhere', data: { count: 2 } });
    for (const other of others) expect(await readMessage(other.request('GET', '/v1/me'))).toEqual(notSignedIn);
    for (const client of [first, foreign]) expect((await client.request('GET', '/v1/me')).status).toBe(200);
    expect(readLastEntry(server.data, 'user.signed_out_elsewhere')).toMatchObject({ actor: first.user.email });
  });
});

describe('a change of the own e-mail address', () => {
  test('requires the password, ends the other sessions, and is in the audit log', async () => {
    const client = await createSignedInClient(server);
    const elsewhere = await signIn(server, client.user);
    const email = `new-${client.user.email}`;
    const change = (input: object) => client.request('POST', '/v1/auth/email', input);
    const rejection = await change({ email, password: 'not this one' });
    expect(rejection.status).toBe(422);
    expect(await rejection.json()).toMatchObject({ errors: { password: ['is not your current password'] } });
    expect((await change({ email })).status).toBe(422);
    expect((await elsewhere.request('GET', '/v1/me')).status).toBe(200);

    const response = await change({ email: ` ${email.toUpperCase()}`, password });
    expect(await response.json()).toMatchObject({ message: 'E-mail address changed', data: { email } });
    expect(await readMessage(elsewhere.request('GET', '/v1/me'))).toEqual(notSignedIn);
    expect(await (await client.request('GET', '/v1/me')).json()).toMatchObject({ data: { user: { email } } });
    expect(await readMessage(sendLogin(server, client.user.email))).toEqual(signInFailed);
    expect((await sendLogin(server, email)).status).toBe(200);
    expect(readLastEntry(server.data, 'user.changed')).toMatchObject({
      ...{ actor: email, subject: client.user.email },
      ...{ before: { email: client.user.email }, after: { email } },
    });
  });

  test('to an address that is in use or invalid is rejected and ends no session', async () => {
    const client = await createSignedInClient(server);
    const elsewhere = await signIn(server, client.user);
    const rejection = await client.request('POST', '/v1/auth/email', { email: user.email, password });
    expect(await readMessage(rejection)).toEqual([409, 'E-mail address already registered']);
    expect((await client.request('POST', '/v1/auth/email', { email: 'nothing', password })).status).toBe(422);
    expect((await elsewhere.request('GET', '/v1/me')).status).toBe(200);
  });
});

describe('a change of the own password', () => {
  test('ends every session of the user; only the new password is valid', async () => {
    const client = await createSignedInClient(server);
    const elsewhere = await signIn(server, client.user);
    const rejection = await client.request('POST', '/v1/auth/password', {
      ...{ current: 'not this one', new: newPassword },
    });
    expect(rejection.status).toBe(422);
    expect(await rejection.json()).toMatchObject({
      errors: { current: ['is not your current password'] },
    });
    expect((await elsewhere.request('GET', '/v1/me')).status).toBe(200);
    const change = { current: password, new: newPassword };
    expect(await readMessage(client.request('POST', '/v1/auth/password', change))).toEqual([200, 'Password changed']);
    for (const session of [client, elsewhere]) {
      expect(await readMessage(session.request('GET', '/v1/me'))).toEqual(notSignedIn);
    }
    expect(await readMessage(sendLogin(server, client.user.email))).toEqual(signInFailed);
    expect((await sendLogin(server, client.user.email, newPassword)).status).toBe(200);
  });

  test.each([
    ['short pass!', 'must be at least 12 characters'],
    ['x'.repeat(1_001), 'must be at most 1000 characters'],
  ])('refuses one that is too short or too long', async (invalid, problem) => {
    const client = await signIn(server, user);
    const response = await client.request('POST', '/v1/auth/password', { current: password, new: invalid });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: { new: [problem] } });
  });

  test('accepts any letters, composed or decomposed', async () => {
    const client = await createSignedInClient(server);
    const composed = 'Größe: ñandú 新闻 🎧';
    const change = { current: password, new: composed };
    expect((await client.request('POST', '/v1/auth/password', change)).status).toBe(200);
    expect((await sendLogin(server, client.user.email, composed.normalize('NFD'))).status).toBe(200);
  });
});

describe('with HTTPS, a base path and a limit of failures', () => {
  let strict: TestServer;
  let known: UserRecord;

  beforeAll(async () => {
    strict = await startTestServer({
      flags: ['--base-url', 'https://audio.example.org/lectern'],
      env: {
        ...{ LECTERN_RATE_FAILURES: '5', LECTERN_SESSION_IDLE_MINUTES: '1' },
        LECTERN_TRUSTED_PROXIES: '127.0.0.1',
      },
    });
    known = await createUser(strict.data);
  });
  afterAll(() => strict.stop('SIGKILL'));

  test('the cookie is Secure and limited to the base path', async () => {
    const cookie = (await sendLogin(strict, known.email)).headers.getSetCookie()[0];
    expect(cookie).toMatch(/^lectern_session=[\w-]{43}; Path=\/lectern; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/);
  });

  test('the idle time is configurable', async () => {
    const client = await createSignedInClient(strict);
    const before = setLastSeen(strict, client.user.id, 20_000);
    expect((await client.request('GET', '/v1/me')).status).toBe(200);
    await waitForLastSeen(strict, client.user.id, before);
    setLastSeen(strict, client.user.id, 61_000);
    expect((await client.request('GET', '/v1/me')).status).toBe(401);
  });

  test('successful sign-ins do not count; after five failures even the right password is rejected', async () => {
    // The minute of each address starts with its first attempt.
    const signInFrom = (address: string, given = password) =>
      fetch(`${strict.url}/v1/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: JSON.stringify({ email: known.email, password: given }),
      });
    for (let count = 0; count < 10; count += 1) {
      expect((await signInFrom('192.0.2.1')).status).toBe(200);
    }
    const rejection = await Promise.all(Array.from({ length: 8 }, () => signInFrom('192.0.2.2', 'wrong password')));
    const statuses = rejection.map(({ status }) => status).sort();
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    const response = await signInFrom('192.0.2.2');
    expect(await readMessage(response)).toEqual([429, 'Rate limit exceeded']);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });
});

describe('password guesses', () => {
  let limited: TestServer;
  beforeAll(async () => {
    const env = { LECTERN_RATE_ACCOUNT_FAILURES: '3', LECTERN_TRUSTED_PROXIES: '127.0.0.1' };
    limited = await startTestServer({ env });
  });
  afterAll(() => limited.stop('SIGKILL'));

  const attemptSignIn = (email: string, input: string, address: string, cookie = '') =>
    fetch(`${limited.url}/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address, cookie },
      body: JSON.stringify({ email, password: input }),
    });
  /** Each from a different address. */
  const guess = async (email: string, count: number, first = 1): Promise<number[]> => {
    const statuses: number[] = [];
    for (let index = first; index < first + count; index += 1) {
      statuses.push((await attemptSignIn(email, 'wrong password', `192.0.2.${index}`)).status);
    }
    return statuses;
  };
  const readDeviceCookie = async (response: Response): Promise<string> => {
    expect(response.status).toBe(200);
    const [cookie = ''] = response.headers.getSetCookie().filter((cookie) => cookie.startsWith('lectern_device='));
    expect(cookie).toMatch(/^lectern_device=[\w-]{43}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/);
    return cookie.split(';')[0] ?? '';
  };

  test('are limited by account from any address, also for accounts that do not exist', async () => {
    const { email } = await createUser(limited.data);
    expect(await guess(email, 4)).toEqual([401, 401, 401, 429]);
    const refused = await attemptSignIn(email.toUpperCase(), password, '192.0.2.100');
    const anonymous = 'nobody@example.org';
    expect(await guess(anonymous, 4)).toEqual([401, 401, 401, 429]);
    const unknown = await attemptSignIn(anonymous, password, '192.0.2.100');
    const readRateHeaders = (response: Response) =>
      ['x-ratelimit-limit', 'x-ratelimit-remaining'].map((name) => response.headers.get(name));
    expect(readRateHeaders(refused)).toEqual(['3', '0']);
    expect(readRateHeaders(unknown)).toEqual(readRateHeaders(refused));
    expect(await readMessage(refused)).toEqual([429, 'Rate limit exceeded']);
    expect(await readMessage(unknown)).toEqual([429, 'Rate limit exceeded']);
  });

  test('do not lock out a known device, which has its own limit', async () => {
    const { email, id } = await createUser(limited.data);
    const first = await readDeviceCookie(await attemptSignIn(email, password, '198.51.100.1'));
    await guess(email, 4);
    expect((await attemptSignIn(email, password, '198.51.100.1')).status).toBe(429);
    const second = await readDeviceCookie(await attemptSignIn(email, password, '198.51.100.1', first));
    // Each sign-in renews the cookie.
    expect(second).not.toBe(first);
    expect((await attemptSignIn(email, password, '198.51.100.1', first)).status).toBe(429);

    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1) {
      statuses.push((await attemptSignIn(email, 'wrong password', `192.0.2.${count}`, second)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429]);

    const other = await createUser(limited.data);
    await guess(other.email, 4);
    // The device of one user does not count for another.
    expect((await attemptSignIn(other.email, password, '198.51.100.2', second)).status).toBe(429);

    const rows = readRows<{ token_hash: string }>(
      limited.data,
      `select token_hash from known_device where user_id = ${id}`,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.token_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(second).not.toContain(rows[0]?.token_hash ?? '');
  });

  test('by a known device are limited like others after the password has changed', async () => {
    const { email } = await createUser(limited.data);
    const cookie = await readDeviceCookie(await attemptSignIn(email, password, '198.51.100.3'));
    const changed = ['user', 'password', email, '--password-stdin', '--data', limited.data];
    expect((await runCommand(changed, { stdin: newPassword })).code).toBe(0);
    await guess(email, 4);
    expect((await attemptSignIn(email, newPassword, '198.51.100.3', cookie)).status).toBe(429);
  });

  test('are tracked for 20 devices of a user', async () => {
    const { email, id } = await createUser(limited.data);
    for (let index = 0; index < 22; index += 1) {
      expect((await attemptSignIn(email, password, '198.51.100.4')).status).toBe(200);
    }
    expect(readRows(limited.data, `select id from known_device where user_id = ${id}`)).toHaveLength(20);
  });
});

test('a key does not replace a session, nor a session a key', async () => {
  const client = await signIn(server, user);
  const { key } = await createSite(server.data);
  expect(await readMessage(getOwnUser({ 'x-api-key': key }))).toEqual(notSignedIn);
  const response = await client.request('GET', '/v1/audio/a/status');
  expect(await readMessage(response)).toEqual([401, 'API key missing']);
});
