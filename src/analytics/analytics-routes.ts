import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { RequireSession } from '../auth/sessions.ts';
import type { Database } from '../database/open.ts';
import { toCsv } from '../http/csv.ts';
import { endpointSpec, envelope, toEndpointHook } from '../http/endpoint.ts';
import { parseQuery } from '../http/validation.ts';
import type { PlanLimits } from '../setting.ts';
import { SiteParams } from '../sites/schema.ts';
import type { KeyRequestCounter } from './aggregate.ts';
import { getAnalytics } from './analytics.ts';
import { Analytics, AnalyticsQuery } from './schema.ts';

export interface AnalyticsDeps {
  readonly database: Database;
  readonly requireSession: Pick<RequireSession, 'site'>;
  readonly keyRequestCounter: KeyRequestCounter;
  readonly quotaEvents: PlanLimits;
}

const exampleSums = {
  loads: 310,
  plays: 120,
  completes: 66,
  completion: 0.55,
  listeners: 104,
  heard_seconds: 11_530,
};

const analyticsOperation = endpointSpec({
  summary: 'Get analytics',
  description:
    'Totals, daily series, groups and the retention curve for a range of days (UTC, inclusive; default: the last 30 days, at most 366). Daily metrics are kept after the events are purged.',
  tag: 'Analytics',
  access: 'session',
  params: SiteParams,
  query: AnalyticsQuery,
  responses: {
    200: {
      description: 'The metrics; with `format=csv` the groups, or the days, as CSV',
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
  const { database, requireSession, keyRequestCounter: keyRequests, quotaEvents } = deps;
  return new Elysia({ name: 'analytics' }).get(
    '/v1/sites/:site/analytics',
    async ({ request, params }) => {
      const { site } = await requireSession.site(request, params.site, 'viewer');
      const query = parseQuery(AnalyticsQuery, request);
      // So that those of the last seconds show; what can't be written now is written later.
      await keyRequests.flush().catch(() => undefined);
      const found = await getAnalytics(database.read, site, query, quotaEvents, new Date());
      if (query.format !== 'csv') return Response.json(envelope('OK', found));
      const name = `analytics-${site.slug}-${found.from}-${found.to}.csv`;
      return new Response(toCsv(toTable(found)), {
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="${name}"`,
        },
      });
    },
    toEndpointHook(analyticsOperation),
  );
}

function toTable({ group_by, series, groups }: Analytics): (string | number | null)[][] {
  const sums = ['loads', 'plays', 'completes', 'completion', 'listeners', 'heard_seconds'] as const;
  if (group_by === 'day') {
    return [['day', ...sums], ...series.map((row) => [row.day, ...sums.map((name) => row[name])])];
  }
  return [[group_by, 'name', ...sums], ...groups.map((row) => [row.value, row.name, ...sums.map((name) => row[name])])];
}
