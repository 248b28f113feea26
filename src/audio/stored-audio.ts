import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { currentTimeMs, dayMs, hourMs, monotonicMs, timestamp } from '../clock.ts';
import { afterCommit, type Database, isDatabaseDamaged, type Queries } from '../database/database.ts';
import { createWriteWatcher } from '../database/query-cache.ts';
import type { Tables } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import type { AudioServices } from './deletion.ts';
import { type Bucket, ObjectLostError } from './media/bucket.ts';
import type { MediaFiles } from './media/media-files.ts';
import {
  createObjectKey,
  deleteObjectRows,
  findObject,
  insertWritingObject,
  listDueObjects,
  releaseSegments,
  requireOwnBucket,
} from './media/object-store.ts';
import { unpackByteStarts } from './media/store.ts';
import type { UploadMp3 } from './publish.ts';
import { requeueDamagedAudios } from './regenerate.ts';
import { unfinishedStatuses } from './store.ts';

/** Verification of all segments, pass after pass. */
export type ScrubState = Omit<Selectable<Tables['audio_scrub']>, 'id'>;

const initialState: ScrubState = {
  ...{ position: '', started_at: null, finished_at: null },
  ...{ segment_count: 0, damaged_count: 0 },
};

export async function findScrubState(db: Queries): Promise<ScrubState> {
  const columns = ['position', 'started_at', 'finished_at', 'segment_count', 'damaged_count'] as const;
  const row = await db.selectFrom('audio_scrub').select(columns).executeTakeFirst();
  return row ?? initialState;
}

async function saveScrubState(db: Queries, state: ScrubState): Promise<void> {
  await db
    .insertInto('audio_scrub')
    .values({ id: 1, ...state })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(state))
    .execute();
}

async function findNextHash(db: Queries, after: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('segment')
    .select('hash')
    .where('hash', '>', after)
    .orderBy('hash')
    .limit(1)
    .executeTakeFirst();
  return row?.hash;
}

function findSegment(db: Queries, hash: string) {
  return db
    .selectFrom('segment')
    .innerJoin('site', 'site.id', 'segment.site_id')
    .select(['frames', 'frames_sha256', 'object_key', 'site.deleted_at'])
    .where('hash', '=', hash)
    .executeTakeFirst();
}

/** @returns the versions that plan a segment, with the state of their audio */
async function listUses(db: Queries, hash: string) {
  const rows = await db
    .selectFrom('planned_segment')
    .innerJoin('version', 'version.id', 'planned_segment.version_id')
    .innerJoin('audio', 'audio.id', 'version.audio_id')
    .select(['audio.id as audioId', 'audio.voice_id', 'audio.status', 'audio.version_id', 'audio.revision'])
    .select(['version.id as versionId', 'version.media_key', 'version.revision as plannedRevision'])
    .distinct()
    .where('planned_segment.hash', '=', hash)
    .execute();
  return rows.map((row) => ({
    ...row,
    isCurrent:
      row.status === 'ready'
        ? row.versionId === row.version_id
        : unfinishedStatuses.includes(row.status) && row.plannedRevision === row.revision,
  }));
}

/** `unused`: deleted. `regenerating`: deleted, and its audio is generated again. `left`: neither is possible. */
const damageOutcomes = ['unused', 'regenerating', 'left'] as const;
type DamageOutcome = (typeof damageOutcomes)[number];

const runIntervalMs = 60_000;
/** The start of the server goes first. */
const runDelayMs = 5_000;
/** Even a small store is read at this rate; a larger one at the rate that reads it within the interval. */
const minBytesPerSecond = 256 * 1024;
/** Requests and speech go first. */
const segmentPauseMs = 20;

/**
 * Compares the stored MP3 frames with their checksums, slowly and repeatedly, as a disk may damage them silently. A
 * damaged segment is deleted, and the audio that plays it regenerated: only that sentence is synthesized.
 */
export class AudioScrub {
  /** Since the start, for the metrics. */
  verifiedBytes = 0;
  readonly damageCounts = new Map<DamageOutcome, number>(damageOutcomes.map((outcome) => [outcome, 0]));
  /** Of the last whole pass; undefined: there was none. */
  lastPassAt: string | undefined;
  readonly #services: AudioServices;

  constructor(services: AudioServices) {
    this.#services = services;
  }

  /** @param intervalDays between two passes; 0: off */
  start(intervalDays: number): void {
    if (intervalDays === 0) return;
    const { jobs } = this.#services;
    jobs.every('verifying stored audio', { intervalMs: runIntervalMs, delayMs: runDelayMs }, () =>
      this.#verifySome(intervalDays * dayMs),
    );
  }

