/** A stretch of the audio and the text that is said in it. */
export interface Segment {
  readonly index: number;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly text: string;
  readonly kind: string;
}

/** @returns none where the timings cannot be had, or their texts are switched off */
export async function fetchSegments(url: string): Promise<readonly Segment[]> {
  try {
    const answer = await fetch(url, { credentials: 'omit' });
    if (!answer.ok) return [];
    const { segments } = (await answer.json()) as { segments: Segment[] };
    return segments.every(({ text }) => text !== undefined) ? segments : [];
  } catch {
    return [];
  }
}

/** Tells which segment is heard, as soon as it begins. */
export interface SegmentClock {
  end(): void;
}

export function segmentClock(
  segments: readonly Segment[],
  audio: HTMLAudioElement,
  tell: (segment: Segment) => void,
): SegmentClock {
  let told: Segment | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    clearTimeout(timer);
    // Timers and seeks end a little early.
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
  return {
    end: () => {
      clearTimeout(timer);
      end.abort();
    },
  };
}
