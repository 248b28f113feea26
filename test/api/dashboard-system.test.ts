import { expect, test } from 'bun:test';
import type { InstallationSettings } from '../../src/auth/schema.ts';
import { builtinVoices } from '../../src/voices/builtin-voices.ts';
import { readLastEntry } from '../fixtures/audit-log.ts';
import { isOnPostgres } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { pauseQueue } from '../fixtures/queue-pause.ts';
import { startServerForFile } from '../fixtures/server.ts';
import { collectStatuses, createSiteUsers } from '../fixtures/site-users.ts';
import { buildArticle } from './articles.ts';

const server = await startServerForFile({ isPreloading: true });
const users = createSiteUsers(server, server.siteId);

test('only admins see the state of the queue: its length and its oldest audio', async () => {
  const idle = await users.admin.request('GET', '/v1/queue');
  expect(idle.data).toEqual({
    ...{ paused: null, waiting: 0, generating: 0, workers: 1 },
    ...{ oldest_waiting_at: null, oldest_waiting_seconds: null },
    waiting_by_priority: { high: 0, normal: 0, low: 0, further: 0 },
  });
  const posts = ['a', 'b', 'c'];
  await pauseQueue(users.admin, true);
  for (const post_id of posts) await server.generate({ post_id, content: buildArticle(post_id) });
  type Queue = { waiting: number; generating: number };
  const { data } = await users.admin.request<Queue>('GET', '/v1/queue');
  expect(data.waiting + data.generating).toBe(3);
  expect(await collectStatuses(users, (user) => user.request('GET', '/v1/queue'))).toEqual([401, 403, 403, 403, 200]);
  for (const post of posts) await server.request(`/v1/audio/${post}`, { method: 'DELETE' });
  await pauseQueue(users.admin, false);
});

test('only admins see the state of the installation', async () => {
  type System = Record<string, unknown> & { readonly workers: readonly unknown[] };
  const data = await eventually(async () => {
    const { data } = await users.admin.request<System>('GET', '/v1/system');
    return data.workers.length > 0 && data;
  }, 'the worker is there');
  expect(data).toMatchObject({
    ...{ version: expect.any(String), voices: { installed: builtinVoices.length + 1, not_usable: [] } },
    workers: [{ pid: expect.any(Number) }],
  });
  expect(data['database_bytes']).toBeGreaterThan(0);
  expect(data['disk_free_bytes']).toBeGreaterThan(0);
  expect(await collectStatuses(users, (user) => user.request('GET', '/v1/system'))).toEqual([401, 403, 403, 403, 200]);
});

test('the list of machines has the only server, and only admins see it', async () => {
  const { data } = await users.admin.request<{ items: unknown[] }>('GET', '/v1/system/machines');
  const id = isOnPostgres ? expect.any(Number) : 0;
  const expected = { id, role: 'serve', version: expect.any(String), workers: 1, generates: true, draining: false };
  expect(data.items).toMatchObject([{ ...expected, name: expect.stringContaining(`:${server.process.pid}`) }]);
  expect(await collectStatuses(users, (user) => user.request('GET', '/v1/system/machines'))).toEqual([
    401, 403, 403, 403, 200,
  ]);
});

test('admins change the settings of the installation, which every user can read', async () => {
  const getSettings = async () =>
    (await users.viewer.request<{ settings: InstallationSettings }>('GET', '/v1/me')).data.settings;
  expect(await getSettings()).toEqual({ show_plans: false });
  const change = (value: unknown) => users.admin.request('PATCH', '/v1/settings', { show_plans: value });
  expect(await change(true)).toMatchObject({ status: 200, data: { show_plans: true } });
  expect(readLastEntry(server.data, 'settings.updated')).toMatchObject({
    before: { show_plans: false },
    after: { show_plans: true },
  });
  expect([await getSettings(), (await users.admin.request('GET', '/v1/settings')).data]).toEqual([
    { show_plans: true },
    { show_plans: true },
  ]);
  expect((await change('yes')).status).toBe(422);
  for (const method of ['GET', 'PATCH']) {
    const body = method === 'GET' ? undefined : {};
    expect(await collectStatuses(users, (user) => user.request(method, '/v1/settings', body))).toEqual([
      401, 403, 403, 403, 200,
    ]);
  }
});
