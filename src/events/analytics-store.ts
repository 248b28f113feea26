import { type Expression, sql } from 'kysely';
import type { Queries } from '../database/open.ts';

/** What is asked of the daily figures. */
export interface Range {
  readonly siteId: number;
  /** First and last day, both included. */
  readonly from: string;
  readonly to: string;
  /** Of one post; empty for the whole site. */
  readonly post: string;
}

/** Sums over some days. */
export interface SumRow {
  readonly loads: number;
  readonly plays: number;
  readonly completes: number;
  readonly listeners: number;
  readonly heardS: number;
}

export type Dimension = 'post' | 'language' | 'voice' | 'device' | 'source';

/** @returns days on which something happened, in order */
export function sumsByDay(db: Queries, range: Range): Promise<(SumRow & { day: string })[]> {
  return figuresIn(db, range, 'all')
    .select('day')
    .select(sumColumns)
    .groupBy('day')
    .orderBy('day')
    .execute();
}

/** @returns the values of a dimension, most plays first; an empty value is an unknown one */
export function sumsByValue(
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
export async function sumsByFigure(
  db: Queries,
  range: Range,
): Promise<ReadonlyMap<string, number>> {
  const rows = await figuresIn(db, range, 'all')
    .select(['figure', (is) => is.fn.sum<number>('amount').as('amount')])
    .groupBy('figure')
    .execute();
  return new Map(rows.map(({ figure, amount }) => [figure, amount]));
}

/** @returns titles of posts by `post_id` */
export async function postTitles(
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

export async function voiceNames(db: Queries): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom('voice').select(['id', 'name']).execute();
  return new Map(rows.map(({ id, name }) => [String(id), name]));
}

/** @returns requests made with each key, most first */
export function keyRequests(db: Queries, { siteId, from, to }: Range) {
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
