import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Analytics } from '../../src/analytics/schema.ts';
import type { PostRecord } from '../../src/audio/posts/schema.ts';
import { buildArticle } from '../api/articles.ts';
import { setPostgres } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { createDatabase, execute, PostgresServer, query } from '../fixtures/postgres.ts';
import {
  createTemporaryFolder,
  program,
  runCommand,
  runProcess,
  serverEnvironment,
  startTestServer,
  type TestServer,
  withoutPreloading,
} from '../fixtures/server.ts';
import { createSiteUsers } from '../fixtures/site-users.ts';

let postgres: PostgresServer;
let address: string;
let data: string;
let server: TestServer;

/** @returns a data folder whose config file names a database */
function createFolder(database: string): string {
  const folder = createTemporaryFolder();
  writeFileSync(join(folder, 'lectern.toml'), `database = "${database}"\n`, { mode: 0o600 });
  return folder;
}

beforeAll(async () => {
  postgres = new PostgresServer();
  setPostgres({ query, execute });
  address = createDatabase(postgres.address);
  data = createFolder(address);
  server = await startTestServer({ data });
});
afterAll(async () => {
  await server.stop('SIGKILL');
  postgres.remove();
});

test('a post is accepted, corrected, found, counted and deleted; the data folder has no database', async () => {
  const { admin } = createSiteUsers(server, server.siteId);
  const posts = `/v1/sites/${server.siteId}/posts`;
  const accepted = await server.generate({ post_id: 'p1', post_title: 'Älteste Brücke', content: buildArticle('one') });
  expect(accepted.status).toBe(202);
  const first = await server.waitUntilFinished('p1');
  expect(first.status).toBe('ready');
  await server.generate({
    post_id: 'p1',
    post_title: 'Älteste Brücke',
    content: `${buildArticle('one')}<p>One more.</p>`,
  });
  const second = await server.waitUntilFinished('p1');
  expect(second.status).toBe('ready');
  expect(second.duration_seconds ?? 0).toBeGreaterThan(first.duration_seconds ?? 0);
  const mp3 = await fetch(second.audio_url ?? '');
  expect([mp3.status, (await mp3.arrayBuffer()).byteLength > 1_000]).toEqual([200, true]);

  for (const search of ['BRUCKE', 'alteste p1', 'Br%25']) {
    const found = await admin.request<{ items: PostRecord[] }>('GET', `${posts}?q=${search}`);
    const ids = found.data.items.map(({ post_id }) => post_id);
    expect([search, ids]).toEqual([search, search.includes('%') ? [] : ['p1']]);
  }
  const event = { type: 'play', post_id: 'p1', session_id: 's1', event_id: 'e1' };
  for (const duplicates of [0, 1]) {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const tracked = await server.request('/v1/events/track', { ...init, body: JSON.stringify({ events: [event] }) });
    expect(tracked.status).toBe(202);
    expect((await tracked.json()) as unknown).toMatchObject({ data: { duplicates } });
  }
  const analytics = await admin.request<Analytics>('GET', `/v1/sites/${server.siteId}/analytics`);
  expect(analytics.data.totals.plays).toBe(1);

  await server.generate({ post_id: 'p2', post_title: 'Other', content: buildArticle('two') });
  expect((await server.waitUntilFinished('p2')).status).toBe('ready');
  expect((await server.request('/v1/audio/p2', { method: 'DELETE' })).status).toBe(200);
  expect((await server.request('/v1/audio/p2/status')).status).toBe(404);
  expect(query(address, 'select external_id from deleted_post')).toEqual([{ external_id: 'p2' }]);
  expect(existsSync(join(data, 'lectern.db'))).toBe(false);
});

test('a killed server loses no accepted post', async () => {
  const ids = Array.from({ length: 6 }, (_, index) => `killed-${index}`);
  const responses = await Promise.all(
    ids.map((post_id) => server.generate({ post_id, content: buildArticle(post_id) })),
  );
  expect(responses.map(({ status }) => status)).toEqual(ids.map(() => 202));
  await server.stop('SIGKILL');
  server = await startTestServer({ data, key: server.key });
  for (const id of ids) expect((await server.waitUntilFinished(id)).status).toBe('ready');
  expect((await runCommand(['check', '--data', data, '--audios'])).code).toBe(0);
});

