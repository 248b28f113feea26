import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectOnce } from '../../src/database/postgres-migrate.ts';
import { buildArticle } from '../api/articles.ts';
import { setPostgres } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { type Haproxy, startHaproxy } from '../fixtures/haproxy.ts';
import { createDatabase, execute, PostgresServer, query } from '../fixtures/postgres.ts';
import { createTemporaryFolder, runCommand, startTestServer, type TestServer } from '../fixtures/server.ts';
import { createSiteUsers } from '../fixtures/site-users.ts';

// A server behind HAProxy, with a synchronous standby.
let postgres: PostgresServer;
let standby: PostgresServer;
let haproxy: Haproxy;
let address: string;
let data: string;
let server: TestServer;

beforeAll(async () => {
  postgres = new PostgresServer();
  setPostgres({ query, execute });
  address = createDatabase(postgres.address);
  standby = new PostgresServer(postgres);
  haproxy = await startHaproxy([postgres, standby]);
  data = createTemporaryFolder();
  const database = haproxy.getAddressThrough(address);
  writeFileSync(join(data, 'lectern.toml'), `database = "${database}"\n`, { mode: 0o600 });
  server = await startTestServer({ data });
});
afterAll(async () => {
  await server?.stop('SIGKILL');
  await haproxy?.stop();
  standby?.remove();
  postgres?.remove();
});

const submit = (post_id: string) => server.generate({ post_id, content: buildArticle(post_id) });

test('a server whose network fails returns 503, and rejects a key that is revoked meanwhile', async () => {
  const { admin } = createSiteUsers({ url: server.url, data }, server.siteId);
  const created = await admin.request<{ key: string; id: number }>('POST', `/v1/sites/${server.siteId}/keys`, {
    name: 'revoked',
  });
  const headers = { 'x-api-key': created.data.key };
  const request = async () => (await server.request('/v1/audio/status?post_id=any', { headers })).status;
  expect(await request()).toBe(200);
  haproxy.signal('SIGSTOP');
  expect(execute(address, `update api_key set revoked_at = '2026' where id = ${created.data.id}`)).toBe(1);
  expect(await Promise.all([request(), request(), submit('cut off').then(({ status }) => status)])).toEqual([
    503, 503, 503,
  ]);
  expect(await request()).toBe(503);
  haproxy.signal('SIGCONT');
  await eventually(async () => (await request()) !== 503, 'the database is reached again');
  expect(await request()).toBe(401);
});

test('no post is accepted before the standby has it', async () => {
  postgres.waitForStandby(true);
  standby.stop('immediate');
  const statuses = await Promise.all(
    ['unconfirmed', 'unconfirmed', 'other'].map(async (id) => (await submit(id)).status),
  );
  expect(statuses).toEqual([503, 503, 503]);
  // Reads do not wait for it.
  expect((await server.request('/v1/audio/status?post_id=any')).status).toBe(200);
  standby.start();
  await eventually(async () => (await submit('confirmed')).status !== 503, 'posts are accepted again');
  expect((await server.waitUntilFinished('confirmed')).status).toBe('ready');
});

test('a server whose heartbeats are delayed repeatedly has one connection for them at the end', async () => {
  const holders = `select pid from pg_locks join pg_database on pg_database.oid = database
    where datname = current_database() and locktype = 'advisory' and mode = 'ShareLock' and objid = 4294967295 and granted`;
  const blocker = await connectOnce(address);
  await blocker.query('begin');
  await blocker.query('lock table machine in exclusive mode');
  const seen = new Set<number>();
  await eventually(async () => {
    const { rows } = await blocker.query<{ pid: number }>(holders);
    for (const { pid } of rows) seen.add(pid);
    return seen.size >= 4;
  }, 'the server connects again and again');
  await blocker.end();
  await eventually(async () => (await submit('delayed')).status !== 503, 'posts are accepted again');
  await eventually(() => query(address, holders).length <= 1, 'one connection is left', 10_000);
});

test('all accepted posts exist after the primary is lost and the standby is promoted', async () => {
  const accepted: string[] = [];
  let isPromoted = false;
  const clients = [0, 1, 2].map(async (client) => {
    for (let index = 0; ; index += 1) {
      const id = `failover-${client}-${index}`;
      const wasPromoted = isPromoted;
      await eventually(async () => {
        const { status } = await submit(id);
        // 200: the response to its first request was lost.
        expect([200, 202, 503]).toContain(status);
        return status < 300;
      }, `${id} is accepted`);
      accepted.push(id);
      if (wasPromoted) return;
    }
  });
  await eventually(() => accepted.length > 10, 'posts are accepted');
  await postgres.kill();
  standby.promote();
  isPromoted = true;
  await Promise.all(clients);
  for (const id of accepted) expect((await server.waitUntilFinished(id)).status).toBe('ready');
  expect((await runCommand(['check', '--data', server.data, '--audios'])).code).toBe(0);
});
