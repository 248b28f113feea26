import { serverUrl } from './server-url.ts';
import { toPrimaryLanguage } from './texts.ts';

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
  const text = element.localName === 'lectern-item' ? element.textContent?.trim() : '';
  const durationS = Number(element.getAttribute('duration'));
  return {
    postId: element.getAttribute('post-id'),
    title: element.getAttribute('title') || text || undefined,
    audioUrl: toAbsoluteUrl(element.getAttribute('audio-url')),
    segmentsUrl: toAbsoluteUrl(element.getAttribute('segments-url')),
    durationS: durationS > 0 ? durationS : undefined,
  };
}

/** What is asked about a post, and where. */
export interface PostRequest {
  readonly item: Item;
  /** The language is that of the page: a post that isn't there in it may be there in English. */
  readonly isLanguageGuessed: boolean;
  readonly language: string;
  /** @returns address of `GET /v1/public/audio`; without a language the server takes English */
  address(language: string): string;
  /** @returns where a post is heard while it is made */
  streamAddress(postId: string, language: string): string;
}

export function buildPostRequest(player: Element, item: Item): PostRequest {
  const { baseUrl, domain } = getApiLocation(player);
  const address = (path: string, query: Record<string, string>, language: string) => {
    const parameters = new URLSearchParams({ domain, ...query });
    if (language !== 'en') parameters.set('lang', language);
    return `${baseUrl}/v1/public/audio${path}?${parameters}`;
  };
  const named = player.getAttribute('language');
  const around = player.closest('[lang]')?.getAttribute('lang');
  return {
    item,
    isLanguageGuessed: named === null,
    language: toPrimaryLanguage(named ?? around ?? '') || 'en',
    address: (language) => {
      const { postId } = item;
      return address('', postId === null ? { url: getPageUrl() } : { post_id: postId }, language);
    },
    streamAddress: (postId, language) => address('/stream', { post_id: postId }, language),
  };
}

/** @returns the intake of events, with the domain in its query */
export function buildEventsUrl(player: Element): string {
  const { baseUrl, domain } = getApiLocation(player);
  return `${baseUrl}/v1/public/events?${new URLSearchParams({ domain })}`;
}

/** @returns where the text of a post stands in its page */
export function findArticle(player: Element): Element {
  const named = player.getAttribute('article');
  const around = player.closest('article,main') ?? document.querySelector('article');
  return (named === null ? around : document.querySelector(named)) ?? document.body;
}

/** @returns under what the place in an audio is remembered */
export function buildResumeKey(player: Element, postId: string | null, language = ''): string {
  const { baseUrl, domain } = getApiLocation(player);
  return `${baseUrl} ${domain} ${postId} ${language}`;
}

function getApiLocation(player: Element) {
  const baseUrl = player.getAttribute('base-url') ?? serverUrl ?? location.origin;
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    domain: player.getAttribute('domain') ?? location.hostname,
  };
}

function getPageUrl(): string {
  const canonical = document.querySelector<HTMLLinkElement>('link[rel=canonical]');
  return canonical?.href || location.href.replace(/#.*/, '');
}

function toAbsoluteUrl(url: string | null): string | null {
  return url === null ? null : new URL(url, document.baseURI).href;
}
