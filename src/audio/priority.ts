import type { Queries } from '../database/database.ts';
import type { Priority } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import type { AudioQueue } from './queue.ts';
import { mainFlag, unfinishedStatuses } from './store.ts';

/** A queued audio, with the length of its text as cost. */
function selectQueuedAudios(db: Queries) {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select(['audio.id', 'audio.language', 'audio.is_main', 'audio.priority', 'audio.status'])
    .select(['post.site_id', 'post.external_id'])
    .select((row) => row.fn<number>('length', ['audio.content']).as('cost'))
    .where('audio.status', 'in', unfinishedStatuses);
}

type PriorityQueue = Pick<AudioQueue, 'nextVirtualTime' | 'notifyChanged'>;
type QueuedAudio = Awaited<ReturnType<ReturnType<typeof selectQueuedAudios>['execute']>>[number];

/** An audio whose priority was changed. */
export interface PriorityChange extends QueuedAudio {
  readonly previousPriority: Priority;
}

/**
 * Changes the priority of a queued audio.
 * @returns undefined if it has that priority already
 * @throws AppError `not_found`; `conflict` for an extra voice
 */
export async function prioritizeAudio(
  db: Queries,
  queue: PriorityQueue,
  audioId: number,
  priority: Priority,
): Promise<PriorityChange | undefined> {
  const audio = await selectQueuedAudios(db).where('audio.id', '=', audioId).executeTakeFirst();
  if (audio === undefined) throw new AppError('not_found', `Audio ${audioId} is not queued`);
  if (audio.is_main !== 1) {
    throw new AppError('conflict', 'Priority not changed: extra voices always have the lowest priority');
  }
  return changePriority(db, queue, audio, priority);
}

/**
 * Changes the priority of all queued languages of a post.
 * @returns those with a new priority
 * @throws AppError `conflict` when none is queued
 */
export async function prioritizePost(
  db: Queries,
  queue: PriorityQueue,
  postRowId: number,
  priority: Priority,
): Promise<PriorityChange[]> {
  const audios = await selectQueuedAudios(db)
    .where('audio.post_id', '=', postRowId)
    .where('audio.is_main', '=', mainFlag)
    .orderBy('audio.language')
    .execute();
  if (audios.length === 0) throw new AppError('conflict', 'No queued audio for this post');
  const changes: PriorityChange[] = [];
  for (const audio of audios) {
    const change = await changePriority(db, queue, audio, priority);
    if (change !== undefined) changes.push(change);
  }
  return changes;
}

async function changePriority(
  db: Queries,
  queue: PriorityQueue,
  audio: QueuedAudio,
  priority: Priority,
): Promise<PriorityChange | undefined> {
  if (audio.priority === priority) return undefined;
  // Virtual times of different priorities are not comparable.
  const virtual_time = queue.nextVirtualTime(audio.site_id, priority, audio.cost);
  // `updated_at` stays: it is since when the audio waits.
  await db.updateTable('audio').set({ priority, virtual_time }).where('id', '=', audio.id).execute();
  queue.notifyChanged(db, audio.id);
  return { ...audio, priority, previousPriority: audio.priority };
}
