/** What the keys of a keyboard, a headset or a lock screen do. */
export interface SessionActions {
  play(): void;
  pause(): void;
  skip(seconds: number): void;
  seekTo(positionS: number): void;
  previous: (() => void) | null;
  next: (() => void) | null;
}

/** Takes the controls of the system over for an audio that plays. */
export function takeMediaSession(title: string, artist: string, actions: SessionActions): void {
  const session = navigator.mediaSession;
  if (session === undefined) return;
  session.metadata = new MediaMetadata({ title, artist });
  const handlers: Partial<Record<MediaSessionAction, MediaSessionActionHandler | null>> = {
    play: () => actions.play(),
    pause: () => actions.pause(),
    stop: () => actions.pause(),
    seekbackward: ({ seekOffset }) => actions.skip(-(seekOffset ?? 15)),
    seekforward: ({ seekOffset }) => actions.skip(seekOffset ?? 15),
    seekto: ({ seekTime }) => actions.seekTo(seekTime ?? 0),
    previoustrack: actions.previous,
    nexttrack: actions.next,
  };
  for (const [action, handler] of Object.entries(handlers)) {
    try {
      session.setActionHandler(action as MediaSessionAction, handler);
    } catch {
      // A browser that doesn't know the action does without.
    }
  }
}

/** Shows where the audio is. */
export function tellMediaSession({
  paused,
  duration,
  currentTime,
  playbackRate,
}: HTMLMediaElement) {
  const session = navigator.mediaSession;
  if (session === undefined) return;
  session.playbackState = paused ? 'paused' : 'playing';
  if (Number.isFinite(duration) && currentTime <= duration) {
    session.setPositionState({ duration, position: currentTime, playbackRate });
  }
}

export function leaveMediaSession(): void {
  const session = navigator.mediaSession;
  if (session === undefined) return;
  session.metadata = null;
  session.playbackState = 'none';
}
