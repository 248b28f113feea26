import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { deleteEndedWindows, MemoryWindowCounter, SharedWindowCounter } from '../../src/http/rate-limit.ts';
import { buildArticle } from '../api/articles.ts';
import { setPostgres } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { createDatabase, execute, PostgresServer, query } from '../fixtures/postgres.ts';
import { createTemporaryFolder, startTestServer, type TestServer } from '../fixtures/server.ts';
import { requireTool } from '../fixtures/tools.ts';

const perMinute = 60;
/** Errors of the servers' clocks in seconds, and posts within and beyond the quota. */
const { clocks, postsPerMonth, refusedPosts } = process.env['TEST_LONG']
  ? { clocks: [-60, -45, -20, 0, 10, 30, 50, 60], postsPerMonth: 500, refusedPosts: 100 }
  : { clocks: [-60, 0, 60], postsPerMonth: 100, refusedPosts: 20 };

let postgres: PostgresServer;
let address: string;
let database: Database;

beforeAll(async () => {
  postgres = new PostgresServer();
  setPostgres({ query, execute });
  address = createDatabase(postgres.address);
  await (await openDatabase({ data: createTemporaryFolder(), database: address })).close();
  execute(address, 'create table test_clock as select 1800000000 as seconds');
  const body = 'select to_timestamp(seconds) from test_clock';
  execute(address, `create function public.clock_timestamp() returns timestamptz language sql as $$ ${body} $$`);
  const withClock = new URL(address);
  withClock.searchParams.set('options', '-c search_path=public,pg_catalog');
  database = await openDatabase({ data: createTemporaryFolder(), database: withClock.href });
});
afterAll(async () => {
  await database.close();
  postgres.remove();
});

/** Moves the clock of the database. */
function pass(seconds: number): void {
  execute(address, `update test_clock set seconds = seconds + ${seconds}`);
}

/** @returns a generator of numbers from 0 to 1 with a fixed seed */
function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

test('shared limits of several servers are exact for concurrent requests', async () => {
  const counters = Array.from({ length: 8 }, () => new SharedWindowCounter(database.read, 'together', perMinute));
  const countPassed = async () => {
    const states = await Promise.all(
      Array.from({ length: 400 }, (_, index) => counters[index % counters.length]?.consume('one.example')),
    );
    return states.filter((state) => state?.isSpent === false).length;
  };
  expect(await countPassed()).toBe(perMinute);
  expect(await countPassed()).toBe(0);
  expect((await counters[0]?.consume('other.example'))?.remaining).toBe(perMinute - 1);
});

test.each([false, true])('a counter in the database equals one in memory, growing windows: %p', async (isGrowing) => {
  const limit = 5;
  let passedS = 0;
  const getNow = () => passedS * 1_000;
  const memory = new MemoryWindowCounter(limit, { isGrowing }, getNow);
  const shared = new SharedWindowCounter(database.read, `growing ${isGrowing}`, limit, { isGrowing }, getNow);
  const random = createRandom();
  const minutes = new Set<number>();
  for (let step = 0; step < 400; step += 1) {
    const name = random() < 0.7 ? 'often' : 'seldom';
    const amount = random() < 0.1 ? Math.ceil(random() * (limit + 1)) : 1;
    const action = random();
    if (action < 0.1) {
      const seconds = 5 * Math.ceil(random() * (random() < 0.1 ? 2_000 : 40));
      passedS += seconds;
      pass(seconds);
    } else if (action < 0.2) {
      memory.refund(name, amount);
      await shared.refund(name, amount);
    } else {
      const expected = memory.consume(name, amount);
      minutes.add(Math.ceil(expected.msLeft / 60_000));
      expect({ step, ...(await shared.consume(name, amount)) }).toEqual({ step, ...expected });
    }
  }
  if (isGrowing) expect(Math.max(...minutes)).toBe(16);
  else expect([...minutes]).toEqual([1]);
});

