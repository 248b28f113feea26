import { useEffect } from 'preact/hooks';
import { base, fromHere } from '../api.ts';

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'lectern-player': HTMLAttributes<HTMLElement> & {
        readonly 'audio-url': string;
        readonly 'segments-url'?: string;
        readonly 'read-along'?: 'off';
        readonly article?: string;
        readonly events?: 'off';
        readonly theme?: 'light' | 'dark';
        readonly download?: '';
      };
    }
  }
}

interface ListenProps {
  readonly audioUrl: string;
  readonly segmentsUrl?: string | undefined;
  readonly title: string;
  /** CSS selector of the text that is read along. */
  readonly article?: string | undefined;
  /** How it looks, where that is chosen. */
  readonly look?: { readonly theme?: 'light' | 'dark'; readonly download?: '' };
}

/** The player that readers have. Listening here counts nowhere. */
export function Listen({ audioUrl, segmentsUrl, title, article, look = {} }: ListenProps) {
  useEffect(loadPlayer, []);
  return (
    <lectern-player
      key={`${audioUrl} ${JSON.stringify(look)}`}
      audio-url={fromHere(audioUrl)}
      {...(segmentsUrl === undefined ? {} : { 'segments-url': fromHere(segmentsUrl) })}
      {...(article === undefined ? { 'read-along': 'off' } : { article })}
      {...look}
      title={title}
      events="off"
    />
  );
}

/** Once, when the first is shown. */
function loadPlayer(): void {
  if (document.querySelector('script[data-player]') !== null) return;
  const script = document.createElement('script');
  script.src = `${base}/v1/public/player.js`;
  script.dataset['player'] = '';
  document.head.append(script);
}