  /** A minute's part of a pass. */
  async #verifySome(intervalMs: number): Promise<void> {
    const { database, jobs, log } = this.#services;
    const state = await findScrubState(database.read);
    this.lastPassAt = state.finished_at ?? undefined;
    if (state.started_at === null && !isPassDue(state, intervalMs)) return;
    const isNew = state.started_at === null;
    let { position, segment_count, damaged_count } = isNew ? initialState : state;
    const started_at = state.started_at ?? timestamp();
    const rate = Math.max(minBytesPerSecond, (await database.measureSize()) / (intervalMs / 1000));
    const endBytes = this.verifiedBytes + (rate * runIntervalMs) / 1000;
    let next: string | undefined = position;
    while (!jobs.isStopping && this.verifiedBytes < endBytes) {
      next = await findNextHash(database.read, position);
      if (next === undefined) break;
      position = next;
      segment_count += 1;
      if ((await this.#verify(position)) === 'left') damaged_count += 1;
      await Bun.sleep(segmentPauseMs);
    }
    const isFinished = next === undefined;
    const saved: ScrubState = isFinished
      ? { position: '', started_at: null, finished_at: timestamp(), segment_count, damaged_count }
      : { ...state, position, started_at, segment_count, damaged_count };
    await database.write('server', (db) => saveScrubState(db, saved), { sync: 'normal' });
    if (!isFinished) return;
    this.lastPassAt = saved.finished_at ?? undefined;
    log.info({ segments: segment_count, damaged: damaged_count }, 'stored audio verified');
  }

  /** @returns the outcome of damage; undefined: the segment is intact, or it was deleted meanwhile */
  async #verify(hash: string): Promise<DamageOutcome | undefined> {
    const { database, log } = this.#services;
    const { isIntact, byteCount } = await checkSegment(database.read, hash);
    this.verifiedBytes += byteCount;
    if (isIntact) return undefined;
    const outcome = await this.#repair(hash).catch((error: unknown): DamageOutcome => {
      if (!isDatabaseDamaged(error)) throw error;
      log.error({ err: error, segment: hash }, 'database damaged');
      return 'left';
    });
    if (outcome !== undefined) this.damageCounts.set(outcome, (this.damageCounts.get(outcome) ?? 0) + 1);
    return outcome;
  }

  async #repair(hash: string): Promise<DamageOutcome | undefined> {
    const { database, catalog, queue, mediaFiles, log } = this.#services;
    const installed = new Set((await catalog.voices()).flatMap(({ id, formerIds }) => [id, ...formerIds]));
    return database.write('server', async (db) => {
      // It may have been replaced meanwhile.
      if ((await checkSegment(db, hash)).isIntact) return undefined;
      const uses = await listUses(db, hash);
      const current = uses.filter((use) => use.isCurrent);
      const isRepairable = current.length > 0 && current.every(({ voice_id }) => installed.has(voice_id));
      const outcome = uses.length === 0 ? 'unused' : isRepairable ? 'regenerating' : 'left';
      const audioIds = [...new Set((isRepairable ? current : uses).map(({ audioId }) => audioId))];
      log.error({ segment: hash, audios: audioIds, outcome }, 'stored audio damaged');
      if (outcome === 'left') return outcome;
      await db.deleteFrom('segment').where('hash', '=', hash).execute();
      if (isRepairable) await requeueDamagedAudios(db, queue, audioIds);
      const mediaKeys = uses.flatMap(({ media_key }) => media_key ?? []);
      afterCommit(db, () => mediaFiles.deleteFiles(mediaKeys));
      return outcome;
    });
  }
}

/**
 * As intact count a segment from before checksums were stored, one whose frames are in a bucket, which checks itself, and one of a
 * deleted site, for which nothing is generated: a later pass verifies it if the site is restored.
 */
async function checkSegment(db: Queries, hash: string): Promise<{ isIntact: boolean; byteCount: number }> {
  try {
    const segment = await findSegment(db, hash);
    if (segment === undefined) return { isIntact: true, byteCount: 0 };
    const { frames, frames_sha256, object_key, deleted_at } = segment;
    if (frames_sha256 === null || object_key !== null || deleted_at !== null) return { isIntact: true, byteCount: 0 };
    const sha256 = createHash('sha256').update(frames).digest('hex');
    return { isIntact: sha256 === frames_sha256, byteCount: frames.byteLength };
  } catch (error) {
    if (!isDatabaseDamaged(error)) throw error;
    return { isIntact: false, byteCount: 0 };
  }
}

function isPassDue({ finished_at }: ScrubState, intervalMs: number): boolean {
  return finished_at === null || Date.parse(finished_at) + intervalMs <= currentTimeMs();
}

