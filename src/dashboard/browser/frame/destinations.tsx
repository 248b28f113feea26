import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { base, request, siteRoutes } from '../api.ts';
import { Icon, type IconName } from '../components/icon.tsx';
import { useLive } from '../live.ts';
import { links } from '../location.ts';
import { useQuery } from '../query.ts';
import { useSession } from '../session.tsx';

const webhookPollMs = 60_000;

export interface Destination {
  readonly title: string;
  readonly icon: IconName;
  /** Behind the #. */
  readonly path: string;
}

const daily = [
  { title: 'Overview', icon: 'gauge', rest: '' },
  { title: 'Posts', icon: 'newspaper', rest: '/posts' },
  { title: 'Pronunciation', icon: 'spell-check', rest: '/pronunciation' },
  { title: 'Voices', icon: 'mic-vocal', rest: '/voices' },
  { title: 'Analytics', icon: 'chart-no-axes-column', rest: '/analytics' },
] as const;

const setup = [
  { title: 'Player', icon: 'palette', rest: '/player' },
  { title: 'Sources and feed', icon: 'rss', rest: '/sources' },
  { title: 'Developers', icon: 'webhook', rest: '/developers' },
  { title: 'Settings', icon: 'settings', rest: '/settings' },
] as const;

/** The pages of a site: of daily work, and of the site itself. */
export function siteDestinations(site: string): { readonly daily: Destination[]; readonly setup: Destination[] } {
  const toDestination = ({ title, icon, rest }: (typeof daily | typeof setup)[number]): Destination => ({
    title,
    icon,
    path: `${links.site(site)}${rest}`,
  });
  return { daily: daily.map(toDestination), setup: setup.map(toDestination) };
}

/** The pages of the server, for admins. */
export const serverDestinations: readonly Destination[] = [
  { title: 'Sites', icon: 'globe', path: '/server/sites' },
  { title: 'Queue', icon: 'list-ordered', path: '/server/queue' },
  { title: 'Machines', icon: 'server', path: '/server/machines' },
  { title: 'Users', icon: 'users', path: '/server/users' },
  { title: 'Voice files', icon: 'file-audio', path: '/server/voices' },
  { title: 'Pronunciations', icon: 'spell-check', path: '/server/pronunciations' },
  { title: 'Backups', icon: 'archive', path: '/server/backups' },
  { title: 'Audit log', icon: 'scroll-text', path: '/server/audit' },
  { title: 'System', icon: 'cpu', path: '/server/system' },
];

export const accountDestination: Destination = { title: 'Account', icon: 'user', path: '/account' };

export const helpUrl = `${base}/docs`;

/** Number of items that need attention and what is wrong with them, by the title of the page that lists them. */
export type Counts = Readonly<Record<string, readonly [count: number, state: string]>>;

/** @param site undefined: none is open */
export function useCounts(site: string | undefined): Counts {
  const [path] = useLocation();
  const { isAdmin } = useSession();
  const [failedCount, setFailedCount] = useState(0);
  useLive(site, (event) => event.type === 'counts' && setFailedCount(event.data.failed));
  const { value: failingCount = 0 } = useQuery(
    // Only admins see webhooks.
    async () => (isAdmin && site !== undefined ? await countFailingWebhooks(site) : 0),
    // Where they are repaired is also where they are seen to work again.
    [site, isAdmin, path.endsWith('/developers')],
    () => webhookPollMs,
  );
  return { Posts: [failedCount, 'failed'], Developers: [failingCount, 'failing'] };
}

async function countFailingWebhooks(site: string): Promise<number> {
  const { items } = await request(() => siteRoutes(site).webhooks.get());
  return items.filter(({ health, disabled_reason }) => health.state === 'failing' || disabled_reason !== null).length;
}

interface DestinationsProps {
  readonly of: readonly Destination[];
  readonly counts?: Counts;
  readonly class?: string;
}

/** Links to pages, each with the number of its items that need attention. */
export function Destinations({ of, counts = {}, class: name }: DestinationsProps) {
  const [path] = useLocation();
  return (
    <>
      {of.map(({ path: to, icon, title }) => (
        <Link key={to} class={name} href={to} aria-current={isAt(path, to) ? 'page' : undefined}>
          <Icon name={icon} />
          {title}
          {counts[title] && <Count of={[counts[title]]} />}
        </Link>
      ))}
    </>
  );
}

/** Nothing where nothing needs attention. */
export function Count({ of }: { readonly of: readonly Counts[string][] }) {
  const shown = of.filter(([count]) => count > 0);
  if (shown.length === 0) return null;
  const text = shown.map(([count, state]) => `${count} ${state}`).join(', ');
  return (
    <span class="count" title={text}>
      <span aria-hidden="true">{shown.reduce((sum, [count]) => sum + count, 0)}</span>
      <span class="unseen"> {text}</span>
    </span>
  );
}

/** Whether a path is a destination or below it. The overview of a site is above all its pages, so it matches exactly. */
function isAt(path: string, to: string): boolean {
  return path === to || (!/^\/sites\/[^/]+$/.test(to) && path.startsWith(`${to}/`));
}
