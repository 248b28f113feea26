/** How long a browser may leave the position as it was, in seconds of the clock. */
const maxUpdateGapS = 0.3;

/** A stretch of the audio that was heard without a gap, in seconds of the audio. */
export interface TimeRange {
  readonly startS: number;
  readonly endS: number;
}

/**
 * Follows what is really heard: the audio's own time while it plays. What is skipped isn't, nor does time pass while it waits
 * for data; at double speed a second of the clock is two of the audio.
 */
export interface ListeningTracker {
  /** The stretch since `next` or `restart`. */
  range(): TimeRange;
  /** Playing goes on. */
  update(): void;
  /** The position is about to jump: adds what was heard since it was last known. */
  leave(): void;
  /** What comes now is a new stretch that follows on this one. */
  next(): void;
  /** What comes now begins where the audio stands. */
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
      // A position that was jumped to was not reached by playing.
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
