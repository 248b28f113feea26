import { cpSync, rmSync } from 'node:fs';
import { createKey } from '../../src/auth/api-keys.ts';
import type { Database } from '../../src/database/database.ts';
import { insertSite } from '../../src/sites/store.ts';
import { openTestDatabase } from '../fixtures/database.ts';
import { createTemporaryFolder, startTestServer, type TestServer } from '../fixtures/server.ts';
import type { BenchArticle } from './article.ts';
import { getPreparedData, optimizing } from './prepared-data.ts';
import { readCpuSeconds } from './process-cost.ts';

/** Poll interval of the database, which uses no CPU time of the server. */
const lookPauseMs = 2;
const laterLookPauseMs = 10;
const patienceMs = 280_000;
/** Workers are idle below this CPU time in this interval. */
const restMs = 500;
const restCpuS = 0.02;

/** A new site, which cannot reuse segments of others. */
export interface BenchSite {
  readonly id: number;
  readonly key: string;
}

/** Measured durations of the synthesis of an article. */
interface SynthesizedPost {
  /** From sending the POST to `ready`. */
  readonly readyS: number;
  /** From sending the POST to the row of the first segment. */
  readonly firstSegmentMs: number;
  /** Number of synthesized segments. */
  readonly spoken: number;
}

/** A running server with a new data folder and warm workers. */
export interface BenchServer {
  readonly url: string;
  readonly pid: number;
  readonly data: string;
  readonly database: Database;
  freshSite(): Promise<BenchSite>;
  post(site: BenchSite, postId: string, article: BenchArticle): Promise<void>;
  /** Posts an article and waits until it is ready. */
  make(site: BenchSite, postId: string, article: BenchArticle): Promise<SynthesizedPost>;
  stop(): Promise<void>;
}

export interface BenchServerOptions {
  readonly workers?: number;
  /** The program; default: from source. */
  readonly command?: readonly string[];
  readonly flags?: readonly string[];
  /** Model of a voice to install and use; default: the first built-in voice. */
  readonly modelPath?: string;
}

export async function startBenchServer(options: BenchServerOptions = {}): Promise<BenchServer> {
  const data = createTemporaryFolder();
  const { folder, voiceId } = await getPreparedData(options.modelPath);
  cpSync(folder, data, { recursive: true });
  const database = await openTestDatabase(data);
  const server = await startTestServer({
    voices: 'built-in',
    isPreloading: true,
    data,
    key: 'none',
    env: optimizing,
    flags: ['--workers', String(options.workers ?? 2), ...(options.flags ?? [])],
    ...(options.command === undefined ? {} : { command: options.command }),
  });
  const { pid } = server.process;
  await waitUntilIdle(pid);
  let sites = 0;
  return {
    url: server.url,
    pid,
    data,
    database,
    freshSite: async () => {
      sites += 1;
      const name = `Site ${sites}`;
      return database.write('server', async (db) => {
        const domains = [`site-${sites}.example`];
        const { id } = await insertSite(db, {
          name,
          domains,
          plan: 'enterprise',
          trial_ends_at: null,
        });
        return { id, key: (await createKey(db, null, id, 'bench')).key };
      });
    },
    post: (site, postId, article) => post(server, voiceId, site, postId, article),
    make: (site, postId, article) => make(server, database, voiceId, site, postId, article),
    stop: async () => {
      await database.close();
      await server.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** Waits until the workers have loaded the voice and are idle. */
export async function waitUntilIdle(pid: number): Promise<void> {
  let before = readCpuSeconds(pid);
  while (true) {
    await Bun.sleep(restMs);
    const now = readCpuSeconds(pid);
    if (now - before <= restCpuS) return;
    before = now;
  }
}

async function post(
  server: TestServer,
  voiceId: number | null,
  site: BenchSite,
  postId: string,
  { title, content }: BenchArticle,
): Promise<void> {
  const response = await server.request('/v1/audio/generate', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': site.key },
    body: JSON.stringify({
      ...{ post_id: postId, post_title: title, content },
      ...(voiceId !== null && { voice_id: voiceId }),
    }),
  });
  if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`);
}

async function make(
  server: TestServer,
  { read }: Database,
  voiceId: number | null,
  site: BenchSite,
  postId: string,
  article: BenchArticle,
): Promise<SynthesizedPost> {
  const before = await read
    .selectFrom('segment')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('site_id', '=', site.id)
    .executeTakeFirstOrThrow();
  const started = performance.now();
  await post(server, voiceId, site, postId, article);
  const view = read
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .innerJoin('version', (join) =>
      join.onRef('version.audio_id', '=', 'audio.id').onRef('version.revision', '=', 'audio.revision'),
    )
    .innerJoin('planned_segment', 'planned_segment.version_id', 'version.id')
    .leftJoin('segment', 'segment.hash', 'planned_segment.hash')
    .select(['audio.status', 'audio.error', 'segment.frame_count'])
    .where('post.site_id', '=', site.id)
    .where('post.external_id', '=', postId)
    .where('planned_segment.position', '=', 0);
  let firstSegmentMs: number | undefined;
  while (true) {
    const row = await view.executeTakeFirst();
    const ms = performance.now() - started;
    if (row !== undefined && row.frame_count !== null) firstSegmentMs ??= ms;
    if (row?.status === 'failed') throw new Error(`${postId} failed: ${row.error}`);
    if (row?.status === 'ready' && firstSegmentMs !== undefined) {
      const after = await read
        .selectFrom('segment')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('site_id', '=', site.id)
        .executeTakeFirstOrThrow();
      return { readyS: ms / 1000, firstSegmentMs, spoken: after.count - before.count };
    }
    if (ms > patienceMs) throw new Error(`${postId} is not ready after ${patienceMs / 1000} s`);
    await Bun.sleep(firstSegmentMs === undefined ? lookPauseMs : laterLookPauseMs);
  }
}
