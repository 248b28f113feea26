import { sql } from 'kysely';
import { parseHostName } from '../auth/domain-access.ts';
import type { Queries } from '../database/open.ts';
import { type PlaceholderFor, prepareQuery } from '../database/query-cache.ts';
import type { Audio, AudioStatus, Priority } from '../database/schema.ts';
import type { AudioRecord } from './schema.ts';
import type { GenerateRequest } from './submit.ts';

/** An audio as the API shows it; address and duration only while it is ready. */
export function toAudioRecord(audio: AudioSummary, baseUrl: string): AudioRecord {
  const ready = audio.status === 'ready' && audio.media_key !== null && audio.duration_ms !== null;
  return {
    id: audio.id,
    post_id: audio.external_id,
    status: audio.status,
    progress_percent: audio.progress_percent,
    audio_url: ready ? mediaUrl(baseUrl, audio.media_key ?? '', 'mp3') : null,
    duration_seconds: ready ? Math.round((audio.duration_ms ?? 0) / 1000) : null,
    language: audio.language,
    voice_id: audio.voice_id,
    created_at: audio.created_at,
    updated_at: audio.updated_at,
    ...(audio.status === 'failed' && audio.error !== null ? { error: audio.error } : {}),
  };
}

/** What stands under the name of an MP3: itself, its timings and its transcripts. */
export type MediaKind = 'mp3' | 'json' | 'vtt' | 'transcript.json';

/** Address of an MP3, or of what lies beside it. */
export function mediaUrl(baseUrl: string, mediaKey: string, kind: MediaKind): string {
  return `${baseUrl}/v1/media/${mediaKey}.${kind}`;
}

/** The status address of a post, relative to nothing: `Location` of generate. */
export function statusUrl(baseUrl: string, postId: string, language: string): string {
  const query = language === 'en' ? '' : `?language=${language}`;
  return `${baseUrl}/v1/audio/${encodeURIComponent(postId)}/status${query}`;
}

/** The states in which an audio is in the queue. */
export const unfinishedStatuses: readonly AudioStatus[] = ['pending', 'generating'];

/** Written into the statement: SQLite takes the index of main rows only then. */
export const mainFlag = sql.lit(1);
export const extraFlag = sql.lit(0);

/** What an answer about an audio is made of, and no more: a poll pays for each column. */
export interface AudioSummary
  extends Pick<
    Audio,
    'id' | 'language' | 'voice_id' | 'status' | 'progress_percent' | 'error' | 'created_at' | 'updated_at'
  > {
  readonly external_id: string;
  readonly media_key: string | null;
  readonly duration_ms: number | null;
}

/** The record of a post in a language, as its site sees it. */
export async function findAudioSummary(
  db: Queries,
  siteId: number,
  postId: string,
  language: string,
): Promise<AudioSummary | undefined> {
  const [found] = await queryAudioSummary(db, { siteId, postId, language });
  return found;
}

interface PostInLanguage {
  readonly siteId: number;
  readonly postId: string;
  readonly language: string;
}

const queryAudioSummary = prepareQuery((db, value: PlaceholderFor<PostInLanguage>) =>
  selectAudioSummary(db)
    .where('post.site_id', '=', value('siteId'))
    .where('post.external_id', '=', value('postId'))
    .where('audio.language', '=', value('language'))
    .where('audio.is_main', '=', mainFlag),
);

/** @returns the records of those posts that have one, in no order */
export async function listAudioSummaries(
  db: Queries,
  siteId: number,
  postIds: readonly string[],
  language: string,
): Promise<AudioSummary[]> {
  return selectAudioSummary(db)
    .where('post.site_id', '=', siteId)
    .where('post.external_id', 'in', postIds)
    .where('audio.language', '=', language)
    .where('audio.is_main', '=', mainFlag)
    .execute();
}

export async function getAudioSummary(db: Queries, audioId: number): Promise<AudioSummary> {
  return selectAudioSummary(db).where('audio.id', '=', audioId).executeTakeFirstOrThrow();
}

