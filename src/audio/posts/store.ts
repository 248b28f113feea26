import type { ExpressionBuilder, Selectable } from 'kysely';
import { timestamp } from '../../clock.ts';
import type { Queries } from '../../database/database.ts';
import { type PlaceholderFor, prepareQuery } from '../../database/query-cache.ts';
import type { Audio, Tables } from '../../database/schema.ts';
import { AppError } from '../../errors.ts';
import { toTitleFields, toUrlFields } from '../schema.ts';
import { mainFlag, type PostFields, selectAudioSummary, toAudioRecord, toPostColumns } from '../store.ts';
import { buildPlayback, selectPlayerAudio, toVoiceRecord } from './published-audio.ts';
import type { AudioDetail, PostDetail, PostRecord } from './schema.ts';

const preferredTitleLanguage = 'en';

export async function buildPostRecords(db: Queries, posts: readonly PostRow[], baseUrl: string): Promise<PostRecord[]> {
  const audios = await listMainAudios(
    db,
    posts.map(({ id }) => id),
  );
  return posts.map((post) => {
    const audiosOfPost = audios.filter((audio) => audio.post_row_id === post.id);
    return { ...toPostFields(post, audiosOfPost), audio: audiosOfPost.map((audio) => toAudioRecord(audio, baseUrl)) };
  });
}

/** A post with its audio in every language and voice. */
export async function buildPostDetail(db: Queries, post: PostRow, baseUrl: string): Promise<PostDetail> {
  const audios = await listDetailedAudios(db, post.id);
  const mains = audios.filter(({ is_main }) => is_main === 1);
  return {
    ...toPostFields(post, mains),
    audio: await Promise.all(audios.map((audio) => buildAudioDetail(db, audio, baseUrl))),
  };
}

/** The title is that of the English audio, else of the first one. */
function toPostFields(post: PostRow, audios: readonly PostAudio[]) {
  const { external_id, url, visibility, publish_at, created_at, updated_at } = post;
  const titled = audios.filter(({ title }) => title !== null);
  const audio = titled.find(({ language }) => language === preferredTitleLanguage) ?? titled[0];
  const named = { ...toTitleFields(audio?.title ?? null), ...toUrlFields(url) };
  return { post_id: external_id, ...named, visibility, publish_at, created_at, updated_at };
}

async function buildAudioDetail(db: Queries, audio: DetailedAudio, baseUrl: string): Promise<AudioDetail> {
  const { is_main, title, content, content_type } = audio;
  const isMain = is_main === 1;
  return {
    ...toAudioRecord(audio, baseUrl),
    main: isMain,
    ...toTitleFields(title),
    ...(isMain ? { content, content_type: content_type ?? 'text/html' } : {}),
    voice: toVoiceRecord(audio),
    ...(await buildPlayback(db, audio, baseUrl)),
  };
}

export const postColumns = [
  'post.id',
  'post.external_id',
  'post.url',
  'post.visibility',
  'post.publish_at',
  'post.created_at',
  'post.updated_at',
] as const;

/** A post without its audio. */
export type PostRow = Selectable<
  Pick<Tables['post'], 'id' | 'external_id' | keyof PostFields | 'created_at' | 'updated_at'>
>;

type PostAudio = Awaited<ReturnType<typeof listMainAudios>>[number];
type DetailedAudio = Awaited<ReturnType<typeof listDetailedAudios>>[number];

/** @throws AppError `post_not_found` */
export async function requirePost(db: Queries, siteId: number, postId: string): Promise<PostRow> {
  const post = await findPost(db, siteId, postId);
  if (post === undefined) throw new AppError('post_not_found');
  return post;
}

export async function findPost(db: Queries, siteId: number, postId: string): Promise<PostRow | undefined> {
  const [post] = await queryPost(db, { siteId, postId });
  return post;
}

const queryPost = prepareQuery((db, value: PlaceholderFor<{ siteId: number; postId: string }>) =>
  db
    .selectFrom('post')
    .select(postColumns)
    .where('post.site_id', '=', value('siteId'))
    .where('post.external_id', '=', value('postId')),
);

