import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import type { Queries } from '../../database/open.ts';
import type { Audio, AudioStatus, Tables } from '../../database/schema.ts';
import { AppError } from '../../errors.ts';
import { canonicalizeUrl, mainFlag, selectAudioSummary, toAudioRecord } from '../store.ts';
import { buildPlayback } from './published-audio.ts';
import type { AudioDetail, PostDetail, PostRecord } from './schema.ts';

const preferredTitleLanguage = 'en';

/** @returns posts as a list shows them, in the order given */
export async function buildPostRecords(db: Queries, posts: readonly PostRow[], baseUrl: string): Promise<PostRecord[]> {
  const audios = await listMainAudios(
    db,
    posts.map(({ id }) => id),
  );
  return posts.map((post) => {
    const own = audios.filter((audio) => audio.post_row_id === post.id);
    return { ...toPostFields(post, own), audio: own.map((audio) => toAudioRecord(audio, baseUrl)) };
  });
}

/** A post with everything that was made of it. */
export async function buildPostDetail(db: Queries, post: PostRow, baseUrl: string): Promise<PostDetail> {
  const audios = await listDetailedAudios(db, post.id);
  const mains = audios.filter(({ is_main }) => is_main === 1);
  return {
    ...toPostFields(post, mains),
    audio: await Promise.all(audios.map((audio) => buildAudioDetail(db, audio, baseUrl))),
  };
}

/** Of several languages the English title, else the first one. */
function toPostFields(post: PostRow, audios: readonly PostAudio[]) {
  const { external_id, url, visibility, publish_at, created_at, updated_at } = post;
  const titled = audios.filter(({ title }) => title !== null);
  const audio = titled.find(({ language }) => language === preferredTitleLanguage) ?? titled[0];
  const title = audio?.title ?? null;
  return { post_id: external_id, title, url, visibility, publish_at, created_at, updated_at };
}

async function buildAudioDetail(db: Queries, audio: DetailedAudio, baseUrl: string): Promise<AudioDetail> {
  const { is_main, title, content, voice_id, voice_name, voice_language } = audio;
  const isMain = is_main === 1;
  return {
    ...toAudioRecord(audio, baseUrl),
    main: isMain,
    title,
    ...(isMain ? { content } : {}),
    voice: { id: voice_id, name: voice_name, language: voice_language },
    ...(await buildPlayback(db, audio, baseUrl)),
  };
}

/** Fewer characters than these are not in the index of words. */
const minSearchWordLength = 3;

/** Which posts of a site are asked for. */
export interface PostFilter {
  readonly siteId: number;
  readonly search?: string | undefined;
  readonly status?: AudioStatus | undefined;
  readonly language?: string | undefined;
  readonly visibility?: 'public' | 'private' | undefined;
  /** Row id of the last post of the page before. */
  readonly before?: number | undefined;
  readonly limit: number;
}

