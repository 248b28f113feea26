// Measures claims from a long queue on PostgreSQL, and the wait of other sites behind a site with many posts:
//   bun run campaign:queue [--audios N] [--seconds N] [--posts N] [--others N]
// Zero audios or posts leave a part out.
// Prints a table. Server times are those of pg_stat_statements, which depend little on what else the machine does.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { correctCounters } from '../../src/audio/counters.ts';
import { claimAudio } from '../../src/audio/job-store.ts';
import { listWaitingAudios } from '../../src/audio/queue-store.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { connectOnce } from '../../src/database/postgres-migrate.ts';
import { createLog } from '../../src/log.ts';
import { buildArticle } from '../api/articles.ts';
import { describeMachine } from '../bench/machine.ts';
import { formatTable } from '../bench/markdown.ts';
import { setPostgres } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { createDatabase, execute, PostgresServer, query } from '../fixtures/postgres.ts';
import {
  createSite,
  createTemporaryFolder,
  type Envelope,
  startTestServer,
  type TestServer,
} from '../fixtures/server.ts';

const siteCount = 10_000;
const claimerCount = 16;

const { values } = parseArgs({
  options: {
    audios: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '60' },
    posts: { type: 'string', default: '100000' },
    others: { type: 'string', default: '500' },
  },
});
const [audioCount, seconds] = [Number(values.audios), Number(values.seconds)];
const [postCount, otherSiteCount] = [Number(values.posts), Number(values.others)];
const rows: string[][] = [];
const postgres = new PostgresServer();
setPostgres({ query, execute });
execute(postgres.address, `alter system set shared_preload_libraries = 'pg_stat_statements'`);
postgres.stop();
postgres.start();
try {
  if (audioCount > 0) await measureDepth();
  if (postCount > 0) await measureFairness();
  process.stdout.write(
    `${new Date().toISOString().slice(0, 10)}, ${describeMachine()}\n\n${formatTable(['What', 'Figure'], rows)}\n`,
  );
} finally {
  postgres.remove();
}
process.exit(0);

function add(what: string, figure: string): void {
  rows.push([what, figure]);
  process.stderr.write(`${what}: ${figure}\n`);
}

/** Half of the audio belongs to a hundredth of the sites. */
function fill(address: string): void {
  const time = `'2026-01-01T00:00:00.000Z'`;
  const text = `repeat('A sentence of about sixty characters, none like another. ', 40)`;
  execute(address, 'create extension pg_stat_statements');
  execute(
    address,
    `insert into voice (content_hash, speaker, name, language, locale, quality, gender, sample_rate_hz, plan_required, enabled, installed_at)
      values ('gone', 0, 'Gone', 'en', 'en_US', 'low', 'male', 24000, 'starter', 1, ${time});
    insert into site (slug, name, plan, subscription, created_at, updated_at)
      select 'site-' || i, 'Site', 'enterprise', 'active', ${time}, ${time} from generate_series(1, ${siteCount}) i;
    set session_replication_role = replica;
    insert into post (site_id, external_id, visibility, created_at, updated_at)
      select 1 + i / 2 % case i % 2 when 0 then ${siteCount / 100} else ${siteCount} end, 'post-' || i, 'public', ${time}, ${time}
      from generate_series(1, ${audioCount}) i;
    insert into audio (post_id, language, is_main, voice_id, status, progress_percent, content, content_type, request_hash, priority,
        virtual_time, queue_site_id, revision, created_at, updated_at)
      select id, 'en', 1, 1, 'pending', 0, ${text}, null, 'none', 'normal', id, site_id, 1, ${time}, ${time} from post;
    analyze`,
  );
}

interface Statement {
  readonly calls: number;
  readonly mean: number;
  readonly max: number;
}

/** @returns server time of a statement in milliseconds, since the last reset */
function readStatementTime(address: string, pattern: string): Statement {
  const [found] = query<Statement>(
    address,
    `select sum(calls) as calls, sum(total_exec_time) / sum(calls) as mean, max(max_exec_time) as max
      from pg_stat_statements where query like '${pattern}'`,
  );
  return found ?? { calls: 0, mean: 0, max: 0 };
}