/** For objects that a request or a command has deleted. */
const pollIntervalMs = 2_000;
/** For objects that have become old enough. */
const passIntervalMs = 10 * 60_000;
/** Longer than any upload. */
const maxUploadHours = 1;
const batchSize = 50;

/** Uploads the file in the media folder, which serves the first listeners. */
export function createUploadMp3(database: Database, bucket: Bucket, mediaFiles: MediaFiles): UploadMp3 {
  return async ({ siteId, versionId, finished }, publish) => {
    const { media_key, header, byte_starts, byte_count } = finished;
    const key = createObjectKey(siteId, versionId);
    const layout = { header, byteStarts: unpackByteStarts(byte_starts) };
    let isPublished = false;
    try {
      const path = await mediaFiles.createFile(media_key, { versionId, byteCount: byte_count, layout });
      await database.write(siteId, (db) => insertWritingObject(db, { key, site_id: siteId, byte_count }));
      await bucket.put(key, Bun.file(path));
      const result = await publish(key);
      isPublished = result.end === 'ready';
      return result;
    } catch (error) {
      // Its sentences are synthesized again.
      if (error instanceof ObjectLostError) throw new AppError('busy', 'An object is missing in the bucket');
      throw error;
    } finally {
      if (!isPublished) await mediaFiles.deleteFiles([media_key]);
    }
  };
}

/** @returns the versions that have an object, with the audio that plays it now */
function listObjectVersions(db: Queries, key: string) {
  return db
    .selectFrom('version')
    .leftJoin('audio', 'audio.version_id', 'version.id')
    .select(['version.media_key', 'audio.id as currentAudioId'])
    .where('version.object_key', '=', key)
    .execute();
}

/** Deletes objects that no version has from the bucket, and replaces those that the bucket has lost. */
export class ObjectCleanup {
  readonly #services: AudioServices;
  readonly #graceDays: number;

  constructor(services: AudioServices, graceDays: number) {
    this.#services = services;
    this.#graceDays = graceDays;
  }

  start(): void {
    const { bucket, database, jobs } = this.#services;
    if (bucket === undefined) return;
    const hasChanged = createWriteWatcher(database);
    let nextPassMs = 0;
    const isDue = (): boolean => hasChanged() || monotonicMs() >= nextPassMs;
    jobs.every('deleting objects', { intervalMs: pollIntervalMs, isDue }, () => {
      nextPassMs = monotonicMs() + passIntervalMs;
      return this.#deleteDue(bucket);
    });
  }

  /** An object is lost or damaged: its audio is generated again from its text, once. */
  async replaceLost(key: string): Promise<void> {
    const { database, bucket, queue, mediaFiles, log } = this.#services;
    if (bucket !== undefined) await this.#requireOwnBucket(bucket);
    await database.write('server', async (db) => {
      const object = await findObject(db, key);
      if (object?.state !== 'live') return releaseSegments(db, [key]);
      const versions = await listObjectVersions(db, key);
      await releaseSegments(db, [key]);
      const audioIds = versions.flatMap(({ currentAudioId }) => currentAudioId ?? []);
      log.error({ key, audios: audioIds }, 'object lost');
      await requeueDamagedAudios(db, queue, audioIds);
      const mediaKeys = versions.flatMap(({ media_key }) => media_key ?? []);
      afterCommit(db, () => mediaFiles.deleteFiles(mediaKeys));
    });
  }

  /** In another bucket everything would be lost. */
  async #requireOwnBucket(bucket: Bucket): Promise<void> {
    try {
      await requireOwnBucket(this.#services.database, bucket);
    } catch (error) {
      this.#services.log.error({ err: error }, 'bucket not recognized');
      throw new AppError('sound_unavailable');
    }
  }

  async #deleteDue(bucket: Bucket): Promise<void> {
    const { database, jobs, log } = this.#services;
    await jobs.repeat(async () => {
      const now = currentTimeMs();
      const limits = {
        writingBefore: timestamp(now - maxUploadHours * hourMs),
        markedBefore: timestamp(now - this.#graceDays * dayMs),
      };
      if ((await listDueObjects(database.read, limits, 1)).length === 0) return false;
      // The rows first: nothing plays from an object that is being deleted. In one transaction: an upload may be published meanwhile.
      const keys = await database.write('server', async (db) => {
        const due = await listDueObjects(db, limits, batchSize);
        await releaseSegments(db, due);
        return due;
      });
      await Promise.all(keys.map((key) => bucket.drop(key)));
      await database.write('server', (db) => deleteObjectRows(db, keys), { sync: 'normal' });
      log.info({ objects: keys.length }, 'objects deleted');
      return keys.length === batchSize;
    });
  }
}
