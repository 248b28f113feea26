import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claimAudio, isClaimCurrent, markFailed, updateProgress } from '../../src/audio/job-store.ts';
import type { Database } from '../../src/database/database.ts';
import { currentVersion } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open.ts';
import { connectOnce, leaderKey } from '../../src/database/postgres-migrate.ts';
import { version } from '../../src/version.ts';
import { buildArticle } from '../api/articles.ts';
import { setPostgres } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { startLoadBalancer } from '../fixtures/haproxy.ts';
import { createNextVersion } from '../fixtures/next-version.ts';
import { createDatabase, execute, PostgresServer, query } from '../fixtures/postgres.ts';
import { findFreePort } from '../fixtures/processes.ts';
import {
  createSite,
  createTemporaryFolder,
  runCommand,
  runProcess,
  type ServerOptions,
  startTestServer,
  type TestServer,
} from '../fixtures/server.ts';
import { createSiteUsers } from '../fixtures/site-users.ts';
import { startReceiver } from '../fixtures/webhook-receiver.ts';

let postgres: PostgresServer;
let address: string;
let first: TestServer;
let second: TestServer;
const machines: TestServer[] = [];

interface AudioRow {
  readonly id: number;
  readonly status: string;
  readonly fence: number;
  readonly role: string | null;
  readonly machine: number;
}

/** @returns a data folder whose config file names a database */
function createFolder(database: string): string {
  const folder = createTemporaryFolder();
  writeFileSync(join(folder, 'lectern.toml'), `database = "${database}"\n`, { mode: 0o600 });
  return folder;
}

/** Starts a machine with a separate data folder; all have the voices and the key of the first one. */
async function startMachine(options: ServerOptions = {}): Promise<TestServer> {
  const shared =
    machines.length === 0 ? {} : { LECTERN_VOICES: join(first.data, 'voices'), LECTERN_BASE_URL: first.url };
  const machine = await startTestServer({
    data: createFolder(address),
    ...(machines.length === 0 ? {} : { key: first.key }),
    ...options,
    env: { LECTERN_WEBHOOK_ALLOW: '127.0.0.1', ...shared, ...options.env },
  });
  machines.push(machine);
  return machine;
}

const startSpeaker = () => startMachine({ role: 'speak' });

function getAudio(postId: string): AudioRow {
  const [row] = query<AudioRow>(
    address,
    `select audio.id, audio.status, fence, role, claimed_by as machine from audio join post on post.id = post_id
      left join machine on machine.id = claimed_by where external_id = '${postId}'`,
  );
  if (row === undefined) throw new Error(`no audio of ${postId}`);
  return row;
}

/** @returns the server of a row of `machine` */
function getMachine(id: number): TestServer {
  const [{ name } = { name: '' }] = query<{ name: string }>(address, `select name from machine where id = ${id}`);
  const machine = machines.find(({ process }) => name.endsWith(`:${process.pid}`));
  if (machine === undefined) throw new Error(`no process of machine ${id} ${name}`);
  return machine;
}

/** @returns the number of stored sentences that a machine found at the start of a post */
async function countReused(machine: TestServer): Promise<number> {
  const metrics = await (await fetch(`${machine.url}/metrics`)).text();
  return Number(/lectern_segments_total\{source="reused"\} (\d+)/.exec(metrics)?.[1]);
}

const count = (table: string): number =>
  query<{ count: number }>(address, `select count(*) as count from ${table}`)[0]?.count ?? 0;

/**
 * Submits a post of 60 sentences and interrupts its synthesis when some are stored. Until then storing a sentence takes a while: a
 * fast machine would be done before the interruption.
 * @param interrupt gets the audio and the machine that generates it. @returns both
 */
async function interruptSynthesis(postId: string, interrupt: (machine: TestServer, row: AudioRow) => unknown) {
  execute(
    address,
    `create or replace function delay() returns trigger language plpgsql as 'begin perform pg_sleep(0.2); return new; end';
     create trigger delay before insert on segment for each row execute function delay()`,
  );
  const stored = count('segment');
  expect((await first.generate({ post_id: postId, content: buildArticle(postId, 60) })).status).toBe(202);
  await eventually(() => count('segment') > stored + 3, `sentences of ${postId} are stored`);
  const before = getAudio(postId);
  expect(before.status).toBe('generating');
  const interrupted = getMachine(before.machine);
  await interrupt(interrupted, before);
  execute(address, 'drop trigger delay on segment');
  return { before, interrupted };
}

