import { timestamp } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import type { Audio, NewPlannedSegment, NewSegment, PlannedSegment, Rendition } from '../database/schema.ts';
import { hashRequest, unfinishedStatuses } from './store.ts';

/** SQLite takes 32,766 parameters in one statement. */
const insertBatchSize = 2_000;

/** An unfinished audio with the length of its text as cost. */
export type QueuedAudio = Awaited<ReturnType<typeof listQueuedAudios>>[number];
/** An audio with everything that its synthesis job needs. */
export type ClaimedAudio = NonNullable<Awaited<ReturnType<typeof claimAudio>>>;

/** After a restart, audio that was being generated is pending again. Its progress and segments stay. */
export async function resetRunningJobs(db: Queries): Promise<void> {
  await db.updateTable('audio').set({ status: 'pending' }).where('status', '=', 'generating').execute();
}

export function listQueuedAudios(db: Queries) {
  return selectQueuedAudios(db).where('audio.status', 'in', unfinishedStatuses).orderBy('audio.id').execute();
}

export function findQueuedAudio(db: Queries, audioId: number): Promise<QueuedAudio | undefined> {
  return selectQueuedAudios(db)
    .where('audio.id', '=', audioId)
    .where('audio.status', 'in', unfinishedStatuses)
    .executeTakeFirst();
}

function selectQueuedAudios(db: Queries) {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select((row) => [
      'audio.id',
      'post.site_id',
      'audio.is_main',
      'audio.voice_id',
      'audio.priority',
      'audio.virtual_time',
      'audio.revision',
      row.fn<number>('length', ['audio.content']).as('cost'),
    ]);
}

/** @returns the audio, now `generating`; undefined when it was changed meanwhile */
export async function claimAudio(db: Queries, audioId: number, revision: number) {
  const { numUpdatedRows } = await db
    .updateTable('audio')
    .set({ status: 'generating', updated_at: timestamp() })
    .where('id', '=', audioId)
    .where('revision', '=', revision)
    // Also `generating`: resetting it may have failed on a full disk.
    .where('status', 'in', unfinishedStatuses)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return undefined;
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .innerJoin('site', 'site.id', 'post.site_id')
    .selectAll('audio')
    .select(['site.id as site_id', 'site.name as site_name', 'post.url'])
    .select(['site.plan', 'site.default_voice_id', 'site.default_voices', 'site.bit_rate_kbps', 'site.reading'])
    .where('audio.id', '=', audioId)
    .executeTakeFirstOrThrow();
}

/** Gives an audio whose voice is gone another one. A repeated request without a voice still changes nothing. */
export async function storeReplacement(
  db: Queries,
  audio: Pick<ClaimedAudio, 'id' | 'revision' | 'title' | 'content' | 'content_type'>,
  voiceId: number,
): Promise<void> {
  await db
    .updateTable('audio')
    .set({
      voice_id: voiceId,
      voice_replaced: 1,
      request_hash: hashRequest({ ...audio, contentType: audio.content_type }, voiceId),
    })
    .where('id', '=', audio.id)
    .where('revision', '=', audio.revision)
    .execute();
}

/** @returns whether the audio is still being generated in this revision; only then may a job write for it */
export async function isCurrentRevision(db: Queries, audioId: number, revision: number): Promise<boolean> {
  const row = await db
    .selectFrom('audio')
    .select('id')
    .where('id', '=', audioId)
    .where('revision', '=', revision)
    .where('status', '=', 'generating')
    .executeTakeFirst();
  return row !== undefined;
}

export async function audioExists(db: Queries, audioId: number): Promise<boolean> {
  const row = await db.selectFrom('audio').select('id').where('id', '=', audioId).executeTakeFirst();
  return row !== undefined;
}

/** Deletes unfinished plans of an audio; their segments stay for reuse. */
export async function deleteUnfinishedVersions(db: Queries, audioId: number): Promise<void> {
  await db
    .deleteFrom('version')
    .where('audio_id', '=', audioId)
    .where('media_key', 'is', null)
    .where('ready_at', 'is', null)
    .execute();
}

