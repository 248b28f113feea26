import { useEffect } from 'preact/hooks';
import { api, ask } from '../api.ts';
import { useQuery } from '../query.ts';
import { useSession } from '../session.tsx';

const sitesMax = 100;
const changes = new EventTarget();

/** Call after a site was added, renamed or deleted. */
export function sitesChanged(): void {
  changes.dispatchEvent(new Event('change'));
}

/** The sites that the user may see; undefined until they are loaded. */
export function useSites() {
  const { value, reload } = useQuery(() => ask(() => api.sites.get({ query: { limit: sitesMax } })), []);
  useEffect(() => {
    changes.addEventListener('change', reload);
    return () => changes.removeEventListener('change', reload);
  }, [reload]);
  return value?.items;
}

/** @returns the slug of the site that was open last, and how to remember another */
export function useLastSite(): readonly [string | undefined, (slug: string) => void] {
  const { user } = useSession();
  const place = `lectern.site/${user.id}`;
  return [localStorage.getItem(place) ?? undefined, (slug) => localStorage.setItem(place, slug)];
}
