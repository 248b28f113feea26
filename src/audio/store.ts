import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { parseHostName } from '../auth/domain-access.ts';
import { timestamp } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import { type PlaceholderFor, placeholdersFor, prepareQuery, requireRow } from '../database/query-cache.ts';
import type { Audio, AudioStatus, Post, Priority } from '../database/schema.ts';
import { parseHttpUrl } from '../setting.ts';
import { type AudioRecord, audioColumns, type ContentCounts } from './schema.ts';

/** URL and duration are null unless ready. */
export function toAudioRecord(audio: AudioSummary, baseUrl: string): AudioRecord {
  const ready = audio.status === 'ready' && audio.media_key !== null && audio.duration_ms !== null;
  // Not the whole row: lists select more.
  const stored: Partial<Record<string, unknown>> = {};
  for (const name of audioColumns) stored[name] = audio[name];
  return {
    id: audio.id,
    post_id: audio.external_id,
    status: audio.status,
    progress_percent: audio.progress_percent,
    audio_url: ready ? mediaUrl(baseUrl, audio.media_key ?? '', 'mp3') : null,
    duration_seconds: ready ? Math.round((audio.duration_ms ?? 0) / 1000) : null,
    ...(stored as Pick<AudioSummary, (typeof audioColumns)[number]>),
    ...(audio.voice_replaced === 1 && { voice_replaced: true as const }),
    ...(audio.status === 'failed' && audio.error !== null ? { error: audio.error } : {}),
    ...(audio.status === 'failed' && audio.error_code !== null ? { error_code: audio.error_code } : {}),
    ...(audio.content_counts === null ? {} : { content_counts: JSON.parse(audio.content_counts) as ContentCounts }),
    ...(audio.removed_at === null ? {} : { removed_at: audio.removed_at }),
    ...(audio.dismissed_at === null ? {} : { dismissed_at: audio.dismissed_at }),
  };
}

/** Of an MP3 key: the MP3, its timings and its transcripts. */
export type MediaKind = 'mp3' | 'json' | 'vtt' | 'transcript.json';

export function mediaUrl(baseUrl: string, mediaKey: string, kind: MediaKind): string {
  return `${baseUrl}/v1/media/${mediaKey}.${kind}`;
}

/** `Location` of generate. */
export function statusUrl(baseUrl: string, postId: string, language: string): string {
  const query = language === 'en' ? '' : `?language=${language}`;
  return `${baseUrl}/v1/audio/${encodeURIComponent(postId)}/status${query}`;
}

export const unfinishedStatuses: readonly AudioStatus[] = ['pending', 'generating'];

/** Literals, as SQLite does not use the partial index of main audio for parameters. */
export const mainFlag = sql.lit(1);
export const extraFlag = sql.lit(0);

/** Read by every status request: only the columns of an `AudioRecord`. */
export type AudioSummary = Awaited<ReturnType<ReturnType<typeof selectAudioSummary>['execute']>>[number];

export async function findAudioSummary(
  db: Queries,
  siteId: number,
  postId: string,
  language: string,
): Promise<AudioSummary | undefined> {
  const [found] = await queryAudioSummary(db, { siteId, postId, language });
  return found;
}

const queryAudioSummary = prepareQuery(
  (db, value: PlaceholderFor<{ siteId: number; postId: string; language: string }>) =>
    selectAudioSummary(db)
      .where('post.site_id', '=', value('siteId'))
      .where('post.external_id', '=', value('postId'))
      .where('audio.language', '=', value('language'))
      .where('audio.is_main', '=', mainFlag),
);

export async function listPostLanguages(db: Queries, siteId: number, postId: string): Promise<string[]> {
  const audios = await db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select('audio.language')
    .where('post.site_id', '=', siteId)
    .where('post.external_id', '=', postId)
    .where('audio.is_main', '=', mainFlag)
    .orderBy('audio.language')
    .execute();
  return audios.map(({ language }) => language);
}

/** @returns the main audio of the posts that have one, in no order */
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

export function getAudioSummary(db: Queries, audioId: number): Promise<AudioSummary> {
  return requireRow(querySummaryById(db, { audioId }));
}

const querySummaryById = prepareQuery((db, value: PlaceholderFor<{ audioId: number }>) =>
  selectAudioSummary(db).where('audio.id', '=', value('audioId')),
);

export function selectAudioSummary(db: Queries) {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .leftJoin('version', 'version.id', 'audio.version_id')
    .select([
      'audio.id',
      'audio.status',
      'audio.progress_percent',
      'audio.error',
      'audio.error_code',
      'audio.content_counts',
      'audio.voice_replaced',
      'audio.removed_at',
      'audio.dismissed_at',
      'post.external_id',
      'version.media_key',
      'version.duration_ms',
    ])
    .select(audioColumns.map((name) => `audio.${name}` as const));
}

/** Changes of a post; missing members are not changed. */
export interface PostFields {
  readonly url?: string | null;
  readonly publish_at?: string | null;
  readonly visibility?: 'public' | 'private';
}

export function toPostColumns(changes: PostFields) {
  const { url } = changes;
  return { ...changes, ...(url !== undefined && { canonical_url: url === null ? null : canonicalizeUrl(url) }) };
}

/** @returns the row id of the new post */
export async function insertPost(
  db: Queries,
  siteId: number,
  { postId, post }: { readonly postId: string; readonly post: PostFields },
): Promise<number> {
  const now = timestamp();
  const inserted = insertPosts(db, {
    ...{ site_id: siteId, external_id: postId, url: null, canonical_url: null, publish_at: null, visibility: 'public' },
    ...toPostColumns(post),
    ...{ created_at: now, updated_at: now },
  });
  return (await requireRow(inserted)).id;
}

