import type { Queries } from '../database/open.ts';
import type { Site } from '../database/tables.ts';
import { AppError } from '../errors.ts';
import { checkDay } from '../http/day.ts';
import type { PlanFigures } from '../setting.ts';
import {
  type Dimension,
  keyRequests,
  postTitles,
  type Range,
  type SumRow,
  sumsByDay,
  sumsByFigure,
  sumsByValue,
  voiceNames,
} from './analytics-store.ts';
import { partCount } from './figures.ts';
import { type Analytics, type AnalyticsQuery, eventTypes, type Sums } from './schema.ts';
import { quotaUses } from './store.ts';

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
