import { hostname } from 'node:os';
import { basename } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import notices from '../../THIRD-PARTY-NOTICES.md' with { type: 'text' };
import { listGenerating } from '../audio/counters.ts';
import type { Sound } from '../audio/media/sound.ts';
import type { AudioQueue } from '../audio/queue.ts';
import { findScrubState, type ScrubState } from '../audio/stored-audio.ts';
import { detectSandboxSupport } from '../build/sandbox/sandbox.ts';
import { currentTimeMs, timestamp } from '../clock.ts';
import { type Database, getCode, type Queries } from '../database/database.ts';
import type { DiskSpace } from '../disk-space.ts';
import { AppError } from '../errors.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { type Asset, assetResponse } from '../http/static-assets.ts';
import { literalUnion, nullable } from '../http/validation.ts';
import type { Services } from '../services.ts';
import { countDomainClaims } from '../sites/store.ts';
import type { WorkerPool } from '../speech/worker-pool.ts';
import { version } from '../version.ts';
import { type Catalog, findFirstEnabled } from '../voices/catalog.ts';
import { loadQueueItems } from './queue.ts';
import { exampleQueueItem, QueueItem } from './schema.ts';

const licenses: Asset = { content: notices, type: 'text/plain; charset=utf-8' };

const licensesSpec = endpointSpec({
  summary: 'Get third-party licenses',
  description: 'Same text as `lectern licenses`.',
  tag: 'System',
  access: 'session',
  responses: {
    200: {
      description: 'Markdown',
      content: { type: 'text/plain', schema: Type.String() },
    },
    304: { description: 'Not modified' },
  },
});

/** The licenses of everything that is built in. */
export function licenseRoutes({ endpoint }: Services) {
  return new Elysia({ name: 'licenses' }).get(
    '/v1/system/licenses',
    ...endpoint(licensesSpec, async ({ request }) => assetResponse(request, licenses)),
  );
}

/** Checks by part; each returns the reason of a failure. */
export type HealthChecks = Record<string, () => Promise<string | undefined>>;

/** For a worker that must load a voice first. */
const readyTimeoutMs = 5_000;

const healthSpec = endpointSpec({
  summary: 'Liveness check',
  description:
    'For load balancers, too: a server that stops takes requests for `LECTERN_STOP_DELAY_S`, but responds here with 503.',
  tag: 'Operation',
  access: 'none',
  responses: reply(200, 'OK', 'The process is alive', Type.Object({}), { example: {} }),
  errors: ['not_ready'],
});
const readySpec = endpointSpec({
  summary: 'Readiness check',
  tag: 'Operation',
  access: 'none',
  responses: reply(200, 'Ready', 'Database, disk, audio storage, workers and voices are ready', Type.Object({}), {
    example: {},
  }),
  errors: ['not_ready'],
});

/** `/healthz`: the process answers, and stays. `/readyz`: audio can be generated. */
export function healthRoutes({ endpoint, isDraining }: Services, checks: HealthChecks) {
  // Requests at the same time share a run, so that a flood of them does not write to the database for each.
  let running: Promise<Record<string, string[]>> | undefined;
  const findProblems = (): Promise<Record<string, string[]>> => {
    running ??= runHealthChecks(checks).finally(() => {
      running = undefined;
    });
    return running;
  };
  const requireStay = (): void => {
    if (isDraining()) throw new AppError('not_ready', 'The server stops');
  };
  return new Elysia({ name: 'health' })
    .get(
      '/healthz',
      ...endpoint(healthSpec, async () => {
        requireStay();
        return {};
      }),
    )
    .get(
      '/readyz',
      ...endpoint(readySpec, async () => {
        requireStay();
        const problems = await findProblems();
        if (Object.keys(problems).length > 0) throw new AppError('not_ready', 'Not ready', problems);
        return {};
      }),
    );
}

export function createHealthChecks(
  database: Database,
  catalog: Catalog,
  workers: WorkerPool,
  diskSpace: DiskSpace,
  sound: Sound,
): HealthChecks {
  return {
    database: async () => {
      await database.write(
        'server',
        async (db) => {
          const at = timestamp();
          await db
            .insertInto('probe')
            .values({ id: 1, at })
            .onConflict((conflict) => conflict.column('id').doUpdateSet({ at }))
            .execute();
        },
        { sync: 'normal' },
      );
      return undefined;
    },
    disk: async () => diskSpace.findProblem('posts'),
    sound: async () => sound.bucket?.problem,
    worker: async () => {
      const voices = await catalog.voices().catch(ignoreBusy);
      // The database is reported by itself.
      if (voices === undefined) return undefined;
      const voice = findFirstEnabled(voices) ?? voices[0];
      if (voice === undefined) return 'no voice installed';
      const hasLoadedVoice = workers.stats().voiceLoads > 0;
      const isReady = hasLoadedVoice
        ? workers.isResponsive(readyTimeoutMs)
        : Promise.race([
            workers.call('load', { voice: voice.files }).then(() => true),
            Bun.sleep(readyTimeoutMs).then(() => false),
          ]);
      return (await isReady) ? undefined : 'no speech worker responded';
    },
  };
}

