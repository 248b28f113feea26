import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readAuditText, readLastEntry } from '../fixtures/audit-log.ts';
import { eventually } from '../fixtures/eventually.ts';
import { createSite, startTestServer, type TestServer } from '../fixtures/server.ts';
import { collectStatuses, createSiteUsers, type SiteUsers } from '../fixtures/site-users.ts';
import { readRows } from './stored-rows.ts';

interface Created {
  readonly key: string;
  readonly id: number;
  readonly name: string;
  readonly prefix: string;
  readonly created_at: string;
}
type Kept = Omit<Created, 'key'> & { last_used_at: string | null; revoked_at: string | null };
type Keys = { items: Kept[]; next_cursor: string | null };

let server: TestServer;

beforeAll(async () => {
  // Thousands of requests a minute, many with a wrong key: rates are tested elsewhere.
  const env = { LECTERN_RATE_KEY: '100000', LECTERN_RATE_FAILURES: '100000' };
  server = await startTestServer({ env });
});
afterAll(() => server.stop('SIGKILL'));

/** A separate site, without the keys of other tests. */
async function createTestSite(): Promise<{ siteId: number; key: string; path: string; users: SiteUsers }> {
  const { siteId, key } = await createSite(server.data);
  return { siteId, key, path: `/v1/sites/${siteId}`, users: createSiteUsers(server, siteId) };
}

/** @returns the status of a request with a key: 404 if the key is accepted, as the post does not exist */
function getStatusWithKey(key: string): Promise<number> {
  return server
    .request('/v1/audio/no-such-post/status', { headers: { 'x-api-key': key } })
    .then((response) => response.status);
}

