import { useEffect, useRef } from 'preact/hooks';
import type { PlayerSettings } from '../../../sites/player-settings.ts';
import { base, toSameOrigin } from '../api.ts';

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'lectern-player': HTMLAttributes<HTMLElement> & {
        readonly 'audio-url'?: string;
        readonly 'post-id'?: string;
        readonly domain?: string;
        readonly language?: string;
        readonly 'segments-url'?: string | undefined;
        readonly 'read-along'?: 'off' | undefined;
        readonly article?: string | undefined;
        readonly events?: 'off';
        readonly settings?: string | undefined;
        readonly duration?: string | undefined;
      };
    }
  }
}

interface AudioPlayerProps {
  readonly audioUrl: string;
  readonly segmentsUrl?: string | undefined;
  readonly durationS?: number;
  readonly title: string;
  /** CSS selector of the text to highlight. */
  readonly article?: string | undefined;
  /** Settings of the player in place of the default. */
  readonly settings?: PlayerSettings;
}

/** The public player. Playback here is not counted. */
export function AudioPlayer({ audioUrl, segmentsUrl, durationS, title, article, settings }: AudioPlayerProps) {
  useEffect(loadPlayer, []);
  return (
    <lectern-player
      key={audioUrl}
      settings={settings && JSON.stringify(settings)}
      audio-url={toSameOrigin(audioUrl)}
      segments-url={segmentsUrl && toSameOrigin(segmentsUrl)}
      duration={durationS?.toString()}
      read-along={article === undefined ? 'off' : undefined}
      article={article}
      title={title}
      events="off"
    />
  );
}

interface LiveAudioPlayerProps {
  readonly postId: string;
  /** A domain of the site. */
  readonly domain: string;
  readonly language: string;
  readonly title: string;
  /** Called when playback starts. */
  readonly onPlay: () => void;
}

/** The player of a public post whose audio is being generated: shows progress and plays the live stream. */
export function LiveAudioPlayer({ postId, domain, language, title, onPlay }: LiveAudioPlayerProps) {
  const player = useRef<HTMLElement>(null);
  useEffect(loadPlayer, []);
  useEffect(() => {
    player.current?.addEventListener('lectern-play', onPlay, { once: true });
  }, []);
  return (
    <lectern-player
      ref={player}
      post-id={postId}
      domain={domain}
      language={language}
      title={title}
      read-along="off"
      events="off"
    />
  );
}

/** Loads the script once, for the first player. */
function loadPlayer(): void {
  if (document.querySelector('script[data-player]') !== null) return;
  const script = document.createElement('script');
  script.src = `${base}/v1/public/player.js`;
  script.dataset['player'] = '';
  document.head.append(script);
}
