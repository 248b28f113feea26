import { type ExpressionBuilder, sql } from 'kysely';
import { insertAuditEntry, resolveActor } from '../auth/audit-log.ts';
import { timestamp } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import { type PlaceholderFor, prepareQuery } from '../database/query-cache.ts';
import type { AudioStatus, Tables } from '../database/schema.ts';
import { queueCounterNames } from './counters.ts';
import type { SchedulingPriority } from './fair-scheduler.ts';
import { unfinishedStatuses } from './store.ts';

/** Statements with more parameters take longer to build. */
const readBatchSize = 1_000;

export type QueuedAudio = NonNullable<Awaited<ReturnType<typeof findQueuedAudio>>>;

/** The pending audios of a site in one priority. */
export interface Lane {
  readonly siteId: number;
  readonly priority: SchedulingPriority;
}

/** Highest first. */
export const schedulingPriorities: readonly SchedulingPriority[] = ['high', 'normal', 'low', 'further'];
/** As the index has it, like the conditions below: it finds the next audio of a lane, however many wait. */
export const lanePriority = sql<SchedulingPriority>`case when is_main = 1 then priority else 'further' end`;
const isPending = sql.lit<AudioStatus>('pending');

/** @returns the audios of a lane that are next */
export function listWaitingAudios(db: Queries, { siteId, priority }: Lane, limit: number): Promise<QueuedAudio[]> {
  return queryWaitingAudios(db, { siteId, priority, limit });
}

const queryWaitingAudios = prepareQuery((db, value: PlaceholderFor<Lane & { limit: number }>) =>
  selectQueuedAudios(db)
    .where('queue_site_id', '=', value('siteId'))
    .where(lanePriority, '=', value('priority'))
    .where('status', '=', isPending)
    .orderBy('virtual_time')
    .orderBy('audio.id')
    .limit(value('limit')),
);

/** @returns the first pending audios of a site, those of a higher priority first */
export async function listWaitingIds(db: Queries, siteId: number, limit: number): Promise<number[]> {
  const ids: number[] = [];
  for (const priority of schedulingPriorities) {
    const audios = await listWaitingAudios(db, { siteId, priority }, limit - ids.length);
    ids.push(...audios.map(({ id }) => id));
  }
  return ids;
}

/** @returns the id of the audio that is next in each lane */
export async function listNextIds(db: Queries): Promise<(Lane & { readonly id: number })[]> {
  const priority = sql<SchedulingPriority>`substr(name, ${sql.lit('queued.'.length + 1)})`;
  const rows = await db
    .selectFrom('site_counter')
    .select((row) => [
      'site_id as siteId',
      priority.as('priority'),
      row
        .selectFrom('audio')
        .select('id')
        .whereRef('queue_site_id', '=', 'site_id')
        .where(lanePriority, '=', priority)
        .where('status', '=', isPending)
        .orderBy('virtual_time')
        .orderBy('id')
        .limit(sql.lit(1))
        .as('id'),
    ])
    .where('name', 'in', queueCounterNames)
    .where('amount', '>', sql.lit(0))
    .execute();
  return rows.flatMap(({ id, ...lane }) => (id === null ? [] : [{ ...lane, id }]));
}

/** @returns the audios that are next in each lane, with the length of their text as cost */
export async function listNextAudios(db: Queries): Promise<(QueuedAudio & { readonly cost: number })[]> {
  const ids = (await listNextIds(db)).map(({ id }) => id);
  const audios: (QueuedAudio & { readonly cost: number })[] = [];
  for (let start = 0; start < ids.length; start += readBatchSize) {
    const rows = await selectQueuedAudios(db)
      .select((row) => row.fn<number>('length', ['audio.content']).as('cost'))
      .where('audio.id', 'in', ids.slice(start, start + readBatchSize))
      .execute();
    audios.push(...rows);
  }
  return audios;
}

