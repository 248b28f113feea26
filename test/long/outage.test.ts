import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSetupLink, isValidSetupToken } from '../../src/auth/users.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { connectOnce } from '../../src/database/postgres-migrate.ts';
import { buildArticle } from '../api/articles.ts';
import { setPostgres } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { createDatabase, execute, PostgresServer, query } from '../fixtures/postgres.ts';
import { createTemporaryFolder, type Envelope, startTestServer, type TestServer } from '../fixtures/server.ts';

// What machines do to each other, while their database is away, and after it.

let postgres: PostgresServer;
let address: string;
let server: TestServer;

/** Joins the machines of a database, as a server without HTTP. */
const joinMachines = (database: string): Promise<Database> =>
  openDatabase(
    { data: createTemporaryFolder(), database },
    { machine: { role: 'serve', workerCount: 1, generates: false } },
  );

async function startServer(): Promise<TestServer> {
  const data = createTemporaryFolder();
  writeFileSync(join(data, 'lectern.toml'), `database = "${address}"\n`, { mode: 0o600 });
  return startTestServer({ data });
}

async function readProblems(): Promise<unknown> {
  const response = await server.request('/readyz');
  return response.status === 200 ? {} : ((await response.json()) as Envelope<never>).errors;
}

beforeAll(async () => {
  postgres = new PostgresServer();
  setPostgres({ query, execute });
  address = createDatabase(postgres.address);
  server = await startServer();
});
afterAll(async () => {
  await server.stop('SIGKILL');
  postgres.remove();
});

test('a machine judges the others by heartbeats since it could send its own, after a lost connection, too', async () => {
  const database = createDatabase(postgres.address);
  const judge = await joinMachines(database);
  const own = `application_name = 'lectern machine ${judge.cluster?.machineId}'`;
  execute(
    database,
    `create table verdict (id int, connected_s float);
     create function note() returns trigger language plpgsql as $$ begin
       insert into verdict select old.id, extract(epoch from clock_timestamp() - backend_start)
         from pg_stat_activity where pid = pg_backend_pid();
       return old; end $$;
     create trigger note before delete on machine for each row execute function note()`,
  );
  // As the last heartbeats before an outage: one machine has connected again, the other one has not.
  const connected = await connectOnce(database);
  await connected.query(`set application_name = 'lectern machine 1001'`);
  const isEnded = new Promise<void>((resolve) => connected.on('end', resolve).on('error', () => {}));
  execute(
    database,
    `insert into machine (id, name, role, started_at, seen_at)
       values (1001, 'connected', 'speak', '2020', '2020'), (1002, 'absent', 'speak', '2020', '2020');
     select pg_terminate_backend(pid) from pg_stat_activity where ${own} and datname = current_database()`,
  );
  await isEnded;
  const verdicts = await eventually(() => {
    const rows = query<{ id: number; connected_s: number }>(database, 'select * from verdict order by id');
    return rows.length === 2 && rows;
  }, 'both are judged');
  expect(verdicts[0]?.connected_s).toBeGreaterThan(10);
  expect(verdicts[1]?.connected_s).toBeGreaterThan(3);
  await judge.close();
});

test('the setup links of servers that run beside each other are all valid; a single one replaces its link', async () => {
  const database = createDatabase(postgres.address);
  const print = async (machine: Database) =>
    (await createSetupLink(machine, 'http://news.example'))?.split('#setup=')[1] ?? '';
  const first = await joinMachines(database);
  const replaced = await print(first);
  const links = [await print(first)];
  const second = await joinMachines(database);
  links.push(await print(second));
  const areValid = await Promise.all([replaced, ...links].map((token) => isValidSetupToken(first.read, token)));
  expect(areValid).toEqual([false, true, true]);
  await second.close();
  await first.close();
});

test('without the database, readiness names the database with the reason, and not the workers', async () => {
  postgres.stop('immediate');
  expect(await readProblems()).toEqual({ database: ['Database unavailable. Try again later.'] });
  postgres.start();
  await eventually(async () => Object.keys((await readProblems()) as object).length === 0, 'the server is ready again');
});

test('a machine that another one precedes in claiming a post counts nothing, and says nothing', async () => {
  execute(
    address,
    `create table lost_claim (audio_id int);
     create function lose() returns trigger language plpgsql as $$ begin
       if exists (select from lost_claim) then return new; end if;
       insert into lost_claim values (new.id);
       return null; end $$;
     create trigger lose before update on audio for each row
       when (old.status = 'pending' and new.status = 'generating') execute function lose()`,
  );
  expect((await server.generate({ post_id: 'contested', content: buildArticle('contested') })).status).toBe(202);
  expect((await server.waitUntilFinished('contested')).status).toBe('ready');
  expect(query(address, 'select * from lost_claim')).toHaveLength(1);
  const metrics = await (await server.request('/metrics')).text();
  const counts = [...metrics.matchAll(/^lectern_generations_total\{outcome="(\w+)"\} ([1-9]\d*)$/gm)];
  expect(counts.map(([, outcome, count]) => [outcome, count])).toEqual([['ready', '1']]);
  expect(server.log()).not.toContain('replaced');
});
