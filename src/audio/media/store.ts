import { randomBytes } from 'node:crypto';
import type { Queries } from '../../database/database.ts';
import { type PlaceholderFor, prepareQuery } from '../../database/query-cache.ts';
import { AppError } from '../../errors.ts';
import type { Provenance } from '../certificate/schema.ts';
import { audibilityColumns } from '../posts/published-audio.ts';

/** Read by every media request: only the columns that most of them need, as each takes a microsecond, and bytes take several. */
export type ServedVersion = Awaited<ReturnType<typeof queryServedVersion>>[number];

export async function findServedVersion(db: Queries, mediaKey: string): Promise<ServedVersion | undefined> {
  const [found] = await queryServedVersion(db, { mediaKey });
  return found;
}

const queryServedVersion = prepareQuery((db, value: PlaceholderFor<{ mediaKey: string }>) =>
  db
    .selectFrom('version')
    .innerJoin('audio', 'audio.id', 'version.audio_id')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .innerJoin('site', 'site.id', 'post.site_id')
    .select([
      'version.id',
      'version.byte_count',
      'version.ready_at',
      'version.expires_at',
      'version.object_key',
      'site.timings_text',
      'post.site_id',
      ...audibilityColumns,
    ])
    .where('media_key', '=', value('mediaKey'))
    .where('header', 'is not', null),
);

/** Whether an MP3 with this key was deleted or has expired. */
export async function isMediaDeleted(db: Queries, mediaKey: string): Promise<boolean> {
  for (const table of ['deleted_media', 'version'] as const) {
    const row = await db.selectFrom(table).select('media_key').where('media_key', '=', mediaKey).executeTakeFirst();
    if (row !== undefined) return true;
  }
  return false;
}

/** Where the parts of an MP3 begin. */
export interface Mp3Layout {
  readonly header: Uint8Array;
  /** Offset of each segment in the file. */
  readonly byteStarts: Float64Array;
}

/** @throws AppError `media_gone` */
export async function readMp3Layout(db: Queries, versionId: number): Promise<Mp3Layout> {
  const [row] = await queryMp3Layout(db, { versionId });
  if (row === undefined || row.header === null || row.byte_starts === null) throw new AppError('media_gone');
  return { header: row.header, byteStarts: unpackByteStarts(row.byte_starts) };
}

const queryMp3Layout = prepareQuery((db, value: PlaceholderFor<{ versionId: number }>) =>
  db.selectFrom('version').select(['header', 'byte_starts']).where('id', '=', value('versionId')),
);

/** @returns the MP3 frames of one planned segment, or their place in an object */
export async function findSegmentFrames(db: Queries, versionId: number, position: number) {
  const [row] = await querySegmentFrames(db, { versionId, position });
  return row;
}

const querySegmentFrames = prepareQuery((db, value: PlaceholderFor<{ versionId: number; position: number }>) =>
  db
    .selectFrom('planned_segment')
    .innerJoin('segment', 'segment.hash', 'planned_segment.hash')
    .select(['segment.frames', 'segment.byte_count', 'segment.object_key', 'segment.object_start'])
    .where('version_id', '=', value('versionId'))
    .where('position', '=', value('position')),
);

export type SegmentPlace = Awaited<ReturnType<typeof listSegmentPlaces>>[number];

/** @returns where the frames of each planned segment are, in order */
export function listSegmentPlaces(db: Queries, versionId: number) {
  return db
    .selectFrom('planned_segment')
    .innerJoin('segment', 'segment.hash', 'planned_segment.hash')
    .select(['position', 'segment.hash', 'segment.byte_count', 'segment.object_key', 'segment.object_start'])
    .where('version_id', '=', versionId)
    .orderBy('position')
    .execute();
}

/** @returns SHA-256 of the frames of each planned segment, hex, in order */
export async function listSegmentChecksums(db: Queries, versionId: number): Promise<(string | null)[]> {
  const rows = await db
    .selectFrom('planned_segment')
    .innerJoin('segment', 'segment.hash', 'planned_segment.hash')
    .select('segment.frames_sha256')
    .where('version_id', '=', versionId)
    .orderBy('position')
    .execute();
  return rows.map(({ frames_sha256 }) => frames_sha256);
}

