import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Database } from '../database/open.ts';
import type { AuditEntry } from '../database/schema.ts';
import { described, envelope } from '../http/endpoint.ts';
import { pageFrom, pageOf, startOfPage } from '../http/pagination.ts';
import { checkDay, queryValue, readQuery } from '../http/validation.ts';
import { listAudit } from './audit-log.ts';
import { AuditQuery, AuditRecord } from './schema.ts';
import type { SessionAccess } from './sessions.ts';

export interface AuditDeps {
  readonly database: Database;
  readonly bySession: SessionAccess;
}

const auditOperation = described({
  summary: 'Who changed what',
  description:
    'Newest first. Admins see everything; editors, with `site`, what was changed in it. Holds no secret.',
  tag: 'Users',
  access: 'session',
  query: AuditQuery,
  answers: {
    200: {
      description: 'Entries of the audit log',
      message: 'OK',
      data: pageOf(AuditRecord),
      example: {
        items: [
          {
            id: 7,
            at: '2026-11-02T08:15:00.000Z',
            user_id: 1,
            actor: 'admin@example.org',
            action: 'user.changed',
            site_id: null,
            subject: 'editor@example.org',
            before: { disabled: false },
            after: { disabled: true },
          },
        ],
        next_cursor: null,
      },
    },
  },
  errors: ['not_allowed', 'not_found'],
});

/** The audit log, to read; nobody can change it. */
export function auditRoutes({ database, bySession }: AuditDeps) {
  return new Elysia({ name: 'audit', prefix: '/v1/audit' }).get(
    '',
    async ({ request }) => {
      const asked = queryValue(request, 'site');
      const siteId =
        asked === undefined
          ? await bySession.admin(request).then(() => undefined)
          : (await bySession.site(request, asked, 'editor')).site.id;
      const query = readQuery(AuditQuery, request);
      const { limit, after } = startOfPage(query, Type.Integer());
      const { actor, action, from, to } = query;
      if (from !== undefined) checkDay('from', from);
      if (to !== undefined) checkDay('to', to);
      const entries = await listAudit(database.read, {
        ...{ siteId, actor, action, from, to },
        ...{ before: after, limit: limit + 1 },
      });
      return envelope(
        'OK',
        pageFrom(entries, limit, ({ id }) => id, auditRecord),
      );
    },
    auditOperation,
  );
}

function auditRecord({ before, after, ...entry }: AuditEntry): AuditRecord {
  return { ...entry, before: parsed(before), after: parsed(after) };
}

function parsed(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}
