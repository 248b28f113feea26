import { type ExpressionBuilder, sql } from 'kysely';
import type { Database, Queries } from '../../database/open.ts';
import { type PlaceholderFor, prepareQuery } from '../../database/query-cache.ts';
import type { Site, Tables } from '../../database/schema.ts';
import type { PublicAudio } from '../schema.ts';
import { type AudioSummary, canonicalizeUrl, mainFlag, mediaUrl, selectAudioSummary, toAudioRecord } from '../store.ts';

/** An audio as a player shows it, with what may be played instead of it. */
export async function buildPublicAudio(
  db: Queries,
  site: Pick<Site, 'allow_switch'>,
  audio: PublicAudioSummary,
  baseUrl: string,
): Promise<PublicAudio> {
  const record = toAudioRecord(audio, baseUrl);
  const isReady = record.audio_url !== null;
  const lastReady = isReady ? undefined : await findLastReady(db, audio.id);
  const variants = await findVariants(db, audio, site.allow_switch === 0);
  return {
    ...record,
    title: audio.title,
    url: audio.url,
    voice: toVoiceRecord(audio),
    segments_url: isReady ? mediaUrl(baseUrl, audio.media_key ?? '', 'json') : null,
    last_ready: lastReady === undefined ? null : toPlayable(lastReady, baseUrl),
    variants: variants.flatMap((variant) => {
      const { language, media_key, duration_ms } = variant;
      if (media_key === null || duration_ms === null) return [];
      const voice = toVoiceRecord(variant);
      return [{ language, voice, ...toPlayable({ media_key, duration_ms }, baseUrl) }];
    }),
  };
}

function toPlayable({ media_key, duration_ms }: PlayableVersion, baseUrl: string) {
  return {
    audio_url: mediaUrl(baseUrl, media_key, 'mp3'),
    duration_seconds: Math.round(duration_ms / 1000),
    segments_url: mediaUrl(baseUrl, media_key, 'json'),
  };
}

function toVoiceRecord({ voice_id, voice_name, voice_language }: PublicAudioSummary) {
  return { id: voice_id, name: voice_name, language: voice_language };
}

/** What is ready of an audio. */
export interface PlayableVersion {
  readonly media_key: string;
  readonly duration_ms: number;
}

/** An audio with what a player shows beside it. */
export interface PublicAudioSummary extends AudioSummary {
  readonly post_row_id: number;
  readonly title: string | null;
  readonly url: string | null;
  readonly voice_name: string;
  readonly voice_language: string;
}

interface PublicPost {
  readonly siteId: number;
  readonly postId: string;
  readonly language: string;
  /** ISO 8601. */
  readonly now: string;
}

const queryPublicSummary = prepareQuery((db, value: PlaceholderFor<PublicPost>) =>
  selectAudioSummary(db)
    .where('post.site_id', '=', value('siteId'))
    .where('post.external_id', '=', value('postId'))
    .where('audio.language', '=', value('language'))
    .where('audio.is_main', '=', mainFlag)
    .where((row) => isPublic(row, value('now'))),
);

/** @returns the main record of a post in a language; undefined while the post isn't public */
export async function findPublicStatus(
  db: Queries,
  siteId: number,
  postId: string,
  language: string,
): Promise<AudioSummary | undefined> {
  const now = new Date().toISOString();
  const [found] = await queryPublicSummary(db, { siteId, postId, language, now });
  return found;
}

/** Whether pages may still hear an audio: its post is there and public, its site not switched off. */
export async function isStillPublic(db: Queries, audioId: number): Promise<boolean> {
  const found = await queryPublicAudio(db, { audioId, now: new Date().toISOString() });
  return found.length > 0;
}

const queryPublicAudio = prepareQuery((db, value: PlaceholderFor<{ audioId: number; now: string }>) =>
  db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .innerJoin('site', 'site.id', 'post.site_id')
    .select('audio.id')
    .where('audio.id', '=', value('audioId'))
    .where('site.active', '=', 1)
    .where((row) => isPublic(row, value('now'))),
);