/** While the database is unavailable, the others have nothing to test with. */
function ignoreBusy(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'busy') throw error;
}

/** Anybody can read it: no message that is not meant for callers. */
function describeFailure(error: unknown): string {
  if (error instanceof AppError) return error.message;
  const code = getCode(error);
  return code === '' ? 'the check failed' : `the check failed (${code})`;
}

async function runHealthChecks(checks: HealthChecks): Promise<Record<string, string[]>> {
  const problems = await Promise.all(
    Object.entries(checks).map(async ([name, check]): Promise<[string, string[]][]> => {
      const problem = await check().catch(describeFailure);
      return problem === undefined ? [] : [[name, [problem]]];
    }),
  );
  return Object.fromEntries(problems.flat());
}

const adminAccess = { tag: 'System', access: 'session', role: 'admin' } as const;

const systemSpec = endpointSpec({
  summary: 'Get system information',
  description: 'Requires the admin role.',
  ...adminAccess,
  responses: reply(
    200,
    'OK',
    'Version, storage, voices and workers',
    Type.Object({
      version: Type.String(),
      uptime_seconds: Type.Integer(),
      database_bytes: Type.Integer({ description: 'Including its write-ahead log' }),
      data_folder: Type.String(),
      disk_free_bytes: Type.Integer({ description: 'Of the disk that holds the data folder' }),
      disk_total_bytes: Type.Integer(),
      disk_reserve_bytes: Type.Integer({
        description: 'With less free space, posts and uploads get 503; events with less than twice as much',
      }),
      stored_audio: Type.Object(
        {
          verified_at: nullable(Type.String(), { description: 'End of the last pass; null: none yet' }),
          segments: Type.Integer({ description: 'Verified in the running pass, else in the last one' }),
          damaged: Type.Integer({ description: 'Those of them that could not be repaired' }),
        },
        { description: 'Comparison of all stored audio with its checksums, in the background' },
      ),
      voices: Type.Object({
        installed: Type.Integer(),
        not_usable: Type.Array(Type.Object({ file: Type.String(), problem: Type.String() }), {
          description: 'Files in the voices folder that are not usable as a voice',
        }),
      }),
      domain_requests: Type.Array(Type.Object({ site: Type.String({ description: 'Slug' }), count: Type.Integer() }), {
        description: 'Domains that editors have requested and an admin must approve, by site',
      }),
      workers: Type.Array(
        Type.Object({
          pid: Type.Integer(),
          memory_bytes: Type.Integer({ description: 'After its last task' }),
          tasks: Type.Integer(),
        }),
      ),
      sandbox: Type.Object(
        {
          mode: Type.String({ description: '`LECTERN_SANDBOX`' }),
          landlock: Type.Integer({ description: 'Version that the kernel offers; 0: none' }),
          seccomp: Type.Boolean({ description: 'Whether the kernel offers it' }),
        },
        { description: 'What restricts the processes that parse texts, feeds and voices' },
      ),
    }),
    {
      example: {
        version: '0.1.0',
        uptime_seconds: 86_400,
        database_bytes: 734_003_200,
        data_folder: '/var/lib/lectern',
        disk_free_bytes: 53_687_091_200,
        disk_total_bytes: 214_748_364_800,
        disk_reserve_bytes: 268_435_456,
        stored_audio: { verified_at: '2026-11-02T08:15:00.000Z', segments: 52_300, damaged: 0 },
        voices: { installed: 2, not_usable: [] },
        domain_requests: [{ site: 'harbor-news', count: 1 }],
        workers: [{ pid: 4711, memory_bytes: 310_378_496, tasks: 1_520 }],
        sandbox: { mode: 'auto', landlock: 6, seccomp: true },
      },
    },
  ),
});

export function systemRoutes({ endpoint, config, database, catalog, workers, diskSpace }: Services) {
  return new Elysia({ name: 'system' }).get(
    '/v1/system',
    ...endpoint(systemSpec, async () => ({
      version,
      uptime_seconds: Math.floor(process.uptime()),
      database_bytes: await database.measureSize(),
      ...measureStorage(config.data, diskSpace),
      stored_audio: toStoredAudio(await findScrubState(database.read)),
      voices: {
        installed: (await catalog.voices()).length,
        not_usable: catalog.broken().map(({ file, problem }) => ({ file: basename(file), problem })),
      },
      domain_requests: await countDomainClaims(database.read),
      workers: workers.state().map(({ pid, rssBytes, taskCount }) => ({
        ...{ pid, memory_bytes: rssBytes, tasks: taskCount },
      })),
      sandbox: { mode: config.sandbox, ...detectSandboxSupport() },
    })),
  );
}

