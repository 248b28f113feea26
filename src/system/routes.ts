import { statfsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { envelope } from '../http/envelope.ts';
import { described } from '../http/operation.ts';
import type { Workers } from '../speech/workers.ts';
import type { SessionAccess } from '../users/session-access.ts';
import { version } from '../version.ts';
import type { Catalog } from '../voices/catalog.ts';

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
