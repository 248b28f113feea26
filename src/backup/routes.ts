import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { audit } from '../auth/audit-log.ts';
import type { SessionAccess } from '../auth/sessions.ts';
import type { Database } from '../database/open.ts';
import { described, envelope } from '../http/endpoint.ts';
import { oneOf } from '../http/validation.ts';
import type { KeptBackup, KeptBackups } from './kept.ts';

export interface BackupDeps {
  readonly database: Database;
  readonly bySession: SessionAccess;
  readonly backups: KeptBackups;
}

const BackupRecord = Type.Object(
  {
    name: Type.String(),
    state: oneOf(['running', 'ready', 'failed']),
    created_at: Type.String({ description: 'When it was begun' }),
    byte_count: Type.Union([Type.Integer(), Type.Null()], { description: 'Once it is ready' }),
    error: Type.Union([Type.String(), Type.Null()], { description: 'Why it failed' }),
  },
  { title: 'Backup' },
);

const BackupParams = Type.Object({ name: Type.String({ description: 'As the list has it' }) });

const example = {
  name: 'lectern-2026-11-21T09-00-00-000Z.tar',
  state: 'ready',
  created_at: '2026-11-21T09:00:00.000Z',
  byte_count: 734_003_200,
  error: null,
};

const beginOperation = described({
  summary: 'Back up now',
  description:
    'For admins. Makes what `lectern backup` makes, in `backups` in the data folder, by a process of its own while the server goes on; one at a time. 409 too where the disk has no room for it.',
  tag: 'System',
  access: 'session',
  answers: {
    202: {
      description: 'Begun; the list tells how it goes',
      message: 'Backup begun',
      data: BackupRecord,
      example: { ...example, state: 'running', byte_count: null },
    },
  },
  errors: ['not_allowed', 'conflict'],
});

const listOperation = described({
  summary: 'Backups made by the server',
  description:
    'For admins. Newest first; with the one that is being made, or the last that failed.',
  tag: 'System',
  access: 'session',
  answers: {
    200: {
      description: 'The backups there are',
      message: 'OK',
      data: Type.Object({
        items: Type.Array(BackupRecord),
        kept_most: Type.Integer({
          description: 'So many stay; the oldest goes when another is ready',
        }),
      }),
      example: { items: [example], kept_most: 5 },
    },
  },
  errors: ['not_allowed'],
});

const downloadOperation = described({
  summary: 'Download a backup',
  description:
    'For admins. It holds everything: texts, MP3s, users, hashes of passwords and keys, signing secrets of webhooks. `lectern restore` makes a data folder out of it.',
  tag: 'System',
  access: 'session',
  params: BackupParams,
  answers: {
    200: {
      description: 'The tar file',
      content: { type: 'application/x-tar', schema: Type.String({ format: 'binary' }) },
    },
  },
  errors: ['not_allowed', 'not_found'],
});

const deleteOperation = described({
  summary: 'Delete a backup',
  description: 'For admins. Not the one that is being made.',
  tag: 'System',
  access: 'session',
  params: BackupParams,
  answers: {
    200: {
      description: 'Deleted',
      message: 'Backup deleted',
      data: BackupParams,
      example: { name: example.name },
    },
  },
  errors: ['not_allowed', 'not_found', 'conflict'],
});

/** Backups that admins have the server make. */
export function backupRoutes({ database, bySession, backups }: BackupDeps) {
  return new Elysia({ name: 'backups', prefix: '/v1/system/backups' })
    .post(
      '',
      async ({ request }) => {
        const { user } = await bySession.admin(request);
        const backup = backups.begin();
        await database.write((db) =>
          audit(db, { userId: user.id, action: 'backup.begun', subject: backup.name }),
        );
        return Response.json(envelope('Backup begun', backupRecord(backup)), { status: 202 });
      },
      beginOperation,
    )
    .get(
      '',
      async ({ request }) => {
        await bySession.admin(request);
        const items = backups.list().map(backupRecord);
        return envelope('OK', { items, kept_most: backups.most });
      },
      listOperation,
    )
    .get(
      '/:name',
      async ({ request, params: { name } }) => {
        const { user } = await bySession.admin(request);
        const file = Bun.file(backups.fileOf(name));
        await database.write((db) =>
          audit(db, { userId: user.id, action: 'backup.downloaded', subject: name }),
        );
        return new Response(file, {
          headers: {
            'content-type': 'application/x-tar',
            'content-length': String(file.size),
            'content-disposition': `attachment; filename="${name}"`,
            'x-content-type-options': 'nosniff',
          },
        });
      },
      downloadOperation,
    )
    .delete(
      '/:name',
      async ({ request, params: { name } }) => {
        const { user } = await bySession.admin(request);
        backups.remove(name);
        await database.write((db) =>
          audit(db, { userId: user.id, action: 'backup.deleted', subject: name }),
        );
        return envelope('Backup deleted', { name });
      },
      deleteOperation,
    );
}

function backupRecord(backup: KeptBackup): Static<typeof BackupRecord> {
  const { name, state, createdAt, byteCount, error } = backup;
  return { name, state, created_at: createdAt, byte_count: byteCount, error };
}
