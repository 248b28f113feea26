import { beforeAll, describe, expect, test } from 'bun:test';
import type { AuditRecord, UserRecord } from '../../src/auth/schema.ts';
import { createSite, type Envelope, startServerForFile } from '../fixtures/server.ts';
import { createSignedInClient, createUser, password, type SignedInClient, sendLogin } from '../fixtures/users.ts';
import { readRows } from './stored-rows.ts';

const newPassword = 'four other words entirely';
let admin: SignedInClient;
let otherSiteId: number;
let users: Record<UserWithRole, SignedInClient>;

type UserWithRole = 'admin' | 'editor' | 'viewer' | 'outsider';

const server = await startServerForFile();
beforeAll(async () => {
  ({ siteId: otherSiteId } = await createSite(server.data));
  const createUserWithRole = (role: string, siteId: number) =>
    createSignedInClient(server, '--role', role, '--site', String(siteId));
  admin = await createSignedInClient(server, '--role', 'admin');
  users = {
    admin,
    editor: await createUserWithRole('editor', server.siteId),
    viewer: await createUserWithRole('viewer', server.siteId),
    outsider: await createUserWithRole('editor', otherSiteId),
  };
});

interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

/** @returns the body of a response with an expected status */
async function readBody<T>(asked: Promise<Response>, status = 200): Promise<Envelope<T>> {
  const response = await asked;
  const text = await response.text();
  expect([response.status, text]).toEqual([status, expect.any(String)]);
  return JSON.parse(text);
}

let count = 0;
function createEmail(): string {
  count += 1;
  return `somebody-${count}@example.org`;
}

async function createAccount(more: object = {}): Promise<UserRecord> {
  const body = { email: createEmail(), password, ...more };
  return (await readBody<UserRecord>(admin.request('POST', '/v1/users', body), 201)).data;
}

/** Audit log entries of a subject, oldest first. */
async function listAuditEntries(subject: string): Promise<AuditRecord[]> {
  const { data } = await readBody<Page<AuditRecord>>(admin.request('GET', '/v1/audit?limit=100'));
  return data.items.filter((item) => item.subject === subject).reverse();
}

describe('permissions', () => {
  const routes: [string, string, Record<UserWithRole, number>][] = [
    ['GET', '/v1/me', { admin: 200, editor: 200, viewer: 200, outsider: 200 }],
    ['GET', '/v1/users', { admin: 200, editor: 403, viewer: 403, outsider: 403 }],
    ['POST', '/v1/users', { admin: 415, editor: 403, viewer: 403, outsider: 403 }],
    ['GET', '/v1/users/1', { admin: 200, editor: 403, viewer: 403, outsider: 403 }],
    ['PATCH', '/v1/users/1', { admin: 415, editor: 403, viewer: 403, outsider: 403 }],
    ['DELETE', '/v1/users/999', { admin: 404, editor: 403, viewer: 403, outsider: 403 }],
    ['GET', '/v1/audit', { admin: 200, editor: 403, viewer: 403, outsider: 403 }],
    ['GET', '/v1/audit?site=SITE', { admin: 200, editor: 200, viewer: 403, outsider: 404 }],
    ['GET', '/v1/audit?site=999', { admin: 404, editor: 404, viewer: 404, outsider: 404 }],
    ['GET', '/v1/sites/SITE/analytics', { admin: 200, editor: 200, viewer: 200, outsider: 404 }],
  ];

  test.each(routes)('%s %s', async (method, pattern, expected) => {
    const path = pattern.replace('SITE', String(server.siteId));
    const anonymous = await fetch(`${server.url}${path}`, { method });
    expect([anonymous.status, ((await anonymous.json()) as Envelope<unknown>).message]).toEqual([401, 'Not signed in']);
    const seen = Object.fromEntries(
      await Promise.all(
        Object.entries(users).map(async ([who, client]) => [who, (await client.request(method, path)).status]),
      ),
    );
    expect(seen).toEqual(expected);
  });

  test('return 404 for a site without a role, as for an unknown one', async () => {
    const messages = await Promise.all(
      [String(server.siteId), '999'].map(async (site) => {
        const { message } = await readBody(users.outsider.request('GET', `/v1/audit?site=${site}`), 404);
        return message.replace(site, 'SITE');
      }),
    );
    expect(messages).toEqual(['Site SITE not found', 'Site SITE not found']);
  });

  test('follow a change of role from the next request on', async () => {
    const client = await createSignedInClient(server);
    const path = `/v1/audit?site=${server.siteId}`;
    const user = `/v1/users/${client.user.id}`;
    const statuses: number[] = [];
    for (const change of [
      {},
      { sites: [{ site: server.siteId, role: 'viewer' }] },
      { sites: [{ site: server.siteId, role: 'editor' }] },
      { sites: [] },
      { role: 'admin' },
      { role: 'member' },
    ]) {
      await readBody(admin.request('PATCH', user, change));
      statuses.push((await client.request('GET', path)).status);
    }
    expect(statuses).toEqual([404, 403, 200, 404, 200, 404]);
  });
});

