import { useState } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { Popover } from '../components/popover.tsx';
import { links, navigate } from '../location.ts';
import { useSession } from '../session.tsx';
import { useSites } from './sites.ts';

/** Shows the current site and switches to another. @param shown slug or ID */
export function SiteSwitch({ shown }: { readonly shown: string | undefined }) {
  const { isAdmin } = useSession();
  const sites = useSites() ?? [];
  const [anchor, setAnchor] = useState<HTMLElement>();
  const close = () => setAnchor(undefined);
  const current = sites.find(({ id, slug }) => slug === shown || String(id) === shown);
  if (sites.length === 0) return null;
  const open = (path: string) => {
    close();
    navigate(path);
  };
  return (
    <>
      <button
        type="button"
        class="site-switch"
        aria-haspopup="menu"
        aria-expanded={anchor !== undefined}
        onClick={(event) => setAnchor(anchor === undefined ? event.currentTarget : undefined)}
      >
        <SiteTile name={current?.name ?? '…'} />
        <span class="grow">
          <b class="cut">{current?.name ?? 'Choose a site'}</b>
          <span class="tiny dim cut wide-only">{current?.domains[0]}</span>
        </span>
        <Icon name="chevrons-up-down" />
      </button>
      {anchor !== undefined && (
        <Popover anchor={anchor} onClose={close} class="menu" role="menu" label="Sites">
          {sites.map(({ slug, name }) => (
            <button key={slug} type="button" role="menuitem" onClick={() => open(links.site(slug))}>
              <SiteTile name={name} />
              <span class="grow cut">{name}</span>
              {slug === current?.slug && <Icon name="check" />}
            </button>
          ))}
          {isAdmin && <hr />}
          {isAdmin && (
            <button type="button" role="menuitem" onClick={() => open('/server/sites')}>
              <Icon name="globe" />
              All sites
            </button>
          )}
        </Popover>
      )}
    </>
  );
}

function SiteTile({ name }: { readonly name: string }) {
  // “The” is no initial of a paper.
  const initial = name
    .replace(/^the\s+/i, '')
    .charAt(0)
    .toUpperCase();
  return (
    <span class="tile" aria-hidden="true">
      {initial}
    </span>
  );
}
