import type { Queries } from '../../database/database.ts';
import { AppError } from '../../errors.ts';
import { type Bucket, ObjectLostError } from './bucket.ts';
import type { SegmentedMp3 } from './segmented-mp3.ts';
import { findSegmentFrames, mediaGone, readMp3Layout, type SegmentPlace } from './store.ts';

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
      if (frames === undefined) throw mediaGone();
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
