import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { type Expression, sql } from 'kysely';
import { addDays, currentTimeMs, dayAt, dayMs } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import { rowsOf } from '../database/dialect.ts';
import type { Site } from '../database/schema.ts';
import { invalid } from '../errors.ts';
import { toCsv } from '../http/csv.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { validateDay } from '../http/validation.ts';
import type { Services } from '../services.ts';
import type { PlanLimits } from '../setting.ts';
import { SiteParams } from '../sites/schema.ts';
import { retentionPartCount } from './aggregate.ts';
import { Analytics, AnalyticsQuery, eventTypes, type Sums } from './schema.ts';
import { listQuotaUsage } from './store.ts';

interface AnalyticsRange {
  readonly siteId: number;
  /** First and last day, both included. */
  readonly from: string;
  readonly to: string;
  /** Of one post; empty for the whole site. */
  readonly post: string;
}

/** The metrics of a response with their names in the database. */
const metricNames = {
  loads: 'load',
  plays: 'play',
  completes: 'complete',
  listeners: 'listeners',
  heard_seconds: 'heard_s',
} as const;
type MetricSums = Readonly<Record<keyof typeof metricNames, number>>;
const sumNames = Object.keys(metricNames) as (keyof MetricSums)[];

type Dimension = 'post' | 'section' | 'language' | 'voice' | 'device' | 'source';

/** @returns days with events, in order */
function listSumsByDay(db: Queries, range: AnalyticsRange): Promise<(MetricSums & { day: string })[]> {
  return selectMetrics(db, range, 'all').select('day').select(selectSums).groupBy('day').orderBy('day').execute();
}

/** @returns the values of a dimension, most plays first; an empty value is an unknown one */
function listSumsByValue(
  db: Queries,
  range: AnalyticsRange,
  dimension: Dimension,
  maxGroups: number,
): Promise<(MetricSums & { value: string })[]> {
  // Metrics by post are metrics of the site.
  const isOnePost = dimension === 'post' && range.post !== '';
  return selectMetrics(db, isOnePost ? { ...range, post: '' } : range, dimension)
    .$if(isOnePost, (query) => query.where('value', '=', range.post))
    .select('value')
    .select(selectSums)
    .groupBy('value')
    .orderBy('plays', 'desc')
    .orderBy('heard_seconds', 'desc')
    .orderBy('value')
    .limit(maxGroups)
    .execute();
}

async function sumByMetric(db: Queries, range: AnalyticsRange): Promise<ReadonlyMap<string, number>> {
  const rows = await selectMetrics(db, range, 'all')
    .select(['metric', (is) => is.fn.sum<number>('amount').as('amount')])
    .groupBy('metric')
    .execute();
  return new Map(rows.map(({ metric, amount }) => [metric, amount]));
}

/** The name of a group, with its language if it is a title. */
interface GroupName {
  readonly name: string;
  readonly language?: string;
}

type GroupNames = ReadonlyMap<string, GroupName>;

async function findPostTitles(db: Queries, siteId: number, posts: readonly string[]): Promise<GroupNames> {
  const rows = await db
    .selectFrom('post')
    .innerJoin('audio', 'audio.post_id', 'post.id')
    .select(['post.external_id as post', 'audio.title', 'audio.language'])
    .where('post.site_id', '=', siteId)
    .where('post.external_id', 'in', selectTexts(db, posts))
    .where('audio.is_main', '=', 1)
    .orderBy('audio.id', 'desc')
    .execute();
  return new Map(
    rows.flatMap(({ post, title, language }) => (title === null ? [] : [[post, { name: title, language }]])),
  );
}

async function findVoiceNames(db: Queries): Promise<GroupNames> {
  const rows = await db.selectFrom('voice').select(['id', 'name']).execute();
  return new Map(rows.map(({ id, name }) => [String(id), { name }]));
}

/** @returns requests made with each key, most first */
function listKeyRequests(db: Queries, { siteId, from, to }: AnalyticsRange) {
  return db
    .selectFrom('key_request_day')
    .leftJoin('api_key', 'api_key.id', 'key_request_day.key_id')
    .select([
      'key_request_day.key_id',
      'api_key.name as key_name',
      'key_request_day.route',
      'key_request_day.status',
      (is) => is.fn.sum<number>('key_request_day.count').as('count'),
    ])
    .where('key_request_day.site_id', '=', siteId)
    .where('key_request_day.day', '>=', from)
    .where('key_request_day.day', '<=', to)
    .groupBy(['key_request_day.key_id', 'key_name', 'key_request_day.route', 'key_request_day.status'])
    .orderBy('count', 'desc')
    .execute();
}

