import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Database } from '../database/open.ts';
import type { AuditEntry } from '../database/schema.ts';
import { endpointSpec, envelope, toEndpointHook } from '../http/endpoint.ts';
import { decodeCursor, pageSchema, paginate } from '../http/pagination.ts';
import { getQueryParam, parseQuery, validateDay } from '../http/validation.ts';
import { listAuditEntries } from './audit-log.ts';
import { AuditQuery, AuditRecord } from './schema.ts';
import type { RequireSession } from './sessions.ts';

export interface AuditDeps {
  readonly database: Database;
  readonly requireSession: RequireSession;
}

const auditOperation = endpointSpec({
  summary: 'List audit log entries',
  description:
    'Newest first. Admins see all entries; editors see those of a site with `site`. Entries contain no secrets.',
  tag: 'Users',
  access: 'session',
  query: AuditQuery,
  responses: {
    200: {
      description: 'A page of audit log entries',
      message: 'OK',
      data: pageSchema(AuditRecord),
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
export function auditRoutes({ database, requireSession }: AuditDeps) {
  return new Elysia({ name: 'audit', prefix: '/v1/audit' }).get(
    '',
    async ({ request }) => {
      const asked = getQueryParam(request, 'site');
      const siteId =
        asked === undefined
          ? await requireSession.admin(request).then(() => undefined)
          : (await requireSession.site(request, asked, 'editor')).site.id;
      const query = parseQuery(AuditQuery, request);
      const { limit, after } = decodeCursor(query, Type.Integer());
      const { actor, action, from, to } = query;
      if (from !== undefined) validateDay('from', from);
      if (to !== undefined) validateDay('to', to);
      const entries = await listAuditEntries(database.read, {
        ...{ siteId, actor, action, from, to },
        ...{ before: after, limit: limit + 1 },
      });
      return envelope(
        'OK',
        paginate(entries, limit, ({ id }) => id, toAuditRecord),
      );
    },
    toEndpointHook(auditOperation),
  );
}

function toAuditRecord({ before, after, ...entry }: AuditEntry): AuditRecord {
  return { ...entry, before: parseNullableJson(before), after: parseNullableJson(after) };
}

function parseNullableJson(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}
