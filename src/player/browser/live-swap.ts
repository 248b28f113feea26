import type { Segment } from './read-along/read-along.ts';

/**
 * Waits until playback can change from the stream to the file: the file is in the browser cache, and a sentence has just ended.
 * @param url of the file
 */
export async function waitForSwap(audio: HTMLAudioElement, url: string, segments: readonly Segment[]): Promise<void> {
  if (audio.paused) return;
  // If prefetching fails, the file is fetched on the change.
  await fetch(url, { credentials: 'omit' })
    .then((answer) => answer.blob())
    .catch(() => undefined);
  const nowMs = audio.currentTime * 1000;
  const ending = segments.find(({ end_ms }) => end_ms > nowMs);
  if (ending === undefined || audio.paused) return;
  const untilMs = (ending.end_ms - nowMs) / audio.playbackRate;
  await new Promise((resolve) => setTimeout(resolve, untilMs));
}
