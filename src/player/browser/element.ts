import { createPlayerController } from './player-controller.ts';

/** `<lectern-player>`: plays the post of a page. */
export class LecternPlayer extends HTMLElement {
  readonly #listening = createPlayerController(this, this.attachShadow({ mode: 'open' }));
  #isInPage = false;

  /** Seconds. */
  get currentTime(): number {
    return this.#listening.playback.positionS;
  }

  set currentTime(seconds: number) {
    this.#listening.playback.seek(seconds);
  }

  /** Seconds; `NaN` while unknown. */
  get duration(): number {
    return this.#listening.playback.durationS ?? Number.NaN;
  }

  get paused(): boolean {
    return !this.#listening.playback.isPlaying;
  }

  get playbackRate(): number {
    return this.#listening.playback.audio.playbackRate;
  }

  set playbackRate(rate: number) {
    this.#listening.playback.setRate(rate);
  }

  /** Plays as soon as audio is available. */
  play(): Promise<void> {
    return this.#listening.play();
  }

  pause(): void {
    this.#listening.pause();
  }

  connectedCallback(): void {
    if (this.#isInPage) return;
    this.#isInPage = true;
    this.#listening.begin();
  }

  /** Moving the player in the page disconnects it for a moment; playback continues. */
  disconnectedCallback(): void {
    queueMicrotask(() => {
      if (this.isConnected || !this.#isInPage) return;
      this.#isInPage = false;
      this.#listening.end();
    });
  }
}