/** Which audio a player wants. */
export interface AudioSelector {
  readonly siteId: number;
  readonly post: { readonly postId: string } | { readonly page: string };
  /** Null where only the voice is named. */
  readonly language: string | null;
  /** Null for the main one. */
  readonly voiceId: number | null;
  /** Leaves further voices out: the site doesn't let listeners switch. */
  readonly mainOnly: boolean;
}

/** @returns of several posts on one page the newest that is public and has what is wanted */
export function findPublicAudio(db: Queries, wanted: AudioSelector): Promise<PublicAudioSummary | undefined> {
  const { siteId, post, language, voiceId, mainOnly } = wanted;
  return selectPlayerAudio(db)
    .where('post.site_id', '=', siteId)
    .where((row) => ('page' in post ? row('post.page', '=', post.page) : row('post.external_id', '=', post.postId)))
    .where((row) => isPublic(row, new Date().toISOString()))
    .$if(language !== null, (query) => query.where('audio.language', '=', language ?? ''))
    .$if(voiceId !== null, (query) => query.where('audio.voice_id', '=', voiceId ?? 0))
    .$if(voiceId === null || mainOnly, (query) => query.where('audio.is_main', '=', mainFlag))
    .orderBy('post.id', 'desc')
    .orderBy('audio.is_main', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/**
 * @param mainOnly leaves further voices out
 * @returns the other audios of a post that are ready, main ones first within a language
 */
function findVariants(
  db: Queries,
  shown: Pick<PublicAudioSummary, 'id' | 'post_row_id'>,
  mainOnly: boolean,
): Promise<PublicAudioSummary[]> {
  return selectPlayerAudio(db)
    .where('audio.post_id', '=', shown.post_row_id)
    .where('audio.id', '!=', shown.id)
    .where('audio.status', '=', 'ready')
    .$if(mainOnly, (query) => query.where('audio.is_main', '=', mainFlag))
    .orderBy('audio.language')
    .orderBy('audio.is_main', 'desc')
    .orderBy('audio.voice_id')
    .execute();
}

/** @returns the newest version of an audio that is still served */
export async function findLastReady(db: Queries, audioId: number): Promise<PlayableVersion | undefined> {
  const row = await db
    .selectFrom('version')
    .select(['media_key', 'duration_ms'])
    .where('audio_id', '=', audioId)
    .where('header', 'is not', null)
    .where((version) =>
      version.or([version('expires_at', 'is', null), version('expires_at', '>', new Date().toISOString())]),
    )
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined || row.media_key === null || row.duration_ms === null) return undefined;
  return { media_key: row.media_key, duration_ms: row.duration_ms };
}

/** Finds out the pages of posts that were kept before pages were. */
export async function backfillCanonicalUrls(database: Database): Promise<void> {
  const rows = await database.read
    .selectFrom('post')
    .select(['id', 'url'])
    .where('page', 'is', null)
    .where('url', 'is not', null)
    .execute();
  if (rows.length === 0) return;
  await database.write(async (db) => {
    for (const { id, url } of rows) {
      const page = canonicalizeUrl(url ?? '');
      // As it was read: a request may have named another address meanwhile.
      await db.updateTable('post').set({ page }).where('id', '=', id).where('url', '=', url).execute();
    }
  });
}

function selectPlayerAudio(db: Queries) {
  return selectAudioSummary(db)
    .innerJoin('voice', 'voice.id', 'audio.voice_id')
    .select([
      'audio.post_id as post_row_id',
      'audio.title',
      'post.url',
      'voice.name as voice_name',
      'voice.language as voice_language',
    ]);
}

/** Whether a post may be seen by anyone at a moment. */
export function isPublic(row: ExpressionBuilder<Tables, 'post'>, now: string) {
  return row.and([
    // Written into the statement: SQLite takes the index of public posts only then.
    row('post.visibility', '=', sql.lit('public')),
    row.or([row('post.publish_at', 'is', null), row('post.publish_at', '<=', now)]),
  ]);
}
