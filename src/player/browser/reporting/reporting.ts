import type { EventType } from '../../../analytics/schema.ts';
import { createListeningTracker, type TimeRange } from './listening-tracker.ts';
import { createOutbox } from './outbox.ts';

/** Longest range without an event; each event counts against the monthly quota of the site. */
const progressS = 30;
/** Events within this time share a request; all readers of a site have 200 requests per minute. */
const sharedMs = 30_000;
/** Shorter ranges are not reported. */
const minHeardS = 0.05;
/** Distance from the end that counts as complete: seconds, or this share of a shorter audio. */
const nearEndS = 10;
const nearEndShare = 0.05;

/** Playback of this length after a jump ends the jump. */
const settledS = 0.5;

type Value = string | number | boolean;

/** Reports playback to the server. */
export interface Reporting {
  /**
   * Reports other events: `load`, `speed`, `voice`, `download`, `click`, `share`, `error`. Play, pause, seek, progress
   * and complete are reported automatically.
   */
  report(type: EventType, value?: Value): void;
  /** Sends the remaining events and stops. */
  end(): void;
}

/** The audio and the destination of the reports. */
interface About {
  /** URL of the event intake, with the domain in its query. */
  readonly url: string;
  readonly postId: string;
  readonly language: string | null;
  readonly voiceId: number | null;
  /** `full`: events contain a random ID of this tab, to count listeners. `none`: events cannot be linked. */
  readonly consent: 'none' | 'full';
}

/** Events already reported on this page view, by audio: repeated playback is one play. */
const reported = new Set<string>();

/** Reports the events of an audio from now on. Sends nothing while nothing happens. */
export function createReporting(about: About, audio: HTMLAudioElement): Reporting {
  const { url, postId, language, voiceId, consent } = about;
  const outbox = createOutbox(url, sharedMs);
  const tracker = createListeningTracker(audio);
  const session = consent === 'full' ? { session_id: getTabSessionId() } : {};
  const listening = new AbortController();
  /** The range before an unfinished jump: dragging the seek bar causes many. */
  let left: TimeRange | undefined;
  /** True while jumps come from the listener: not before playback, nor while the file changes. */
  let hasBegun = false;

  const put = (type: EventType, { startS, endS }: TimeRange, value?: Value): void => {
    const heardS = endS - startS;
    outbox.add({
      type,
      post_id: postId,
      language,
      voice_id: voiceId,
      ...session,
      position_seconds: rounded(endS),
      ...(heardS >= minHeardS && { heard_seconds: rounded(heardS) }),
      ...(value !== undefined && { value }),
      occurred_at: new Date().toISOString(),
      event_id: randomId(),
    });
  };
  const settleJump = (): void => {
    if (left !== undefined) put('seek', left, rounded(tracker.range().startS));
    left = undefined;
  };
  const report = (type: EventType, value?: Value): void => {
    settleJump();
    put(type, tracker.range(), value);
    tracker.next();
  };
  const reportOnce = (type: EventType): void => {
    const name = JSON.stringify([url, postId, language, voiceId, type]);
    if (reported.has(name)) return;
    reported.add(name);
    report(type);
  };
  const send = (): void => {
    settleJump();
    if (lengthOf(tracker.range()) >= minHeardS) report('progress');
    outbox.flush();
  };

  const begin = (): void => {
    if (audio.seeking || audio.paused) return;
    if (!hasBegun) tracker.restart();
    hasBegun = true;
    reportOnce('play');
  };
  const goOn = (): void => {
    begin();
    tracker.update();
    const stretch = tracker.range();
    if (lengthOf(stretch) >= settledS) settleJump();
    const endS = nearEnd(audio.duration);
    if (stretch.startS < endS && stretch.endS >= endS) reportOnce('complete');
    if (lengthOf(tracker.range()) >= progressS) report('progress');
  };
  const jump = (): void => {
    if (hasBegun && left === undefined) {
      tracker.leave();
      left = tracker.range();
    }
    tracker.restart();
  };
  const pause = (): void => {
    goOn();
    if (!hasBegun || audio.ended) return;
    report('pause');
    outbox.flush();
  };
  const finish = (): void => {
    goOn();
    send();
  };
  const forget = (): void => {
    send();
    tracker.restart();
    hasBegun = false;
  };
  const hide = (): void => {
    if (document.visibilityState !== 'hidden') return;
    finish();
  };

  const reactions = {
    playing: begin,
    timeupdate: goOn,
    seeking: jump,
    pause,
    ended: finish,
    emptied: forget,
  };
  const { signal } = listening;
  for (const [type, react] of Object.entries(reactions)) {
    audio.addEventListener(type, react, { signal });
  }
  document.addEventListener('visibilitychange', hide, { signal });
  window.addEventListener('pagehide', finish, { signal });
  return {
    report,
    end: () => {
      listening.abort();
      send();
    },
  };
}

/** @param durationS NaN or infinite while unknown: then nothing is near */
function nearEnd(durationS: number): number {
  const s = durationS - Math.min(nearEndS, durationS * nearEndShare);
  return Number.isFinite(s) ? s : Number.POSITIVE_INFINITY;
}

function lengthOf({ startS, endS }: TimeRange): number {
  return endS - startS;
}

function rounded(seconds: number): number {
  return Math.round(seconds * 100) / 100;
}

/** In the tab's storage. */
const sessionKey = 'lectern-session';

/** @returns a random ID of this tab, until it is closed; only with full consent */
function getTabSessionId(): string {
  const fresh = randomId();
  try {
    const known = sessionStorage.getItem(sessionKey);
    if (known === null) sessionStorage.setItem(sessionKey, fresh);
    return known ?? fresh;
  } catch {
    // The page may not use storage.
    return fresh;
  }
}

/** @returns 128 random bits; `crypto.randomUUID` needs HTTPS */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