/** @returns the server that runs the jobs of the installation; undefined while none does */
function findLeader(): TestServer | undefined {
  const [leader] = query<{ id: number }>(
    address,
    `select machine.id from pg_locks join pg_stat_activity using (pid)
      join machine on application_name = 'lectern machine ' || machine.id
      where locktype = 'advisory' and granted and objid::bigint = ${2 ** 32 + leaderKey} and datname = current_database()`,
  );
  return leader && getMachine(leader.id);
}

beforeAll(async () => {
  postgres = new PostgresServer();
  setPostgres({ query, execute });
  address = createDatabase(postgres.address);
  first = await startMachine({ env: { LECTERN_SYNTHESIS: 'off' } });
  second = await startMachine({ env: { LECTERN_SYNTHESIS: 'off' } });
});
afterAll(async () => {
  await Promise.all(machines.map((machine) => machine.stop('SIGKILL')));
  postgres.remove();
});

test('a speaking machine needs the database, its schema, and the URL of the servers', async () => {
  const speak = (data: string, env = {}) => runCommand(['speak', '--data', data, '--port', '0'], { env });
  const base = { LECTERN_BASE_URL: 'http://news.example' };
  const onSqlite = await speak(createTemporaryFolder(), base);
  expect([onSqlite.code, onSqlite.stderr]).toEqual([2, expect.stringContaining('speak needs LECTERN_DATABASE')]);
  const empty = createFolder(createDatabase(postgres.address));
  const withoutAddress = await speak(empty);
  expect([withoutAddress.code, withoutAddress.stderr]).toEqual([2, expect.stringContaining('LECTERN_BASE_URL')]);
  const onEmpty = await speak(empty, base);
  expect([onEmpty.code, onEmpty.stderr]).toEqual([
    1,
    expect.stringContaining('is empty. Correct LECTERN_DATABASE, or run: lectern migrate'),
  ]);
  expect((await runCommand(['migrate', '--data', empty])).stdout).toMatch(/^The database has schema \d+\.\n$/);
});

test('an audio is claimed by one machine, and writes of a replaced claim are rejected', async () => {
  expect((await first.generate({ post_id: 'fenced', content: buildArticle('fenced') })).status).toBe(202);
  const open = () =>
    openDatabase(
      { data: createTemporaryFolder(), database: address },
      { machine: { role: 'speak', workerCount: 3, generates: true } },
    );
  const [firstMachine, secondMachine] = await Promise.all([open(), open()]);
  const { id } = getAudio('fenced');
  const claim = ({ write, cluster }: Database) =>
    write(first.siteId, (db) => claimAudio(db, { id, revision: 1 }, cluster?.machineId));
  const before = await claim(firstMachine);
  if (before === undefined) throw new Error('not claimed');
  expect(await claim(secondMachine)).toBeUndefined();
  expect(await isClaimCurrent(firstMachine.read, before)).toBe(true);
  const { admin } = createSiteUsers(first, first.siteId);
  const findMachine = async ({ cluster }: Database) => {
    const { data } = await admin.request<{ items: { id: number; draining: boolean }[] }>('GET', '/v1/system/machines');
    return data.items.find((machine) => machine.id === cluster?.machineId);
  };
  const described = { name: expect.stringContaining(`:${process.pid}`), role: 'speak', version, workers: 3 };
  const atWork = { draining: false, generating_count: 1, generating: [expect.objectContaining({ post_id: 'fenced' })] };
  expect(await findMachine(firstMachine)).toMatchObject({ ...described, generates: true, ...atWork });
  expect(await findMachine(secondMachine)).toMatchObject({ generating_count: 0, generating: [] });
  firstMachine.cluster?.drain();
  await eventually(async () => (await findMachine(firstMachine))?.draining === true, 'the machine drains');
  await firstMachine.close();
  expect(await findMachine(firstMachine)).toBeUndefined();
  const after = await claim(secondMachine);
  if (after === undefined) throw new Error('not taken over');
  expect(after.fence).toBe(before.fence + 1);
  await secondMachine.write(first.siteId, async (db) => {
    await updateProgress(db, before, 50);
    const failure = { error: 'late', error_code: 'speech' as const, content_counts: null };
    expect([await isClaimCurrent(db, before), await markFailed(db, before, failure)]).toEqual([false, false]);
  });
  expect(query(address, `select status, progress_percent, error from audio where id = ${id}`)).toEqual([
    { status: 'generating', progress_percent: 0, error: null },
  ]);
  await secondMachine.close();
});

