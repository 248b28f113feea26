import { timestamp } from '../../clock.ts';
import type { Queries } from '../../database/database.ts';
import { type PlaceholderFor, prepareQuery } from '../../database/query-cache.ts';
import type { Audio } from '../../database/schema.ts';
import { mainFlag } from '../store.ts';
import { postColumns } from './store.ts';

/** What is kept of a main audio. Its MP3 is not: it is generated again. */
export type DeletedAudio = Pick<Audio, (typeof audioColumns)[number]>;
const audioColumns = [
  'voice_id',
  'language',
  'title',
  'content',
  'content_type',
  'priority',
  'status',
  'error',
  'error_code',
  'content_counts',
  'removed_at',
  'dismissed_at',
] as const;

export type DeletedPost = NonNullable<Awaited<ReturnType<typeof findDeletedPost>>>;

/** Few at a time, as each may have long texts. */
const purgeBatchSize = 50;

/** @returns a post as `insertDeletedPost` takes it; undefined when there is none */
export async function readPostToDelete(db: Queries, siteId: number, postId: string) {
  const post = await db
    .selectFrom('post')
    .select([...postColumns, 'post.site_id', 'post.sort_title'])
    .where('site_id', '=', siteId)
    .where('external_id', '=', postId)
    .executeTakeFirst();
  if (post === undefined) return undefined;
  const audios = await db
    .selectFrom('audio')
    .select(audioColumns)
    .where('post_id', '=', post.id)
    .where('is_main', '=', mainFlag)
    .orderBy('language')
    .execute();
  return { ...post, audios };
}

/** Keeps the text of a post that was just deleted. */
export async function insertDeletedPost(
  db: Queries,
  { audios, sort_title, ...post }: NonNullable<Awaited<ReturnType<typeof readPostToDelete>>>,
): Promise<void> {
  const title = audios.some((audio) => audio.title !== null) ? sort_title : null;
  const values = { ...post, title, audios: JSON.stringify(audios), deleted_at: timestamp() };
  await db.insertInto('deleted_post').values(values).execute();
}

export async function findDeletedPost(db: Queries, siteId: number, postId: string) {
  const row = await db
    .selectFrom('deleted_post')
    .selectAll()
    .where('site_id', '=', siteId)
    .where('external_id', '=', postId)
    .executeTakeFirst();
  return row && { ...row, audios: JSON.parse(row.audios) as DeletedAudio[] };
}

/** Forgets a deleted post: it is restored, purged, or its id is used again. @returns whether there was one */
export async function removeDeletedPost(db: Queries, siteId: number, postId: string): Promise<boolean> {
  return (await deletePosts(db, { siteId, postId })).length > 0;
}

const deletePosts = prepareQuery((db, value: PlaceholderFor<{ siteId: number; postId: string }>) =>
  db
    .deleteFrom('deleted_post')
    .where('site_id', '=', value('siteId'))
    .where('external_id', '=', value('postId'))
    .returning('id'),
);

/** Deletes the stored texts of a deleted post. @param language undefined: all @returns the deleted languages */
export async function purgeDeletedPost(
  db: Queries,
  siteId: number,
  postId: string,
  language: string | undefined,
): Promise<string[]> {
  const post = await findDeletedPost(db, siteId, postId);
  if (post === undefined) return [];
  const isLeft = (audio: DeletedAudio): boolean => language !== undefined && audio.language !== language;
  const left = post.audios.filter(isLeft);
  if (left.length === 0) await removeDeletedPost(db, siteId, postId);
  else {
    const audios = JSON.stringify(left);
    await db.updateTable('deleted_post').set({ audios }).where('id', '=', post.id).execute();
  }
  return post.audios.filter((audio) => !isLeft(audio)).map((audio) => audio.language);
}

/** Inserts a deleted post again, with its place in the list of posts and in feeds, but without audio. */
export async function reinsertPost(db: Queries, post: DeletedPost, canonicalUrl: string | null): Promise<number> {
  const { id, site_id, external_id, url, visibility, publish_at, created_at } = post;
  await db
    .insertInto('post')
    .values({
      ...{ id, site_id, external_id, url, canonical_url: canonicalUrl, visibility, publish_at, created_at },
      updated_at: timestamp(),
    })
    .execute();
  return id;
}

/** Deletes posts for good that were deleted before a time. @returns whether there may be more */
export async function purgeDeletedPosts(db: Queries, before: string): Promise<boolean> {
  const due = await db
    .selectFrom('deleted_post')
    .select('id')
    .where('deleted_at', '<=', before)
    .limit(purgeBatchSize)
    .execute();
  if (due.length > 0) {
    const ids = due.map(({ id }) => id);
    await db.deleteFrom('deleted_post').where('id', 'in', ids).execute();
  }
  return due.length === purgeBatchSize;
}