test('a command works on the database of a running server', async () => {
  const listed = await runCommand(['site', 'list', '--data', data, '--json']);
  expect(listed.code).toBe(0);
  expect(listed.stdout).toContain(`"id":${server.siteId},`);
});

test('heartbeats on a slow database wait for each other, and the server keeps its connection', async () => {
  // A half of the timeout.
  execute(
    address,
    `create function delay() returns trigger language plpgsql as 'begin perform pg_sleep(2.5); return new; end';
     create trigger delay before update on machine for each row execute function delay()`,
  );
  const times = new Set<string>();
  await eventually(() => {
    // The row of a killed server may exist for a while.
    const own = `name like '%:${server.process.pid}'`;
    for (const row of query<{ seen_at: string }>(address, `select seen_at from machine where ${own}`))
      times.add(row.seen_at);
    return times.size === 5;
  }, 'four heartbeats have arrived');
  execute(address, 'drop trigger delay on machine');
  // The driver warns of statements that wait for each other.
  const complaints = server.log().match(/database connection \w+|DeprecationWarning.*/g);
  expect(complaints).toBeNull();
});

async function waitForOutput(stream: ReadableStream<Uint8Array<ArrayBuffer>>, text: string): Promise<void> {
  let output = '';
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    output += chunk;
    if (output.includes(text)) return;
  }
  throw new Error(`the process ended without ${text}: ${output}`);
}

test('an unreachable database causes 503 until it returns, starts wait for it, and accepted posts are not lost', async () => {
  expect((await server.generate({ post_id: 'before', content: buildArticle('before') })).status).toBe(202);
  postgres.stop('immediate');
  const rejection = await server.generate({ post_id: 'lost', content: buildArticle('lost') });
  expect([rejection.status, rejection.headers.get('retry-after')]).toEqual([503, '2']);
  expect(((await rejection.json()) as { message: string }).message).toBe('Database unavailable. Try again later.');
  const checked = await runCommand(['check', '--url', server.url]);
  expect([checked.code, checked.stdout]).toEqual([
    1,
    expect.stringContaining('/readyz responded with status 503; database: Database unavailable.'),
  ]);
  expect((await runCommand(['check', '--live', '--url', server.url])).code).toBe(0);
  const flags = ['--data', createFolder(address), '--port', '0', '--base-url', server.url];
  const starting = Bun.spawn([...program, 'speak', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...serverEnvironment, ...withoutPreloading },
  });
  await waitForOutput(starting.stderr, 'database unavailable, start delayed');
  postgres.start();
  await waitForOutput(starting.stdout, 'Lectern is listening');
  starting.kill();
  expect(await starting.exited).toBe(0);
  await eventually(async () => {
    const response = await server.generate({ post_id: 'after', content: buildArticle('after') });
    return response.status === 202;
  }, 'posts are accepted again');
  for (const id of ['before', 'after']) expect((await server.waitUntilFinished(id)).status).toBe('ready');
  expect((await server.request('/v1/audio/lost/status')).status).toBe(404);
});

test('features for database files are rejected with an alternative', async () => {
  const backup = await runCommand(['backup', join(createTemporaryFolder(), 'a.tar'), '--data', data]);
  expect([backup.code, backup.stderr]).toEqual([2, expect.stringContaining('such as pg_dump')]);
  const restored = await runCommand(['restore', 'a.tar', '--data', data]);
  expect([restored.code, restored.stderr]).toEqual([2, expect.stringContaining('such as pg_dump')]);
  const { admin } = createSiteUsers(server, server.siteId);
  const response = await admin.request('POST', '/v1/system/backups');
  expect([response.status, response.message]).toEqual([409, expect.stringContaining('such as pg_dump')]);
  const backups = await admin.request('GET', '/v1/system/backups');
  expect(backups.data).toMatchObject({ items: [], unavailable: response.message });
  const system = await admin.request<{ database_bytes: number }>('GET', '/v1/system');
  expect(system.data.database_bytes).toBeGreaterThan(1_000_000);
  const scheduled = await runProcess(['serve', '--data', data, '--port', '0'], {
    env: { LECTERN_BACKUP_INTERVAL_HOURS: '24' },
  });
  expect([scheduled.code, scheduled.stderr]).toEqual([
    2,
    expect.stringContaining('backup_interval_hours: a PostgreSQL'),
  ]);
});

