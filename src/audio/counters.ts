import { sql } from 'kysely';
import type { Database, Queries } from '../database/database.ts';
import { type PlaceholderFor, prepareQuery } from '../database/query-cache.ts';
import type { AudioStatus } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { SchedulingPriority } from './fair-scheduler.ts';
import { isTransientError } from './pending-segments.ts';

/**
 * Names in `site_counter`. Triggers update these counters in the transaction of the change, so reading one takes the same time
 * however many posts a site has.
 */
type CounterName = `queued.${SchedulingPriority}` | 'waiting.characters' | `posts.${string}` | `state.${CountedState}`;

/** Posts of a site: all, those in each state of their audio, private ones and deleted ones. A deleted one is in no other count. */
const countedStates = ['all', 'ready', 'generating', 'failed', 'private', 'deleted'] as const;
type CountedState = (typeof countedStates)[number];

const queuedPostNames: readonly CounterName[] = ['queued.high', 'queued.normal', 'queued.low'];
export const queueCounterNames: readonly CounterName[] = [...queuedPostNames, 'queued.further'];
/** Literals, as SQLite does not use partial indexes for parameters. */
const zero = sql.lit(0);

/**
 * Call it before a post is queued, in its transaction.
 * @returns the unfinished posts of all sites and of one; extra voices do not count as posts
 * @throws AppError `site_inactive`: the site was deleted during the request
 */
export async function countQueuedPosts(db: Queries, siteId: number): Promise<{ all: number; ofSite: number }> {
  const [count] = await queryQueuedPosts(db, { siteId });
  if (count?.deletedAt != null) throw new AppError('site_inactive');
  return { all: count?.all ?? 0, ofSite: count?.ofSite ?? 0 };
}

/** Reads one row of the index for each priority of a site with queued posts. */
const queryQueuedPosts = prepareQuery((db, value: PlaceholderFor<{ siteId: number }>) =>
  db
    .selectFrom('site_counter')
    .select((row) => [
      row.fn.sum<number | null>('amount').as('all'),
      row.fn.sum<number | null>('amount').filterWhere('site_id', '=', value('siteId')).as('ofSite'),
      row.selectFrom('site').select('deleted_at').where('id', '=', value('siteId')).as('deletedAt'),
    ])
    .where('name', 'in', queuedPostNames)
    .where('amount', '>', zero),
);

/** @param month like `2026-11` @returns the posts of each site that count against the quota of a month, if there are any */
export function countQuotaPosts(db: Queries, siteIds: readonly number[], month: string) {
  return readCounter(db, siteIds, quotaCounterName(month));
}

export function quotaCounterName(month: string): CounterName {
  return `posts.${month}`;
}

/** @returns the posts of each site that has any, without deleted ones */
export function countPosts(db: Queries, siteIds: readonly number[]) {
  return readCounter(db, siteIds, 'state.all');
}

async function readCounter(
  db: Queries,
  siteIds: readonly number[],
  name: CounterName,
): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom('site_counter')
    .select(['site_id', 'amount'])
    .where('site_id', 'in', siteIds)
    .where('name', '=', name)
    .execute();
  return new Map(rows.map(({ site_id, amount }) => [site_id, amount]));
}

export async function countPostStates(db: Queries, siteId: number): Promise<Record<CountedState, number>> {
  const names = countedStates.map((state) => `state.${state}`);
  const rows = await db
    .selectFrom('site_counter')
    .select(['name', 'amount'])
    .where('site_id', '=', siteId)
    .where('name', 'in', names)
    .execute();
  const amounts = new Map(rows.map(({ name, amount }) => [name, amount]));
  const counts = countedStates.map((state) => [state, amounts.get(`state.${state}`) ?? 0]);
  return Object.fromEntries(counts) as Record<CountedState, number>;
}

/** Number of unfinished audios of one state and priority. */
export interface QueueDepth {
  readonly status: 'pending' | 'generating';
  readonly priority: SchedulingPriority;
  readonly count: number;
}

