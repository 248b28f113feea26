import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { toCsv } from '../http/csv.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import type { Services } from '../services.ts';
import { SiteParams } from '../sites/schema.ts';
import { getAnalytics } from './analytics.ts';
import { Analytics, AnalyticsQuery } from './schema.ts';

const exampleSums = {
  loads: 310,
  plays: 120,
  completes: 66,
  completion: 0.55,
  listeners: 104,
  heard_seconds: 11_530,
};

const analyticsSpec = endpointSpec({
  summary: 'Get analytics',
  description:
    'Totals, daily series, groups and the retention curve for a range of days (UTC, inclusive; default: the last 30 days, at most 366). Daily metrics are kept after the events are purged.',
  tag: 'Analytics',
  access: 'session',
  role: 'viewer',
  params: SiteParams,
  query: AnalyticsQuery,
  responses: reply(200, 'OK', 'The metrics; with `format=csv` the groups, or the days, as CSV', Analytics, {
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
    content: { type: 'text/csv', schema: Type.String() },
  }),
});

/** The metrics of a site, for its dashboard. */
export function analyticsRoutes({ endpoint, database, keyRequestCounter, config }: Services) {
  return new Elysia({ name: 'analytics' }).get(
    '/v1/sites/:site/analytics',
    ...endpoint(analyticsSpec, async ({ site, query }) => {
      // Includes the requests of the last seconds; counts that cannot be written now are written later.
      await keyRequestCounter.flush().catch(() => undefined);
      const analytics = await getAnalytics(database.read, site, query, config.quotaEvents, new Date());
      if (query.format !== 'csv') return analytics;
      const name = `analytics-${site.slug}-${analytics.from}-${analytics.to}.csv`;
      return new Response(toCsv(toTable(analytics)), {
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="${name}"`,
        },
      });
    }),
  );
}

function toTable({ group_by, series, groups }: Analytics): (string | number | null)[][] {
  const sums = ['loads', 'plays', 'completes', 'completion', 'listeners', 'heard_seconds'] as const;
  if (group_by === 'day') {
    return [['day', ...sums], ...series.map((row) => [row.day, ...sums.map((name) => row[name])])];
  }
  return [[group_by, 'name', ...sums], ...groups.map((row) => [row.value, row.name, ...sums.map((name) => row[name])])];
}