test('a rejected client is rejected for a second without the database', async () => {
  let ms = 0;
  const create = () => new SharedWindowCounter(database.read, 'refused', 1, {}, () => ms);
  const [first, second] = [create(), create()];
  const isSpent = async (counter: SharedWindowCounter) => (await counter.consume('client')).isSpent;
  expect([await isSpent(first), await isSpent(first), first.size]).toEqual([false, true, 1]);
  pass(60);
  ms += 999;
  expect([await isSpent(first), await isSpent(second)]).toEqual([true, false]);
  await second.refund('client');
  expect(await isSpent(first)).toBe(true);
  ms += 1;
  expect([await isSpent(first), first.size]).toEqual([false, 0]);
});

test('windows that no request depends on are deleted', async () => {
  const listCounters = () =>
    query<{ counter: string }>(address, `select counter from rate_window where counter like 'kept %' order by 1`);
  await new SharedWindowCounter(database.read, 'kept short', 1).consume('client');
  await new SharedWindowCounter(database.read, 'kept long', 1, { isGrowing: true }).consume('client');
  await deleteEndedWindows(database.read);
  expect(listCounters()).toHaveLength(2);
  pass(60);
  await deleteEndedWindows(database.read);
  expect(listCounters()).toEqual([{ counter: 'kept long' }]);
  pass(5 * 60 * 60);
  await deleteEndedWindows(database.read);
  expect(listCounters()).toEqual([]);
});

test('rates and quotas are exact for servers whose clocks differ', async () => {
  const ownAddress = createDatabase(postgres.address);
  const servers: TestServer[] = [];
  const start = (offset: number) => {
    const data = createTemporaryFolder();
    writeFileSync(join(data, 'lectern.toml'), `database = "${ownAddress}"\n`, { mode: 0o600 });
    const [first] = servers;
    return startTestServer({
      data,
      ...(first && { key: first.key }),
      env: {
        LECTERN_SYNTHESIS: 'off',
        LECTERN_RATE_PAGE: String(perMinute),
        LECTERN_QUOTA_POSTS: `enterprise=${postsPerMonth}`,
        ...(first && { LECTERN_VOICES: join(first.data, 'voices'), LECTERN_BASE_URL: first.url }),
        LD_PRELOAD: requireTool('/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'),
        FAKETIME: `${offset < 0 ? '' : '+'}${offset}s`,
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        NO_FAKE_STAT: '1',
      },
    });
  };
  try {
    const [firstClock = 0, ...others] = clocks;
    servers.push(await start(firstClock));
    servers.push(...(await Promise.all(others.map(start))));
    const requestFromServers = <T>(count: number, request: (server: TestServer, index: number) => Promise<T>) =>
      Promise.all(
        Array.from({ length: count }, (_, index) => request(servers[index % servers.length] as TestServer, index)),
      );
    const times = await requestFromServers(servers.length, async ({ url }) =>
      Date.parse((await fetch(`${url}/healthz`)).headers.get('date') ?? ''),
    );
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(100_000);

    const [{ domain } = { domain: '' }] = query<{ domain: string }>(ownAddress, 'select domain from site_domain');
    const statuses = await requestFromServers(4 * perMinute, async ({ url }) => {
      return (await fetch(`${url}/v1/public/voices?domain=${domain}`)).status;
    });
    expect(statuses.filter((status) => status === 200)).toHaveLength(perMinute);
    expect(statuses.filter((status) => status === 429)).toHaveLength(3 * perMinute);

    // As a client does, a request without a response, which an overloaded machine causes, is repeated: then an accepted post is 200.
    const answers = await requestFromServers(postsPerMonth + refusedPosts, (server, index) =>
      eventually(
        async () => {
          const body = { post_id: `post ${index}`, content: buildArticle(`post ${index}`) };
          const { status = 503 } = (await server.generate(body).catch(() => undefined)) ?? {};
          return status !== 503 && status;
        },
        `post ${index} is answered`,
        150_000,
      ),
    );
    expect(answers.filter((status) => status < 300)).toHaveLength(postsPerMonth);
    expect(answers.filter((status) => status === 403)).toHaveLength(refusedPosts);
  } finally {
    await Promise.all(servers.map((server) => server.stop('SIGKILL')));
  }
});