/** The rows behind the timings, in order. */
export function listSegmentTexts(db: Queries, versionId: number) {
  return db
    .selectFrom('planned_segment')
    .innerJoin('segment', 'segment.hash', 'planned_segment.hash')
    .select(['kind', 'text', 'words', 'pause_ms', 'segment.frame_count', 'segment.id_starts'])
    .where('version_id', '=', versionId)
    .orderBy('position')
    .execute();
}

/** @returns speed of the speech of a version, 1 is that of the voice, and its sample rate. @throws AppError `media_gone` */
export async function readVersionTiming(db: Queries, versionId: number): Promise<{ speed: number; rateHz: number }> {
  const version = await db
    .selectFrom('version')
    .select(['provenance', 'sample_rate_hz'])
    .where('id', '=', versionId)
    .executeTakeFirst();
  if (version === undefined) throw new AppError('media_gone');
  const provenance = JSON.parse(version.provenance ?? '{}') as Partial<Provenance>;
  return { speed: provenance.speed ?? 1, rateHz: version.sample_rate_hz };
}

/** @param packed Float64 array of the column `byte_starts` */
export function unpackByteStarts(packed: Uint8Array): Float64Array {
  // A copy begins at a multiple of eight bytes.
  return new Float64Array(new Uint8Array(packed).buffer);
}

const mediaKeyByteCount = 18;

/** @returns an unguessable name for the address of an MP3 */
export function createMediaKey(): string {
  return randomBytes(mediaKeyByteCount).toString('base64url');
}

/** Gives each MP3 of a post a new address. @returns the old keys, whose addresses are not found any more */
export async function replaceMediaKeys(db: Queries, postRowId: number): Promise<string[]> {
  const versions = await db
    .selectFrom('version')
    .innerJoin('audio', 'audio.id', 'version.audio_id')
    .select(['version.id', 'version.media_key'])
    .where('audio.post_id', '=', postRowId)
    .where('version.header', 'is not', null)
    .execute();
  for (const { id } of versions) {
    await db.updateTable('version').set({ media_key: createMediaKey() }).where('id', '=', id).execute();
  }
  return versions.flatMap(({ media_key }) => media_key ?? []);
}

/** Deletes the audio of expired versions; their URLs return 410. @returns their ids */
export async function expireVersions(db: Queries, now: string): Promise<number[]> {
  const expired = await db
    .selectFrom('version')
    .select('id')
    .where('expires_at', '<=', now)
    .where('header', 'is not', null)
    .execute();
  for (const { id } of expired) {
    await db.deleteFrom('planned_segment').where('version_id', '=', id).execute();
    await db.updateTable('version').set({ header: null, byte_starts: null }).where('id', '=', id).execute();
  }
  return expired.map(({ id }) => id);
}

/**
 * Deletes segments that no plan uses.
 * @param limit most segments to delete
 * @param siteId undefined: of all sites
 * @returns how many were deleted
 */
export async function deleteUnusedSegments(
  db: Queries,
  olderThan: string,
  limit: number,
  siteId?: number,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('segment')
    .where('hash', 'in', (unused) =>
      unused
        .selectFrom('segment as one')
        .select('one.hash')
        .where('one.created_at', '<', olderThan)
        .$if(siteId !== undefined, (all) => all.where('one.site_id', '=', siteId ?? 0))
        .where((row) =>
          row.not(
            row.exists(
              row.selectFrom('planned_segment').select('position').whereRef('planned_segment.hash', '=', 'one.hash'),
            ),
          ),
        )
        .limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Progress of the newest text of an audio; `versionId` is null until planned, `segmentCount` null until planned to its end. */
export type GenerationProgress = NonNullable<Awaited<ReturnType<typeof findGenerationProgress>>>;

export async function findGenerationProgress(db: Queries, audioId: number) {
  const row = await db
    .selectFrom('audio')
    .leftJoin('version', (join) =>
      join.onRef('version.audio_id', '=', 'audio.id').onRef('version.revision', '=', 'audio.revision'),
    )
    .select([
      'audio.status',
      'audio.revision',
      'version.id as versionId',
      'version.byte_starts as byteStarts',
      'version.segment_count',
    ])
    .where('audio.id', '=', audioId)
    .orderBy('version.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { byteStarts, segment_count, ...progress } = row;
  // A machine of an earlier version plans without a count.
  const publishedCount = byteStarts === null ? null : byteStarts.byteLength / Float64Array.BYTES_PER_ELEMENT;
  return { ...progress, segmentCount: segment_count ?? publishedCount };
}