function formatMs(time: number | null): string {
  return time === null ? 'none' : `${time.toFixed(2)} ms`;
}

async function measureDepth(): Promise<void> {
  const address = createDatabase(postgres.address);
  const open = (): Promise<Database> =>
    openDatabase(
      { data: createTemporaryFolder(), database: address },
      { machine: { role: 'speak', workerCount: 1, generates: true } },
    );
  const database = await openDatabase({ data: createTemporaryFolder(), database: address });
  fill(address);
  await correctCounters(database, createLog('error'));
  await database.close();
  const claimers = await Promise.all(Array.from({ length: claimerCount }, open));
  const sites = query<{ id: number }>(
    address,
    `select site_id as id from post order by post.id limit ${Math.min(audioCount, 200_000)}`,
  );
  let next = 0;
  const claimFor = async (durationS: number): Promise<void> => {
    const endMs = performance.now() + durationS * 1_000;
    execute(address, 'select pg_stat_statements_reset()');
    const turns = claimers.map(async ({ read, write, cluster }) => {
      while (performance.now() < endMs) {
        const siteId = sites[next]?.id;
        next += 1;
        if (siteId === undefined) return;
        const [audio] = await listWaitingAudios(read, { siteId, priority: 'normal' }, 2);
        if (audio !== undefined) await write(siteId, (db) => claimAudio(db, audio, cluster?.machineId));
      }
    });
    await Promise.all(turns);
  };
  const report = (when: string): void => {
    const claim = readStatementTime(address, 'update "audio" set "status"%');
    const reading = readStatementTime(address, 'select "audio"."id", "post"."site_id"%limit%');
    const lock = readStatementTime(address, 'select pg_advisory_xact_lock_shared%');
    add(
      `claim, ${when}: server time, mean and longest of ${claim.calls}`,
      `${formatMs(claim.mean)}, ${formatMs(claim.max)}`,
    );
    add(`reading the next audio of a site, ${when}`, `${formatMs(reading.mean)}, ${formatMs(reading.max)}`);
    add(`lock of site and installation, ${when}`, `${formatMs(lock.mean)}, ${formatMs(lock.max)}`);
  };
  await claimFor(seconds / 3);
  report(`${audioCount} audios, ${claimerCount} claimers`);
  const dump = await connectOnce(address);
  await dump.query('begin isolation level repeatable read');
  await dump.query('select count(*) from audio');
  await claimFor(seconds);
  report(`a snapshot open for ${seconds} s`);
  await dump.end();
  await claimFor(seconds / 3);
  report('after the snapshot');
  await Promise.all(claimers.map((claimer) => claimer.close()));
  execute(address, `update audio set status = 'pending', claimed_by = null where status = 'generating'`);
  const empty = createDatabase(postgres.address);
  await (await openDatabase({ data: createTemporaryFolder(), database: empty })).close();
  execute(empty, 'create extension pg_stat_statements');
  await measureSpeaker(empty, 0);
  await measureSpeaker(address, audioCount);
}

/** A real machine that starts with this queue. No machine has the voice of its audio. */
async function measureSpeaker(address: string, count: number): Promise<void> {
  execute(address, 'select pg_stat_statements_reset()');
  const startMs = performance.now();
  const speaker = await startTestServer({
    ...{ data: createFolder(address), key: 'none', role: 'speak', isPreloading: true },
    env: { LECTERN_BASE_URL: 'http://news.example' },
  });
  const startS = (performance.now() - startMs) / 1_000;
  add(`lectern speak on ${count} audios: start`, `${startS.toFixed(1)} s, CPU ${readCpuSeconds(speaker)} s`);
  add('its memory', `${readMemoryMb(speaker)} MB`);
  await Bun.sleep(30_000);
  add('its memory after 30 s', `${readMemoryMb(speaker)} MB, CPU ${readCpuSeconds(speaker)} s`);
  const comparison = readStatementTime(address, 'select "site_id" as "siteId", substr(name%');
  add(`reading what is next of all sites: server time, mean of ${comparison.calls}`, formatMs(comparison.mean));
  await speaker.stop('SIGKILL');
}

