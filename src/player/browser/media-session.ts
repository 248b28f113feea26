/** Actions of media keys, headsets and lock screens. */
export interface SessionActions {
  play(): void;
  pause(): void;
  skip(seconds: number): void;
  seek(positionS: number): void;
  previous: (() => void) | null;
  next: (() => void) | null;
}

const { mediaSession: session } = navigator;

/** Connects the system media controls to the playing audio. */
export function setMediaSession(title: string, actions: SessionActions): void {
  if (session === undefined) return;
  session.metadata = new MediaMetadata({ title, artist: location.hostname });
  const { play, pause, skip, seek, previous, next } = actions;
  const handlers = {
    play,
    pause,
    stop: pause,
    seekbackward: ({ seekOffset = 15 }) => skip(-seekOffset),
    seekforward: ({ seekOffset = 15 }) => skip(seekOffset),
    seekto: ({ seekTime = 0 }) => seek(seekTime),
    previoustrack: previous,
    nexttrack: next,
  } satisfies Partial<Record<MediaSessionAction, MediaSessionActionHandler | null>>;
  for (const [action, handler] of Object.entries(handlers)) {
    try {
      session.setActionHandler(action as MediaSessionAction, handler);
    } catch {
      // The browser does not support this action.
    }
  }
}

/** Reports the position to the system. */
export function updateMediaSession({ paused, duration, currentTime, playbackRate }: HTMLMediaElement) {
  if (session === undefined) return;
  session.playbackState = paused ? 'paused' : 'playing';
  if (Number.isFinite(duration) && currentTime <= duration) {
    session.setPositionState({ duration, position: currentTime, playbackRate });
  }
}

export function clearMediaSession(): void {
  if (session === undefined) return;
  session.metadata = null;
  session.playbackState = 'none';
}