function selectMetrics(db: Queries, { siteId, post, from, to }: AnalyticsRange, dimension: Dimension | 'all') {
  return db
    .selectFrom('event_day')
    .where('site_id', '=', siteId)
    .where('post', '=', post)
    .where('dimension', '=', dimension)
    .where('day', '>=', from)
    .where('day', '<=', to);
}

function selectSums() {
  const sumOf = (metric: string) => sql<number>`coalesce(sum(amount) filter (where metric = ${metric}), 0)`;
  return sumNames.map((name) => sumOf(metricNames[name]).as(name));
}

function selectTexts(db: Queries, texts: readonly string[]): Expression<string> {
  const rows = texts.map((text) => [text]);
  return sql<string>`(select text from ${rowsOf(db, rows, { text: 'text' })} as given)`;
}

const maxRangeDays = 366;
const defaultRangeDays = 30;
const defaultGroupLimit = 100;

/**
 * Reads only daily metrics, which are kept after the events are purged.
 * @param eventsPerMonth by plan
 * @throws AppError `validation_failed` for an invalid range of days, or sections of a post
 */
async function getAnalytics(
  db: Queries,
  site: Pick<Site, 'id' | 'plan' | 'time_zone'>,
  query: AnalyticsQuery,
  eventsPerMonth: PlanLimits,
  now: Date,
): Promise<Analytics> {
  const { from, to } = parseRange(query, dayAt(now.getTime(), site.time_zone));
  const range = { siteId: site.id, from, to, post: query.post_id ?? '' };
  const groupBy = query.group_by ?? 'day';
  if (groupBy === 'section' && query.post_id !== undefined) {
    throw invalid('group_by', 'must not be section with post_id: a post has one section');
  }
  const days = await listSumsByDay(db, range);
  const metrics = await sumByMetric(db, range);
  const totals = addRows(days);
  return {
    from,
    to,
    time_zone: site.time_zone,
    group_by: groupBy,
    post_id: query.post_id ?? null,
    totals: toSums(totals),
    events: Object.fromEntries(eventTypes.map((type) => [type, metrics.get(type) ?? 0])),
    series: fillMissingDays(from, to, days),
    groups: groupBy === 'day' ? [] : await listGroups(db, range, groupBy, query.limit),
    retention: computeRetention(metrics, totals.plays),
    requests: await getRequests(db, range),
    quota: await getQuota(db, site, eventsPerMonth, now),
  };
}

/** @returns a row for each of the last days, today included; today's is unfinished */
export async function listListening(
  db: Queries,
  { id: siteId, time_zone }: Pick<Site, 'id' | 'time_zone'>,
  dayCount: number,
): Promise<Analytics['series']> {
  const to = dayAt(currentTimeMs(), time_zone);
  const from = addDays(to, 1 - dayCount);
  return fillMissingDays(from, to, await listSumsByDay(db, { siteId, from, to, post: '' }));
}

/** @returns the posts with most plays today */
export function listTopPostsToday(
  db: Queries,
  { id: siteId, time_zone }: Pick<Site, 'id' | 'time_zone'>,
  limit: number,
): Promise<Analytics['groups']> {
  const today = dayAt(currentTimeMs(), time_zone);
  return listGroups(db, { siteId, from: today, to: today, post: '' }, 'post', limit);
}

/** @returns the last day on which a player was loaded; undefined: none was */
export async function findLastLoadDay(db: Queries, siteId: number): Promise<string | undefined> {
  const row = await selectMetrics(db, { siteId, from: '', to: '9999', post: '' }, 'all')
    .select('day')
    .where('metric', '=', 'load')
    .orderBy('day', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.day;
}

function parseRange(query: AnalyticsQuery, today: string): { from: string; to: string } {
  const to = query.to ?? today;
  validateDay('to', to);
  const from = query.from ?? addDays(to, 1 - defaultRangeDays);
  validateDay('from', from);
  if (from > to) throw invalid('from', 'must not be after to');
  if (Date.parse(to) - Date.parse(from) >= maxRangeDays * dayMs) {
    throw invalid('from', `must be at most ${maxRangeDays - 1} days before to`);
  }
  return { from, to };
}

function addRows(rows: readonly MetricSums[]): MetricSums {
  const sums = sumNames.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0)]);
  return Object.fromEntries(sums) as MetricSums;
}

