import { base } from '../api.ts';
import type { IconName } from '../components/icon.tsx';
import { links } from '../links.ts';

/** A page in the navigation. */
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

export const helpUrl = `${base}/docs`;
