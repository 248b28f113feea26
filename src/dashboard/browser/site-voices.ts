import { api, ask, encodeSegment } from './api.ts';

export type SiteVoices = Awaited<ReturnType<typeof fetchSiteVoices>>;

/** The voice settings of a site, and its available voices. @param site slug or ID */
export function fetchSiteVoices(site: string | number) {
  return ask(() => api.sites({ site: encodeSegment(site) }).voices.get());
}

/** @returns the voice of posts that name none; undefined without voices */
export function usualVoice({ voices, default_voice_id: id }: SiteVoices): SiteVoices['voices'][number] | undefined {
  const chosen = voices.find((voice) => voice.id === id);
  return chosen ?? voices.toSorted((one, other) => one.id - other.id)[0];
}
