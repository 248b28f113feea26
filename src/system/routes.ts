import { statfsSync } from 'node:fs';
import { basename } from 'node:path';
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import notices from '../../THIRD-PARTY-NOTICES.md' with { type: 'text' };
import { AppError } from '../errors.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { type Asset, assetResponse } from '../http/static-assets.ts';
import { getDatabaseSize } from '../metrics/metrics.ts';
import type { Services } from '../services.ts';
import { version } from '../version.ts';

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

/** Whether the parts the main job needs work; each check gives a plain reason when one doesn't. */
export type HealthChecks = Record<string, () => Promise<string | undefined>>;

const healthSpec = endpointSpec({
  summary: 'Liveness check',
  tag: 'Operation',
  access: 'none',
  responses: {
    200: { description: 'The process is alive', message: 'OK', data: Type.Object({}), example: {} },
  },
});
const readySpec = endpointSpec({
  summary: 'Readiness check',
  tag: 'Operation',
  access: 'none',
  responses: reply(200, 'Ready', 'Database, workers and voices are ready', Type.Object({}), { example: {} }),
  errors: ['not_ready'],
});

/** `/healthz`: the process answers. `/readyz`: audio can be generated. */
export function healthRoutes({ endpoint }: Services, checks: HealthChecks) {
  return new Elysia({ name: 'health' }).get('/healthz', ...endpoint(healthSpec, async () => ({}))).get(
    '/readyz',
    ...endpoint(readySpec, async () => {
      const problems = await runHealthChecks(checks);
      if (Object.keys(problems).length > 0) throw new AppError('not_ready', 'Not ready', problems);
      return {};
    }),
  );
}

async function runHealthChecks(checks: HealthChecks): Promise<Record<string, string[]>> {
  const found = await Promise.all(
    Object.entries(checks).map(async ([name, check]): Promise<[string, string[]][]> => {
      const problem = await check().catch(() => 'the check failed');
      return problem === undefined ? [] : [[name, [problem]]];
    }),
  );
  return Object.fromEntries(found.flat());
}

const systemSpec = endpointSpec({
  summary: 'Get system information',
  description: 'Requires the admin role.',
  tag: 'System',
  access: 'session',
  role: 'admin',
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
      voices: Type.Object({
        installed: Type.Integer(),
        not_usable: Type.Array(Type.Object({ file: Type.String(), problem: Type.String() }), {
          description: 'Files in the voices folder that are not usable as a voice',
        }),
      }),
      workers: Type.Array(
        Type.Object({
          pid: Type.Integer(),
          memory_bytes: Type.Integer({ description: 'After its last task' }),
          tasks: Type.Integer(),
        }),
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
        voices: { installed: 2, not_usable: [] },
        workers: [{ pid: 4711, memory_bytes: 310_378_496, tasks: 1_520 }],
      },
    },
  ),
  errors: ['not_allowed'],
});

/** What admins see of the whole installation. */
export function systemRoutes({ endpoint, config, catalog, workers }: Services) {
  return new Elysia({ name: 'system' }).get(
    '/v1/system',
    ...endpoint(systemSpec, async () => ({
      version,
      uptime_seconds: Math.floor(process.uptime()),
      ...measureStorage(config.data),
      voices: {
        installed: (await catalog.voices()).length,
        not_usable: catalog.broken().map(({ file, problem }) => ({ file: basename(file), problem })),
      },
      workers: workers.state().map(({ pid, rssBytes, taskCount }) => ({
        ...{ pid, memory_bytes: rssBytes, tasks: taskCount },
      })),
    })),
  );
}

function measureStorage(dataFolder: string) {
  const { bavail, blocks, bsize } = statfsSync(dataFolder);
  return {
    database_bytes: getDatabaseSize(dataFolder),
    data_folder: dataFolder,
    disk_free_bytes: bavail * bsize,
    disk_total_bytes: blocks * bsize,
  };
}
