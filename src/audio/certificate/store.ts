import type { Queries } from '../../database/database.ts';
import { mainFlag } from '../store.ts';

/** A version without its segments and MP3. */
export type CertifiedVersion = NonNullable<Awaited<ReturnType<typeof findVersion>>>;

export function findVersion(db: Queries, versionId: number) {
  return selectVersions(db).where('version.id', '=', versionId).executeTakeFirst();
}

/** @returns the served version of an audio; undefined if unknown or never ready */
export function findServedVersion(db: Queries, audioId: number) {
  return selectVersions(db)
    .innerJoin('audio as current', 'current.version_id', 'version.id')
    .where('current.id', '=', audioId)
    .executeTakeFirst();
}

function selectVersions(db: Queries) {
  return db
    .selectFrom('version')
    .innerJoin('audio', 'audio.id', 'version.audio_id')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select([
      'version.id',
      'version.audio_id',
      'version.voice_id',
      'version.sample_rate_hz',
      'version.bit_rate_kbps',
      'version.left_out',
      'version.provenance',
      'version.certificate_sha256',
      'version.ready_at',
      'audio.language',
      'post.external_id',
      'post.site_id',
    ]);
}

/** A planned segment; null columns are missing. */
export type CertifiedRow = Awaited<ReturnType<typeof listSegments>>[number];

/** @returns the segments of a version in order, without their frames */
export function listSegments(db: Queries, versionId: number) {
  return db
    .selectFrom('planned_segment')
    .leftJoin('segment', 'segment.hash', 'planned_segment.hash')
    .select([
      'planned_segment.position',
      'planned_segment.kind',
      'planned_segment.text',
      'planned_segment.spoken',
      'planned_segment.source_field',
      'planned_segment.source_start',
      'planned_segment.source_end',
      'planned_segment.phoneme_count',
      'planned_segment.pause_ms',
      'planned_segment.voice_id',
      'segment.byte_count',
      'segment.frame_count',
      'segment.frames_sha256',
      'segment.speech_ms',
    ])
    .where('version_id', '=', versionId)
    .orderBy('position')
    .execute();
}

export type StoredMp3 = Awaited<ReturnType<typeof findMp3>>;

/** @returns the MP3 of a version without its frames */
export function findMp3(db: Queries, versionId: number) {
  return db
    .selectFrom('version')
    .select(['id', 'media_key', 'header', 'byte_count', 'byte_starts', 'duration_ms', 'object_key'])
    .where('id', '=', versionId)
    .executeTakeFirstOrThrow();
}

/** @returns the ids of all audios of a post, in every language and voice */
export async function listPostAudioIds(db: Queries, siteId: number, postId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select('audio.id')
    .where('post.site_id', '=', siteId)
    .where('post.external_id', '=', postId)
    .orderBy('audio.id')
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * @param after id of an audio; 0 for the first page
 * @returns the ids of the next audios that have a served version
 */
export async function listReadyAudioIds(db: Queries, after: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('audio')
    .select('id')
    .where('id', '>', after)
    .where('version_id', 'is not', null)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export interface AudioQuery {
  readonly siteId: number;
  readonly postId: string;
  readonly language: string;
  /** Undefined: the main audio. */
  readonly extraVoiceId?: number | undefined;
}

export function findAudioByQuery(db: Queries, { siteId, postId, language, extraVoiceId }: AudioQuery) {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select(['audio.id', 'audio.version_id'])
    .where('post.site_id', '=', siteId)
    .where('post.external_id', '=', postId)
    .where('audio.language', '=', language)
    .$if(extraVoiceId === undefined, (all) => all.where('audio.is_main', '=', mainFlag))
    .$if(extraVoiceId !== undefined, (all) =>
      all.where('audio.voice_id', '=', extraVoiceId ?? 0).orderBy('audio.is_main', 'desc'),
    )
    .limit(1)
    .executeTakeFirst();
}
