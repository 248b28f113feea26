import { type ExpressionBuilder, sql } from 'kysely';
import { timestamp } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import type {
  Audio,
  AudioStatus,
  NewPlannedSegment,
  NewSegment,
  PlannedSegment,
  Rendition,
  Tables,
} from '../database/schema.ts';
import { hashRequest, unfinishedStatuses } from './store.ts';

/** SQLite takes 32,766 parameters in one statement. */
const insertBatchSize = 2_000;

/** An unfinished audio with the length of its text as cost. */
export type QueuedAudio = Awaited<ReturnType<typeof listQueuedAudios>>[number];
/** An audio with everything that its synthesis job needs. */
export type ClaimedAudio = NonNullable<Awaited<ReturnType<typeof claimAudio>>>;

/**
 * Gives back what a machine generates: it is pending again, with its progress and segments.
 * @param machineId undefined: a server on SQLite, which has all
 * @returns the audios
 */
export async function releaseAudios(db: Queries, machineId: number | undefined): Promise<number[]> {
  const rows = await db
    .updateTable('audio')
    .set({ status: 'pending', claimed_by: null })
    .where('status', '=', 'generating')
    .$if(machineId !== undefined, (claimed) => claimed.where('claimed_by', '=', machineId ?? 0))
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Gives one audio back, if the claim is current. */
export async function releaseClaim(db: Queries, { id, revision, fence }: AudioClaim): Promise<void> {
  await db
    .updateTable('audio')
    .set({ status: 'pending', claimed_by: null })
    .where('id', '=', id)
    .where('revision', '=', revision)
    .where('fence', '=', fence)
    .where('status', '=', 'generating')
    .execute();
}

/** Whether a machine may generate an unfinished audio: it is pending, its own, or that of a machine that is gone. */
function isFreeFor(machineId: number) {
  return (is: ExpressionBuilder<Tables, 'audio'>) =>
    is.or([
      is('audio.status', '=', 'pending'),
      is('audio.claimed_by', 'is', null),
      is('audio.claimed_by', '=', machineId),
      is.not(existsMachine(is)),
    ]);
}

function existsMachine(is: ExpressionBuilder<Tables, 'audio'>) {
  return is.exists(is.selectFrom('machine').select('machine.id').whereRef('machine.id', '=', 'audio.claimed_by'));
}

/** @returns the audios that this machine may generate */
export function listQueuedAudios(db: Queries, machineId: number | undefined) {
  return selectQueuedAudios(db, machineId).orderBy('audio.id').execute();
}

/** @returns the ids of `listQueuedAudios`, without reading the texts for their costs */
export async function listQueuedIds(db: Queries, machineId: number | undefined): Promise<Set<number>> {
  const rows = await selectQueuedAudios(db, machineId).clearSelect().select('audio.id').execute();
  return new Set(rows.map(({ id }) => id));
}

/** @returns the audios whose machine ended without giving them back: few, by an index, however many wait */
export async function listAbandonedIds(db: Queries): Promise<number[]> {
  const rows = await db
    .selectFrom('audio')
    .select('id')
    .where('status', '=', sql.lit<AudioStatus>('generating'))
    .where((is) => is.not(existsMachine(is)))
    .execute();
  return rows.map(({ id }) => id);
}

/** @param machineId undefined: any machine */
export function findQueuedAudio(
  db: Queries,
  audioId: number,
  machineId: number | undefined,
): Promise<QueuedAudio | undefined> {
  return selectQueuedAudios(db, machineId).where('audio.id', '=', audioId).executeTakeFirst();
}

function selectQueuedAudios(db: Queries, machineId: number | undefined) {
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
      'audio.fence',
      row.fn<number>('length', ['audio.content']).as('cost'),
    ])
    .where('audio.status', 'in', unfinishedStatuses)
    .$if(machineId !== undefined, (queued) => queued.where(isFreeFor(machineId ?? 0)));
}

/**
 * @param machineId undefined: a server on SQLite, which needs no fence
 * @returns the audio, now `generating`; undefined when it was changed meanwhile, or another machine generates it
 */
export async function claimAudio(
  db: Queries,
  { id, revision }: Pick<AudioClaim, 'id' | 'revision'>,
  machineId: number | undefined,
) {
  const { numUpdatedRows } = await db
    .updateTable('audio')
    .set({ status: 'generating', updated_at: timestamp() })
    .where('id', '=', id)
    .where('revision', '=', revision)
    // Also `generating`: resetting it may have failed on a full disk.
    .where('status', 'in', unfinishedStatuses)
    .$if(machineId !== undefined, (free) =>
      free.set((row) => ({ claimed_by: machineId, fence: row('fence', '+', 1) })).where(isFreeFor(machineId ?? 0)),
    )
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return undefined;
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .innerJoin('site', 'site.id', 'post.site_id')
    .selectAll('audio')
    .select(['site.id as site_id', 'site.name as site_name', 'post.url'])
    .select(['site.plan', 'site.default_voice_id', 'site.default_voices', 'site.bit_rate_kbps', 'site.reading'])
    .where('audio.id', '=', id)
    .executeTakeFirstOrThrow();
}

/** Identifies a claim. Only the last one, on the newest text, may write. */
export type AudioClaim = Pick<Audio, 'id' | 'revision' | 'fence'>;

/** Gives an audio whose voice is gone another one. A repeated request without a voice still changes nothing. */
export async function storeReplacement(
  db: Queries,
  audio: AudioClaim & Pick<ClaimedAudio, 'title' | 'content' | 'content_type'>,
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
    .where('fence', '=', audio.fence)
    .execute();
}

/** @returns whether the audio is still being generated by this claim; only then may a job write for it */
export async function isClaimCurrent(db: Queries, { id, revision, fence }: AudioClaim): Promise<boolean> {
  const row = await db
    .selectFrom('audio')
    .select('id')
    .where('id', '=', id)
    .where('revision', '=', revision)
    .where('fence', '=', fence)
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
    const segments = bySentence.get(plan_key ?? '');
    if (segments === undefined || row.sentence_start === 0) bySentence.set(plan_key ?? '', [row]);
    else segments.push(row);
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
export async function updateProgress(db: Queries, { id, revision, fence }: AudioClaim, percent: number): Promise<void> {
  await db
    .updateTable('audio')
    .set({ progress_percent: Math.min(percent, 99), updated_at: timestamp() })
    .where('id', '=', id)
    .where('revision', '=', revision)
    .where('fence', '=', fence)
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
  { id, revision, fence }: AudioClaim,
  failure: Pick<Audio, 'error' | 'error_code' | 'content_counts'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('audio')
    .set({ status: 'failed', ...failure, updated_at: timestamp() })
    .where('id', '=', id)
    .where('revision', '=', revision)
    .where('fence', '=', fence)
    .where('status', 'in', unfinishedStatuses)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) await deleteUnfinishedVersions(db, id);
  return numUpdatedRows > 0n;
}
