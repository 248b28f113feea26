import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildArticle } from '../api/articles.ts';
import { readRows } from '../api/stored-rows.ts';
import { setPostgres } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { createDatabase, execute, PostgresServer, query } from '../fixtures/postgres.ts';
import { pauseQueue } from '../fixtures/queue-pause.ts';
import { createTemporaryFolder, runCommand, startTestServer, type TestServer } from '../fixtures/server.ts';
import { createSiteUsers } from '../fixtures/site-users.ts';
import { type Swift, type SwiftBucket, startSwift } from '../fixtures/swift.ts';
import { createUser } from '../fixtures/users.ts';

let postgres: PostgresServer;
let swift: Swift;
let bucket: SwiftBucket;
/** Data folders: SQLite, PostgreSQL with a bucket, and SQLite again. */
let source: string;
let moved: string;
let address: string;
let key: string;
/** Responses of the source, by path. */
const served = new Map<string, Uint8Array>();

/** @returns a data folder whose state is in a PostgreSQL database and a bucket */
function createFolder(address: string, { env }: SwiftBucket): string {
  const folder = createTemporaryFolder();
  const settings = {
    database: address,
    ...{ sound: env['LECTERN_SOUND'], sound_key: env['LECTERN_SOUND_KEY'], sound_secret: env['LECTERN_SOUND_SECRET'] },
    object_grace_days: '0',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = "${value}"\n`);
  writeFileSync(join(folder, 'lectern.toml'), lines.join(''), { mode: 0o600 });
  return folder;
}

const move = (from: string, to: string, env: Record<string, string> = {}) =>
  runCommand(['move', to, '--data', from, '--json'], { env });

async function runLectern(...words: readonly string[]): Promise<void> {
  const { code, stderr } = await runCommand([...words, '--data', source]);
  if (code !== 0) throw new Error(stderr);
}

/** Every row of every table, and every statement of the schema. */
function readDatabase(data: string): Record<string, unknown[]> {
  const schema = readRows<{ name: string; type: string; sql: string | null }>(
    data,
    'select name, type, sql from sqlite_schema order by type, name',
  );
  const names = schema.filter(({ type }) => type === 'table').map(({ name }) => name);
  const contents = names
    // How far the index has been merged depends on the order of the writes.
    .filter((name) => !/^post_search_(data|idx)$/.test(name))
    .map((name) => {
      const rows = readRows<Record<string, unknown>>(data, `select * from ${name}`);
      const lines = rows.map((row) =>
        JSON.stringify(row, (_, value) => (typeof value === 'string' ? value : toText(value))),
      );
      return [name, lines.sort()] as const;
    });
  return { ...Object.fromEntries(contents), schema };
}

function toText(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

/** @returns the bytes of a public address of a server */
async function download(server: TestServer, path: string): Promise<Uint8Array> {
  const response = await server.request(path);
  expect([path, response.status]).toEqual([path, 200]);
  return response.bytes();
}

/** Real posts in each state, and a row in most tables. */
async function fillSource(server: TestServer): Promise<void> {
  const { admin } = createSiteUsers(server, server.siteId);
  const site = `${server.siteId}`;
  await createUser(source, '--role', 'editor', '--site', site);
  await runLectern('lexicon', 'add', 'Nkosi', 'en kosi', '--language', 'en', '--site', site);
  await runLectern('webhook', 'create', '--url', 'https://hooks.example.org/lectern', '--site', site);
  const urls: string[] = [];
  const generate = async (post_id: string, content: string) => {
    expect((await server.generate({ post_id, post_title: `Über ${post_id}`, content })).status).toBe(202);
    const record = await server.waitUntilFinished(post_id);
    expect(record.status).toBe('ready');
    urls.push(record.audio_url ?? '', `/v1/audio/${post_id}/certificate`);
  };
  await generate('ready', buildArticle('one'));
  await generate('shared', `${buildArticle('one')}<p>One more sentence.</p>`);
  await generate('corrected', buildArticle('two'));
  urls.pop();
  await generate('corrected', buildArticle('two', 4));
  await generate('deleted', buildArticle('three'));
  urls.splice(-2);
  expect((await server.request('/v1/audio/deleted', { method: 'DELETE' })).status).toBe(200);
  const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const events = [{ type: 'play', post_id: 'ready', session_id: 's1', event_id: 'e1', position_seconds: 0.5 }];
  expect((await server.request('/v1/events/track', { ...init, body: JSON.stringify({ events }) })).status).toBe(202);
  await pauseQueue(admin, true);
  expect((await server.generate({ post_id: 'queued', content: buildArticle('four') })).status).toBe(202);
  for (const url of urls) {
    const { pathname } = new URL(url, server.url);
    served.set(pathname, await download(server, pathname));
  }
}

beforeAll(async () => {
  postgres = new PostgresServer();
  setPostgres({ query, execute });
  swift = await startSwift();
  bucket = await swift.createBucket();
  source = createTemporaryFolder();
  const server = await startTestServer({ data: source });
  ({ key } = server);
  await fillSource(server);
  const refused = await move(source, createTemporaryFolder());
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('in use by another Lectern server')]);
  await server.stop();
  address = createDatabase(postgres.address);
  moved = createFolder(address, bucket);
});
afterAll(async () => {
  await swift?.stop();
  postgres?.remove();
});

test('an installation moves to PostgreSQL and a bucket, and back, with the same rows', async () => {
  const before = readDatabase(source);
  const there = await move(source, moved);
  expect(there).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(there.stdout)).toMatchObject({ path: moved, objects: 4 });
  expect(readDatabase(source)).toEqual(before);

  const counts = query<{ name: string; count: number }>(
    address,
    `select table_name as name, (xpath('/row/count/text()',
        query_to_xml(format('select count(*) from %I', table_name), false, true, '')))[1]::text::int as count
      from information_schema.tables where table_schema = 'public' and table_name <> 'object'`,
  );
  expect(counts.length).toBeGreaterThan(35);
  const rowsBefore = counts.map(({ name }) => ({ name, count: before[name]?.length }));
  expect(counts).toEqual(rowsBefore as typeof counts);
  expect((await bucket.list()).filter((name) => name.startsWith('sound/'))).toHaveLength(4);

  const back = createTemporaryFolder();
  const result = await runCommand(['move', back, '--data', createTemporaryFolder()], {
    env: { LECTERN_DATABASE: address, ...bucket.env },
  });
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(result.stdout).toContain(`to ${join(back, 'lectern.db')}, compared with the source`);
  expect(result.stdout).toMatch(
    /Change LECTERN_DATABASE, LECTERN_SOUND or LECTERN_CONFIG first: with the present environment it would use PostgreSQL \S+ and the bucket /,
  );
  expect(readDatabase(back)).toEqual(before);
});

test('an interrupted move can be repeated, and a target that is not empty is rejected', async () => {
  const again = await move(source, moved);
  expect([again.code, again.stderr]).toEqual([
    1,
    expect.stringMatching(
      /PostgreSQL \S+:5432\/test_\w+ is not empty: its table \w+ has rows\. Move into an empty database/,
    ),
  ]);
  // The environment describes the source.
  const same = await move(source, moved, { LECTERN_DATABASE: address });
  expect([same.code, same.stderr]).toEqual([
    1,
    expect.stringMatching(/Nothing moved: source and target are both PostgreSQL \S+:5432\/test_\w+\. LECTERN_DATABASE/),
  ]);
  const mistyped = await move(source, moved, { LECTERN_DATABASE: createDatabase(postgres.address) });
  expect([mistyped.code, mistyped.stderr]).toEqual([
    1,
    expect.stringMatching(/Database \S+ is empty\. Correct LECTERN_DATABASE/),
  ]);
  const [first = '', second = ''] = await bucket.list();
  const [content, other] = [await bucket.get(first), await bucket.get(second)];
  const onto = await swift.createBucket();
  // The first upload was complete, the second one wrong.
  await onto.put(first, content as Uint8Array<ArrayBuffer>);
  await onto.put(second, new Uint8Array(other.byteLength));
  await onto.put('sound/9/9-unknown.mp3', 'unknown');
  const empty = createDatabase(postgres.address);
  const readRules = () =>
    query(
      empty,
      `select conrelid::regclass::text || conname as name, pg_get_constraintdef(oid) as rule from pg_constraint
        union all select tgrelid::regclass::text || tgname, tgenabled::text from pg_trigger where not tgisinternal order by 1`,
    );
  const target = createFolder(empty, onto);
  const foreign = await move(source, target);
  expect([foreign.code, foreign.stderr]).toEqual([1, expect.stringContaining('it has sound/9/9-unknown.mp3')]);
  expect(foreign.stderr).toContain('/sound-2 of the target is not empty');
  await onto.drop('sound/9/9-unknown.mp3');
  await onto.put('lectern-marker-other', 'of another database');
  const marked = await move(source, target);
  expect([marked.code, marked.stderr]).toEqual([1, expect.stringContaining('belongs to another database')]);
  await onto.drop('lectern-marker-other');
  const rules = readRules();
  expect(rules.length).toBeGreaterThan(60);
  expect(await move(source, target)).toMatchObject({ code: 0, stderr: '' });
  expect(Buffer.compare(await onto.get(second), other)).toBe(0);
  expect(readRules()).toEqual(rules);
});

test('damaged audio in the source stops a move, and the target stays empty', async () => {
  const onto = await swift.createBucket();
  const lost = (await bucket.list()).find((name) => name.startsWith('sound/')) ?? '';
  const content = await bucket.get(lost);
  await bucket.drop(lost);
  const target = createFolder(createDatabase(postgres.address), onto);
  const stopped = await move(moved, target);
  expect([stopped.code, stopped.stderr]).toEqual([1, expect.stringContaining(`the object ${lost} is missing`)]);
  await bucket.put(lost, content as Uint8Array<ArrayBuffer>);
  expect(await move(moved, target)).toMatchObject({ code: 0, stderr: '' });
  expect((await onto.list()).toSorted()).toEqual((await bucket.list()).toSorted());
});

test('after a move to PostgreSQL and a bucket, audio plays, and posts are accepted, corrected and deleted', async () => {
  const server = await startTestServer({ data: moved, key });
  try {
    for (const [path, bytes] of served) expect(Buffer.compare(await download(server, path), bytes)).toBe(0);
    expect((await server.status('queued')).status).toBe('pending');
    const { admin } = createSiteUsers(server, server.siteId);
    await pauseQueue(admin, false);
    expect((await server.waitUntilFinished('queued')).status).toBe('ready');

    expect((await server.generate({ post_id: 'new', content: buildArticle('five') })).status).toBe(202);
    const before = await server.waitUntilFinished('new');
    expect(before.status).toBe('ready');
    rmSync(join(moved, 'media'), { recursive: true, force: true });
    const { pathname } = new URL(before.audio_url ?? '');
    const whole = await download(server, pathname);
    const part = await server.request(pathname, { headers: { range: 'bytes=100-299' } });
    expect(part.status).toBe(206);
    expect(Buffer.compare(await part.bytes(), whole.subarray(100, 300))).toBe(0);

    await server.generate({ post_id: 'new', content: buildArticle('five', 4) });
    const after = await server.waitUntilFinished('new');
    expect(after.status).toBe('ready');
    expect(after.audio_url).not.toBe(before.audio_url);
    const { code, stdout } = await runCommand(['check', '--audios', '--data', moved]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('match their certificates')]);

    const listObjectKeys = (where: string) =>
      query<{ key: string }>(address, `select key from object where ${where} order by changed_at`).map(
        (row) => row.key,
      );
    const live = listObjectKeys("state = 'live'");
    expect((await server.request('/v1/audio/new', { method: 'DELETE' })).status).toBe(200);
    expect((await server.request(new URL(after.audio_url ?? '').pathname)).status).toBe(410);
    const hourAgo = new Date(Date.now() - 2 * 3_600_000).toISOString();
    await bucket.put('sound/1/1-left-behind.mp3', 'orphan');
    execute(address, `insert into object values ('sound/1/1-left-behind.mp3', 1, 6, 'writing', '${hourAgo}')`);
    await eventually(() => listObjectKeys("state <> 'live'").length === 0, 'the objects are deleted');
    const remaining = listObjectKeys("key like 'sound/%'");
    expect(remaining.length).toBeLessThan(live.length);
    expect((await bucket.list()).filter((name) => name.startsWith('sound/')).toSorted()).toEqual(remaining.toSorted());
  } finally {
    await server.stop('SIGKILL');
  }
});
