import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { insertAuditEntry } from '../auth/audit-log.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { requestContext } from '../http/request-context.ts';
import { nullable } from '../http/validation.ts';
import type { Services } from '../services.ts';
import { BackupRecord } from './manager.ts';

const BackupParams = Type.Object({ name: Type.String({ description: 'Name of the backup file' }) });

const example = {
  name: 'lectern-2026-11-21T09-00-00-000Z.tar',
  state: 'ready',
  created_at: '2026-11-21T09:00:00.000Z',
  byte_count: 734_003_200,
  error: null,
};

const adminAccess = { tag: 'System', access: 'session', role: 'admin' } as const;

const createSpec = endpointSpec({
  summary: 'Create a backup',
  description:
    'Requires the admin role. Runs the equivalent of `lectern backup` in a separate process and stores the file in the `backups` folder of the data folder. One backup at a time. 409 if one is running or disk space is too low.',
  ...adminAccess,
  responses: reply(202, 'Backup started', 'Started; the list shows its state', BackupRecord, {
    example: { ...example, state: 'running', byte_count: null },
  }),
  errors: ['conflict'],
});

const listSpec = endpointSpec({
  summary: 'List backups',
  description: 'Requires the admin role. Newest first, including the running backup and the last failed one.',
  ...adminAccess,
  responses: reply(
    200,
    'OK',
    'The backups',
    Type.Object({
      items: Type.Array(BackupRecord),
      kept_most: Type.Integer({
        description: 'Number of backups to keep; the oldest is deleted when a new one is ready',
      }),
      interval_hours: Type.Integer({ description: 'Between two scheduled backups; 0: none is scheduled' }),
      last_success_at: nullable(Type.String(), { description: 'Start time of the newest ready backup' }),
      next_at: nullable(Type.String(), { description: 'Start time of the next scheduled backup' }),
      unavailable: nullable(Type.String(), { description: 'Why backups cannot be created, such as with PostgreSQL' }),
    }),
    {
      example: {
        ...{ items: [example], kept_most: 5, interval_hours: 24 },
        ...{ last_success_at: example.created_at, next_at: '2026-11-22T09:00:00.000Z', unavailable: null },
      },
    },
  ),
});

const downloadSpec = endpointSpec({
  summary: 'Download a backup',
  description:
    'Requires the admin role. Contains all data: texts, MP3s, users, hashes of passwords and API keys, and webhook signing secrets. Restore it with `lectern restore`.',
  ...adminAccess,
  params: BackupParams,
  responses: {
    200: {
      description: 'The tar file',
      content: { type: 'application/x-tar', schema: Type.String({ format: 'binary' }) },
    },
  },
});

const deleteSpec = endpointSpec({
  summary: 'Delete a backup',
  description: 'Requires the admin role. A running backup cannot be deleted. For a minute, the deletion can be undone.',
  ...adminAccess,
  params: BackupParams,
  responses: reply(200, 'Backup deleted', 'Deleted', BackupParams, { example: { name: example.name } }),
  errors: ['conflict'],
});

const restoreSpec = endpointSpec({
  summary: 'Undo the deletion of a backup',
  description: 'Requires the admin role. Within a minute. A failed backup cannot be restored.',
  ...adminAccess,
  params: BackupParams,
  responses: reply(200, 'Backup restored', 'The backup', BackupRecord, { example }),
});

export function backupRoutes({ endpoint, database, backups }: Services) {
  const audit = (userId: number, action: string, subject: string) =>
    database.write('server', (db) => insertAuditEntry(db, { userId, action, subject }));
  return new Elysia({ name: 'backups', prefix: '/v1/system/backups' })
    .post(
      '',
      ...endpoint(createSpec, async ({ user }) => {
        const backup = backups.start();
        await audit(user.id, 'backup.begun', backup.name);
        return backup;
      }),
    )
    .get(
      '',
      ...endpoint(listSpec, async () => ({
        ...{ items: backups.list(), kept_most: backups.limit, interval_hours: backups.intervalHours },
        ...{ last_success_at: backups.lastSuccessAt ?? null, next_at: backups.nextAt ?? null },
        unavailable: backups.unavailable ?? null,
      })),
    )
    .get(
      '/:name',
      ...endpoint(downloadSpec, async ({ request, user, params: { name } }) => {
        const file = Bun.file(backups.getPath(name));
        const headers = {
          'content-type': 'application/x-tar',
          'content-disposition': `attachment; filename="${name}"`,
          'x-content-type-options': 'nosniff',
        };
        // For HEAD, Elysia reads a body to its end to set the length.
        requestContext(request).responseHeaders['content-length'] = String(file.size);
        if (request.method === 'HEAD') return new Response(null, { headers });
        await audit(user.id, 'backup.downloaded', name);
        return new Response(file, { headers });
      }),
    )
    .delete(
      '/:name',
      ...endpoint(deleteSpec, async ({ user, params: { name } }) => {
        await backups.delete(name);
        await audit(user.id, 'backup.deleted', name);
        return { name };
      }),
    )
    .post(
      '/:name/restore',
      ...endpoint(restoreSpec, async ({ user, params: { name } }) => {
        const backup = await backups.restore(name);
        await audit(user.id, 'backup.restored', name);
        return backup;
      }),
    );
}