test('two speakers generate each post of two servers once, and each webhook message is sent once', async () => {
  const receiver = startReceiver();
  const words = ['webhook', 'create', '--data', first.data, '--site', `${first.siteId}`];
  expect(
    (await runCommand([...words, '--url', receiver.url], { env: { LECTERN_WEBHOOK_ALLOW: '127.0.0.1' } })).code,
  ).toBe(0);
  const { viewer } = createSiteUsers(second, second.siteId);
  const live = (await viewer.fetch(`/v1/sites/${second.siteId}/live`)).body?.pipeThrough(new TextDecoderStream());
  const ids = Array.from({ length: 8 }, (_, index) => `shared-${index}`);
  for (const [index, post_id] of ids.entries()) {
    const server = index % 2 === 0 ? first : second;
    expect((await server.generate({ post_id, content: buildArticle(post_id) })).status).toBe(202);
  }
  expect(getAudio('shared-7')).toMatchObject({ status: 'pending', fence: 0 });
  await Promise.all([startSpeaker(), startSpeaker()]);
  for (const [index, id] of ids.entries()) {
    const other = index % 2 === 0 ? second : first;
    expect(await other.waitUntilFinished(id)).toMatchObject({ status: 'ready' });
    expect(getAudio(id)).toMatchObject({ fence: 1, role: 'speak' });
  }
  expect(await second.waitUntilFinished('fenced')).toMatchObject({ status: 'ready' });
  await eventually(() => receiver.received.length > ids.length, 'webhooks of all posts');
  const messages = receiver.received.map(
    ({ body }) => (JSON.parse(body) as { data: { post_id: string } }).data.post_id,
  );
  expect(messages.toSorted()).toEqual(['fenced', ...ids]);
  await receiver.stop();
  let received = '';
  for await (const text of live ?? []) {
    received += text;
    if (ids.every((id) => new RegExp(`"post_id":"${id}"[^\n]*"status":"ready"`).test(received))) break;
  }
});

test('the audio of a killed machine is continued after its last stored sentence', async () => {
  const { before, interrupted } = await interruptSynthesis('killed', (machine) => machine.stop('SIGKILL'));
  machines.splice(machines.indexOf(interrupted), 1);
  expect(await second.waitUntilFinished('killed')).toMatchObject({ status: 'ready' });
  const after = getAudio('killed');
  expect([after.fence, after.machine === before.machine]).toEqual([before.fence + 1, false]);
  expect(await countReused(getMachine(after.machine))).toBeGreaterThan(3);
});

test('a machine that was suspended cannot change audio that another one has taken over', async () => {
  await startSpeaker();
  const { before, interrupted } = await interruptSynthesis('stopped', ({ process }, { machine }) => {
    process.kill('SIGSTOP');
    execute(address, `update machine set seen_at = '2020-01-01T00:00:00.000Z' where id = ${machine}`);
  });
  await eventually(() => getAudio('stopped').fence > before.fence, 'the post is taken over');
  interrupted.process.kill('SIGCONT');
  const taken = getAudio('stopped');
  expect(await second.waitUntilFinished('stopped')).toMatchObject({ status: 'ready' });
  expect(getAudio('stopped')).toMatchObject({ fence: before.fence + 1, machine: taken.machine });
  expect(query(address, `select id from version where audio_id = ${before.id}`)).toHaveLength(1);
  await interrupted.waitForLogLine('database connection restored');
  expect((await runCommand(['check', '--data', first.data, '--audios'])).code).toBe(0);
});

