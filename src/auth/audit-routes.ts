import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { AuditEntry } from '../database/schema.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { decodeCursor, pageSchema, paginate } from '../http/pagination.ts';
import { validateDay } from '../http/validation.ts';
import type { Services } from '../services.ts';
import { listAuditEntries } from './audit-log.ts';
import { AuditQuery, AuditRecord } from './schema.ts';

const auditSpec = endpointSpec({
  summary: 'List audit log entries',
  description:
    'Newest first. Admins see all entries; editors see those of a site with `site`. Entries contain no secrets.',
  tag: 'Users',
  access: 'session',
  role: 'admin',
  siteQueryRole: 'editor',
  query: AuditQuery,
  responses: reply(200, 'OK', 'A page of audit log entries', pageSchema(AuditRecord), {
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
  }),
  errors: ['not_found'],
});

/** The audit log, read-only. */
export function auditRoutes({ endpoint, database }: Services) {
  return new Elysia({ name: 'audit', prefix: '/v1/audit' }).get(
    '',
    ...endpoint(auditSpec, async ({ site, query }) => {
      const { limit, after } = decodeCursor(query, Type.Integer());
      const { actor, action, from, to } = query;
      if (from !== undefined) validateDay('from', from);
      if (to !== undefined) validateDay('to', to);
      const entries = await listAuditEntries(database.read, {
        ...{ siteId: site?.id, actor, action, from, to },
        ...{ before: after, limit: limit + 1 },
      });
      return paginate(entries, limit, ({ id }) => id, toAuditRecord);
    }),
  );
}

function toAuditRecord({ before, after, ...entry }: AuditEntry): AuditRecord {
  return { ...entry, before: parseNullableJson(before), after: parseNullableJson(after) };
}

function parseNullableJson(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}