function toStoredAudio({ finished_at, segment_count, damaged_count }: ScrubState) {
  return { verified_at: finished_at, segments: segment_count, damaged: damaged_count };
}

function measureStorage(dataFolder: string, diskSpace: DiskSpace) {
  const { freeBytes, totalBytes } = diskSpace.measure();
  return {
    data_folder: dataFolder,
    disk_free_bytes: freeBytes,
    disk_total_bytes: totalBytes,
    disk_reserve_bytes: diskSpace.getReserve('posts'),
  };
}

/** Of a machine; a server may have started many. */
const maxShownItems = 5;

const exampleMachine = {
  id: 3,
  name: 'speak-1:4711',
  role: 'speak',
  version: '0.1.0',
  workers: 4,
  generates: true,
  draining: false,
  started_at: '2026-11-21T08:00:00.000Z',
  seen_at: '2026-11-21T09:00:05.000Z',
  generating_count: 1,
  generating: [exampleQueueItem],
} as const;

const Machine = Type.Object(
  {
    id: Type.Integer({ description: '0 with SQLite, which has one machine' }),
    name: Type.String({ description: 'Host and process id' }),
    role: literalUnion(['serve', 'speak'], { description: 'The command that it runs' }),
    version: nullable(Type.String(), { description: 'Null, like `workers` and `generates`: an earlier Lectern' }),
    workers: nullable(Type.Integer()),
    generates: nullable(Type.Boolean(), { description: 'Whether it generates posts; `LECTERN_SYNTHESIS`' }),
    draining: Type.Boolean({ description: 'Whether it ends: it finishes its sentences and takes no others' }),
    started_at: Type.String({ description: 'Or when its connection to the database came back' }),
    seen_at: Type.String({ description: 'Last heartbeat, one a second, by the clock of the database' }),
    generating_count: Type.Integer({ description: 'Posts that it has started and not finished' }),
    generating: Type.Array(QueueItem, { maxItems: maxShownItems, description: 'The first of them' }),
  },
  { title: 'Machine', examples: [exampleMachine] },
);
type Machine = Static<typeof Machine>;
type MachineFacts = Omit<Machine, 'generating' | 'generating_count'>;

const machinesSpec = endpointSpec({
  summary: 'List machines',
  description:
    'Requires the admin role. The processes that work on the database, servers first. One that was silent for 10 s is not listed.',
  tag: 'System',
  access: 'session',
  role: 'admin',
  responses: reply(200, 'OK', 'The machines', Type.Object({ items: Type.Array(Machine) }), {
    example: { items: [exampleMachine] },
  }),
});

/** The processes of the installation. */
export function machineRoutes(services: Services) {
  const { endpoint, database, queue } = services;
  return new Elysia({ name: 'machines' }).get(
    '/v1/system/machines',
    ...endpoint(machinesSpec, async () => {
      const { cluster } = database;
      const facts = cluster === undefined ? [describeOnlyMachine(services)] : await listMachines(database.read);
      return { items: await addGenerating(database, queue, facts) };
    }),
  );
}

/** On SQLite this process is the one machine. */
function describeOnlyMachine({ config, isDraining }: Services): MachineFacts {
  return {
    id: 0,
    name: `${hostname()}:${process.pid}`,
    role: 'serve',
    ...{ version, workers: config.workers, generates: config.synthesis, draining: isDraining() },
    started_at: timestamp(currentTimeMs() - process.uptime() * 1000),
    seen_at: timestamp(),
  };
}

async function listMachines(db: Queries): Promise<MachineFacts[]> {
  const rows = await db.selectFrom('machine').selectAll().orderBy('role').orderBy('name').orderBy('id').execute();
  return rows.map(({ worker_count, generates, is_draining, ...row }) => ({
    ...row,
    workers: worker_count,
    generates: generates === null ? null : generates === 1,
    draining: is_draining === 1,
  }));
}

async function addGenerating(
  { read, cluster }: Pick<Database, 'read' | 'cluster'>,
  queue: AudioQueue,
  machines: readonly MachineFacts[],
): Promise<Machine[]> {
  const claims = await listGenerating(read);
  const idsOf = (machineId: number): number[] =>
    claims.filter(({ claimed_by }) => cluster === undefined || claimed_by === machineId).map(({ id }) => id);
  return Promise.all(
    machines.map(async (machine) => {
      const ids = idsOf(machine.id);
      const generating = await loadQueueItems(read, queue, ids.slice(0, maxShownItems));
      return { ...machine, generating_count: ids.length, generating };
    }),
  );
}
