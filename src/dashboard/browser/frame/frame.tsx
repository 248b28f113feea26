import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { api, ask, encodeSegment } from '../api.ts';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { Menu } from '../components/popover.tsx';
import { OfflineStrip } from '../components/strip.tsx';
import { useLive } from '../live.ts';
import { navigate } from '../location.ts';
import { useQuery } from '../query.ts';
import { useSession } from '../session.tsx';
import { showTimesIn } from '../time-zone.ts';
import { CommandPalette } from './command-palette.tsx';
import { type Destination, helpUrl, serverDestinations, siteDestinations } from './destinations.ts';
import { Mark } from './mark.tsx';
import { SiteSwitch } from './site-switch.tsx';
import { isMissing, useLastSite, useSites } from './sites.ts';
import { isAt, Tabbar } from './tabbar.tsx';

const webhookPollMs = 60_000;

/** Navigation beside the page; on a phone a bar above and one below. */
export function Frame({ children }: { readonly children: ComponentChildren }) {
  const [path] = useLocation();
  const main = useRef<HTMLElement>(null);
  const [last, remember] = useLastSite();
  const { timeZone } = useSession();
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
  const [isSearching, setIsSearching] = useState(false);
  useShortcut(() => setIsSearching(true));
  return (
    <div class="app">
      <button type="button" class="button skip" onClick={() => main.current?.querySelector<HTMLElement>('h1')?.focus()}>
        Skip to content
      </button>
      <Sidebar site={site} isServer={path.startsWith('/server')} onSearch={() => setIsSearching(true)} />
      <div class="topbar">
        <SiteSwitch shown={site} />
        <Button kind="quiet" icon="search" aria-label="Search" onClick={() => setIsSearching(true)} />
      </div>
      <div>
        <div class="strips">
          <OfflineStrip />
        </div>
        <main ref={main} key={path}>
          {children}
        </main>
      </div>
      <Tabbar site={site} />
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
  readonly onSearch: () => void;
}

function Sidebar({ site, isServer, onSearch }: SidebarProps) {
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
      <Destinations site={site} isServer={isServer} />
      <div class="end">
        <Places isServer={isServer} />
        <Who />
      </div>
    </nav>
  );
}

function Destinations({ site, isServer }: Pick<SidebarProps, 'site' | 'isServer'>) {
  if (isServer) {
    return (
      <>
        <p class="group">Server</p>
        <Items of={serverDestinations} />
      </>
    );
  }
  if (site === undefined) return null;
  return <SiteItems site={site} />;
}

function SiteItems({ site }: { readonly site: string }) {
  const [path] = useLocation();
  const { isAdmin } = useSession();
  const [failedCount, setFailedCount] = useState(0);
  useLive(site, (event) => event.type === 'counts' && setFailedCount(event.data.failed));
  const { value: failingCount = 0 } = useQuery(
    async () => (isAdmin ? await countFailingWebhooks(site) : 0),
    // Where they are repaired is also where they are seen to work again.
    [site, isAdmin, path.endsWith('/developers')],
    () => webhookPollMs,
  );
  const { daily, setup } = siteDestinations(site);
  return (
    <>
      <Items of={daily} counts={{ Posts: [failedCount, 'failed'] }} />
      <p class="group">Site</p>
      <Items of={setup} counts={{ Developers: [failingCount, 'failing'] }} />
    </>
  );
}

/** Only admins see webhooks. */
async function countFailingWebhooks(site: string): Promise<number> {
  const { items } = await ask(() => api.sites({ site: encodeSegment(site) }).webhooks.get());
  return items.filter(({ health, disabled_reason }) => health.state === 'failing' || disabled_reason !== null).length;
}

interface ItemsProps {
  readonly of: readonly Destination[];
  /** Number of items that need attention and what is wrong with them, by title. */
  readonly counts?: Readonly<Record<string, readonly [count: number, state: string]>>;
}

function Items({ of, counts = {} }: ItemsProps) {
  const [path] = useLocation();
  return (
    <>
      {of.map(({ path: to, icon, title }) => {
        const [count, state] = counts[title] ?? [0, ''];
        return (
          <Link key={to} class="nav" href={to} aria-current={isAt(path, to) ? 'page' : undefined}>
            <Icon name={icon} />
            {title}
            {count > 0 && (
              <span class="count" title={`${count} ${state}`}>
                {count}
              </span>
            )}
          </Link>
        );
      })}
    </>
  );
}

/** Ways out of the section. */
function Places({ isServer }: { readonly isServer: boolean }) {
  const { isAdmin } = useSession();
  return (
    <>
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
    </>
  );
}

function Who() {
  const { user, signOut } = useSession();
  return (
    <div class="row">
      <Link class="nav grow" href="/account" title={user.email}>
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
  );
}
