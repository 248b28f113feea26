import type { Queries } from '../database/open.ts';
import type { Audio, Priority } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import type { AudioQueue } from './queue.ts';
import { mainFlag, unfinishedStatuses } from './store.ts';

/** An audio in the queue, as far as its place there goes. */
interface PrioritizedAudio extends Pick<Audio, 'id' | 'language' | 'is_main' | 'priority' | 'status'> {
  readonly site_id: number;
  readonly external_id: string;
  /** Length of the text. */
  readonly cost: number;
}

/** @returns undefined when there is no such audio, or it isn't in the queue */
function findPrioritizedAudio(db: Queries, audioId: number): Promise<PrioritizedAudio | undefined> {
  return selectPrioritizedAudios(db).where('audio.id', '=', audioId).executeTakeFirst();
}

/** @returns what of a post is in the queue, further voices aside */
function listPrioritizedAudios(db: Queries, postRowId: number): Promise<PrioritizedAudio[]> {
  return selectPrioritizedAudios(db)
    .where('audio.post_id', '=', postRowId)
    .where('audio.is_main', '=', mainFlag)
    .orderBy('audio.language')
    .execute();
}

/** Its place in the queue is no other state: since when it waits stays as it was. */
async function reschedule(
  db: Queries,
  audioId: number,
  place: { readonly priority: Priority; readonly turn: number },
): Promise<void> {
  await db.updateTable('audio').set(place).where('id', '=', audioId).execute();
}

function selectPrioritizedAudios(db: Queries) {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select(['audio.id', 'audio.language', 'audio.is_main', 'audio.priority', 'audio.status'])
    .select(['post.site_id', 'post.external_id'])
    .select((row) => row.fn<number>('length', ['audio.content']).as('cost'))
    .where('audio.status', 'in', unfinishedStatuses);
}

type VirtualClock = Pick<AudioQueue, 'nextVirtualTime'>;

/** An audio whose priority is another one now. */
export interface PriorityChange extends PrioritizedAudio {
  /** The priority it had. */
  readonly previousPriority: Priority;
}

/**
 * Gives an audio in the queue another priority; `AudioQueue.moved` is to be told of it after the commit.
 * @returns undefined where it has that priority already
 * @throws AppError `not_found`; `conflict` for a further voice
 */
export async function prioritizeAudio(
  db: Queries,
  queue: VirtualClock,
  audioId: number,
  priority: Priority,
): Promise<PriorityChange | undefined> {
  const audio = await findPrioritizedAudio(db, audioId);
  if (audio === undefined) {
    throw new AppError('not_found', `Audio ${audioId} is not queued`);
  }
  if (audio.is_main !== 1) {
    throw new AppError('conflict', 'Priority not changed: extra voices always have the lowest priority');
  }
  return changePriority(db, queue, audio, priority);
}

/**
 * The same for all languages of a post.
 * @returns those that have another priority now
 * @throws AppError `conflict` when nothing of it is in the queue
 */
export async function prioritizePost(
  db: Queries,
  queue: VirtualClock,
  postRowId: number,
  priority: Priority,
): Promise<PriorityChange[]> {
  const audios = await listPrioritizedAudios(db, postRowId);
  if (audios.length === 0) throw new AppError('conflict', 'No queued audio for this post');
  const moved: PriorityChange[] = [];
  for (const audio of audios) {
    const one = await changePriority(db, queue, audio, priority);
    if (one !== undefined) moved.push(one);
  }
  return moved;
}

async function changePriority(
  db: Queries,
  queue: VirtualClock,
  audio: PrioritizedAudio,
  priority: Priority,
): Promise<PriorityChange | undefined> {
  if (audio.priority === priority) return undefined;
  // Turns of another priority count from elsewhere.
  await reschedule(db, audio.id, {
    priority,
    turn: queue.nextVirtualTime(audio.site_id, priority, audio.cost),
  });
  return { ...audio, priority, previousPriority: audio.priority };
}
