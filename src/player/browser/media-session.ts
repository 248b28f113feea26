/** What the keys of a keyboard, a headset or a lock screen do. */
export interface SessionActions {
  play(): void;
  pause(): void;
  skip(seconds: number): void;
  seek(positionS: number): void;
  previous: (() => void) | null;
  next: (() => void) | null;
}

const { mediaSession: session } = navigator;

/** Takes the controls of the system over for an audio that plays. */
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
      // A browser that doesn't know the action does without.
    }
  }
}

/** Shows where the audio is. */
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