export async function updatePost(db: Queries, postRowId: number, changes: PostFields): Promise<void> {
  await db
    .updateTable('post')
    .set({ ...toPostColumns(changes), updated_at: timestamp() })
    .where('id', '=', postRowId)
    .execute();
}

/** @returns the main audios of some posts, by language */
function listMainAudios(db: Queries, postRowIds: readonly number[]) {
  return selectAudioSummary(db)
    .select(['audio.post_id as post_row_id', 'audio.title'])
    .where('audio.post_id', 'in', postRowIds)
    .where('audio.is_main', '=', mainFlag)
    .orderBy('audio.language')
    .execute();
}

/** @returns all audios of a post, by language, main ones first */
function listDetailedAudios(db: Queries, postRowId: number) {
  return selectPlayerAudio(db)
    .select(['audio.is_main', 'audio.content', 'audio.content_type'])
    .where('audio.post_id', '=', postRowId)
    .orderBy('audio.language')
    .orderBy('audio.is_main', 'desc')
    .orderBy('audio.voice_id')
    .execute();
}

/** @returns the failed main audios of a post */
export function listFailedAudios(db: Queries, postRowId: number, language: string | undefined): Promise<Audio[]> {
  return db
    .selectFrom('audio')
    .selectAll()
    .where('post_id', '=', postRowId)
    .where('is_main', '=', mainFlag)
    .where('status', '=', 'failed')
    .$if(language !== undefined, (all) => all.where('language', '=', language ?? ''))
    .orderBy('language')
    .execute();
}

/** @returns the languages of the failed audio, which needs no attention from now on */
export async function dismissFailedAudios(db: Queries, postRowId: number, now: string): Promise<string[]> {
  const rows = await db
    .updateTable('audio')
    .set({ dismissed_at: now, updated_at: now })
    .where('post_id', '=', postRowId)
    .where('is_main', '=', mainFlag)
    .where('status', '=', 'failed')
    .where('removed_at', 'is', null)
    .where('dismissed_at', 'is', null)
    .returning('language')
    .execute();
  return rows.map(({ language }) => language).toSorted();
}

/** A reason why posts of a site failed. */
type FailureGroup = Awaited<ReturnType<typeof findFailures>>[number];

/** @returns the errors of the failed posts of a site, the most frequent first, with the time of the oldest failure */
export function findFailures(db: Queries, siteId: number, limit: number) {
  return selectFailures(db, siteId)
    .select((row) => [
      ...(['audio.error', 'audio.error_code'] as const),
      row.fn.count<number>('post.id').distinct().as('count'),
      row.fn.min('audio.updated_at').as('first_at'),
    ])
    .groupBy(['audio.error', 'audio.error_code'])
    .orderBy('count', 'desc')
    .orderBy('audio.error')
    .limit(limit)
    .execute();
}

/** @returns ids of the posts that failed for a reason, the newest first */
export async function listFailedPostIds(
  db: Queries,
  siteId: number,
  { error, error_code }: FailureGroup,
  limit: number,
): Promise<string[]> {
  const posts = await selectFailures(db, siteId)
    .select(['post.id', 'post.external_id'])
    .distinct()
    .where(isSame('audio.error', error))
    .where(isSame('audio.error_code', error_code))
    .orderBy('post.id', 'desc')
    .limit(limit)
    .execute();
  return posts.map(({ external_id }) => external_id);
}

/** The failed audio that needs attention. */
function selectFailures(db: Queries, siteId: number) {
  return db
    .selectFrom('post')
    .innerJoin('audio', 'audio.post_id', 'post.id')
    .where('post.site_id', '=', siteId)
    .where('post.audio_state', '=', 'failed')
    .where('audio.is_main', '=', mainFlag)
    .where('audio.status', '=', 'failed')
    .where('audio.removed_at', 'is', null)
    .where('audio.dismissed_at', 'is', null);
}

function isSame(column: 'audio.error' | 'audio.error_code', value: string | null) {
  return (row: ExpressionBuilder<Tables, 'audio'>) =>
    value === null ? row(column, 'is', null) : row(column, '=', value as never);
}

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

type DeletedPost = NonNullable<Awaited<ReturnType<typeof findDeletedPost>>>;

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
