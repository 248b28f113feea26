import { describe, expect, test } from 'bun:test';
import type { PasswordLink, ShownLink, StartedSession, UserRecord } from '../../src/auth/schema.ts';
import { changeRows } from '../fixtures/change-rows.ts';
import { type Envelope, startServerForFile, startTestServer } from '../fixtures/server.ts';
import { collectStatuses, createSiteUsers } from '../fixtures/site-users.ts';
import { createSignedInClient, createUser, password, sendLogin, signIn } from '../fixtures/users.ts';
import { readRows } from './stored-rows.ts';

const newPassword = 'four other words entirely';
const invalid = 'Link invalid: it is wrong, used or expired. Ask an admin for a new one.';
let emailCount = 0;

const server = await startServerForFile({ env: { LECTERN_RATE_FAILURES: '1000' } });
const users = createSiteUsers(server, server.siteId);

function createEmail(): string {
  emailCount += 1;
  return `invited-${emailCount}@example.org`;
}

async function invite(more: object = {}): Promise<PasswordLink> {
  const body = { email: createEmail(), sites: [{ site: server.siteId, role: 'editor' }], ...more };
  const { status, data } = await users.admin.request<PasswordLink>('POST', '/v1/users/invitations', body);
  expect(status).toBe(201);
  return data;
}

const resetLink = (userId: number) => users.admin.request<PasswordLink>('POST', `/v1/users/${userId}/reset-link`);

function getToken({ url }: PasswordLink): string {
  return url.replace(/^.*=/, '');
}

function show(token: string): Promise<Response> {
  return fetch(`${server.url}/v1/auth/invitation`, { headers: { 'x-link-token': token } });
}

function accept(link: PasswordLink, chosen = newPassword): Promise<Response> {
  return fetch(`${server.url}/v1/auth/accept`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: getToken(link), password: chosen }),
  });
}

/** The link has no effect. */
async function expectInvalid(link: PasswordLink): Promise<void> {
  for (const response of [await show(getToken(link)), await accept(link)]) {
    expect([response.status, await response.json()]).toEqual([401, { success: false, message: invalid }]);
  }
}

