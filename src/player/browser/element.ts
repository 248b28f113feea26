import { createListening } from './listening.ts';

/** `<lectern-player>`: lets the post of a page be heard. */
export class LecternPlayer extends HTMLElement {
  readonly #listening = createListening(this, this.attachShadow({ mode: 'open' }));

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
    this.#listening.begin();
  }

  disconnectedCallback(): void {
    this.#listening.end();
  }
}
