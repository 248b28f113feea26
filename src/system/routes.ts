import { statfsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import notices from '../../THIRD-PARTY-NOTICES.md' with { type: 'text' };
import type { SessionAccess } from '../auth/sessions.ts';
import { AppError } from '../errors.ts';
import { described, envelope } from '../http/endpoint.ts';
import { type Asset, assetAnswer } from '../http/static-assets.ts';
import type { Workers } from '../speech/worker-pool.ts';
import { version } from '../version.ts';
import type { Catalog } from '../voices/catalog.ts';

const licenses: Asset = { content: notices, type: 'text/plain; charset=utf-8' };

const licensesOperation = described({
  summary: 'What is inside, and under which licences',
  description: 'What `lectern licenses` prints.',
  tag: 'System',
  access: 'session',
  answers: {
    200: {
      description: 'Markdown',
      content: { type: 'text/plain', schema: Type.String() },
    },
    304: { description: 'Unchanged' },
  },
});

/** The licences of everything that is built in, for whoever is signed in. */
export function licenseRoutes({ bySession }: { readonly bySession: SessionAccess }) {
  return new Elysia({ name: 'licenses' }).get(
    '/v1/system/licenses',
    async ({ request }) => {
      await bySession.user(request);
      return assetAnswer(request, licenses);
    },
    licensesOperation,
  );
}

/** Whether the parts the main job needs work; each check gives a plain reason when one doesn't. */
export type HealthChecks = Record<string, () => Promise<string | undefined>>;

const healthOperation = described({
  summary: 'Whether the process answers',
  tag: 'Operation',
  access: 'none',
  answers: { 200: { description: 'It does', message: 'OK', data: Type.Object({}), example: {} } },
});
const readyOperation = described({
  summary: 'Whether posts can be spoken',
  tag: 'Operation',
  access: 'none',
  answers: {
    200: { description: 'They can', message: 'Ready', data: Type.Object({}), example: {} },
  },
  errors: ['not_ready'],
});

/** `/healthz`: the process answers. `/readyz`: the main job can be done. */
export function healthRoutes(checks: HealthChecks) {
  return new Elysia({ name: 'health' })
    .get('/healthz', () => envelope('OK', {}), healthOperation)
    .get(
      '/readyz',
      async () => {
        const problems = await findProblems(checks);
        if (Object.keys(problems).length === 0) return envelope('Ready', {});
        throw new AppError('not_ready', 'Not ready', problems);
      },
      readyOperation,
    );
}

async function findProblems(checks: HealthChecks): Promise<Record<string, string[]>> {
  const found = await Promise.all(
    Object.entries(checks).map(async ([name, check]): Promise<[string, string[]][]> => {
      const problem = await check().catch(() => 'the check failed');
      return problem === undefined ? [] : [[name, [problem]]];
    }),
  );
  return Object.fromEntries(found.flat());
}

export interface SystemDeps {
  readonly catalog: Catalog;
  readonly workers: Pick<Workers, 'count' | 'state'>;
  readonly bySession: SessionAccess;
  readonly dataFolder: string;
}

const systemOperation = described({
  summary: 'The installation',
  description: 'For admins.',
  tag: 'System',
  access: 'session',
  answers: {
    200: {
      description: 'What runs, and on how much room',
      message: 'OK',
      data: Type.Object({
        version: Type.String(),
        uptime_seconds: Type.Integer(),
        database_bytes: Type.Integer({ description: 'With its log' }),
        data_folder: Type.String(),
        disk_free_bytes: Type.Integer({ description: 'Where the data folder is' }),
        disk_total_bytes: Type.Integer(),
        voices: Type.Object({
          installed: Type.Integer(),
          not_usable: Type.Array(Type.Object({ file: Type.String(), problem: Type.String() }), {
            description: 'Files in the folder that are no voices',
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
  },
  errors: ['not_allowed'],
});

/** What admins see of the whole installation. */
export function systemRoutes(deps: SystemDeps) {
  const { catalog, workers, bySession, dataFolder } = deps;
  return new Elysia({ name: 'system' }).get(
    '/v1/system',
    async ({ request }) => {
      await bySession.admin(request);
      const { bavail, blocks, bsize } = statfsSync(dataFolder);
      const files = ['lectern.db', 'lectern.db-wal'].map((name) => join(dataFolder, name));
      const sizes = files.map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
      return envelope('OK', {
        version,
        uptime_seconds: Math.floor(process.uptime()),
        database_bytes: sizes.reduce((sum, size) => sum + size, 0),
        data_folder: dataFolder,
        disk_free_bytes: bavail * bsize,
        disk_total_bytes: blocks * bsize,
        voices: {
          installed: (await catalog.voices()).length,
          not_usable: catalog
            .broken()
            .map(({ file, problem }) => ({ file: basename(file), problem })),
        },
        workers: workers.state().map(({ pid, rssBytes, taskCount }) => ({
          ...{ pid, memory_bytes: rssBytes, tasks: taskCount },
        })),
      });
    },
    systemOperation,
  );
}
