import { serverAddress } from './script-address.ts';
import { primary } from './texts.ts';

/** One post of a player, as its page names it. */
export interface Item {
  /** Null where the page's own address, or a file, stands for it. */
  readonly postId: string | null;
  readonly title: string | undefined;
  /** A file: then no API is asked. */
  readonly audioUrl: string | null;
  readonly segmentsUrl: string | null;
  readonly durationS: number | undefined;
}

/** @param element `<lectern-player>` itself, or a `<lectern-item>` in it, whose text is its title */
export function readItem(element: Element): Item {
  const title = element.getAttribute('title') ?? itemTitle(element);
  const durationS = Number(element.getAttribute('duration'));
  return {
    postId: element.getAttribute('post-id'),
    title: title === '' ? undefined : title,
    audioUrl: absolute(element.getAttribute('audio-url')),
    segmentsUrl: absolute(element.getAttribute('segments-url')),
    durationS: durationS > 0 ? durationS : undefined,
  };
}

/** Where the player asks, and for which site. */
export interface Place {
  readonly baseUrl: string;
  readonly domain: string;
}

export function readPlace(player: Element): Place {
  const baseUrl = player.getAttribute('base-url') ?? serverAddress ?? location.origin;
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    domain: player.getAttribute('domain') ?? location.hostname,
  };
}

/** @returns address of `GET /v1/public/audio` for an item; without a language the server takes English */
export function audioAddress({ baseUrl, domain }: Place, item: Item, language: string): string {
  const query = new URLSearchParams({ domain });
  if (item.postId === null) query.set('url', pageAddress());
  else query.set('post_id', item.postId);
  if (language !== 'en') query.set('lang', language);
  return `${baseUrl}/v1/public/audio?${query}`;
}

export function streamAddress({ baseUrl, domain }: Place, postId: string, language: string) {
  const query = new URLSearchParams({ domain, post_id: postId, lang: language });
  return `${baseUrl}/v1/public/audio/stream?${query}`;
}

/** The language of the text around an element, or English. */
export function languageAround(element: Element): string {
  const named = element.closest('[lang]')?.getAttribute('lang') ?? '';
  return primary(named) || 'en';
}

function pageAddress(): string {
  const canonical = document.querySelector('link[rel=canonical]');
  return canonical instanceof HTMLLinkElement && canonical.href !== ''
    ? canonical.href
    : location.href.replace(/#.*/, '');
}

function itemTitle(element: Element): string {
  return element.localName === 'lectern-item' ? (element.textContent?.trim() ?? '') : '';
}

function absolute(url: string | null): string | null {
  return url === null ? null : new URL(url, document.baseURI).href;
}