describe('a user', () => {
  test('can be created by an admin, and sign in', async () => {
    const email = createEmail();
    const response = await readBody<UserRecord>(
      admin.request('POST', '/v1/users', {
        ...{ email: `  ${email.toUpperCase()} `, password },
        sites: [{ site: otherSiteId, role: 'viewer' }],
      }),
      201,
    );
    expect(response).toEqual({
      ...{ success: true, message: 'User created' },
      data: {
        ...{ id: expect.any(Number), email, role: 'member', disabled: false, invited: false },
        sites: [{ id: otherSiteId, slug: expect.any(String), name: 'Test Site', role: 'viewer' }],
        ...{ last_sign_in_at: null, created_at: expect.any(String) },
        updated_at: expect.any(String),
      },
    });
    const path = `/v1/users/${response.data.id}`;
    expect((await readBody(admin.request('GET', path))).data).toEqual(response.data);
    expect((await sendLogin(server, email)).status).toBe(200);
  });

  test.each([
    [{ email: 'no address' }, { email: ['must be an e-mail address'] }],
    [{ email: `${'x'.repeat(260)}@example.org` }, { email: ['must be at most 254 characters'] }],
    [{ password: 'too short' }, { password: ['must be at least 12 characters'] }],
    [{ password: undefined }, { password: ['is required'] }],
    [{ role: 'owner' }, { role: ['must be admin or member'] }],
    [{ sites: [{ site: 'nowhere', role: 'viewer' }] }, { sites: ['Site nowhere not found'] }],
    [{ sites: [{ site: 1 }] }, { 'sites.0.role': ['is required'] }],
  ])('is not made out of %j', async (invalid, errors) => {
    const before = readRows(server.data, 'select count(*) from user');
    const body = { email: createEmail(), password, ...invalid };
    expect(await readBody(admin.request('POST', '/v1/users', body), 422)).toEqual({
      ...{ success: false, message: 'Validation failed', errors },
    } as never);
    expect(readRows(server.data, 'select count(*) from user')).toEqual(before);
  });

  test('has a unique address, regardless of case', async () => {
    const { email } = await createAccount();
    const again = { email: email.toUpperCase(), password };
    expect(await readBody(admin.request('POST', '/v1/users', again), 409)).toEqual({
      ...{ success: false, message: 'E-mail address already registered' },
      errors: { email: [`${email} belongs to another user`] },
    } as never);
    const other = await createAccount();
    await readBody(admin.request('PATCH', `/v1/users/${other.id}`, { email }), 409);
    await readBody(admin.request('PATCH', `/v1/users/${other.id}`, { email: other.email.toUpperCase() }));
  });

  test('is created once by two concurrent requests with one address', async () => {
    const email = createEmail();
    const responses = await Promise.all(
      [email, email.toUpperCase()].map((spelling) => admin.request('POST', '/v1/users', { email: spelling, password })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  test('loses all sessions when an admin sets a new password', async () => {
    const client = await createSignedInClient(server);
    const path = `/v1/users/${client.user.id}`;
    await readBody(admin.request('PATCH', path, { password: newPassword }));
    await readBody(client.request('GET', '/v1/me'), 401);
    expect((await sendLogin(server, client.user.email)).status).toBe(401);
    expect((await sendLogin(server, client.user.email, newPassword)).status).toBe(200);
  });

  test('can be disabled and enabled again', async () => {
    const client = await createSignedInClient(server);
    const path = `/v1/users/${client.user.id}`;
    const { data } = await readBody<UserRecord>(admin.request('PATCH', path, { disabled: true }));
    expect(data.disabled).toBe(true);
    await readBody(client.request('GET', '/v1/me'), 401);
    expect((await sendLogin(server, client.user.email)).status).toBe(401);
    await readBody(admin.request('PATCH', path, { disabled: false }));
    await readBody(client.request('GET', '/v1/me'), 401);
    expect((await sendLogin(server, client.user.email)).status).toBe(200);
  });

  test('can be removed; the audit log keeps the name', async () => {
    const { id, email } = await createAccount();
    expect(await readBody(admin.request('DELETE', `/v1/users/${id}`))).toMatchObject({ data: { id } });
    await readBody(admin.request('GET', `/v1/users/${id}`), 404);
    await readBody(admin.request('PATCH', `/v1/users/${id}`, { disabled: true }), 404);
    await readBody(admin.request('DELETE', `/v1/users/${id}`), 404);
    expect((await listAuditEntries(email)).map(({ action }) => action)).toEqual(['user.created', 'user.removed']);
  });

  test.each(['nobody', '0', '-1', '1e3', '99999999999999999999', '%00'])('named %j there is none', async (id) => {
    const response = await admin.request('GET', `/v1/users/${id}`);
    expect(response.status).toBe(404);
  });
});

describe('the list of users', () => {
  test('has pages that contain each user once', async () => {
    for (let more = 0; more < 3; more += 1) await createAccount();
    const stored = readRows<{ id: number }>(server.data, 'select id from user where deleted_at is null order by id');
    const observations: number[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { data }: Envelope<Page<UserRecord>> = await readBody(admin.request('GET', `/v1/users?limit=2${query}`));
      expect(data.items.length).toBeLessThanOrEqual(2);
      observations.push(...data.items.map(({ id }) => id));
      cursor = data.next_cursor;
    } while (cursor !== null);
    expect(observations).toEqual(stored.map(({ id }) => id));
  });

  test.each([
    ['limit=0', { limit: ['must be at least 1'] }],
    ['limit=101', { limit: ['must be at most 100'] }],
    ['limit=many', { limit: ['must be an integer'] }],
    ['cursor=', { cursor: ['must be a next_cursor returned by this list'] }],
    ['cursor=x', { cursor: ['must be a next_cursor returned by this list'] }],
    ['cursor=IjEi', { cursor: ['must be a next_cursor returned by this list'] }],
  ])('refuses %s', async (query, errors) => {
    expect(await readBody(admin.request('GET', `/v1/users?${query}`), 422)).toMatchObject({ errors });
  });
});

describe('the audit log', () => {
  test('has actor, subject, old and new values, without passwords', async () => {
    const { id, email } = await createAccount({ sites: [{ site: server.siteId, role: 'viewer' }] });
    const renamed = createEmail();
    const path = `/v1/users/${id}`;
    await readBody(admin.request('PATCH', path, { email: renamed, role: 'admin' }));
    await readBody(admin.request('PATCH', path, { email: renamed }));
    await readBody(admin.request('PATCH', path, { password: newPassword }));
    const by = { user_id: admin.user.id, actor: admin.user.email, site_id: null };
    const entry = { ...by, id: expect.any(Number), at: expect.any(String) };
    const site = expect.any(String);
    expect(await listAuditEntries(email)).toEqual([
      {
        ...{ ...entry, subject: email, action: 'user.created', before: null },
        after: { email, role: 'member', disabled: false, sites: [{ site, role: 'viewer' }] },
      },
      {
        ...{ ...entry, subject: email, action: 'user.changed' },
        ...{ before: { email, role: 'member' }, after: { email: renamed, role: 'admin' } },
      },
    ]);
    expect(await listAuditEntries(renamed)).toEqual([
      { ...entry, subject: renamed, action: 'user.password_changed', before: null, after: null },
    ]);
    await readBody(admin.request('DELETE', path));
  });

  test('contains no secrets', async () => {
    const rows = readRows(server.data, 'select * from audit_entry');
    expect(rows.length).toBeGreaterThan(10);
    const text = JSON.stringify(rows);
    for (const secret of [password, newPassword, admin.session.token, 'argon2']) {
      expect(text).not.toContain(secret);
    }
    // The prefix of a key is permitted.
    expect(text).not.toMatch(/svc_live_[\w-]{7}/);
    expect(text).not.toMatch(/"(password|password_hash|token|hash|secret|key)\\?"\s*:/);
  });

  test('contains no rejected changes', async () => {
    const before = readRows(server.data, 'select count(*) from audit_entry');
    const { email } = users.viewer.user;
    await readBody(admin.request('PATCH', `/v1/users/${admin.user.id}`, { email }), 409);
    expect(readRows(server.data, 'select count(*) from audit_entry')).toEqual(before);
  });

  test('is listed newest first, in pages', async () => {
    const path = '/v1/audit?limit=3';
    const first = (await readBody<Page<AuditRecord>>(admin.request('GET', path))).data;
    const next = `${path}&cursor=${first.next_cursor}`;
    const second = (await readBody<Page<AuditRecord>>(admin.request('GET', next))).data;
    const ids = [...first.items, ...second.items].map(({ id }) => id);
    expect(ids).toHaveLength(6);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
  });

  test('can be filtered by actor, action and time', async () => {
    const { email } = await createAccount();
    const user = await createUser(server.data);
    const key = await readBody<{ id: number }>(
      admin.request('POST', `/v1/sites/${server.siteId}/keys`, { name: 'for the audit log' }),
      201,
    );
    await readBody(admin.request('POST', `/v1/sites/${server.siteId}/rotate-key`, { name: 'new' }), 201);
    expect(key.data.id).toBeGreaterThan(0);
    const findAuditEntries = async (query: string) => {
      const path = `/v1/audit?limit=100&${query}`;
      const { data } = await readBody<Page<AuditRecord>>(admin.request('GET', path));
      return data.items;
    };
    const byCommand = await findAuditEntries('actor=command%20line');
    expect([...new Set(byCommand.map(({ actor }) => actor))]).toEqual(['command line']);
    expect(byCommand.map(({ subject }) => subject)).toContain(user.email);
    const entries = await findAuditEntries(`actor=${admin.user.email.toUpperCase()}&action=user.created`);
    expect([...new Set(entries.map(({ action }) => action))]).toEqual(['user.created']);
    expect(entries[0]?.subject).toBe(email);
    const ofKeys = await findAuditEntries(`action=key&site=${server.siteId}`);
    expect(ofKeys.slice(0, 2).map(({ action }) => action)).toEqual(['key.rotated', 'key.created']);
    const [newest, ...older] = await findAuditEntries('action=key');
    const days = [older.at(-1)?.at.slice(0, 10), newest?.at.slice(0, 10)];
    expect(await findAuditEntries(`action=key&from=${days[0]}&to=${days[1]}`)).toEqual(
      await findAuditEntries('action=key'),
    );
    expect(await findAuditEntries('to=2020-01-01')).toEqual([]);
    expect(await findAuditEntries('from=2199-01-01')).toEqual([]);
    expect(await findAuditEntries('action=ke')).toEqual([]);
    for (const invalidInputs of ['from=yesterday', 'action=%25', 'action=key.']) {
      await readBody(admin.request('GET', `/v1/audit?${invalidInputs}`), 422);
    }
  });

  test('attributes changes by commands to the command line', async () => {
    const { email } = await createUser(server.data);
    expect(await listAuditEntries(email)).toMatchObject([
      { user_id: null, actor: 'command line', action: 'user.created' },
    ]);
  });
});

describe('the last admin', () => {
  test('cannot be removed, demoted or disabled until there is a second one', async () => {
    const path = `/v1/users/${admin.user.id}`;
    const others = readRows<{ id: number }>(
      server.data,
      `select id from user where role = 'admin' and disabled_at is null and id <> ${admin.user.id}`,
    );
    expect(others).toEqual([]);
    const refused = { success: false, message: 'At least one enabled admin is required' };
    const disabled = await createAccount({ role: 'admin' });
    await readBody(admin.request('PATCH', `/v1/users/${disabled.id}`, { disabled: true }));
    expect(await readBody(admin.request('DELETE', path), 409)).toEqual(refused as never);
    for (const change of [{ role: 'member' }, { disabled: true }]) {
      expect(await readBody(admin.request('PATCH', path, change), 409)).toEqual(refused as never);
    }
    await readBody(admin.request('GET', '/v1/users'));
    await readBody(admin.request('PATCH', `/v1/users/${disabled.id}`, { disabled: false }));
    await readBody(admin.request('PATCH', path, { role: 'member' }));
    await readBody(admin.request('GET', '/v1/users'), 403);
  });

  test('remains when two admins remove each other at the same time', async () => {
    const data = server.data;
    const first = await createSignedInClient(server, '--role', 'admin');
    const second = await createSignedInClient(server, '--role', 'admin');
    const rest = readRows<{ id: number }>(
      data,
      `select id from user where role = 'admin' and deleted_at is null and id not in (${first.user.id}, ${second.user.id})`,
    );
    for (const { id } of rest) await readBody(first.request('DELETE', `/v1/users/${id}`));
    const responses = await Promise.all([
      first.request('DELETE', `/v1/users/${second.user.id}`),
      second.request('DELETE', `/v1/users/${first.user.id}`),
    ]);
    const admins = readRows(data, `select id from user where role = 'admin' and deleted_at is null`);
    expect(admins).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});
