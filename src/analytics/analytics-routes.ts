import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { SessionAccess } from '../auth/sessions.ts';
import type { Database } from '../database/open.ts';
import { csv } from '../http/csv.ts';
import { described, envelope } from '../http/endpoint.ts';
import { readQuery } from '../http/validation.ts';
import type { PlanFigures } from '../setting.ts';
import { SiteParams } from '../sites/schema.ts';
import type { KeyRequestCounts } from './aggregate.ts';
import { readAnalytics } from './analytics.ts';
import { Analytics, AnalyticsQuery } from './schema.ts';

export interface AnalyticsDeps {
  readonly database: Database;
  readonly bySession: Pick<SessionAccess, 'site'>;
  readonly keyRequests: KeyRequestCounts;
  readonly quotaEvents: PlanFigures;
}

const exampleSums = {
  loads: 310,
  plays: 120,
  completes: 66,
  completion: 0.55,
  listeners: 104,
  heard_seconds: 11_530,
};

const analyticsOperation = described({
  summary: 'What listeners of a site did',
  description:
    'Sums, days, groups and the retention curve between two days (UTC, both included; the last 30 by default, at most 366). The figures outlive the single events.',
  tag: 'Analytics',
  access: 'session',
  params: SiteParams,
  query: AnalyticsQuery,
  answers: {
    200: {
      description: 'The figures; with `format=csv` the groups, or the days, as a table',
      message: 'OK',
      data: Analytics,
      content: { type: 'text/csv', schema: Type.String() },
      example: {
        from: '2026-11-21',
        to: '2026-11-21',
        group_by: 'device',
        post_id: null,
        totals: exampleSums,
        events: { load: 310, play: 120, complete: 66 },
        series: [{ day: '2026-11-21', ...exampleSums }],
        groups: [{ value: 'phone', name: null, ...exampleSums }],
        retention: [{ percent: 0, times: 118, share: 0.983 }],
        requests: {
          total: 41,
          items: [
            {
              key_id: 1,
              key_name: 'production',
              route: 'POST /v1/audio/generate',
              status: 202,
              count: 41,
            },
          ],
        },
        quota: {
          month: '2026-11',
          public: { used: 812, limit: 10_000 },
          key: { used: 0, limit: 10_000 },
        },
      },
    },
  },
  errors: ['not_found'],
});

/** The figures of a site, for its dashboard. */
export function analyticsRoutes(deps: AnalyticsDeps) {
  const { database, bySession, keyRequests, quotaEvents } = deps;
  return new Elysia({ name: 'analytics' }).get(
    '/v1/sites/:site/analytics',
    async ({ request, params }) => {
      const { site } = await bySession.site(request, params.site, 'viewer');
      const query = readQuery(AnalyticsQuery, request);
      // So that those of the last seconds show; what can't be written now is written later.
      await keyRequests.save().catch(() => undefined);
      const found = await readAnalytics(database.read, site, query, quotaEvents, new Date());
      if (query.format !== 'csv') return Response.json(envelope('OK', found));
      const name = `analytics-${site.slug}-${found.from}-${found.to}.csv`;
      return new Response(csv(tableOf(found)), {
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="${name}"`,
        },
      });
    },
    analyticsOperation,
  );
}

function tableOf({ group_by, series, groups }: Analytics): (string | number | null)[][] {
  const sums = ['loads', 'plays', 'completes', 'completion', 'listeners', 'heard_seconds'] as const;
  if (group_by === 'day') {
    return [['day', ...sums], ...series.map((row) => [row.day, ...sums.map((name) => row[name])])];
  }
  return [
    [group_by, 'name', ...sums],
    ...groups.map((row) => [row.value, row.name, ...sums.map((name) => row[name])]),
  ];
}