describe('a key', () => {
  test('can be created by an editor and is shown once', async () => {
    const { siteId, path, users } = await createTestSite();
    const response = await users.editor.request<Created>('POST', `${path}/keys`, { name: 'staging' });
    expect([response.status, response.message]).toEqual([201, 'API key created']);
    expect(response.data).toEqual({
      key: expect.stringMatching(/^svc_live_[\w-]{43}$/),
      ...{ id: expect.any(Number), name: 'staging', prefix: response.data.key.slice(0, 15) },
      created_at: expect.any(String),
    });
    expect(await getStatusWithKey(response.data.key)).toBe(404);
    const list = await users.viewer.request<Keys>('GET', `${path}/keys`);
    expect(list.data.items.map(({ name }) => name)).toEqual(['staging', 'production']);
    const secret = response.data.key.slice(15);
    expect(JSON.stringify(list.data)).not.toContain(secret);
    expect(readLastEntry(server.data, 'key.created')).toMatchObject({
      ...{ actor: users.editor.email, site_id: siteId, subject: 'staging' },
      after: { id: response.data.id, prefix: response.data.prefix },
    });
    expect(readAuditText(server.data)).not.toContain(secret);
    const stored = readRows(server.data, `select * from api_key where id = ${response.data.id}`);
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  test('is listed with its last use, newest first, in pages', async () => {
    const { key, path, users } = await createTestSite();
    for (const name of ['a', 'b']) await users.editor.request('POST', `${path}/keys`, { name });
    await getStatusWithKey(key);
    const first = await users.viewer.request<Keys>('GET', `${path}/keys?limit=2`);
    expect(first.data.items.map(({ name }) => name)).toEqual(['b', 'a']);
    const rest = await users.viewer.request<Keys>('GET', `${path}/keys?limit=2&cursor=${first.data.next_cursor}`);
    expect(rest.data).toMatchObject({ items: [{ name: 'production' }], next_cursor: null });
    expect(rest.data.items[0]?.last_used_at).not.toBeNull();
    expect(first.data.items[0]?.last_used_at).toBeNull();
  });

  test('is rejected right after its revocation; the other keys stay valid', async () => {
    const { siteId, key, path, users } = await createTestSite();
    const { data: newKey } = await users.editor.request<Created>('POST', `${path}/keys`);
    expect(newKey.name).toBe('production');
    const revoked = await users.editor.request<Kept>('DELETE', `${path}/keys/${newKey.id}`);
    expect(revoked.status).toBe(200);
    expect(revoked.data.revoked_at).not.toBeNull();
    expect(await getStatusWithKey(newKey.key)).toBe(401);
    expect(await getStatusWithKey(key)).toBe(404);
    expect(readLastEntry(server.data, 'key.revoked')).toMatchObject({
      ...{ site_id: siteId, before: { revoked_at: null } },
      after: { revoked_at: revoked.data.revoked_at },
    });
    const again = await users.editor.request<Kept>('DELETE', `${path}/keys/${newKey.id}`);
    expect([again.status, again.data]).toEqual([200, revoked.data]);
  });

  test('of another site is not found', async () => {
    const other = await createTestSite();
    const { path, users } = await createTestSite();
    const [row] = readRows<{ id: number }>(server.data, `select id from api_key where site_id = ${other.siteId}`);
    expect((await users.editor.request('DELETE', `${path}/keys/${row?.id}`)).status).toBe(404);
    expect((await users.editor.request('DELETE', `${path}/keys/x`)).status).toBe(404);
    expect(await getStatusWithKey(other.key)).toBe(404);
  });

  test.each([{ name: ' ' }, { name: 7 }, { name: 'x'.repeat(101) }])('is not created from %j', async (body) => {
    const { path, users } = await createTestSite();
    const { status, errors } = await users.editor.request('POST', `${path}/keys`, body);
    expect([status, Object.keys(errors ?? {})]).toEqual([422, ['name']]);
  });

  test('can be listed by viewers, and created and revoked by editors', async () => {
    const { path, users } = await createTestSite();
    const keys = `${path}/keys`;
    const { data } = await users.editor.request<Created>('POST', keys);
    expect(await collectStatuses(users, (user) => user.request('GET', keys))).toEqual([401, 404, 200, 200, 200]);
    expect(await collectStatuses(users, (user) => user.request('POST', keys, {}))).toEqual([401, 404, 403, 201, 201]);
    expect(await collectStatuses(users, (user) => user.request('DELETE', `${keys}/${data.id}`))).toEqual([
      401, 404, 403, 200, 200,
    ]);
    expect(await collectStatuses(users, (user) => user.request('POST', `${path}/rotate-key`))).toEqual([
      401, 404, 403, 201, 201,
    ]);
  });
});

describe('a rotation', () => {
  test('revokes every key of the site, and of no other site', async () => {
    const other = await createTestSite();
    const { siteId, key, path, users } = await createTestSite();
    const { data: second } = await users.editor.request<Created>('POST', `${path}/keys`);
    const rotated = await users.editor.request<Created>('POST', `${path}/rotate-key`, { name: 'new' });
    expect([rotated.status, rotated.message]).toEqual([201, 'API keys rotated']);
    expect(Object.keys(rotated.data).sort()).toEqual(['created_at', 'id', 'key', 'name', 'prefix']);
    expect(await getStatusWithKey(key)).toBe(401);
    expect(await getStatusWithKey(second.key)).toBe(401);
    expect(await getStatusWithKey(rotated.data.key)).toBe(404);
    expect(await getStatusWithKey(other.key)).toBe(404);
    expect(readLastEntry(server.data, 'key.rotated')).toMatchObject({
      ...{ actor: users.editor.email, site_id: siteId, subject: 'new' },
      before: { keys: [{ id: second.id }, { name: 'production' }] },
      after: { id: rotated.data.id, prefix: rotated.data.prefix },
    });
    expect(readAuditText(server.data)).not.toContain(rotated.data.key.slice(15));
  });

  test('makes the old key fail in every request that starts after its response', async () => {
    const { key, path, users } = await createTestSite();
    const observations: { begun: number; status: number }[] = [];
    let running = true;
    const sendRequests = async (): Promise<void> => {
      while (running) {
        const startedAt = performance.now();
        observations.push({ begun: startedAt, status: await getStatusWithKey(key) });
      }
    };
    const clients = Array.from({ length: 8 }, sendRequests);
    await eventually(() => observations.length > 50, 'requests pass');
    expect(new Set(observations.map(({ status }) => status))).toEqual(new Set([404]));
    const rotated = await users.editor.request<Created>('POST', `${path}/rotate-key`);
    const received = performance.now();
    const before = observations.length;
    await eventually(() => observations.length > before + 100, 'requests follow');
    running = false;
    await Promise.all(clients);
    const after = observations.filter(({ begun }) => begun > received);
    expect(after.length).toBeGreaterThan(50);
    expect(new Set(after.map(({ status }) => status))).toEqual(new Set([401]));
    expect(await getStatusWithKey(rotated.data.key)).toBe(404);
  });

  test('by two clients at once leaves one valid key', async () => {
    const { siteId, path, users } = await createTestSite();
    const rotated = await Promise.all(
      [users.editor, users.admin].map((user) => user.request<Created>('POST', `${path}/rotate-key`)),
    );
    const statuses = await Promise.all(rotated.map(({ data }) => getStatusWithKey(data.key)));
    expect(statuses.sort()).toEqual([401, 404]);
    const inForce = readRows(server.data, `select id from api_key where site_id = ${siteId} and revoked_at is null`);
    expect(inForce).toHaveLength(1);
  });
});
