import type { Queries } from '../database/open.ts';
import type { Audio, Priority } from '../database/tables.ts';
import { main, unfinished } from './store.ts';

/** An audio in the queue, as far as its place there goes. */
export interface PlacedAudio
  extends Pick<Audio, 'id' | 'language' | 'is_main' | 'priority' | 'status'> {
  readonly site_id: number;
  readonly external_id: string;
  /** Length of the text. */
  readonly cost: number;
}

/** @returns undefined when there is no such audio, or it isn't in the queue */
export function findPlaced(db: Queries, audioId: number): Promise<PlacedAudio | undefined> {
  return placed(db).where('audio.id', '=', audioId).executeTakeFirst();
}

/** @returns what of a post is in the queue, further voices aside */
export function placedOfPost(db: Queries, postRowId: number): Promise<PlacedAudio[]> {
  return placed(db)
    .where('audio.post_id', '=', postRowId)
    .where('audio.is_main', '=', main)
    .orderBy('audio.language')
    .execute();
}

/** Its place in the queue is no other state: since when it waits stays as it was. */
export async function setPlace(
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
