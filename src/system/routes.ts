import { basename } from 'node:path';
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import notices from '../../THIRD-PARTY-NOTICES.md' with { type: 'text' };
import type { Sound } from '../audio/media/sound.ts';
import { prioritizeAudio } from '../audio/priority.ts';
import { setQueuePaused } from '../audio/queue-store.ts';
import { findScrubState, type ScrubState } from '../audio/scrub.ts';
import { insertAuditEntry } from '../auth/audit-log.ts';
import { detectSandboxSupport } from '../build/sandbox/sandbox.ts';
import { timestamp } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { Priority } from '../database/schema.ts';
import type { DiskSpace } from '../disk-space.ts';
import { AppError } from '../errors.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { decodeCursor, paginate } from '../http/pagination.ts';
import { type Asset, assetResponse } from '../http/static-assets.ts';
import { nullable, parseId } from '../http/validation.ts';
import type { Services } from '../services.ts';
import { countDomainClaims } from '../sites/store.ts';
import type { WorkerPool } from '../speech/worker-pool.ts';
import { version } from '../version.ts';
import { type Catalog, findFirstEnabled } from '../voices/catalog.ts';
import { getQueueState, listQueuePositions, loadQueueItems } from './queue-store.ts';
import {
  exampleQueueItem,
  exampleQueueState,
  PauseBody,
  QueueItem,
  QueueItemBody,
  QueueItemParams,
  QueueItemsQuery,
  QueuePage,
  QueueState,
} from './schema.ts';

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
  tag: 'Operation',
  access: 'none',
  responses: reply(200, 'OK', 'The process is alive', Type.Object({}), { example: {} }),
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

/** `/healthz`: the process answers. `/readyz`: audio can be generated. */
export function healthRoutes({ endpoint }: Services, checks: HealthChecks) {
  // Requests at the same time share a run, so that a flood of them does not write to the database for each.
  let running: Promise<Record<string, string[]>> | undefined;
  const findProblems = (): Promise<Record<string, string[]>> => {
    running ??= runHealthChecks(checks).finally(() => {
      running = undefined;
    });
    return running;
  };
  return new Elysia({ name: 'health' }).get('/healthz', ...endpoint(healthSpec, async () => ({}))).get(
    '/readyz',
    ...endpoint(readySpec, async () => {
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
      const voices = await catalog.voices();
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

async function runHealthChecks(checks: HealthChecks): Promise<Record<string, string[]>> {
  const problems = await Promise.all(
    Object.entries(checks).map(async ([name, check]): Promise<[string, string[]][]> => {
      const problem = await check().catch(() => 'the check failed');
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

const maxBodyBytes = 1_000;

const stateSpec = endpointSpec({
  summary: 'Get the queue state',
  description: 'Requires the admin role. Counts unfinished audio of all sites, including extra voices.',
  ...adminAccess,
  responses: reply(200, 'OK', 'The queue state', QueueState),
});

const pauseSpec = endpointSpec({
  summary: 'Pause or resume the queue',
  description:
    'Requires the admin role. While paused, no new sentence is synthesized; running sentences are finished. Posts are still accepted; previews and `POST /v1/audio/speech` still work. The pause survives restarts.',
  ...adminAccess,
  body: PauseBody,
  bodyExample: { paused: true },
  maxBodyBytes,
  responses: reply(200, 'Queue updated', 'The updated queue state', QueueState, {
    example: {
      ...exampleQueueState,
      paused: { since: '2026-11-21T09:01:15.000Z', by: 'admin@example.org' },
    },
  }),
});

const itemsSpec = endpointSpec({
  summary: 'List queued audio',
  description:
    'Requires the admin role, or with `site` a role on that site. Running audio first, then pending audio by priority and time. The processing order differs: sites share the workers equally, and short texts go before long ones.',
  ...adminAccess,
  siteQueryRole: 'viewer',
  query: QueueItemsQuery,
  responses: reply(200, 'OK', 'A page of unfinished audio', QueuePage),
  errors: ['not_found'],
});

const itemSpec = endpointSpec({
  summary: 'Change the priority of an audio',
  description:
    'Requires the admin role; editors use `PATCH /v1/sites/{site}/posts/{post_id}`. Applies from the next sentence.',
  ...adminAccess,
  params: QueueItemParams,
  body: QueueItemBody,
  bodyExample: { priority: 'high' },
  maxBodyBytes,
  responses: reply(200, 'Priority updated', 'The updated audio', QueueItem, {
    example: { ...exampleQueueItem, priority: 'high' },
  }),
  errors: ['conflict'],
});

/** Unfinished audio, and the order in which it is generated. */
export function queueRoutes(services: Services) {
  const { endpoint, database, queue, workers } = services;
  return new Elysia({ name: 'queue', prefix: '/v1/queue' })
    .get('', ...endpoint(stateSpec, () => getQueueState(database.read, workers.count)))
    .patch(
      '',
      ...endpoint(pauseSpec, async ({ user, body }) => {
        await database.write('server', async (db) => {
          await setQueuePaused(db, user.id, body.paused);
          queue.notifyPauseChanged(db);
        });
        return getQueueState(database.read, workers.count);
      }),
    )
    .get(
      '/items',
      ...endpoint(itemsSpec, async ({ site, query }) => {
        const { limit, after } = decodeCursor(query, QueueCursor);
        const [rank = 0, waiting_since = '', id = 0] = after ?? [];
        const position = after && { rank, waiting_since, id };
        const positions = await listQueuePositions(database.read, site?.id, position, limit + 1);
        const { items, next_cursor } = paginate(positions, limit, (last) => [last.rank, last.waiting_since, last.id]);
        const audioIds = items.map(({ id }) => id);
        return { items: await loadQueueItems(database.read, queue, audioIds), next_cursor };
      }),
    )
    .patch(
      '/items/:audio_id',
      ...endpoint(itemSpec, async ({ user, params, body }) => {
        const audioId = parseId(params.audio_id, notQueuedError);
        await changePriority(services, user.id, audioId, body.priority);
        const [item] = await loadQueueItems(database.read, queue, [audioId]);
        if (item === undefined) throw notQueuedError(params.audio_id);
        return item;
      }),
    );
}

const QueueCursor = Type.Tuple([Type.Integer(), Type.String(), Type.Integer()]);

/** @throws AppError `not_found`, `conflict` */
async function changePriority(
  { database, queue }: Pick<Services, 'database' | 'queue'>,
  userId: number,
  audioId: number,
  priority: Priority,
): Promise<void> {
  await database.write('server', async (db) => {
    const change = await prioritizeAudio(db, queue, audioId, priority);
    if (change === undefined) return;
    const { site_id: siteId, external_id: subject, language } = change;
    const before = { language, priority: change.previousPriority };
    const after = { language, priority: change.priority };
    await insertAuditEntry(db, { userId, action: 'post.prioritized', siteId, subject, before, after });
  });
}

function notQueuedError(audioId: string): AppError {
  return new AppError('not_found', `Audio ${audioId} is not queued`);
}
