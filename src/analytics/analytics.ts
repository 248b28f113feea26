import { type Expression, sql } from 'kysely';
import type { Queries } from '../database/open.ts';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { checkDay } from '../http/validation.ts';
import type { PlanFigures } from '../setting.ts';
import { partCount } from './aggregate.ts';
import { type Analytics, type AnalyticsQuery, eventTypes, type Sums } from './schema.ts';
import { quotaUses } from './store.ts';

/** What is asked of the daily figures. */
interface Range {
  readonly siteId: number;
  /** First and last day, both included. */
  readonly from: string;
  readonly to: string;
  /** Of one post; empty for the whole site. */
  readonly post: string;
}

/** Sums over some days. */
interface SumRow {
  readonly loads: number;
  readonly plays: number;
  readonly completes: number;
  readonly listeners: number;
  readonly heardS: number;
}

type Dimension = 'post' | 'language' | 'voice' | 'device' | 'source';

/** @returns days on which something happened, in order */
function sumsByDay(db: Queries, range: Range): Promise<(SumRow & { day: string })[]> {
  return figuresIn(db, range, 'all')
    .select('day')
    .select(sumColumns)
    .groupBy('day')
    .orderBy('day')
    .execute();
}

/** @returns the values of a dimension, most plays first; an empty value is an unknown one */
function sumsByValue(
  db: Queries,
  range: Range,
  dimension: Dimension,
  most: number,
): Promise<(SumRow & { value: string })[]> {
  // The posts are figures of the site, each post being one of its values.
  const isOnePost = dimension === 'post' && range.post !== '';
  return figuresIn(db, isOnePost ? { ...range, post: '' } : range, dimension)
    .$if(isOnePost, (query) => query.where('value', '=', range.post))
    .select('value')
    .select(sumColumns)
    .groupBy('value')
    .orderBy('plays', 'desc')
    .orderBy('heardS', 'desc')
    .orderBy('value')
    .limit(most)
    .execute();
}

/** @returns of each figure its sum */
async function sumsByFigure(db: Queries, range: Range): Promise<ReadonlyMap<string, number>> {
  const rows = await figuresIn(db, range, 'all')
    .select(['figure', (is) => is.fn.sum<number>('amount').as('amount')])
    .groupBy('figure')
    .execute();
  return new Map(rows.map(({ figure, amount }) => [figure, amount]));
}

/** @returns titles of posts by `post_id` */
async function postTitles(
  db: Queries,
  siteId: number,
  posts: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('post')
    .innerJoin('audio', 'audio.post_id', 'post.id')
    .select(['post.external_id as post', 'audio.title'])
    .where('post.site_id', '=', siteId)
    .where('post.external_id', 'in', listed(posts))
    .where('audio.is_main', '=', 1)
    .orderBy('audio.id', 'desc')
    .execute();
  return new Map(rows.flatMap(({ post, title }) => (title === null ? [] : [[post, title]])));
}

async function voiceNames(db: Queries): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom('voice').select(['id', 'name']).execute();
  return new Map(rows.map(({ id, name }) => [String(id), name]));
}

/** @returns requests made with each key, most first */
function keyRequests(db: Queries, { siteId, from, to }: Range) {
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
    .groupBy(['key_request_day.key_id', 'key_request_day.route', 'key_request_day.status'])
    .orderBy('count', 'desc')
    .execute();
}

function figuresIn(db: Queries, { siteId, post, from, to }: Range, dimension: Dimension | 'all') {
  return db
    .selectFrom('event_day')
    .where('site_id', '=', siteId)
    .where('post', '=', post)
    .where('dimension', '=', dimension)
    .where('day', '>=', from)
    .where('day', '<=', to);
}

function sumColumns() {
  const sumOf = (figure: string) =>
    sql<number>`coalesce(sum(amount) filter (where figure = ${figure}), 0)`;
  return [
    sumOf('load').as('loads'),
    sumOf('play').as('plays'),
    sumOf('complete').as('completes'),
    sumOf('listeners').as('listeners'),
    sumOf('heard_s').as('heardS'),
  ] as const;
}

/** One value however many there are: a statement for each number of them would fill the cache. */
function listed(values: readonly string[]): Expression<string> {
  return sql<string>`(select value from json_each(${JSON.stringify(values)}))`;
}

const dayMs = 86_400_000;
const rangeDaysMax = 366;
const rangeDaysDefault = 30;
const groupsDefault = 100;
const nobody: SumRow = { loads: 0, plays: 0, completes: 0, listeners: 0, heardS: 0 };

/**
 * Everything that is asked comes out of the figures of days, which outlive the events.
 * @param eventsPerMonth by plan
 * @throws AppError `validation_failed` for days that don't exist, are in the wrong order or too far apart
 */