/** @returns no depth of 0 */
export async function listQueueDepths(db: Queries): Promise<QueueDepth[]> {
  const queued = await db
    .selectFrom('site_counter')
    .select((row) => ['name', row.fn.sum<number>('amount').as('count')])
    .where('name', 'in', queueCounterNames)
    .where('amount', '>', zero)
    .groupBy('name')
    .execute();
  // Few: those with a sentence in a worker.
  const started = await db
    .selectFrom('audio')
    .select((row) => ['is_main', 'priority', row.fn.countAll<number>().as('count')])
    .where('status', '=', sql.lit<AudioStatus>('generating'))
    .groupBy(['is_main', 'priority'])
    .execute();
  return queued.flatMap(({ name, count: all }): QueueDepth[] => {
    const priority = name.slice('queued.'.length) as SchedulingPriority;
    const ofPriority = started.filter(({ is_main, priority: own }) => (is_main === 1 ? own : 'further') === priority);
    const generating = ofPriority.reduce((sum, { count }) => sum + count, 0);
    return [
      { status: 'generating' as const, priority, count: generating },
      // The two reads may be of different moments.
      { status: 'pending' as const, priority, count: Math.max(0, all - generating) },
    ].filter(({ count }) => count > 0);
  });
}

/** @returns the characters of all pending audio, with markup */
export async function countWaitingCharacters(db: Queries): Promise<number> {
  const { amount } = await db
    .selectFrom('site_counter')
    .select((row) => row.fn.sum<number | null>('amount').as('amount'))
    .where('name', '=', 'waiting.characters' satisfies CounterName)
    .where('amount', '>', zero)
    .executeTakeFirstOrThrow();
  return amount ?? 0;
}

/** @returns the audios that were started and not finished, with the machine that has each; null: the one on SQLite */
export function listGenerating(db: Queries) {
  return db
    .selectFrom('audio')
    .select(['id', 'claimed_by'])
    .where('status', '=', sql.lit<AudioStatus>('generating'))
    .orderBy('id')
    .execute();
}

interface Counter {
  readonly siteId: number;
  readonly name: CounterName;
  readonly amount: number;
}

/** Of pending audio whose texts are measured at each start: more would take minutes. */
const maxMeasuredTexts = 20_000;

/**
 * One statement, so that it sees one moment beside a server that writes.
 * @param measuresTexts whether it also reads all pending texts for `waiting.characters`
 * @returns the counters that differ from the rows they count, with the right amount
 */
export async function listWrongCounters(db: Queries, measuresTexts = true): Promise<Counter[]> {
  const characters = measuresTexts
    ? sql`select site_id, 'waiting.characters', sum(length(content)), 0
        from audio join post on post.id = audio.post_id where status = 'pending' group by site_id`
    : sql`select site_id, name, amount, 0 from site_counter where name = 'waiting.characters'`;
  const { rows } = await sql<Counter>`
    select "siteId", name, sum(counted) as amount from (
      select queue_site_id as "siteId",
        'queued.' || case when is_main = 1 then priority else 'further' end as name,
        count(*) as counted, 0 as stored
      from audio where status = 'pending' group by 1, 2
      union all select site_id, 'queued.' || case when is_main = 1 then priority else 'further' end, count(*), 0
        from audio join post on post.id = audio.post_id where status = 'generating' group by 1, 2
      union all ${characters}
      union all select site_id, 'posts.' || month, count(*), 0 from post_quota group by site_id, month
      union all select site_id, 'state.all', count(*), 0 from post group by site_id
      union all select site_id, 'state.' || audio_state, count(*), 0
        from post where audio_state <> 'none' group by site_id, audio_state
      union all select site_id, 'state.private', count(*), 0 from post where visibility = 'private' group by site_id
      union all select site_id, 'state.deleted', count(*), 0 from deleted_post group by site_id
      union all select site_id, name, 0, amount from site_counter
    ) amounts group by "siteId", name having sum(counted) <> sum(stored)
    order by 1, 2
  `.execute(db);
  return rows;
}

/** Sets wrong counters right. The server calls it when it starts. */
export async function correctCounters(database: Database, log: Log): Promise<void> {
  const pending = (await listQueueDepths(database.read)).filter(({ status }) => status === 'pending');
  const measuresTexts = pending.reduce((sum, { count }) => sum + count, 0) <= maxMeasuredTexts;
  const deviations = await listWrongCounters(database.read, measuresTexts);
  if (deviations.length === 0) return;
  const correct = async (db: Queries): Promise<void> => {
    for (const { siteId: site_id, name, amount } of await listWrongCounters(db, measuresTexts)) {
      await db
        .insertInto('site_counter')
        .values({ site_id, name, amount })
        .onConflict((conflict) => conflict.columns(['site_id', 'name']).doUpdateSet({ amount }))
        .execute();
    }
  };
  try {
    await database.write('server', correct);
    log.warn({ counters: deviations }, 'counters corrected');
  } catch (error) {
    // Wrong counters must not stop a server with much to serve.
    if (!isTransientError(error)) throw error;
    log.warn({ err: error, counters: deviations }, 'correcting counters failed');
  }
}
