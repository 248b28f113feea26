import { runInBackground } from './background.ts';
import { createElement } from './dom.ts';
import type { Segment, TimedWord } from './read-along/read-along.ts';
import { fetchSegments, watchSegments } from './segments.ts';
import type { Track } from './tracks.ts';

export interface PlaybackEvents {
  /** The displayed state may have changed. */
  changed(): void;
  play(): void;
  playing(): void;
  pause(): void;
  ended(): void;
  failed(): void;
  /** The timings of the track have changed; empty: there are none. */
  segments(segments: readonly Segment[]): void;
  /** A segment or a word of it has begun. */
  segment(segment: Segment, word: TimedWord | undefined): void;
}

/** Plays one track at a time in a hidden element. */
export interface Playback {
  readonly audio: HTMLAudioElement;
  readonly track: Track | undefined;
  readonly positionS: number;
  /** Undefined while unknown. */
  readonly durationS: number | undefined;
  /** As the server reports it: it does not change when the file is loaded. */
  readonly lengthS: number | undefined;
  readonly isPlaying: boolean;
  /** Playing, but waiting for data. */
  readonly isWaiting: boolean;
  readonly hasBegun: boolean;
  /** Replaces the track, without starting playback. */
  load(track: Track, positionS: number): void;
  /** Loads the timings before playback. */
  loadSegments(): Promise<void>;
  /** Continues in another track of the same post, at a position in it. */
  switchTo(track: Track, positionS: number): Promise<void>;
  /** Changes from the live stream to the finished file, between two sentences. */
  swap(track: Track): Promise<void>;
  play(): Promise<void>;
  pause(): void;
  seek(positionS: number): void;
  setRate(rate: number): void;
  clear(): void;
}

const shownEvents =
  'timeupdate progress durationchange ratechange waiting playing seeked play pause ended volumechange';

export function createPlayback(events: PlaybackEvents): Playback {
  const audio = createElement('audio', { preload: 'none' });
  let track: Track | undefined;
  let hasSegments = false;
  let endClock: (() => void) | undefined;

  for (const event of shownEvents.split(' ')) audio.addEventListener(event, events.changed);
  audio.onplaying = () => {
    events.playing();
    runInBackground(self.loadSegments());
  };
  audio.onplay = events.play;
  // Browsers also fire it before `ended`.
  audio.onpause = () => audio.ended || events.pause();
  audio.onended = events.ended;
  audio.onerror = () => track !== undefined && events.failed();

  const self: Playback = {
    audio,
    get track() {
      return track;
    },
    get positionS() {
      return audio.currentTime;
    },
    get durationS() {
      if (audio.readyState === 0) return track?.durationS;
      return Number.isFinite(audio.duration) ? audio.duration : undefined;
    },
    get lengthS() {
      return track?.durationS ?? self.durationS;
    },
    get isPlaying() {
      return !audio.paused && !audio.ended;
    },
    get isWaiting() {
      return self.isPlaying && audio.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
    },
    get hasBegun() {
      return self.isPlaying || audio.currentTime > 0;
    },
    load: (next, positionS) => {
      self.clear();
      track = next;
      // For a file from the page, only the file contains the duration.
      audio.preload = track.isLive || track.durationS !== undefined ? 'none' : 'metadata';
      audio.src = track.url;
      if (positionS > 0) audio.currentTime = positionS;
      events.changed();
    },
    loadSegments: async () => {
      const current = track;
      if (hasSegments || current === undefined) return;
      hasSegments = true;
      const segments = await fetchSegments(current.segmentsUrl);
      if (track !== current) return;
      events.segments(segments);
      endClock = watchSegments(segments, audio, events.segment);
    },
    switchTo: async (next, positionS) => {
      const { isPlaying } = self;
      self.load(next, positionS);
      if (isPlaying) await self.play();
    },
    swap: async (next) => {
      const stream = track;
      await waitForSwap(audio, next.url, await fetchSegments(next.segmentsUrl));
      if (track === stream) await self.switchTo(next, audio.ended ? 0 : audio.currentTime);
    },
    play: async () => {
      try {
        await audio.play();
      } catch (error) {
        // Rejected without a user gesture, or interrupted by a pause. Media errors have their own event.
        if (!(error instanceof DOMException)) throw error;
      }
      events.changed();
    },
    pause: () => audio.pause(),
    seek: (positionS) => {
      const { durationS } = self;
      if (durationS === undefined) return;
      audio.currentTime = Math.min(Math.max(0, positionS), durationS);
      events.changed();
    },
    setRate: (rate) => {
      // A new source falls back to the default.
      audio.defaultPlaybackRate = audio.playbackRate = rate;
    },
    clear: () => {
      endClock?.();
      endClock = undefined;
      hasSegments = false;
      events.segments([]);
      if (track === undefined) return;
      track = undefined;
      audio.removeAttribute('src');
      audio.load();
    },
  };
  return self;
}

/**
 * Waits until playback can change from the stream to the file: the file is in the browser cache, and a sentence has just ended.
 * @param url of the file
 */
async function waitForSwap(audio: HTMLAudioElement, url: string, segments: readonly Segment[]): Promise<void> {
  if (audio.paused) return;
  // If prefetching fails, the file is fetched on the change.
  await fetch(url, { credentials: 'omit' })
    .then((answer) => answer.blob())
    .catch(() => undefined);
  const nowMs = audio.currentTime * 1000;
  const ending = segments.find(({ end_ms }) => end_ms > nowMs);
  if (ending === undefined || audio.paused) return;
  const untilMs = (ending.end_ms - nowMs) / audio.playbackRate;
  await new Promise((resolve) => setTimeout(resolve, untilMs));
}
