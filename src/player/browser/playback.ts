import { make } from './dom.ts';
import { momentToSwap } from './live-swap.ts';
import { fetchSegments, type Segment, type SegmentClock, segmentClock } from './segments.ts';
import type { Track } from './tracks.ts';

export interface PlaybackEvents {
  /** Anything that is shown may have changed. */
  changed(): void;
  play(): void;
  pause(): void;
  ended(): void;
  failed(): void;
  segment(segment: Segment): void;
}

/** Plays one track at a time in an element that isn't shown. */
export class Playback {
  readonly audio = make('audio', { preload: 'none' });
  readonly #events: PlaybackEvents;
  #track: Track | undefined;
  #swap: AbortController | undefined;
  #segments: readonly Segment[] | undefined;
  #clock: SegmentClock | undefined;

  constructor(events: PlaybackEvents) {
    this.#events = events;
    const { audio } = this;
    const shown = ['timeupdate', 'progress', 'durationchange', 'ratechange', 'waiting', 'playing'];
    for (const event of [...shown, 'seeking', 'seeked', 'play', 'pause', 'ended', 'volumechange']) {
      audio.addEventListener(event, () => events.changed());
    }
    audio.addEventListener('playing', () => void this.#followSegments());
    audio.addEventListener('play', () => events.play());
    audio.addEventListener('pause', () => {
      // It comes before `ended`, too.
      if (!audio.ended) events.pause();
    });
    audio.addEventListener('ended', () => events.ended());
    audio.addEventListener('error', () => {
      if (this.#track !== undefined) events.failed();
    });
  }

  get track(): Track | undefined {
    return this.#track;
  }

  get segments(): readonly Segment[] {
    return this.#segments ?? [];
  }

  get positionS(): number {
    return this.audio.currentTime;
  }

  /** Undefined while it is unknown. */
  get durationS(): number | undefined {
    const { duration, readyState } = this.audio;
    if (readyState === 0) return this.#track?.durationS;
    return Number.isFinite(duration) ? duration : undefined;
  }

  get bufferedS(): number {
    const { buffered, currentTime } = this.audio;
    for (let index = 0; index < buffered.length; index += 1) {
      if (buffered.start(index) <= currentTime + 0.5 && buffered.end(index) > currentTime) {
        return buffered.end(index);
      }
    }
    return 0;
  }

  get isPlaying(): boolean {
    return !this.audio.paused && !this.audio.ended;
  }

  /** Wants to play and has nothing to. */
  get isWaiting(): boolean {
    return this.isPlaying && this.audio.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
  }

  get hasBegun(): boolean {
    return this.isPlaying || this.audio.currentTime > 0;
  }

  /** Takes a track in place of the one there is; it doesn't play by itself. */
  take(track: Track, positionS: number): void {
    this.clear();
    this.#track = track;
    const { audio } = this;
    const { playbackRate } = audio;
    // Where the page names a file, only the file knows how long it is.
    audio.preload = track.isLive || track.durationS !== undefined ? 'none' : 'metadata';
    audio.src = track.url;
    if (positionS > 0) audio.currentTime = positionS;
    audio.playbackRate = playbackRate;
    this.#events.changed();
  }

  /** Goes on in another track of the same post, at a place in it. */
  async change(track: Track, positionS: number): Promise<void> {
    const { isPlaying } = this;
    this.take(track, positionS);
    if (isPlaying) await this.play();
  }

  /** Goes over from a stream to the file that has come of it, between two sentences. */
  async swap(track: Track): Promise<void> {
    this.#swap?.abort();
    const swap = new AbortController();
    this.#swap = swap;
    const segments = track.segmentsUrl === undefined ? [] : await fetchSegments(track.segmentsUrl);
    await momentToSwap(this.audio, track.url, segments, swap.signal);
    if (swap.signal.aborted) return;
    const { ended, currentTime } = this.audio;
    await this.change(track, ended ? 0 : currentTime);
  }

  async play(): Promise<void> {
    try {
      await this.audio.play();
    } catch (error) {
      // Refused without a click on the page, or overtaken by a pause; that a file cannot be played is told by its event.
      if (!(error instanceof DOMException)) throw error;
    }
    this.#events.changed();
  }

  pause(): void {
    this.audio.pause();
  }

  seek(positionS: number): void {
    const { durationS } = this;
    if (durationS === undefined) return;
    this.audio.currentTime = Math.min(Math.max(0, positionS), durationS);
    this.#events.changed();
  }

  setRate(rate: number): void {
    // A new source falls back to the default.
    this.audio.defaultPlaybackRate = rate;
    this.audio.playbackRate = rate;
  }

  clear(): void {
    this.#swap?.abort();
    this.#clock?.end();
    this.#clock = undefined;
    this.#segments = undefined;
    if (this.#track === undefined) return;
    this.#track = undefined;
    this.audio.removeAttribute('src');
    this.audio.load();
  }

  async #followSegments(): Promise<void> {
    const track = this.#track;
    if (track?.segmentsUrl === undefined || this.#segments !== undefined) return;
    this.#segments = [];
    const segments = await fetchSegments(track.segmentsUrl);
    if (this.#track !== track) return;
    this.#segments = segments;
    this.#clock = segmentClock(segments, this.audio, (segment) => this.#events.segment(segment));
  }
}
