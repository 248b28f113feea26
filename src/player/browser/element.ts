import { createPlayerController } from './player-controller.ts';

/** `<lectern-player>`: lets the post of a page be heard. */
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

  /** Seconds; `NaN` while it is unknown. */
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

  /** Plays as soon as there is something to play. */
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

  /** A page that moves its player takes it out for a moment: what sounds goes on. */
  disconnectedCallback(): void {
    queueMicrotask(() => {
      if (this.isConnected || !this.#isInPage) return;
      this.#isInPage = false;
      this.#listening.end();
    });
  }
}
