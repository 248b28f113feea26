import type { Segment } from './segments.ts';

/** Who goes on reading a page hears no more than this of the stream once the file is there. */
const readyPatienceMs = 20_000;

/**
 * Waits for the best moment to go over from the stream to the file: its data is here, and a sentence has just ended.
 * @param url of the file
 */
export async function momentToSwap(
  audio: HTMLAudioElement,
  url: string,
  segments: readonly Segment[],
  signal: AbortSignal,
): Promise<void> {
  if (audio.paused) return;
  await isLoadedAt(url, audio.currentTime, signal);
  const nowMs = audio.currentTime * 1000;
  const ending = segments.find(({ end_ms }) => end_ms > nowMs);
  if (ending === undefined || audio.paused) return;
  const untilMs = (ending.end_ms - nowMs) / audio.playbackRate;
  await new Promise((resolve) => setTimeout(resolve, Math.min(untilMs, readyPatienceMs)));
}

/** Loads the file beside what is playing, so that the browser has it at hand. */
function isLoadedAt(url: string, positionS: number, signal: AbortSignal): Promise<void> {
  const other = new Audio();
  other.preload = 'auto';
  other.src = url;
  other.currentTime = positionS;
  const done = new AbortController();
  return new Promise<void>((resolve) => {
    const end = () => resolve();
    for (const event of ['canplaythrough', 'error']) {
      other.addEventListener(event, end, { signal: done.signal });
    }
    signal.addEventListener('abort', end, { signal: done.signal });
    setTimeout(end, readyPatienceMs);
  }).finally(() => {
    done.abort();
    other.removeAttribute('src');
    other.load();
  });
}
