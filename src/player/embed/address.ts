import type { EmbedQuery } from './schema.ts';

const path = '/v1/public/embed';

/**
 * @param named how it was asked for
 * @param audio what was found
 * @returns the address of the page that shows an audio in a frame
 */
export function embedAddress(
  baseUrl: string,
  named: Pick<EmbedQuery, 'domain' | 'voice_id' | 'theme'>,
  audio: { readonly post_id: string; readonly language: string },
): string {
  const { domain, voice_id, theme } = named;
  const query = new URLSearchParams({ domain, post_id: audio.post_id, lang: audio.language });
  if (voice_id !== undefined) query.set('voice_id', String(voice_id));
  if (theme !== undefined) query.set('theme', theme);
  return `${baseUrl}${path}?${query}`;
}

/** @returns address of what is to be said of a page by oEmbed */
export function oembedAddress(baseUrl: string, url: string, format: 'json' | 'xml'): string {
  return `${baseUrl}/v1/public/oembed?${new URLSearchParams({ url, format })}`;
}

/** Whether an address is one that `embedAddress` makes. */
export function isEmbedAddress(baseUrl: string, address: URL): boolean {
  const own = new URL(baseUrl + path);
  return address.host === own.host && address.pathname === own.pathname;
}
