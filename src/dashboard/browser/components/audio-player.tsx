import { useEffect } from 'preact/hooks';
import type { PlayerSettings } from '../../../sites/player-settings.ts';
import { base, toSameOrigin } from '../api.ts';

interface PlayerAttributes {
  /** Default: the headline above it is enough. */
  readonly title?: string | undefined;
  /** CSS selector of the text to highlight. */
  readonly article?: string | undefined;
  /** A public post whose audio is being generated: shows progress and plays the live stream. */
  readonly 'post-id'?: string;
  /** A domain of its site. */
  readonly domain?: string | undefined;
  readonly language?: string;
  readonly 'onlectern-play'?: () => void;
  readonly 'onlectern-segment'?: (event: CustomEvent<{ readonly index: number }>) => void;
}

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'lectern-player': Omit<HTMLAttributes<HTMLElement>, keyof PlayerAttributes> &
        PlayerAttributes & { readonly [attribute: string]: unknown };
    }
  }
}

interface AudioPlayerProps extends PlayerAttributes {
  readonly audioUrl?: string;
  readonly segmentsUrl?: string | undefined;
  readonly durationS?: number;
  /** Settings of the player in place of the default. */
  readonly settings?: PlayerSettings;
}

/** The public player. Playback here is not counted. */
export function AudioPlayer({ audioUrl, segmentsUrl, durationS, settings, ...attributes }: AudioPlayerProps) {
  useEffect(loadPlayer, []);
  return (
    <lectern-player
      key={audioUrl}
      {...attributes}
      settings={settings && JSON.stringify(settings)}
      audio-url={audioUrl && toSameOrigin(audioUrl)}
      segments-url={segmentsUrl && toSameOrigin(segmentsUrl)}
      duration={durationS?.toString()}
      read-along={attributes.article === undefined ? 'off' : undefined}
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
