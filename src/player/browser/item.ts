import { toPrimaryLanguage } from './texts.ts';

const script = document.currentScript;

/** The server URL, from the URL of this script; undefined for a copy on another server. */
const serverUrl: string | undefined =
  script instanceof HTMLScriptElement ? /^(.*)\/v1\/public\/player\.js/.exec(script.src)?.[1] : undefined;

/** A post of a player, as the page defines it. */
export interface Item {
  /** Null if the page URL or a file identifies the audio. */
  readonly postId: string | null;
  readonly title: string | undefined;
  /** URL of a file; the player then uses no API. */
  readonly audioUrl: string | null;
  readonly segmentsUrl: string | null;
  readonly durationS: number | undefined;
  /** Name of the voice of the file. */
  readonly voiceName: string;
}

/** Attributes that select the audio, and the language. */
export const itemAttributes = [
  ...['post-id', 'audio-url', 'segments-url', 'title', 'duration', 'voice'],
  ...['base-url', 'domain', 'lang', 'language'],
];

/** @param element `<lectern-player>` itself, or a `<lectern-item>` in it with the title as text */
export function readItem(element: Element): Item {
  const text = element.localName === 'lectern-item' ? element.textContent?.trim() : '';
  const durationS = Number(element.getAttribute('duration'));
  return {
    postId: element.getAttribute('post-id'),
    title: element.getAttribute('title') || text || undefined,
    audioUrl: toAbsoluteUrl(element.getAttribute('audio-url')),
    segmentsUrl: toAbsoluteUrl(element.getAttribute('segments-url')),
    durationS: durationS > 0 ? durationS : undefined,
    voiceName: element.getAttribute('voice') ?? '',
  };
}

/** Language and URLs of the requests for a post. */
export interface PostRequest {
  readonly item: Item;
  /** The language comes from the page; the post may exist only in English. */
  readonly isLanguageGuessed: boolean;
  readonly language: string;
  /** @returns the URL of `GET /v1/public/audio`; the server defaults to English */
  address(language: string): string;
  /** @returns the URL of the live stream of a post */
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

/** @returns the URL of the event intake, with the domain in its query */
export function buildEventsUrl(player: Element): string {
  const { baseUrl, domain } = getApiLocation(player);
  return `${baseUrl}/v1/public/events?${new URLSearchParams({ domain })}`;
}

/** @returns the URL of the player's texts in a language */
export function buildTextsUrl(player: Element, language: string): string {
  return `${getApiLocation(player).baseUrl}/v1/public/player-texts/${language}`;
}

/** @returns the address of the server */
export function getBaseUrl(player: Element): string {
  return getApiLocation(player).baseUrl;
}

/** @returns the element with the text of a post */
export function findArticle(player: Element): Element {
  const named = player.getAttribute('article');
  const around = player.closest('article,main') ?? document.querySelector('article');
  return (named === null ? around : document.querySelector(named)) ?? document.body;
}

/** @returns the storage key of the position in an audio */
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

/** @returns the address of the article */
export function getPageUrl(): string {
  const canonical = document.querySelector<HTMLLinkElement>('link[rel=canonical]');
  return canonical?.href || location.href.replace(/#.*/, '');
}

function toAbsoluteUrl(url: string | null): string | null {
  return url === null ? null : new URL(url, document.baseURI).href;
}