export async function insertVersion(
  db: Queries,
  version: Pick<
    Rendition,
    'audio_id' | 'revision' | 'voice_id' | 'title' | 'sample_rate_hz' | 'bit_rate_kbps' | 'started_at' | 'unknown_words'
  >,
): Promise<number> {
  const { id } = await db
    .insertInto('version')
    .values({ ...version, left_out: '[]' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** A segment of a sentence in the previous version. */
export type PreviousSegment = Pick<
  PlannedSegment,
  'hash' | 'spoken' | 'phoneme_count' | 'pause_ms' | 'sentence_start' | 'sentence_end' | 'words'
>;

/**
 * @param versionId null: there is none
 * @returns the existing segments of a version by the plan key of their sentence; of a repeated sentence the last ones
 */
export async function listPreviousSegments(
  db: Queries,
  versionId: number | null,
): Promise<Map<string, PreviousSegment[]>> {
  if (versionId === null) return new Map();
  const rows = await db
    .selectFrom('planned_segment')
    .innerJoin('segment', 'segment.hash', 'planned_segment.hash')
    .select(['plan_key', 'planned_segment.hash', 'spoken', 'phoneme_count', 'pause_ms'])
    .select(['sentence_start', 'sentence_end', 'words'])
    .where('version_id', '=', versionId)
    .where('plan_key', 'is not', null)
    .orderBy('position')
    .execute();
  const bySentence = new Map<string, PreviousSegment[]>();
  for (const { plan_key, ...row } of rows) {
    const known = bySentence.get(plan_key ?? '');
    if (known === undefined || row.sentence_start === 0) bySentence.set(plan_key ?? '', [row]);
    else known.push(row);
  }
  return bySentence;
}

/** @returns the hashes among these whose segments are already there */
export async function findExistingHashes(db: Queries, hashes: readonly string[]): Promise<Set<string>> {
  const rows =
    hashes.length === 0 ? [] : await db.selectFrom('segment').select('hash').where('hash', 'in', hashes).execute();
  return new Set(rows.map(({ hash }) => hash));
}

export async function insertPlannedSegments(db: Queries, rows: readonly NewPlannedSegment[]): Promise<void> {
  for (let start = 0; start < rows.length; start += insertBatchSize) {
    await db
      .insertInto('planned_segment')
      .values(rows.slice(start, start + insertBatchSize))
      .execute();
  }
}

/** The next plan does not reuse the segment, but synthesizes the sentence again without splitting it. */
export async function replacePlannedHash(db: Queries, versionId: number, from: string, to: string): Promise<void> {
  await db
    .updateTable('planned_segment')
    .set({ hash: to, plan_key: null })
    .where('version_id', '=', versionId)
    .where('hash', '=', from)
    .execute();
}

/** Stores a segment; it may be reused even if its audio was changed meanwhile. */
export async function insertSegment(db: Queries, segment: NewSegment): Promise<void> {
  await db
    .insertInto('segment')
    .values(segment)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Progress never goes back, and is 100 only when ready. */
export async function updateProgress(db: Queries, audioId: number, revision: number, percent: number): Promise<void> {
  await db
    .updateTable('audio')
    .set({ progress_percent: Math.min(percent, 99), updated_at: timestamp() })
    .where('id', '=', audioId)
    .where('revision', '=', revision)
    .where('status', '=', 'generating')
    .where('progress_percent', '<', Math.min(percent, 99))
    .execute();
}

/** What a version gets when it becomes ready. */
export interface FinishedVersion {
  readonly media_key: string;
  readonly header: Uint8Array;
  readonly byte_count: number;
  readonly duration_ms: number;
  readonly byte_starts: Uint8Array;
  readonly left_out: string;
  readonly provenance: string;
  readonly certificate_sha256: string;
  readonly ready_at: string;
}

/** Makes a version the served one; earlier versions are served until `oldExpiresAt`. */
export async function markReady(
  db: Queries,
  audioId: number,
  versionId: number,
  finished: FinishedVersion & Pick<Rendition, 'object_key'>,
  oldExpiresAt: string,
): Promise<void> {
  await db
    .updateTable('version')
    .set({ expires_at: oldExpiresAt })
    .where('audio_id', '=', audioId)
    .where('id', '!=', versionId)
    .where('expires_at', 'is', null)
    .execute();
  await db.updateTable('version').set(finished).where('id', '=', versionId).execute();
  await db
    .updateTable('audio')
    .set({
      status: 'ready',
      progress_percent: 100,
      error: null,
      version_id: versionId,
      updated_at: timestamp(),
    })
    .where('id', '=', audioId)
    .execute();
}

/** @returns the text of an audio; empty when it was deleted */
export async function findContent(db: Queries, audioId: number): Promise<string> {
  const row = await db.selectFrom('audio').select('content').where('id', '=', audioId).executeTakeFirst();
  return row?.content ?? '';
}

/** @returns false when the audio was changed meanwhile; nothing is written then */
export async function markFailed(
  db: Queries,
  audioId: number,
  revision: number,
  failure: Pick<Audio, 'error' | 'error_code' | 'content_counts'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('audio')
    .set({ status: 'failed', ...failure, updated_at: timestamp() })
    .where('id', '=', audioId)
    .where('revision', '=', revision)
    .where('status', 'in', unfinishedStatuses)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) await deleteUnfinishedVersions(db, audioId);
  return numUpdatedRows > 0n;
}
