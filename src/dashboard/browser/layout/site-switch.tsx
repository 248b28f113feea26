import { useEffect } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { api, unwrap } from '../api.ts';
import { links } from '../links.ts';
import { useQuery } from '../query.ts';

const sitesMax = 100;
const renamings = new EventTarget();

/** Call after renaming a site. */
export function siteRenamed(): void {
  renamings.dispatchEvent(new Event('renamed'));
}

interface SiteSwitchProps {
  /** Slug or ID of the current site. */
  readonly shown: string | undefined;
}

/** Switches to another site. */
export function SiteSwitch({ shown }: SiteSwitchProps) {
  const [, navigate] = useLocation();
  // Reloaded on a change of the site: it may be new.
  const { value, reload } = useQuery(() => unwrap(api.sites.get({ query: { limit: sitesMax } })), [shown]);
  useEffect(() => {
    renamings.addEventListener('renamed', reload);
    return () => renamings.removeEventListener('renamed', reload);
  }, [reload]);
  const sites = value?.items ?? [];
  const current = sites.find(({ id, slug }) => slug === shown || String(id) === shown);
  if (sites.length === 0) return null;
  return (
    <label class="site-switch">
      <span>Site</span>
      <select
        value={current?.slug ?? ''}
        onChange={(event) => {
          const { value: slug } = event.currentTarget;
          navigate(slug === '' ? '/sites' : links.site(slug));
        }}
      >
        <option value="">{current === undefined ? 'Select a site…' : 'All sites'}</option>
        {sites.map(({ slug, name }) => (
          <option key={slug} value={slug}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