/** What answers about audios start from. */
export function selectAudioSummary(db: Queries) {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .leftJoin('version', 'version.id', 'audio.version_id')
    .select([
      'audio.id',
      'audio.language',
      'audio.voice_id',
      'audio.status',
      'audio.progress_percent',
      'audio.error',
      'audio.created_at',
      'audio.updated_at',
      'post.external_id',
      'version.media_key',
      'version.duration_ms',
    ]);
}

/** Writes what a request says of the post itself; @returns the post's row id */
export async function upsertPost(db: Queries, siteId: number, request: GenerateRequest): Promise<number> {
  const now = new Date().toISOString();
  const unsaid = { url: null, page: null, publish_at: null, visibility: 'public' as const };
  const { url } = request.post;
  const page = url == null ? null : canonicalizeUrl(url);
  const said = { ...request.post, ...(url !== undefined && { page }) };
  const { id } = await db
    .insertInto('post')
    .values({
      site_id: siteId,
      external_id: request.postId,
      created_at: now,
      updated_at: now,
      ...unsaid,
      ...said,
    })
    .onConflict((conflict) => conflict.columns(['site_id', 'external_id']).doUpdateSet({ ...said, updated_at: now }))
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export function findAudio(db: Queries, postRowId: number, language: string): Promise<Audio | undefined> {
  return db
    .selectFrom('audio')
    .selectAll()
    .where('post_id', '=', postRowId)
    .where('language', '=', language)
    .where('is_main', '=', mainFlag)
    .executeTakeFirst();
}

/** What a new or changed text sets; the record goes to the queue. */
export interface QueuedText {
  readonly voice_id: number;
  readonly title: string | null;
  readonly content: string;
  readonly request_hash: string;
  readonly priority: Priority;
  readonly turn: number;
}

/** Begins a record, which goes to the queue. @returns its id */
export async function insertAudio(
  db: Queries,
  record: QueuedText & Pick<Audio, 'post_id' | 'language' | 'is_main'>,
): Promise<number> {
  const now = new Date().toISOString();
  const { id } = await db
    .insertInto('audio')
    .values({
      ...record,
      status: 'pending',
      progress_percent: 0,
      error: null,
      generation: 1,
      version_id: null,
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Puts a record back to the queue, for its new text or the one it has; work under way is dropped by its generation. */
export async function requeueAudio(
  db: Queries,
  audioId: number,
  queued: Pick<QueuedText, 'priority' | 'turn'> & Partial<QueuedText>,
): Promise<void> {
  await db
    .updateTable('audio')
    .set((row) => ({
      ...queued,
      status: 'pending',
      progress_percent: 0,
      error: null,
      generation: row('generation', '+', 1),
      updated_at: new Date().toISOString(),
    }))
    .where('id', '=', audioId)
    .execute();
}

/** @returns how many posts are unfinished, of all sites and of one */
export async function countUnfinished(db: Queries, siteId: number): Promise<{ all: number; ofSite: number }> {
  const { all, ofSite } = await db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select((row) => [
      row.fn.countAll<number>().as('all'),
      row.fn.countAll<number>().filterWhere('post.site_id', '=', siteId).as('ofSite'),
    ])
    .where('audio.status', 'in', unfinishedStatuses)
    // Further voices are no posts.
    .where('audio.is_main', '=', 1)
    .executeTakeFirstOrThrow();
  return { all, ofSite };
}

/**
 * The page that an address shows, in one way of writing: host and path. Scheme, port, user, query, fragment and a slash at
 * the end make no other page; `www.` and capitals in the path do.
 * @returns null when it is no http(s) address
 */
export function canonicalizeUrl(address: string): string | null {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const host = parseHostName(url.host) ?? url.hostname;
  return host + normalizeEncoding(url.pathname).replace(/\/+$/, '');
}

/** `%7e` and `~` are one sign; what doesn't decode stays as it is. */
function normalizeEncoding(path: string): string {
  try {
    return path.split('/').map(decodeURIComponent).map(encodeURIComponent).join('/');
  } catch {
    return path;
  }
}
