import type { Queries } from '../../database/open.ts';
import { AppError } from '../../errors.ts';
import type { AudioWatch } from '../watch.ts';
import { findMaking, framesAt, type Making } from './store.ts';

/** So long nobody waits without looking: a command beside the server tells nothing. */
const lookPauseMs = 1_000;

/**
 * The MP3 frames of an audio, sentence by sentence as they are spoken, to the last one. Until the first is there, the newest
 * text counts; from then on the one that was begun.
 * @param isWanted false as soon as nobody listens any more; then it just ends
 * @param isOpen whether it may still be heard; asked before each sentence
 * @throws AppError `media_not_found` when no more will come: the audio failed, was replaced or deleted, or may be heard no
 *   longer; `not_ready` when the server stops
 */
export async function* framesAsMade(
  read: Queries,
  watch: AudioWatch,
  audioId: number,
  isWanted: () => boolean,
  isOpen: () => Promise<boolean>,
): AsyncGenerator<Uint8Array, undefined> {
  let making: Making | undefined;
  let position = 0;
  while (isWanted()) {
    const news = watch.next(audioId);
    if (!(await isOpen())) throw noMore();
    const frames = await framesOf(read, making, position);
    if (frames !== undefined) {
      position += 1;
      yield frames;
      continue;
    }
    if (making?.segmentCount === position) return;
    const before = making;
    making = await findMaking(read, audioId);
    if (making === undefined || making.status === 'failed') throw noMore();
    // It goes on after the restart.
    if (watch.isClosed) throw new AppError('not_ready', 'Not ready');
    if (position > 0 && making.generation !== before?.generation) throw noMore();
    // An interruption begins a new version: the same sentences, in the same places.
    const isLookedAt = making.versionId === before?.versionId;
    if (isLookedAt && making.segmentCount === before?.segmentCount) {
      await Promise.race([news, Bun.sleep(lookPauseMs)]);
    }
  }
}

async function framesOf(read: Queries, making: Making | undefined, position: number) {
  const versionId = making?.versionId ?? null;
  return versionId === null ? undefined : framesAt(read, versionId, position);
}

function noMore(): AppError {
  return new AppError('media_not_found', 'Media not found');
}
