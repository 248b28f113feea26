/** Maximum time between two position updates of a browser, in seconds. */
const maxUpdateGapS = 0.3;

/** A range of the audio that was heard without a gap, in seconds of the audio. */
export interface TimeRange {
  readonly startS: number;
  readonly endS: number;
}

/**
 * Tracks what is actually heard, in seconds of the audio during playback. Skipped parts and waiting for data do not
 * count; at double speed one second counts as two.
 */
export interface ListeningTracker {
  /** The range since `next` or `restart`. */
  range(): TimeRange;
  /** Playback continues. */
  update(): void;
  /** Before a jump: adds what was heard since the last update. */
  leave(): void;
  /** Starts a new range at the end of this one. */
  next(): void;
  /** Starts a new range at the current position. */
  restart(): void;
}

export function createListeningTracker(audio: HTMLMediaElement): ListeningTracker {
  let startS = audio.currentTime;
  let endS = startS;
  let updatedAtMs = 0;
  return {
    range: () => ({ startS, endS }),
    update: () => {
      const { currentTime } = audio;
      // After a jump, the position was not reached by playback.
      if (audio.seeking || currentTime < endS) return;
      endS = currentTime;
      updatedAtMs = performance.now();
    },
    leave: () => {
      const pausedS = (performance.now() - updatedAtMs) / 1000;
      if (!audio.paused && pausedS <= maxUpdateGapS) endS += pausedS * audio.playbackRate;
    },
    next: () => {
      startS = endS;
    },
    restart: () => {
      startS = endS = audio.currentTime;
      updatedAtMs = 0;
    },
  };
}
