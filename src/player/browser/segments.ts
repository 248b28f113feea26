import type { Segment } from './read-along/read-along.ts';

/** @returns empty if the timings are not available */
export async function fetchSegments(url: string | undefined): Promise<readonly Segment[]> {
  try {
    if (url === undefined) return [];
    const answer = await fetch(url, { credentials: 'omit' });
    const { segments } = (await answer.json()) as { segments: Segment[] };
    return segments ?? [];
  } catch {
    return [];
  }
}

/**
 * Reports the current segment as soon as it begins.
 * @returns ends the reports
 */
export function watchSegments(
  segments: readonly Segment[],
  audio: HTMLAudioElement,
  tell: (segment: Segment) => void,
): () => void {
  let told: Segment | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    clearTimeout(timer);
    // Timers and seeks may end slightly early.
    const nowMs = audio.currentTime * 1000 + 20;
    const current = segments.findLast(({ start_ms }) => start_ms <= nowMs);
    const next = segments.find(({ start_ms }) => start_ms > nowMs);
    if (current !== undefined && current !== told) {
      told = current;
      tell(current);
    }
    if (audio.paused || next === undefined) return;
    timer = setTimeout(look, (next.start_ms - nowMs) / audio.playbackRate);
  };
  const end = new AbortController();
  for (const event of ['playing', 'seeked', 'timeupdate', 'ratechange']) {
    audio.addEventListener(event, look, { signal: end.signal });
  }
  look();
  return () => {
    clearTimeout(timer);
    end.abort();
  };
}
