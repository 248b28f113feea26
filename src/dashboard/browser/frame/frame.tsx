import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Icon, Mark } from '../components/icon.tsx';
import { Menu, Popover } from '../components/popover.tsx';
import { OfflineStrip } from '../components/split.tsx';
import { links, navigate } from '../location.ts';
import { runInBackground } from '../query.ts';
import { useSession } from '../session.tsx';
import { showTimesIn } from '../time-zone.ts';
import { CommandPalette } from './command-palette.tsx';
import {
  accountDestination,
  Count,
  type Counts,
  Destinations,
  helpUrl,
  serverDestinations,
  siteDestinations,
  useCounts,
} from './destinations.tsx';
import { isMissing, useLastSite, useSites } from './sites.ts';

/** Navigation beside the page; on a phone a bar above and one below. */
export function Frame({ children }: { readonly children: ComponentChildren }) {
  const [path] = useLocation();
  const main = useRef<HTMLElement>(null);
  const [last, remember] = useLastSite();
  const { timeZone, isAdmin } = useSession();
  const sites = useSites();
  const [, inPath] = /^\/sites\/([^/]+)/.exec(path) ?? [];
  const isNowhere = inPath !== undefined && isMissing(inPath, sites);
  const named = isNowhere ? undefined : inPath;
  // A site shows its own, once it is loaded.
  if (named === undefined) showTimesIn(timeZone);
  const site = isNowhere ? undefined : (named ?? sites?.find(({ slug }) => slug === last)?.slug ?? sites?.[0]?.slug);
  useEffect(() => {
    if (named !== undefined) remember(named);
  }, [named]);
  const counts = useCounts(site);
  const [isSearching, setIsSearching] = useState(false);
  useShortcut(() => setIsSearching(true));
  return (
    <div class="app">
      <button type="button" class="button skip" onClick={() => main.current?.querySelector<HTMLElement>('h1')?.focus()}>
        Skip to content
      </button>
      <Sidebar
        site={site}
        isServer={isAdmin && path.startsWith('/server')}
        counts={counts}
        onSearch={() => setIsSearching(true)}
      />
      <div class="topbar">
        <SiteSwitch shown={site} />
        <Button kind="quiet" icon="search" aria-label="Search" onClick={() => setIsSearching(true)} />
      </div>
      <div>
        <OfflineStrip />
        <main ref={main} key={path}>
          {children}
        </main>
      </div>
      <Tabbar site={site} counts={counts} />
      {isSearching && <CommandPalette site={site} onClose={() => setIsSearching(false)} />}
    </div>
  );
}

/** ⌘K or Ctrl+K. */
function useShortcut(open: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

interface SidebarProps {
  readonly site: string | undefined;
  readonly isServer: boolean;
  readonly counts: Counts;
  readonly onSearch: () => void;
}

function Sidebar({ site, isServer, counts, onSearch }: SidebarProps) {
  const { user, isAdmin, signOut } = useSession();
  return (
    <nav class="sidebar" aria-label="Main">
      <Link class="brand" href="/">
        <Mark />
        Lectern
      </Link>
      {!isServer && <SiteSwitch shown={site} />}
      <button type="button" class="find" onClick={onSearch}>
        <Icon name="search" />
        <span class="grow">Search or jump to</span>
        <kbd>{/Mac|iP/.test(navigator.platform) ? '⌘ K' : 'Ctrl K'}</kbd>
      </button>
      <Pages site={site} isServer={isServer} counts={counts} />
      <div class="end">
        {isAdmin && (
          <Link class="nav" href={isServer ? '/' : '/server/sites'}>
            <Icon name={isServer ? 'arrow-left' : 'server'} />
            {isServer ? 'Back to the site' : 'Server'}
          </Link>
        )}
        <a class="nav" href={helpUrl}>
          <Icon name="circle-question-mark" />
          Help
        </a>
        <div class="row">
          <Link class="nav grow" href="/account">
            <span class="avatar" aria-hidden="true">
              {user.email.slice(0, 2)}
            </span>
            <span class="cut small">{user.email}</span>
          </Link>
          <Menu
            label="Account"
            isCompact
            items={[
              { label: 'Account', icon: 'user', run: () => navigate('/account') },
              { label: 'Sign out', icon: 'log-out', run: signOut },
            ]}
          />
        </div>
      </div>
    </nav>
  );
}

function Pages({ site, isServer, counts }: Omit<SidebarProps, 'onSearch'>) {
  if (isServer) {
    return (
      <>
        <p class="group">Server</p>
        <Destinations class="nav" of={serverDestinations} />
      </>
    );
  }
  if (site === undefined) return null;
  const { daily, setup } = siteDestinations(site);
  return (
    <>
      <Destinations class="nav" of={daily} counts={counts} />
      <p class="group">Site</p>
      <Destinations class="nav" of={setup} counts={counts} />
    </>
  );
}

/** On phones: four pages of daily work, and everything else. */
function Tabbar({ site, counts }: { readonly site: string | undefined; readonly counts: Counts }) {
  const [path] = useLocation();
  const { isAdmin, signOut } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => setIsOpen(false), [path]);
  const { daily, setup } = site === undefined ? { daily: [], setup: [] } : siteDestinations(site);
  const shown = daily.filter(({ title }) => title !== 'Pronunciation');
  const others = [...daily.filter((destination) => !shown.includes(destination)), ...setup];
  return (
    <>
      <nav class="tabbar" aria-label="Bottom bar">
        <Destinations of={shown} counts={counts} />
        <button type="button" onClick={() => setIsOpen(true)}>
          <Icon name="menu" />
          <span>
            More<span class="unseen"> pages</span>
          </span>
          <Count of={others.flatMap(({ title }) => (counts[title] === undefined ? [] : [counts[title]]))} />
        </button>
      </nav>
      {isOpen && (
        <Dialog title="More" onClose={() => setIsOpen(false)}>
          <div class="menu">
            <Destinations of={others} counts={counts} />
            {site !== undefined && <hr />}
            {isAdmin && <Destinations of={serverDestinations} />}
            {isAdmin && <hr />}
            <Destinations of={[accountDestination]} />
            <a href={helpUrl}>
              <Icon name="circle-question-mark" />
              Help
            </a>
            <button type="button" onClick={() => runInBackground(signOut())}>
              <Icon name="log-out" />
              Sign out
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

/** Shows the current site and switches to another. @param shown slug or ID */
function SiteSwitch({ shown }: { readonly shown: string | undefined }) {
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
          <span class="unseen">Site: </span>
          <b class="cut">{current?.name ?? 'Choose a site'}</b>
          <span class="tiny dim cut wide-only">{current?.domains[0]}</span>
        </span>
        <Icon name="chevrons-up-down" />
      </button>
      {anchor !== undefined && (
        <Popover anchor={anchor} onClose={close} class="menu" role="menu" label="Sites">
          {sites.map(({ slug, name }) => (
            <button
              key={slug}
              type="button"
              role="menuitem"
              aria-current={slug === current?.slug}
              onClick={() => open(links.site(slug))}
            >
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
