import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { readRows } from '../api/stored-rows.ts';
import { isOnPostgres } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { createSite, type Envelope, startTestServer, type TestServer } from '../fixtures/server.ts';
import { createSiteUsers, type SiteUsers } from '../fixtures/site-users.ts';
import { mountSmallDisk } from '../fixtures/small-disk.ts';

const megabyte = 1024 * 1024;
const reserveMb = 8;
const disk = mountSmallDisk(96 * megabyte);
const data = join(disk.path, 'data');
const domain = 'small-disk.example';
let server: TestServer;
let users: SiteUsers;

beforeAll(async () => {
  const { key } = await createSite(data, { domains: [domain] });
  // A busy machine measures the disk late: polls until then must not exhaust the limits.
  const limits = { LECTERN_RATE_EVENTS: '100000', LECTERN_RATE_TRACK: '100000', LECTERN_RATE_KEY: '100000' };
  server = await startTestServer({ data, key, env: { LECTERN_DISK_RESERVE_MB: `${reserveMb}`, ...limits } });
  users = createSiteUsers(server, server.siteId);
});
afterAll(async () => {
  await server.stop('SIGKILL');
  disk.remove();
});

function submit(id: string): Promise<Response> {
  return server.generate({ post_id: id, content: `<p>The harbor of ${id} stayed open through the long winter.</p>` });
}

async function readProblems(): Promise<Record<string, string[]> | undefined> {
  const response = await server.request('/readyz');
  return ((await response.json()) as Envelope<undefined>).errors;
}

test('events are rejected before posts', async () => {
  const send = (path: string) =>
    server.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'play', post_id: 'a', domain }),
    });
  const paths = [`/v1/public/events?domain=${domain}`, '/v1/public/events', '/v1/events/track'];
  const responses = () => Promise.all(paths.map(send));
  expect((await responses()).map(({ status }) => status)).toEqual([202, 202, 202]);

  const refused = await eventually(async () => {
    // Again for each poll: a server that optimizes its voices meanwhile frees space.
    disk.leave(1.5 * reserveMb * megabyte);
    const all = await responses();
    return all.every(({ status }) => status === 503) && all;
  }, 'events are refused');
  for (const response of refused) {
    expect(response.headers.get('retry-after')).toBe('60');
    expect(await response.json()).toMatchObject({ message: expect.stringContaining('the server refuses events') });
  }
  expect((await submit('despite events')).status).toBe(202);
  expect((await server.waitUntilFinished('despite events')).status).toBe('ready');
  disk.enlarge();
  await eventually(async () => (await responses()).every(({ status }) => status === 202), 'events are accepted again');
});

async function findCedar(): Promise<number | undefined> {
  const { data } = await users.admin.request<{ voices: { id: number; name: string }[] }>('GET', '/v1/voices');
  return data.voices.find(({ name }) => name === 'Cedar')?.id;
}

function countExtras(): number {
  return readRows(server.data, 'select id from audio where is_main = 0').length;
}

test('below the reserve posts and uploads are rejected and accepted posts finished, until space is freed', async () => {
  expect((await submit('before')).status).toBe(202);
  await server.waitUntilFinished('before');
  await users.admin.request('PATCH', '/v1/queue', { paused: true });
  expect((await submit('accepted')).status).toBe(202);

  const problems = await eventually(() => {
    disk.leave((reserveMb - 2) * megabyte);
    return readProblems();
  }, 'the server is not ready');
  expect(problems).toEqual({ disk: [expect.stringContaining('reserve of 8 MB')] });
  const refused = await submit('refused');
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('60');
  expect(((await refused.json()) as Envelope<undefined>).message).toBe(
    'Disk space too low: the server refuses posts and uploads until space is freed',
  );
  // It needs no new data.
  expect((await submit('before')).status).toBe(200);
  const form = new FormData();
  form.set('model', new Blob(['model']), 'en_US-tide-low.onnx');
  expect((await users.admin.fetch('/v1/voices', { method: 'POST', body: form })).status).toBe(503);
  const backup = await users.admin.request('POST', '/v1/system/backups');
  expect(backup.message).toContain(isOnPostgres ? 'with its own tools' : 'Not enough disk space');
  // Measured again and again.
  const system = await eventually(async () => {
    const { data: facts } = await users.admin.request<Record<string, number>>('GET', '/v1/system');
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    return metrics.includes(`lectern_disk_free_bytes ${facts['disk_free_bytes']}\n`) && facts;
  }, 'the metrics have the free space of the system page');
  expect(system['disk_reserve_bytes']).toBe(reserveMb * megabyte);
  expect(system['disk_free_bytes']).toBeLessThan(reserveMb * megabyte);

  await users.admin.request('PATCH', `/v1/sites/${server.siteId}`, {
    allow_switch: true,
    extra_voices: [await findCedar()],
  });
  await users.admin.request('PATCH', '/v1/queue', { paused: false });
  expect((await server.waitUntilFinished('accepted')).status).toBe('ready');
  expect(countExtras()).toBe(0);
  disk.enlarge();
  await eventually(async () => (await readProblems()) === undefined, 'the server is ready again');
  await eventually(() => countExtras() > 0, 'extra voices are generated');
  expect((await submit('refused')).status).toBe(202);
  expect((await server.waitUntilFinished('refused')).status).toBe('ready');
});