const newPostColumns = [
  ...(['site_id', 'external_id', 'url', 'canonical_url', 'publish_at', 'visibility'] as const),
  ...(['created_at', 'updated_at'] as const),
];

const insertPosts = prepareQuery((db, value: PlaceholderFor<Pick<Post, (typeof newPostColumns)[number]>>) =>
  db.insertInto('post').values(placeholdersFor(value, newPostColumns)).returning('id'),
);

export async function findAudio(db: Queries, postRowId: number, language: string): Promise<Audio | undefined> {
  const [audio] = await queryAudio(db, { postRowId, language });
  return audio;
}

const queryAudio = prepareQuery((db, value: PlaceholderFor<{ postRowId: number; language: string }>) =>
  db
    .selectFrom('audio')
    .selectAll()
    .where('post_id', '=', value('postRowId'))
    .where('language', '=', value('language'))
    .where('is_main', '=', mainFlag),
);

/** @returns SHA-256 of a text in a voice, hex */
export function hashRequest(
  { title, content, contentType }: Pick<Audio, 'title' | 'content'> & { readonly contentType: Audio['content_type'] },
  voiceId: number,
): string {
  return createHash('sha256')
    .update(JSON.stringify([title, content, voiceId, ...(contentType === null ? [] : [contentType])]))
    .digest('hex');
}

/** The columns that a new or changed text sets. */
export interface QueuedText {
  readonly voice_id: number;
  /** 1: not the requested voice, which is gone. */
  readonly voice_replaced?: number;
  readonly title: string | null;
  readonly content: string;
  readonly content_type?: Audio['content_type'];
  readonly request_hash: string;
  readonly priority: Priority;
  readonly virtual_time: number;
}

/** Queues a new audio. @returns its id */
export async function insertAudio(
  db: Queries,
  text: QueuedText & Pick<Audio, 'post_id' | 'language' | 'is_main'>,
): Promise<number> {
  const inserted = insertAudios(db, { voice_replaced: 0, content_type: null, ...text, now: timestamp() });
  return (await requireRow(inserted)).id;
}

const newAudioColumns = [
  ...(['post_id', 'language', 'is_main', 'voice_id', 'voice_replaced', 'title', 'content', 'content_type'] as const),
  ...(['request_hash', 'priority', 'virtual_time'] as const),
];

type NewAudio = Pick<Audio, (typeof newAudioColumns)[number]> & { readonly now: string };

const insertAudios = prepareQuery((db, value: PlaceholderFor<NewAudio>) =>
  db
    .insertInto('audio')
    .values((row) => ({
      ...placeholdersFor(value, newAudioColumns),
      queue_site_id: row.selectFrom('post').select('site_id').where('id', '=', value('post_id')),
      status: 'pending',
      progress_percent: 0,
      revision: 1,
      created_at: value('now'),
      updated_at: value('now'),
    }))
    .returning('id'),
);

/** Inserts the failed main audio of a post that is restored. */
export async function insertFailedAudio(
  db: Queries,
  { content_type, error, error_code, content_counts, removed_at, dismissed_at, ...text }: FailedAudio,
): Promise<AudioSummary> {
  const { title, content, voice_id } = text;
  const request_hash = hashRequest({ title, content, contentType: content_type }, voice_id);
  const id = await insertAudio(db, { ...text, content_type, request_hash, is_main: 1, virtual_time: 0 });
  const failure = { status: 'failed', error, error_code, content_counts, removed_at, dismissed_at } as const;
  await db.updateTable('audio').set(failure).where('id', '=', id).execute();
  return getAudioSummary(db, id);
}

type FailedAudio = Pick<
  Audio,
  'post_id' | 'language' | 'voice_id' | 'title' | 'content' | 'content_type' | 'priority'
> &
  Pick<Audio, 'error' | 'error_code' | 'content_counts' | 'removed_at' | 'dismissed_at'>;

/** Queues an audio again, for a new text or its current one. Its next revision cancels work for the current one. */
export async function requeueAudio(
  db: Queries,
  audioId: number,
  queued: Pick<QueuedText, 'priority' | 'virtual_time'> & Partial<QueuedText>,
): Promise<void> {
  await db
    .updateTable('audio')
    .set((row) => ({
      ...queued,
      status: 'pending',
      progress_percent: 0,
      error: null,
      error_code: null,
      content_counts: null,
      removed_at: null,
      dismissed_at: null,
      revision: row('revision', '+', 1),
      updated_at: timestamp(),
    }))
    .where('id', '=', audioId)
    .execute();
}

/**
 * Reduces a URL to host and path. Scheme, port, user, query, fragment and trailing slash are ignored; `www.` and capitals in
 * the path are not.
 * @returns null when it is not an http(s) URL
 */
export function canonicalizeUrl(url: string): string | null {
  const parsed = parseHttpUrl(url);
  if (parsed === undefined) return null;
  const host = parseHostName(parsed.host) ?? parsed.hostname;
  return host + normalizeEncoding(parsed.pathname).replace(/\/+$/, '');
}

/** `%7e` becomes `~`; what cannot be decoded stays as it is. */
function normalizeEncoding(path: string): string {
  try {
    return path.split('/').map(decodeURIComponent).map(encodeURIComponent).join('/');
  } catch {
    return path;
  }
}