describe('an invitation', () => {
  test('creates a user, who chooses a password once and is signed in', async () => {
    const link = await invite();
    const { id, email } = link.user;
    expect([link.kind, link.url]).toEqual(['invitation', expect.stringMatching(/\/#invitation=[\w-]{43}$/)]);
    const days = (Date.parse(link.expires_at) - Date.now()) / 86_400_000;
    expect(days).toBeWithin(2.9, 3.01);
    const getUser = async () => (await users.admin.request<UserRecord>('GET', `/v1/users/${id}`)).data;
    expect(await getUser()).toMatchObject({ email, invited: true, sites: [{ id: server.siteId, role: 'editor' }] });
    for (const guess of ['', password]) expect((await sendLogin(server, email, guess)).status).not.toBe(200);

    const linkState = await show(getToken(link));
    expect(linkState.headers.get('cache-control')).toBe('private, no-store');
    expect(((await linkState.json()) as Envelope<typeof ShownLink>).data as object).toEqual({
      ...{ email, kind: 'invitation', expires_at: link.expires_at },
    });
    expect((await accept(link, 'too short')).status).toBe(422);
    const response = await accept(link);
    expect([response.status, response.headers.get('set-cookie')]).toEqual([
      200,
      expect.stringMatching(/^lectern_session=/),
    ]);
    const { data: session } = (await response.json()) as Envelope<StartedSession>;
    const me = await fetch(`${server.url}/v1/me`, { headers: { authorization: `Bearer ${session.token}` } });
    expect(me.status).toBe(200);
    expect(session.user).toMatchObject({ id, email, invited: false });
    expect((await sendLogin(server, email, newPassword)).status).toBe(200);
    await expectInvalid(link);
  });

  test('can be accepted once, even by ten concurrent requests', async () => {
    const link = await invite();
    const responses = await Promise.all(Array.from({ length: 10 }, () => accept(link)));
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 401)]);
  });

  test('is stored as a hash and is not logged', async () => {
    const link = await invite();
    const stored = JSON.stringify([
      readRows(server.data, 'select * from password_link'),
      readRows(server.data, 'select * from audit_entry'),
    ]);
    expect(stored).toContain(link.user.email);
    expect(stored + server.log()).not.toContain(getToken(link));
    const actions = `select action, actor from audit_entry where subject = '${link.user.email}' order by id`;
    expect(readRows(server.data, actions)).toEqual([
      { action: 'user.created', actor: users.admin.email },
      { action: 'user.invited', actor: users.admin.email },
    ]);
  });

  test.each([
    ['it has expired', (_: number) => changeRows(server.data, `update password_link set expires_at = '2026-01-01'`)],
    ['there is a newer one', (id: number) => resetLink(id)],
    ['the user is disabled', (id: number) => users.admin.request('PATCH', `/v1/users/${id}`, { disabled: true })],
    [
      'the user got another address',
      (id: number) => users.admin.request('PATCH', `/v1/users/${id}`, { email: createEmail() }),
    ],
    ['the user got a password', (id: number) => users.admin.request('PATCH', `/v1/users/${id}`, { password })],
    ['the user is deleted', (id: number) => users.admin.request('DELETE', `/v1/users/${id}`)],
  ])('is invalid once %s', async (_, change) => {
    const link = await invite();
    await change(link.user.id);
    await expectInvalid(link);
  });

  test('requires an admin, an unused address and existing sites', async () => {
    const path = '/v1/users/invitations';
    expect(await collectStatuses(users, (user) => user.request('POST', path, { email: createEmail() }))).toEqual([
      ...[401, 403, 403, 403, 201],
    ]);
    const rejection = await users.admin.request('POST', path, { email: users.editor.email });
    expect(rejection.status).toBe(409);
    const nowhere = await users.admin.request('POST', path, {
      email: createEmail(),
      sites: [{ site: 'x', role: 'viewer' }],
    });
    expect([nowhere.status, nowhere.errors]).toEqual([422, { sites: ['Site x not found'] }]);
  });

  test('of an admin does not count as an admin until it is accepted', async () => {
    const link = await invite({ role: 'admin', sites: [] });
    const other = await startTestServer();
    try {
      const getState = async () =>
        ((await (await fetch(`${other.url}/v1/auth/state`)).json()) as Envelope<unknown>).data;
      expect(await getState()).toEqual({ has_users: false });
      const only = await createSignedInClient(other, '--role', 'admin');
      expect(await getState()).toEqual({ has_users: true });
      const invited = await only.request('POST', '/v1/users/invitations', { email: createEmail(), role: 'admin' });
      expect(invited.status).toBe(201);
      expect((await only.request('PATCH', `/v1/users/${only.user.id}`, { disabled: true })).status).toBe(409);
    } finally {
      await other.stop('SIGKILL');
    }
    expect((await accept(link)).status).toBe(200);
  });
});

describe('a reset link', () => {
  test('changes the password and ends all sessions when it is used', async () => {
    const user = await createUser(server.data, '--site', String(server.siteId));
    const client = await signIn(server, user);
    const { status, data: link } = await resetLink(user.id);
    expect([status, link.kind, link.url]).toEqual([201, 'reset', expect.stringMatching(/\/#reset=[\w-]{43}$/)]);
    expect((await client.request('GET', '/v1/me')).status).toBe(200);
    expect((await sendLogin(server, user.email)).status).toBe(200);
    expect((await accept(link)).status).toBe(200);
    expect((await client.request('GET', '/v1/me')).status).toBe(401);
    expect((await sendLogin(server, user.email)).status).toBe(401);
    expect((await sendLogin(server, user.email, newPassword)).status).toBe(200);
  });

  test('requires an admin and an enabled user', async () => {
    const { id } = await createUser(server.data);
    const path = `/v1/users/${id}/reset-link`;
    expect(await collectStatuses(users, (user) => user.request('POST', path))).toEqual([401, 403, 403, 403, 201]);
    await users.admin.request('PATCH', `/v1/users/${id}`, { disabled: true });
    expect((await resetLink(id)).status).toBe(409);
    expect((await resetLink(999_999)).status).toBe(404);
  });
});

test('guesses of links are limited like guesses of passwords', async () => {
  const limited = await startTestServer({ env: { LECTERN_RATE_FAILURES: '2' } });
  try {
    const guess = () => fetch(`${limited.url}/v1/auth/invitation`, { headers: { 'x-link-token': 'guess' } });
    const statuses: number[] = [];
    for (let index = 0; index < 3; index += 1) statuses.push((await guess()).status);
    expect(statuses).toEqual([401, 401, 429]);
    const accepted = await fetch(`${limited.url}/v1/auth/accept`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: 'guess', password: newPassword }),
    });
    expect(accepted.status).toBe(429);
  } finally {
    await limited.stop('SIGKILL');
  }
});