const columns = [
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
  Pick<Tables['post'], 'id' | 'external_id' | keyof Required<PostChanges> | 'created_at' | 'updated_at'>
>;

/** An audio with its title, for lists. */
type PostAudio = Awaited<ReturnType<typeof listMainAudios>>[number];
type DetailedAudio = Awaited<ReturnType<typeof listDetailedAudios>>[number];

/** @returns posts, newest first */
export function listPosts(db: Queries, selection: PostFilter): Promise<PostRow[]> {
  const { search = '', before, limit: most } = selection;
  const words = buildMatchQuery(search);
  const isBefore = before ?? Number.MAX_SAFE_INTEGER;
  if (words !== undefined) {
    return (
      db
        .selectFrom('post_search')
        // Not an inner join: SQLite is to walk through the index of words, newest first, and stop when the page is full.
        .crossJoin('post')
        .whereRef('post.id', '=', 'post_search.rowid')
        .where(sql<boolean>`post_search match ${words}`)
        .where('post_search.rowid', '<', isBefore)
        .where((row) => matchesFilter(row, selection))
        .select(columns)
        .orderBy('post_search.rowid', 'desc')
        .limit(most)
        .execute()
    );
  }
  const start = search.trim();
  return db
    .selectFrom('post')
    .where('post.id', '<', isBefore)
    .where((row) => matchesFilter(row, selection))
    .$if(start !== '', (all) =>
      all.where('post.external_id', '>=', start).where('post.external_id', '<', `${start}\u{10ffff}`),
    )
    .select(columns)
    .orderBy('post.id', 'desc')
    .limit(most)
    .execute();
}

/** @throws AppError `post_not_found` */
export async function requirePost(db: Queries, siteId: number, postId: string): Promise<PostRow> {
  const post = await findPost(db, siteId, postId);
  if (post === undefined) throw new AppError('post_not_found', 'Post not found');
  return post;
}

export function findPost(db: Queries, siteId: number, postId: string): Promise<PostRow | undefined> {
  return db
    .selectFrom('post')
    .select(columns)
    .where('post.site_id', '=', siteId)
    .where('post.external_id', '=', postId)
    .executeTakeFirst();
}

/** What can be changed of a post without its text; what isn't named stays as it is. */
export interface PostChanges {
  readonly url?: string | null;
  readonly publish_at?: string | null;
  readonly visibility?: 'public' | 'private';
}

export async function updatePost(db: Queries, postRowId: number, changes: PostChanges): Promise<void> {
  const { url } = changes;
  const canonical_url = url == null ? null : canonicalizeUrl(url);
  await db
    .updateTable('post')
    .set({
      ...changes,
      ...(url !== undefined && { canonical_url }),
      updated_at: new Date().toISOString(),
    })
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
  return selectAudioSummary(db)
    .innerJoin('voice', 'voice.id', 'audio.voice_id')
    .select([
      'audio.post_id as post_row_id',
      'audio.title',
      'audio.is_main',
      'audio.content',
      'voice.name as voice_name',
      'voice.language as voice_language',
    ])
    .where('audio.post_id', '=', postRowId)
    .orderBy('audio.language')
    .orderBy('audio.is_main', 'desc')
    .orderBy('audio.voice_id')
    .execute();
}

/** @returns the main audios of a post that failed, with all that it takes to try them again */
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

function matchesFilter(row: ExpressionBuilder<Tables, 'post'>, selection: PostFilter) {
  const { siteId, visibility, status, language } = selection;
  const conditions = [row('post.site_id', '=', siteId)];
  if (visibility !== undefined) conditions.push(row('post.visibility', '=', visibility));
  if (status !== undefined || language !== undefined) {
    conditions.push(hasAudio(row, status, language));
  }
  return row.and(conditions);
}

/** Nearly all are ready: those are found while walking. The others are few: they are found by their status. */
function hasAudio(
  row: ExpressionBuilder<Tables, 'post'>,
  status: AudioStatus | undefined,
  language: string | undefined,
) {
  const such = row
    .selectFrom('audio')
    .where('audio.is_main', '=', mainFlag)
    .$if(status !== undefined, (all) => all.where('audio.status', '=', status ?? 'ready'))
    .$if(language !== undefined, (all) => all.where('audio.language', '=', language ?? ''));
  return status === undefined || status === 'ready'
    ? row.exists(such.select('audio.id').whereRef('audio.post_id', '=', 'post.id'))
    : row('post.id', 'in', such.select('audio.post_id'));
}

/** @returns the search in the words of the index; undefined when no word of it is long enough */
function buildMatchQuery(search: string): string | undefined {
  // A NUL would end the search for SQLite in the middle of a word.
  const words = search.split(/[\s\0]+/).filter((word) => [...word].length >= minSearchWordLength);
  if (words.length === 0) return undefined;
  return words.map(formatPhrase).join(' AND ');
}

/** What looks like no address is not looked for in addresses: the name of a paper stands in that of each of its posts. */
function formatPhrase(word: string): string {
  const phrase = `"${word.replaceAll('"', '""')}"`;
  return /[./]/.test(word) ? phrase : `{external_id titles} : ${phrase}`;
}