export async function readAnalytics(
  db: Queries,
  site: Pick<Site, 'id' | 'plan'>,
  query: AnalyticsQuery,
  eventsPerMonth: PlanFigures,
  now: Date,
): Promise<Analytics> {
  const { from, to } = readRange(query, now);
  const range = { siteId: site.id, from, to, post: query.post_id ?? '' };
  const groupBy = query.group_by ?? 'day';
  const days = await sumsByDay(db, range);
  const figures = await sumsByFigure(db, range);
  const totals = total(days);
  return {
    from,
    to,
    group_by: groupBy,
    post_id: query.post_id ?? null,
    totals: sumsOf(totals),
    events: Object.fromEntries(eventTypes.map((type) => [type, figures.get(type) ?? 0])),
    series: everyDay(from, to, days),
    groups: groupBy === 'day' ? [] : await groupsOf(db, range, groupBy, query.limit),
    retention: retentionOf(figures, totals.plays),
    requests: await requestsOf(db, range),
    quota: await quotaOf(db, site, eventsPerMonth, now),
  };
}

function readRange(query: AnalyticsQuery, now: Date): { from: string; to: string } {
  const to = query.to ?? dayOf(now.getTime());
  checkDay('to', to);
  const from = query.from ?? dayOf(Date.parse(to) - (rangeDaysDefault - 1) * dayMs);
  checkDay('from', from);
  if (from > to) throw wrong('from', 'must not be after to');
  if (Date.parse(to) - Date.parse(from) >= rangeDaysMax * dayMs) {
    throw wrong('from', `must be at most ${rangeDaysMax - 1} days before to`);
  }
  return { from, to };
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function wrong(field: string, problem: string): AppError {
  return new AppError('validation_failed', 'Validation failed', { [field]: [problem] });
}

function total(rows: readonly SumRow[]): SumRow {
  return rows.reduce(
    (sum, row) => ({
      loads: sum.loads + row.loads,
      plays: sum.plays + row.plays,
      completes: sum.completes + row.completes,
      listeners: sum.listeners + row.listeners,
      heardS: sum.heardS + row.heardS,
    }),
    nobody,
  );
}

function sumsOf({ loads, plays, completes, listeners, heardS }: SumRow): Sums {
  return {
    loads,
    plays,
    completes,
    completion: perPlay(completes, plays),
    listeners,
    heard_seconds: Math.round(heardS),
  };
}

function perPlay(count: number, plays: number): number | null {
  return plays === 0 ? null : Math.round((count / plays) * 1_000) / 1_000;
}

/** A chart wants the empty days too. */
function everyDay(from: string, to: string, days: readonly (SumRow & { day: string })[]) {
  const byDay = new Map(days.map((row) => [row.day, row]));
  const count = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  return Array.from({ length: count }, (_, index) => {
    const day = dayOf(Date.parse(from) + index * dayMs);
    return { day, ...sumsOf(byDay.get(day) ?? nobody) };
  });
}

async function groupsOf(
  db: Queries,
  range: Range,
  dimension: Dimension,
  most = groupsDefault,
): Promise<Analytics['groups']> {
  const rows = await sumsByValue(db, range, dimension, most);
  const names = await namesOf(db, range.siteId, dimension, rows);
  return rows.map(({ value, ...sums }) => ({
    value: value === '' ? null : value,
    name: names.get(value) ?? null,
    ...sumsOf(sums),
  }));
}

async function namesOf(
  db: Queries,
  siteId: number,
  dimension: Dimension,
  rows: readonly { value: string }[],
): Promise<ReadonlyMap<string, string>> {
  if (dimension === 'voice') return voiceNames(db);
  if (dimension !== 'post') return new Map();
  return postTitles(
    db,
    siteId,
    rows.map(({ value }) => value),
  );
}

function retentionOf(figures: ReadonlyMap<string, number>, plays: number) {
  return Array.from({ length: partCount }, (_, part) => {
    const times = figures.get(`part.${String(part).padStart(2, '0')}`) ?? 0;
    return {
      percent: (part * 100) / partCount,
      times: Math.round(times * 1_000) / 1_000,
      share: perPlay(times, plays),
    };
  });
}

async function requestsOf(db: Queries, range: Range): Promise<Analytics['requests']> {
  const items = await keyRequests(db, range);
  return { total: items.reduce((sum, { count }) => sum + count, 0), items };
}

async function quotaOf(
  db: Queries,
  { id, plan }: Pick<Site, 'id' | 'plan'>,
  eventsPerMonth: PlanFigures,
  now: Date,
): Promise<Analytics['quota']> {
  const month = now.toISOString().slice(0, 7);
  const asked = [[id, 'public'] as const, [id, 'key'] as const];
  const uses = await quotaUses(db, asked, month);
  const most = eventsPerMonth[plan];
  const useOf = (source: 'public' | 'key') => ({
    used: uses.find((use) => use.source === source)?.used ?? 0,
    limit: Number.isFinite(most) ? most : null,
  });
  return { month, public: useOf('public'), key: useOf('key') };
}
