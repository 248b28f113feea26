/** How long a browser may leave the position as it was, in seconds of the clock. */
const updatePauseMaxS = 0.3;

/** A stretch of the audio that was heard without a gap, in seconds of the audio. */
export interface Stretch {
  readonly startS: number;
  readonly endS: number;
}

/**
 * Follows what is really heard: the audio's own time while it plays. What is skipped isn't, nor does time pass while it waits
 * for data; at double speed a second of the clock is two of the audio.
 */
export class Heard {
  #startS: number;
  #endS: number;
  #updatedAtMs = 0;
  readonly #audio: HTMLMediaElement;

  constructor(audio: HTMLMediaElement) {
    this.#audio = audio;
    this.#startS = audio.currentTime;
    this.#endS = audio.currentTime;
  }

  /** The stretch since `next` or `restart`. */
  get stretch(): Stretch {
    return { startS: this.#startS, endS: this.#endS };
  }

  /** Playing goes on. */
  update(): void {
    const { currentTime, seeking } = this.#audio;
    // A position that was jumped to was not reached by playing.
    if (seeking || currentTime < this.#endS) return;
    this.#endS = currentTime;
    this.#updatedAtMs = performance.now();
  }

  /** The position is about to jump: adds what was heard since it was last known. */
  leave(): void {
    const pausedS = (performance.now() - this.#updatedAtMs) / 1000;
    const isPlaying = !this.#audio.paused && pausedS <= updatePauseMaxS;
    if (isPlaying) this.#endS += pausedS * this.#audio.playbackRate;
  }

  /** What comes now is a new stretch that follows on this one. */
  next(): void {
    this.#startS = this.#endS;
  }

  /** What comes now begins where the audio stands. */
  restart(): void {
    this.#startS = this.#audio.currentTime;
    this.#endS = this.#startS;
    this.#updatedAtMs = 0;
  }
}
