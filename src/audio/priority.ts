import type { Queries } from '../database/open.ts';
import type { Audio, Priority } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import type { AudioQueue } from './queue.ts';
import { main, unfinished } from './store.ts';

/** An audio in the queue, as far as its place there goes. */
interface PlacedAudio extends Pick<Audio, 'id' | 'language' | 'is_main' | 'priority' | 'status'> {
  readonly site_id: number;
  readonly external_id: string;
  /** Length of the text. */
  readonly cost: number;
}

/** @returns undefined when there is no such audio, or it isn't in the queue */
function findPlaced(db: Queries, audioId: number): Promise<PlacedAudio | undefined> {
  return placed(db).where('audio.id', '=', audioId).executeTakeFirst();
}

/** @returns what of a post is in the queue, further voices aside */
function placedOfPost(db: Queries, postRowId: number): Promise<PlacedAudio[]> {
  return placed(db)
    .where('audio.post_id', '=', postRowId)
    .where('audio.is_main', '=', main)
    .orderBy('audio.language')
    .execute();
}

/** Its place in the queue is no other state: since when it waits stays as it was. */
async function setPlace(
  db: Queries,
  audioId: number,
  place: { readonly priority: Priority; readonly turn: number },
): Promise<void> {
  await db.updateTable('audio').set(place).where('id', '=', audioId).execute();
}

function placed(db: Queries) {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select(['audio.id', 'audio.language', 'audio.is_main', 'audio.priority', 'audio.status'])
    .select(['post.site_id', 'post.external_id'])
    .select((row) => row.fn<number>('length', ['audio.content']).as('cost'))
    .where('audio.status', 'in', unfinished);
}

type Turns = Pick<AudioQueue, 'turnOf'>;

/** An audio whose priority is another one now. */
export interface Moved extends PlacedAudio {
  /** The priority it had. */
  readonly before: Priority;
}

/**
 * Gives an audio in the queue another priority; `AudioQueue.moved` is to be told of it after the commit.
 * @returns undefined where it has that priority already
 * @throws AppError `not_found`; `conflict` for a further voice
 */
export async function prioritizeAudio(
  db: Queries,
  queue: Turns,
  audioId: number,
  priority: Priority,
): Promise<Moved | undefined> {
  const audio = await findPlaced(db, audioId);
  if (audio === undefined) {
    throw new AppError('not_found', `There is no audio ${audioId} in the queue`);
  }
  if (audio.is_main !== 1) {
    throw new AppError(
      'conflict',
      'A further voice waits behind everything, whatever its priority',
    );
  }
  return move(db, queue, audio, priority);
}

/**
 * The same for all languages of a post.
 * @returns those that have another priority now
 * @throws AppError `conflict` when nothing of it is in the queue
 */
export async function prioritizePost(
  db: Queries,
  queue: Turns,
  postRowId: number,
  priority: Priority,
): Promise<Moved[]> {
  const audios = await placedOfPost(db, postRowId);
  if (audios.length === 0) throw new AppError('conflict', 'Nothing of this post is in the queue');
  const moved: Moved[] = [];
  for (const audio of audios) {
    const one = await move(db, queue, audio, priority);
    if (one !== undefined) moved.push(one);
  }
  return moved;
}

async function move(
  db: Queries,
  queue: Turns,
  audio: PlacedAudio,
  priority: Priority,
): Promise<Moved | undefined> {
  if (audio.priority === priority) return undefined;
  // Turns of another priority count from elsewhere.
  await setPlace(db, audio.id, {
    priority,
    turn: queue.turnOf(audio.site_id, priority, audio.cost),
  });
  return { ...audio, priority, before: audio.priority };
}