/** @returns ISO time since when the oldest pending audio waits; undefined when none waits */
export async function findOldestPending(db: Queries): Promise<string | undefined> {
  const times = schedulingPriorities.map(async (priority) => {
    const row = await db
      .selectFrom('audio')
      .select('updated_at')
      .where(lanePriority, '=', sql.lit(priority))
      .where('status', '=', isPending)
      .orderBy('updated_at')
      .limit(1)
      .executeTakeFirst();
    return row?.updated_at ?? [];
  });
  return (await Promise.all(times)).flat().sort()[0];
}

/** Whether a machine may generate an unfinished audio: it is pending, its own, or that of a machine that is gone. */
export function isFreeFor(machineId: number) {
  return (is: ExpressionBuilder<Tables, 'audio'>) =>
    is.or([
      is('audio.status', '=', 'pending'),
      is('audio.claimed_by', 'is', null),
      is('audio.claimed_by', '=', machineId),
      is.not(existsMachine(is)),
    ]);
}

function existsMachine(is: ExpressionBuilder<Tables, 'audio'>) {
  return is.exists(is.selectFrom('machine').select('machine.id').whereRef('machine.id', '=', 'audio.claimed_by'));
}

/** @returns the audios whose machine ended without giving them back: few, by an index, however many wait */
export async function listAbandonedIds(db: Queries): Promise<number[]> {
  const rows = await db
    .selectFrom('audio')
    .select('id')
    .where('status', '=', sql.lit<AudioStatus>('generating'))
    .where((is) => is.not(existsMachine(is)))
    .execute();
  return rows.map(({ id }) => id);
}

/** @param machineId that may generate it; undefined: any machine */
export async function findQueuedAudio(db: Queries, audioId: number, machineId: number | undefined) {
  const [audio] = await (machineId === undefined
    ? queryQueuedAudio(db, { audioId })
    : queryFreeAudio(db, { audioId, machineId }));
  return audio;
}

function selectQueuedAudio(db: Queries, value: PlaceholderFor<{ audioId: number }>) {
  return selectQueuedAudios(db)
    .where('audio.id', '=', value('audioId'))
    .where('audio.status', 'in', unfinishedStatuses);
}

const queryQueuedAudio = prepareQuery(selectQueuedAudio);

const queryFreeAudio = prepareQuery((db, value: PlaceholderFor<{ audioId: number; machineId: number }>) =>
  selectQueuedAudio(db, value).where(isFreeFor(value('machineId'))),
);

function selectQueuedAudios(db: Queries) {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select(['audio.id', 'post.site_id', 'audio.voice_id', 'audio.status', lanePriority.as('priority')])
    .select(['audio.virtual_time', 'audio.revision', 'audio.fence']);
}

/** Since when the queue is paused, and by whom. */
export interface QueuePause {
  readonly since: string;
  /** An e-mail address or `command line`. */
  readonly by: string;
}

/** @returns undefined while the queue runs */
export async function findQueuePause(db: Queries): Promise<QueuePause | undefined> {
  const [pause] = await queryPause(db, {});
  return pause;
}

const queryPause = prepareQuery((db) =>
  db.selectFrom('queue_pause').select(['since', 'paused_by as by']).where('id', '=', 1),
);

/**
 * Pauses or resumes the queue, with an entry in the audit log if that changes anything. Run it in a transaction.
 * @param userId null: by command line
 * @returns the pause that now applies
 */
export async function setQueuePaused(
  db: Queries,
  userId: number | null,
  isPaused: boolean,
): Promise<QueuePause | undefined> {
  const before = await findQueuePause(db);
  if (isPaused === (before !== undefined)) return before;
  if (before !== undefined) {
    await db.deleteFrom('queue_pause').execute();
    await insertAuditEntry(db, { userId, action: 'queue.resumed', before });
    return undefined;
  }
  const pause = { since: timestamp(), by: await resolveActor(db, userId) };
  await db.insertInto('queue_pause').values({ id: 1, since: pause.since, paused_by: pause.by }).execute();
  await insertAuditEntry(db, { userId, action: 'queue.paused', after: pause });
  return pause;
}
