import type { Config } from '../../config.ts';
import type { Queries } from '../../database/database.ts';
import { AppError } from '../../errors.ts';
import type { AudioUpdates } from '../events.ts';
import type { Sound } from './sound.ts';
import { findGenerationProgress, type GenerationProgress } from './store.ts';

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
      throw new AppError('too_many_listeners', 'Too many concurrent listeners');
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
    if (!(await isOpen())) throw mediaNotFound();
    const frames = await readFrames(sound, progress, position);
    if (frames !== undefined) {
      position += 1;
      yield frames;
      continue;
    }
    if (progress?.segmentCount === position) return;
    const before = progress;
    progress = await findGenerationProgress(read, audioId);
    if (progress === undefined || progress.status === 'failed') throw mediaNotFound();
    // Generation continues after the restart.
    if (updates.isClosed) throw new AppError('not_ready', 'Not ready');
    if (position > 0 && progress.revision !== before?.revision) throw mediaNotFound();
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

function mediaNotFound(): AppError {
  return new AppError('media_not_found', 'Media not found');
}
