import { api, ask, encodeSegment } from './api.ts';

export type SiteVoices = Awaited<ReturnType<typeof fetchSiteVoices>>;

/** The voice settings of a site, and its available voices. @param site slug or ID */
export function fetchSiteVoices(site: string | number) {
  return ask(() => api.sites({ site: encodeSegment(site) }).voices.get());
}
