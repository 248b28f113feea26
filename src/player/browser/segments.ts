import type { Segment, TimedWord } from './read-along/read-along.ts';

/** @returns empty if the timings are not available */
export async function fetchSegments(url: string | undefined): Promise<readonly Segment[]> {
  try {
    if (url === undefined) return [];
    const answer = await fetch(url);
    const { segments } = (await answer.json()) as { segments: Segment[] };
    return segments ?? [];
  } catch {
    return [];
  }
}

/**
 * Reports the current segment, and the current word of a segment with word timings, as soon as it begins.
 * @returns ends the reports
 */
export function watchSegments(
  segments: readonly Segment[],
  audio: HTMLAudioElement,
  tell: (segment: Segment, word: TimedWord | undefined) => void,
): () => void {
  const cues = segments.flatMap((segment) =>
    // The first word begins with its segment.
    [undefined, ...(segment.words?.slice(1) ?? [])].map((later) => ({
      segment,
      word: later ?? segment.words?.[0],
      startMs: (later ?? segment).start_ms,
    })),
  );
  let reported: (typeof cues)[0] | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    clearTimeout(timer);
    // The timings may be there before playback.
    if (audio.paused && audio.played.length === 0) return;
    // Timers and seeks may end slightly early.
    const nowMs = audio.currentTime * 1000 + 20;
    const current = cues.findLast(({ startMs }) => startMs <= nowMs);
    const next = cues.find(({ startMs }) => startMs > nowMs);
    if (current !== undefined && current !== reported) {
      reported = current;
      tell(current.segment, current.word);
    }
    if (audio.paused || next === undefined) return;
    timer = setTimeout(look, (next.startMs - nowMs) / audio.playbackRate);
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