test('an unusable database is rejected with reason and remedy, without its password', async () => {
  const buildAddress = (name: string, login = 'postgres') => {
    const other = new URL(address);
    other.pathname = name;
    return other.href.replace('postgres@', `${login}@`);
  };
  execute(postgres.address, `create role guarded login password 'right'`);
  const localized = createDatabase(
    postgres.address,
    `template template0 encoding 'UTF8' locale 'C.UTF-8' lc_ctype 'C'`,
  );
  const newer = createDatabase(postgres.address);
  expect((await runCommand(['migrate', '--data', createFolder(newer)])).code).toBe(0);
  const empty = createDatabase(postgres.address);
  execute(newer, `insert into schema_version values (999, '7.2.0', '2030')`);
  const foreign = createDatabase(postgres.address);
  for (const table of ['invoice', 'item', 'schema_version', 'supplier']) {
    execute(foreign, `create table ${table} (version text)`);
  }
  execute(address, 'grant select on schema_version to guarded');
  const restricted = address.replace('postgres@', 'guarded:right@');
  const cases: [database: string, message: RegExp][] = [
    [buildAddress('missing'), /\/missing does not exist\. Create it: create database missing owner postgres template/],
    [buildAddress('postgres', 'guarded:wrong'), /\/postgres refused the password\. Correct LECTERN_DATABASE\.$/],
    [
      'postgres://a:wrong@127.0.0.1:1/lectern',
      /127\.0\.0\.1:1\/lectern cannot be reached \(.*ECONNREFUSED.*\)\. Start it/,
    ],
    [
      localized,
      /has encoding UTF8, collation C.UTF-8 and character type C; Lectern needs UTF8, C and C\.UTF-8\. Create/,
    ],
    [empty, /^lectern: Database .* is empty\. Correct LECTERN_DATABASE, or run: lectern migrate$/],
    [
      foreign,
      /has tables of another program: invoice, item, schema_version and 1 more\. Name an empty database in LECTERN_DATABASE\. To create one: create database NAME owner postgres/,
    ],
    [
      restricted,
      /^lectern: Database .* refused an operation \(permission denied for table \w+\)\. Make the user the owner/,
    ],
    [
      `${buildAddress('postgres')}&sslmode=verify-full&sslrootcert=/nonexistent/ca.pem`,
      /\/postgres was not opened: \/nonexistent\/ca\.pem cannot be read \(ENOENT\)\. Correct sslrootcert/,
    ],
    [buildAddress('postgres', 'guarded'), /\/postgres asks for a password\. Add it to LECTERN_DATABASE\.$/],
    [`${buildAddress('postgres')}&sslmode=verify-full`, /\/postgres has no TLS\. Switch it on in the database server/],
    [
      `${buildAddress('postgres')}&ssl_mode=verify-full`,
      /expected an address without parameters other than host, port/,
    ],
    [newer, /^lectern: Database \S+\/test_\w+ needs Lectern 7\.2\.0 or newer \(schema 999\)/],
    ['mysql://a:wrong@b/c', /database in the config file: expected an address such as postgres:.* got another value/],
  ];
  for (const [database, message] of cases) {
    const { code, stderr } = await runCommand(['site', 'list', '--data', createFolder(database)]);
    expect(code).toBeGreaterThan(0);
    expect(stderr.trim()).toMatch(message);
    expect(stderr).not.toContain('wrong@');
  }
  const served = await runProcess(['serve', '--data', createFolder(restricted), '--port', '0']);
  expect([served.code, served.stderr]).toEqual([1, expect.stringContaining('refused an operation')]);
  const migrated = await runCommand(['migrate', '--data', createFolder(foreign)]);
  expect([migrated.code, migrated.stderr]).toEqual([1, expect.stringContaining('has tables of another program')]);
  const { stdout } = await runCommand(['check', '--data', data]);
  expect(stdout).toMatch(/ok +database +PostgreSQL database \/\S+:5432\/test_\w+ reachable/);
  // Nor does a command create tables for a name that may be mistyped.
  expect(query(empty, `select count(*)::int as count from pg_tables where schemaname = 'public'`)).toEqual([
    { count: 0 },
  ]);
  // The tables of another migration of Lectern are not of another program.
  const together = await Promise.all([1, 2].map(() => runCommand(['migrate', '--data', createFolder(empty)])));
  expect(together).toMatchObject([{ code: 0 }, { code: 0 }]);
});
