import { api, ask, part } from './api.ts';

export type SiteVoices = Awaited<ReturnType<typeof readSiteVoices>>;

/** What is set about the voices of a site, and those it may use. @param site slug or id */
export function readSiteVoices(site: string | number) {
  return ask(api.sites({ site: part(site) }).voices.get());
}