function toSums({ loads, plays, completes, listeners, heard_seconds }: MetricSums): Sums {
  const completion = perPlay(completes, plays);
  return { loads, plays, completes, completion, listeners, heard_seconds: Math.round(heard_seconds) };
}

function perPlay(count: number, plays: number): number | null {
  return plays === 0 ? null : Math.round((count / plays) * 1_000) / 1_000;
}

function fillMissingDays(from: string, to: string, days: readonly (MetricSums & { day: string })[]) {
  const byDay = new Map(days.map((row) => [row.day, row]));
  const count = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  return Array.from({ length: count }, (_, index) => {
    const day = addDays(from, index);
    return { day, ...toSums(byDay.get(day) ?? addRows([])) };
  });
}

async function listGroups(
  db: Queries,
  range: AnalyticsRange,
  dimension: Dimension,
  maxGroups = defaultGroupLimit,
): Promise<Analytics['groups']> {
  const rows = await listSumsByValue(db, range, dimension, maxGroups);
  const names = await findGroupNames(db, range.siteId, dimension, rows);
  return rows.map(({ value, ...sums }) => ({
    value: value === '' ? null : value,
    name: names.get(value)?.name ?? null,
    name_language: names.get(value)?.language ?? null,
    ...toSums(sums),
  }));
}

async function findGroupNames(
  db: Queries,
  siteId: number,
  dimension: Dimension,
  rows: readonly { value: string }[],
): Promise<GroupNames> {
  if (dimension === 'voice') return findVoiceNames(db);
  if (dimension === 'section') {
    return new Map(rows.flatMap(({ value }) => (value === '' ? [] : [[value, { name: decodeSection(value) }]])));
  }
  if (dimension !== 'post') return new Map();
  return findPostTitles(
    db,
    siteId,
    rows.map(({ value }) => value),
  );
}

/** A section of the maximum length may end within a percent-encoded character. */
function decodeSection(section: string): string {
  try {
    return decodeURIComponent(section);
  } catch {
    return section;
  }
}

function computeRetention(metrics: ReadonlyMap<string, number>, plays: number) {
  return Array.from({ length: retentionPartCount }, (_, part) => {
    const times = metrics.get(`part.${String(part).padStart(2, '0')}`) ?? 0;
    return {
      percent: (part * 100) / retentionPartCount,
      times: Math.round(times * 1_000) / 1_000,
      share: perPlay(times, plays),
    };
  });
}

async function getRequests(db: Queries, range: AnalyticsRange): Promise<Analytics['requests']> {
  const items = await listKeyRequests(db, range);
  return { total: items.reduce((sum, { count }) => sum + count, 0), items };
}

async function getQuota(
  db: Queries,
  { id, plan }: Pick<Site, 'id' | 'plan'>,
  eventsPerMonth: PlanLimits,
  now: Date,
): Promise<Analytics['quota']> {
  const month = now.toISOString().slice(0, 7);
  const senders = [[id, 'public'] as const, [id, 'key'] as const];
  const uses = await listQuotaUsage(db, senders, month);
  const limit = eventsPerMonth[plan];
  const useOf = (source: 'public' | 'key') => ({
    used: uses.find((use) => use.source === source)?.used ?? 0,
    limit: Number.isFinite(limit) ? limit : null,
  });
  return { month, public: useOf('public'), key: useOf('key') };
}

const analyticsSpec = endpointSpec({
  summary: 'Get analytics',
  description:
    'Totals, daily series, groups and the retention curve for a range of days in the time zone of the site (inclusive; default: the last 30 days, at most 366). An event counts on the day that it had there when it came in. Daily metrics are kept after the events are purged.',
  tag: 'Analytics',
  access: 'session',
  role: 'viewer',
  params: SiteParams,
  query: AnalyticsQuery,
  responses: reply(200, 'OK', 'The metrics; with `format=csv` the groups, or the days, as CSV', Analytics, {
    content: { type: 'text/csv', schema: Type.String() },
  }),
});

export function analyticsRoutes({ endpoint, database, keyRequestCounter, config }: Services) {
  return new Elysia({ name: 'analytics' }).get(
    '/v1/sites/:site/analytics',
    ...endpoint(analyticsSpec, async ({ site, query }) => {
      // Includes the requests of the last seconds; counts that cannot be written now are written later.
      await keyRequestCounter.flush().catch(() => undefined);
      const analytics = await getAnalytics(database.read, site, query, config.quotaEvents, new Date(currentTimeMs()));
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