test('a machine that stops releases its posts with their stored sentences', async () => {
  const { before, interrupted } = await interruptSynthesis('ended', async (machine) =>
    expect(await machine.stop('SIGTERM')).toBe(0),
  );
  machines.splice(machines.indexOf(interrupted), 1);
  expect(query(address, `select id from machine where id = ${before.machine}`)).toEqual([]);
  const stored = count('segment');
  expect(await second.waitUntilFinished('ended')).toMatchObject({ status: 'ready' });
  const after = getAudio('ended');
  const planned = query(
    address,
    `select distinct hash from planned_segment join version on version.id = version_id where audio_id = ${after.id}`,
  );
  const reused = await countReused(getMachine(after.machine));
  expect(planned.length).toBe(60);
  expect(reused).toBeGreaterThan(0);
  expect(count('segment') - stored).toBeLessThan(planned.length);
});

test('audio is generated although no machine was told of it, and a server of an earlier version has written it', async () => {
  execute(
    address,
    `insert into post (site_id, external_id, visibility, created_at, updated_at)
      select site_id, 'untold', visibility, created_at, updated_at from post where external_id = 'ended';
    insert into audio (post_id, language, is_main, voice_id, status, progress_percent, content, request_hash, priority, virtual_time,
        revision, created_at, updated_at)
      select currval(pg_get_serial_sequence('post', 'id')), language, is_main, voice_id, 'pending', 0, content, request_hash, priority,
        virtual_time, revision, audio.created_at, audio.updated_at
      from audio join post on post.id = post_id where external_id = 'ended'`,
  );
  expect(await second.waitUntilFinished('untold')).toMatchObject({ status: 'ready' });
});

test('a revoked key is rejected by the next request to any server', async () => {
  const { key } = await createSite(first.data);
  const headers = { 'x-api-key': key };
  expect((await second.request('/v1/audio/none/status', { headers })).status).toBe(404);
  const [{ id } = { id: 0 }] = query<{ id: number }>(address, 'select id from api_key order by id desc limit 1');
  expect((await runCommand(['key', 'revoke', `${id}`, '--data', first.data])).code).toBe(0);
  expect((await second.request('/v1/audio/none/status', { headers })).status).toBe(401);
});

test('a version that only adds to the schema migrates while servers run, and both versions can use it', async () => {
  const next = createNextVersion(
    [
      'create table next_note (id integer primary key, note text not null) strict',
      'alter table audio add column next_rating integer not null default 0',
      'alter table site add column next_rating integer not null default 0',
      'create trigger next_audio after update of status on audio begin insert into next_note (note) values (new.status); end',
      'insert into next_note (note) select external_id from post',
    ],
    true,
  );
  const dump = await connectOnce(address);
  await dump.query('begin');
  await dump.query('lock table audio in access share mode');
  const countWaiting = () =>
    query(address, `select pid from pg_locks where not granted and locktype = 'relation'`).length;
  const text = { post_id: 'during', content: buildArticle('during') };
  const statuses = new Set<number>();
  let isMigrating = true;
  const migration = runProcess(['migrate', '--data', createFolder(address)], { command: next }).finally(() => {
    isMigrating = false;
  });
  await eventually(() => countWaiting() > 0, 'the migration waits for a table');
  await eventually(() => countWaiting() === 0, 'it releases the table');
  // The rows of a prepared statement get another column.
  for (const server of [first, second]) expect((await server.request('/v1/audio/during/status')).status).toBe(404);
  await dump.end();
  do {
    statuses.add((await first.generate(text)).status);
    statuses.add((await second.request('/v1/audio/during/status')).status);
  } while (isMigrating);
  expect(await migration).toMatchObject({ code: 0, stdout: `The database has schema ${currentVersion + 1}.\n` });
  expect([...statuses].toSorted()).toEqual([200, 202]);
  // The sandbox does not let workers read the modules that the copy links to.
  const outsideSandbox = { LECTERN_SANDBOX: 'off' };
  const [newer] = await Promise.all([
    startMachine({ role: 'speak', command: next, env: outsideSandbox }),
    startSpeaker(),
  ]);
  await first.generate({ post_id: 'afterwards', content: buildArticle('afterwards') });
  expect(await second.waitUntilFinished('afterwards')).toMatchObject({ status: 'ready' });
  expect(query(address, `select id from next_note where note = 'ready'`).length).toBeGreaterThan(0);
  expect(await newer.stop()).toBe(0);
});

