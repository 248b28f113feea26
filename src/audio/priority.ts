import type { Queries } from '../database/open.ts';
import type { Priority } from '../database/tables.ts';
import { AppError } from '../errors.ts';
import { findPlaced, type PlacedAudio, placedOfPost, setPlace } from './priority-store.ts';
import type { AudioQueue } from './production/queue.ts';

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
