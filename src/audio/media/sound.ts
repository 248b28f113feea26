import type { Config } from '../../config.ts';
import type { Queries } from '../../database/database.ts';
import { AppError } from '../../errors.ts';
import type { AudioUpdates } from '../events.ts';
import { type Bucket, ObjectLostError } from './bucket.ts';
import type { SegmentedMp3 } from './segmented-mp3.ts';
import {
  findGenerationProgress,
  findSegmentFrames,
  type GenerationProgress,
  readMp3Layout,
  type SegmentPlace,
} from './store.ts';

/** Of an object, held in memory. */
const maxWindowBytes = 2 * 1024 * 1024;

/** Reads the MP3s of versions from the rows of their segments, or from the bucket. */
export class Sound {
  /** Undefined: no bucket is configured. */
  readonly bucket: Bucket | undefined;
  readonly #read: Queries;
  readonly #onLost: (key: string) => Promise<void>;

  /** @param onLost called with the key of an object that the bucket does not have */
  constructor(read: Queries, bucket: Bucket | undefined, onLost: (key: string) => Promise<void> = async () => {}) {
    this.#read = read;
    this.bucket = bucket;
    this.#onLost = onLost;
  }

  /**
   * Reads a range of an MP3, a part at a time, as the client takes it.
   * @param end exclusive
   * @throws AppError `media_gone`, `sound_unavailable`
   */
  async *read(mp3: SegmentedMp3, start: number, end: number): AsyncGenerator<Uint8Array> {
    const { objectKey, versionId } = mp3;
    if (objectKey !== null) {
      for (let from = start; from < end; from += maxWindowBytes) {
        yield await this.#readObject(objectKey, from, Math.min(end, from + maxWindowBytes));
      }
      return;
    }
    const { header, byteStarts } = await readMp3Layout(this.#read, versionId);
    if (start < header.byteLength) yield header.subarray(start, end);
    for (let index = findSegmentIndex(byteStarts, start); index < byteStarts.length; index += 1) {
      const from = byteStarts[index] ?? 0;
      if (from >= end) return;
      const frames = await this.readSegment(versionId, index);
      if (frames === undefined) throw new AppError('media_gone');
      const part = frames.subarray(Math.max(0, start - from), end - from);
      if (part.byteLength > 0) yield part;
    }
  }

  /** @returns the MP3 frames of one planned segment; undefined while it is not synthesized */
  async readSegment(versionId: number, position: number): Promise<Uint8Array | undefined> {
    const row = await findSegmentFrames(this.#read, versionId, position);
    if (row === undefined || row.object_key === null) return row?.frames;
    const start = row.object_start ?? 0;
    return this.#readObject(row.object_key, start, start + row.byte_count);
  }

  /** Reads segments of a version in order: those that are in objects from a window of some megabytes. */
  async *readSegments(versionId: number, places: readonly SegmentPlace[]): AsyncGenerator<Uint8Array> {
    const ends = new Map<string, number>();
    for (const place of places) {
      if (place.object_key === null) continue;
      ends.set(place.object_key, Math.max(ends.get(place.object_key) ?? 0, getEnd(place)));
    }
    let window = { key: '', start: 0, bytes: new Uint8Array() };
    for (const place of places) {
      const { position, object_key: key, object_start } = place;
      const start = object_start ?? 0;
      if (key === null) {
        const row = await findSegmentFrames(this.#read, versionId, position);
        if (row === undefined) throw new AppError('busy', 'A segment was deleted concurrently');
        yield row.frames;
        continue;
      }
      const end = getEnd(place);
      if (key !== window.key || start < window.start || end > window.start + window.bytes.byteLength) {
        const last = Math.max(end, Math.min(ends.get(key) ?? end, start + maxWindowBytes));
        window = { key, start, bytes: await this.#readObject(key, start, last) };
      }
      yield window.bytes.subarray(start - window.start, end - window.start);
    }
  }

  /** The content of an object differs from the written one. */
  async reportDamage(key: string): Promise<void> {
    await this.#onLost(key);
  }

  async #readObject(key: string, start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    if (this.bucket === undefined) {
      throw new AppError('sound_unavailable', 'Audio storage unavailable: no bucket is configured');
    }
    try {
      return await this.bucket.read(key, start, end);
    } catch (error) {
      if (error instanceof ObjectLostError) await this.#onLost(key);
      throw error;
    }
  }
}

function getEnd({ object_start, byte_count }: SegmentPlace): number {
  return (object_start ?? 0) + byte_count;
}

/** @returns the index of the last segment that begins at or before a byte; 0 when all begin after it */
function findSegmentIndex(byteStarts: Float64Array, byte: number): number {
  let low = 0;
  let high = byteStarts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((byteStarts[middle] ?? 0) <= byte) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

type ListenerLimits = Pick<Config, 'maxListeners' | 'maxListenersPerSite'>;

/** Limits the streams of posts that are being generated: each holds a connection, and a sentence in memory. */
export class ListenerLimiter {
  readonly #limits: ListenerLimits;
  readonly #countBySite = new Map<number, number>();
  #count = 0;

  constructor(limits: ListenerLimits) {
    this.#limits = limits;
  }

  /**
   * @returns releases the slot; may be called more than once
   * @throws AppError `too_many_listeners`
   */
  acquireSlot(siteId: number): () => void {
    const { maxListeners, maxListenersPerSite } = this.#limits;
    if (this.#count >= maxListeners || (this.#countBySite.get(siteId) ?? 0) >= maxListenersPerSite) {
      throw new AppError('too_many_listeners');
    }
    this.#add(siteId, 1);
    let isReleased = false;
    return () => {
      if (!isReleased) this.#add(siteId, -1);
      isReleased = true;
    };
  }

  #add(siteId: number, change: 1 | -1): void {
    const ofSite = (this.#countBySite.get(siteId) ?? 0) + change;
    this.#count += change;
    if (ofSite === 0) this.#countBySite.delete(siteId);
    else this.#countBySite.set(siteId, ofSite);
  }
}

/** Changes by another process, like a command, send no update; nor does a bucket that is available again. */
const pollIntervalMs = 1_000;

/**
 * The MP3 frames of an audio, sentence by sentence as they are synthesized, to the last one. Until the first frames are
 * there, the newest text counts; from then on the one that was begun.
 * @param isWanted false once the client is gone; then the frames just end
 * @param isOpen whether the audio is still public; checked before each sentence
 * @throws AppError `media_not_found` when no more will come: the audio failed, was replaced or deleted, or is no longer
 *   public; `not_ready` when the server stops
 */
export async function* liveFrames(
  read: Queries,
  sound: Sound,
  updates: AudioUpdates,
  audioId: number,
  isWanted: () => boolean,
  isOpen: () => Promise<boolean>,
): AsyncGenerator<Uint8Array, undefined> {
  let progress: GenerationProgress | undefined;
  let position = 0;
  while (isWanted()) {
    // Before the look at the rows, so that no update is missed.
    const update = updates.waitForUpdate(audioId);
    if (!(await isOpen())) throw new AppError('media_not_found');
    const frames = await readFrames(sound, progress, position);
    if (frames !== undefined) {
      position += 1;
      yield frames;
      continue;
    }
    if (progress?.segmentCount === position) return;
    const before = progress;
    progress = await findGenerationProgress(read, audioId);
    if (progress === undefined || progress.status === 'failed') throw new AppError('media_not_found');
    // Generation continues after the restart.
    if (updates.isClosed) throw new AppError('not_ready');
    if (position > 0 && progress.revision !== before?.revision) throw new AppError('media_not_found');
    // An interruption begins a new version with the same sentences at the same positions.
    const isUnchanged = progress.versionId === before?.versionId && progress.segmentCount === before?.segmentCount;
    if (isUnchanged) await Promise.race([update, Bun.sleep(pollIntervalMs)]);
  }
}

/** @returns undefined while they are not synthesized, or are in a bucket that is away: publishing moves them there */
async function readFrames(sound: Sound, progress: GenerationProgress | undefined, position: number) {
  const versionId = progress?.versionId ?? null;
  if (versionId === null) return undefined;
  return sound.readSegment(versionId, position).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'sound_unavailable') return undefined;
    throw error;
  });
}
