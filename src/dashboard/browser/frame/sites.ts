import { useEffect, useState } from 'preact/hooks';
import { api, request } from '../api.ts';
import { useQuery } from '../query.ts';
import { useSession } from '../session.tsx';

const sitesMax = 100;

type Sites = Awaited<ReturnType<typeof fetchSites>>['items'];
const changes = new EventTarget();

/** Call after a site was added, renamed, deleted or restored. */
export function sitesChanged(): void {
  changes.dispatchEvent(new Event('change'));
}

/** @returns another number after each change of the sites */
export function useSitesVersion(): number {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const raise = () => setVersion((before) => before + 1);
    changes.addEventListener('change', raise);
    return () => changes.removeEventListener('change', raise);
  }, []);
  return version;
}

/** The sites that the user may see; undefined until they are loaded. */
export function useSites() {
  return useQuery(fetchSites, [useSitesVersion()]).value?.items;
}

function fetchSites() {
  return request(() => api.sites.get({ query: { limit: sitesMax } }));
}

/** @param name slug or ID @returns whether there is no such site: known only of a whole list */
export function isMissing(name: string, sites: Sites | undefined): boolean {
  if (sites === undefined || sites.length >= sitesMax) return false;
  return !sites.some(({ id, slug }) => slug === name || String(id) === name);
}

/** @returns the slug of the site that was open last, and how to remember another */
export function useLastSite(): readonly [string | undefined, (slug: string) => void] {
  const { user } = useSession();
  const place = `lectern.site/${user.id}`;
  return [localStorage.getItem(place) ?? undefined, (slug) => localStorage.setItem(place, slug)];
}
