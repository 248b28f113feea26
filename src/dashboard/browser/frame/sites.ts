import { api, type ItemOf, request } from '../api.ts';
import { useQuery } from '../query.ts';
import { useSession } from '../session.tsx';
import { createStore } from '../store.ts';

const sitesMax = 100;

const version = createStore(0);

/** Call after a site was added, renamed, deleted or restored. */
export function sitesChanged(): void {
  version.set(version.get() + 1);
}

/** @returns another number after each change of the sites */
export const useSitesVersion = version.use;

/** The sites that the user may see; undefined until they are loaded. */
export function useSites() {
  const load = () => request(() => api.sites.get({ query: { limit: sitesMax } }));
  return useQuery(load, [useSitesVersion()]).value?.items;
}

/** @param name slug or ID @returns whether there is no such site: known only of a whole list */
export function isMissing(name: string, sites: readonly ItemOf<typeof api.sites>[] | undefined): boolean {
  if (sites === undefined || sites.length >= sitesMax) return false;
  return !sites.some(({ id, slug }) => slug === name || String(id) === name);
}

/** @returns the slug of the site that was open last, and how to remember another */
export function useLastSite(): readonly [string | undefined, (slug: string) => void] {
  const { user } = useSession();
  const place = `lectern.site/${user.id}`;
  return [localStorage.getItem(place) ?? undefined, (slug) => localStorage.setItem(place, slug)];
}
