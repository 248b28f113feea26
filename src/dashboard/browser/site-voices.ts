import { api, encodeSegment, unwrap } from './api.ts';

export type SiteVoices = Awaited<ReturnType<typeof fetchSiteVoices>>;

/** What is set about the voices of a site, and those it may use. @param site slug or id */
export function fetchSiteVoices(site: string | number) {
  return unwrap(api.sites({ site: encodeSegment(site) }).voices.get());
}