function readMemoryMb({ process: { pid } }: TestServer): string {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kilobytes) / 1024).toFixed(0);
}

function readCpuSeconds({ process: { pid } }: TestServer): string {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(13, 15).map(Number);
  return (((user ?? 0) + (system ?? 0)) / 100).toFixed(1);
}

function createFolder(address: string): string {
  const folder = createTemporaryFolder();
  writeFileSync(join(folder, 'lectern.toml'), `database = "${address}"\n`, { mode: 0o600 });
  return folder;
}

/** Fills a site with copies of its only post. */
async function copyPost(address: string, externalId: string): Promise<void> {
  execute(
    address,
    `set session_replication_role = replica;
    insert into post (site_id, external_id, visibility, created_at, updated_at)
      select site_id, 'copy-' || i, visibility, created_at, updated_at from post, generate_series(2, ${postCount}) i
      where external_id = '${externalId}';
    insert into audio (post_id, language, is_main, voice_id, status, progress_percent, content, request_hash, priority, virtual_time,
        queue_site_id, revision, created_at, updated_at)
      select copy.id, language, is_main, voice_id, 'pending', 0, replace(content, 'of the first', 'of ' || copy.external_id), request_hash,
        priority, virtual_time, copy.site_id, 1, copy.created_at, copy.updated_at
      from audio, post copy where copy.external_id like 'copy-%';
    analyze`,
  );
  const database = await openDatabase({ data: createTemporaryFolder(), database: address });
  await correctCounters(database, createLog('error'));
  await database.close();
}

/** One site has many posts; others submit one post each, two at a time. Measures the time from POST to claim. */
async function measureFairness(): Promise<void> {
  const address = createDatabase(postgres.address);
  const server = await startTestServer({
    data: createFolder(address),
    isPreloading: true,
    env: {
      LECTERN_SYNTHESIS: 'off',
      LECTERN_QUEUED_POSTS_MAX: '1000000',
      LECTERN_QUEUED_POSTS_PER_SITE_MAX: '1000000',
    },
  });
  const post = (key: string, post_id: string, content: string) =>
    server.request('/v1/audio/generate', {
      ...{ method: 'POST', body: JSON.stringify({ post_id, content }) },
      headers: { 'content-type': 'application/json', 'x-api-key': key },
    });
  await post(server.key, 'first', buildArticle('the first', 20));
  await copyPost(address, 'first');
  const sites: { siteId: number; key: string }[] = [];
  for (let index = 0; index < otherSiteCount; index += 1) sites.push(await createSite(server.data));
  const env = { LECTERN_BASE_URL: server.url, LECTERN_VOICES: join(server.data, 'voices') };
  const speakers: TestServer[] = [];
  for (let index = 0; index < 2; index += 1) {
    speakers.push(
      await startTestServer({ data: createFolder(address), key: server.key, role: 'speak', isPreloading: true, env }),
    );
  }
  const waits: number[] = [];
  const submitNext = async (): Promise<void> => {
    for (let site = sites.pop(); site !== undefined; site = sites.pop()) {
      const headers = { 'x-api-key': site.key };
      const postedMs = performance.now();
      await post(site.key, 'other', buildArticle(`site ${site.siteId}`));
      await eventually(async () => {
        const response = await server.request('/v1/audio/other/status', { headers });
        return ((await response.json()) as Envelope<{ status: string }>).data.status !== 'pending';
      }, 'the post is claimed');
      waits.push(performance.now() - postedMs);
    }
  };
  await Promise.all([submitNext(), submitNext()]);
  const [waiting] = query<{ count: number }>(address, `select count(*) as count from audio where status = 'pending'`);
  const sorted = waits.toSorted((a, b) => a - b);
  const formatQuantile = (share: number) =>
    `${((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) / 1_000).toFixed(1)} s`;
  add(
    `from POST to claim, of ${otherSiteCount} other sites beside ${postCount} posts of one (${waiting?.count} still wait): median, 99 %`,
    `${formatQuantile(0.5)}, ${formatQuantile(0.99)}`,
  );
  await Promise.all([server, ...speakers].map((child) => child.stop('SIGKILL')));
}