test('a version with an incompatible schema migrates only when no server runs, and a disconnected server of the old version stops', async () => {
  const next = createNextVersion(['alter table audio rename column progress_percent to progress'], false);
  const otherDatabase = createDatabase(postgres.address);
  const server = await startTestServer({ data: createFolder(otherDatabase) });
  const migrate = () => runProcess(['migrate', '--data', createFolder(otherDatabase)], { command: next });
  // Machines of different databases do not affect each other.
  const namesake = `from pg_stat_activity where application_name = 'lectern machine 2' and datname = current_database()`;
  const findConnections = () =>
    query<{ pid: number }>(address, `select pid ${namesake} order by backend_start limit 1`);
  const before = findConnections();
  expect(before).toHaveLength(1);
  execute(
    otherDatabase,
    `insert into machine (id, name, role, started_at, seen_at) values (2, 'gone', 'speak', '2020', '2020')`,
  );
  await eventually(
    () => query(otherDatabase, 'select id from machine where id = 2').length === 0,
    'the silent machine is gone',
  );
  expect(findConnections()).toEqual(before);
  const inUse = expect.stringContaining('is in use by a Lectern server. Stop all servers, then try again.');
  expect(await migrate()).toMatchObject({ code: 1, stderr: inUse });
  server.process.kill('SIGSTOP');
  query(
    otherDatabase,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'lectern%'`,
  );
  expect((await migrate()).code).toBe(0);
  server.process.kill('SIGCONT');
  expect(await server.process.exited).toBe(1);
  await server.waitForLogLine(`(schema ${currentVersion + 1})`);
  expect(await runCommand(['check', '--data', createFolder(otherDatabase)])).toMatchObject({
    ...{ code: 1, stdout: expect.stringMatching(/Database \S+ needs/) },
  });
});

test('when the leader ends, another server becomes the leader', async () => {
  const leader = await eventually(findLeader, 'a server runs the jobs');
  expect([first, second]).toContain(leader);
  await leader.stop();
  expect(await eventually(findLeader, 'another server runs the jobs')).toBe(leader === first ? second : first);
});

test('servers behind a load balancer are replaced without a failed request', async () => {
  const url = `http://127.0.0.1:${findFreePort()}`;
  const env = { LECTERN_SYNTHESIS: 'off', LECTERN_STOP_DELAY_S: '5' };
  const start = (port: number) => startMachine({ env, flags: ['--port', `${port}`] });
  const servers = await Promise.all([findFreePort(), findFreePort()].map(start));
  const proxy = await startLoadBalancer(
    url,
    servers.map((server) => server.url),
  );
  const results = new Set<number | string>();
  const headers = { 'x-api-key': first.key, 'content-type': 'application/json' };
  const send = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${url}${path}`, { headers, ...init }).catch(String);
    if (typeof response === 'string') results.add(response);
    else results.add(response.status < 300 ? response.status : `${response.status} ${await response.text()}`);
  };
  let isReplaced = false;
  const clients = Array.from({ length: 4 }, async (_, index) => {
    const body = JSON.stringify({ post_id: `balanced-${index}`, content: buildArticle('balanced') });
    while (!isReplaced) {
      await send('/v1/audio/generate', { method: 'POST', body });
      await send(`/v1/audio/balanced-${index}/status`);
    }
  });
  for (const server of servers) {
    expect(await server.stop()).toBe(0);
    await start(Number(new URL(server.url).port));
  }
  isReplaced = true;
  await Promise.all(clients);
  await proxy.stop();
  expect([...results].toSorted()).toEqual([200, 202]);
});
