import { createListeningTracker, type TimeRange } from './listening-tracker.ts';
import { createOutbox } from './outbox.ts';
import { randomId } from './random-id.ts';
import { getTabSessionId } from './session.ts';

/** Longest stretch without an event; each counts against the site's quota of a month. */
const progressS = 30;
/** Events of so long share a request; all readers of a site have 200 a minute. */
const sharedMs = 30_000;
/** Less is no news. */
const minHeardS = 0.05;
/** Who comes so close to the end has heard it all: seconds, or this share of a shorter audio. */
const nearEndS = 10;
const nearEndShare = 0.05;

/** After a jump, who plays on so long has arrived. */
const settledS = 0.5;

type Value = string | number | boolean;

/** Tells the server what is heard of an audio. */
export interface Reporting {
  /**
   * Tells of something else than playing: `load`, `speed`, `voice`, `download`, `click`, `share`, `error`. Play, pause, seek,
   * progress and complete are told without it.
   */
  report(type: string, value?: Value): void;
  /** Sends what is known and listens no longer. */
  end(): void;
}

/** What is reported about. */
interface About {
  /** Of the intake of events, with the domain in its query. */
  readonly url: string;
  readonly postId: string;
  readonly language: string | null;
  readonly voiceId: number | null;
  /** `full`: events carry a random name of this tab, by which listeners are counted. `none`: nothing joins one event to another. */
  readonly consent: 'none' | 'full';
}

/** What was told once on this page view, by audio: however often it is begun again, it is one play. */
const reported = new Set<string>();

/** Reports what becomes of an audio from now on. Nothing is sent while nothing happens. */
export function createReporting(about: About, audio: HTMLAudioElement): Reporting {
  const { url, postId, language, voiceId, consent } = about;
  const outbox = createOutbox(url, sharedMs);
  const heard = createListeningTracker(audio);
  const session = consent === 'full' ? { session_id: getTabSessionId() } : {};
  const listening = new AbortController();
  /** What was heard before a jump that may go on: dragging the seek bar makes many. */
  let left: TimeRange | undefined;
  /** True while jumps are the listener's: not before the first sound, not while another file is put in. */
  let hasBegun = false;

  const put = (type: string, { startS, endS }: TimeRange, value?: Value): void => {
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
    if (left !== undefined) put('seek', left, rounded(heard.range().startS));
    left = undefined;
  };
  const report = (type: string, value?: Value): void => {
    settleJump();
    put(type, heard.range(), value);
    heard.next();
  };
  const reportOnce = (type: string): void => {
    const name = JSON.stringify([url, postId, language, voiceId, type]);
    if (reported.has(name)) return;
    reported.add(name);
    report(type);
  };
  const send = (): void => {
    settleJump();
    if (lengthOf(heard.range()) >= minHeardS) report('progress');
    outbox.flush();
  };

  const begin = (): void => {
    if (audio.seeking || audio.paused) return;
    if (!hasBegun) heard.restart();
    hasBegun = true;
    reportOnce('play');
  };
  const goOn = (): void => {
    begin();
    heard.update();
    const stretch = heard.range();
    if (lengthOf(stretch) >= settledS) settleJump();
    const endS = nearEnd(audio.duration);
    if (stretch.startS < endS && stretch.endS >= endS) reportOnce('complete');
    if (lengthOf(heard.range()) >= progressS) report('progress');
  };
  const jump = (): void => {
    if (hasBegun && left === undefined) {
      heard.leave();
      left = heard.range();
    }
    heard.restart();
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
    heard.restart();
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

/** @param durationS NaN or infinite while it isn't known: then nothing is near */
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
