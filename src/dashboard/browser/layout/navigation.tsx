import { Link, useLocation } from 'wouter-preact';
import { base } from '../api.ts';
import { runInBackground } from '../background.ts';
import { links } from '../links.ts';
import { useSession } from '../session.tsx';
import { SiteSwitch } from './site-switch.tsx';

const ofSite = [
  { path: '/', title: 'Overview' },
  { path: '/posts', title: 'Posts' },
  { path: '/voices', title: 'Voices' },
  { path: '/lexicon', title: 'Pronunciations' },
  { path: '/analytics', title: 'Analytics' },
  { path: '/configuration', title: 'Configuration' },
] as const;

const ofInstallation = [
  { path: '/sites', title: 'Sites', isForAdmins: false },
  { path: '/voices', title: 'Voices', isForAdmins: false },
  { path: '/lexicon', title: 'Pronunciations', isForAdmins: false },
  { path: '/queue', title: 'Queue', isForAdmins: true },
  { path: '/users', title: 'Users', isForAdmins: true },
  { path: '/audit', title: 'Audit log', isForAdmins: true },
  { path: '/system', title: 'System', isForAdmins: true },
] as const;

export function Navigation() {
  const [path] = useLocation();
  const { user, isAdmin, signOut } = useSession();
  const site = /^\/sites\/([^/]+)/.exec(path)?.[1];
  return (
    <nav aria-label="Main">
      <p class="brand">
        <Link href={links.home}>Lectern</Link>
      </p>
      <SiteSwitch shown={site} />
      {site !== undefined && (
        <ul>
          {ofSite.map(({ path: rest, title }) => (
            <Item key={rest} to={rest === '/' ? links.site(site) : links.ofSite(site, rest)}>
              {title}
            </Item>
          ))}
        </ul>
      )}
      <p class="group">Installation</p>
      <ul>
        {ofInstallation
          .filter(({ isForAdmins }) => isAdmin || !isForAdmins)
          .map(({ path: to, title }) => (
            <Item key={to} to={to}>
              {title}
            </Item>
          ))}
        <li>
          <a href={`${base}/docs`}>API reference</a>
        </li>
      </ul>
      <div class="who">
        <Link href="/account" title={user.email}>
          {user.email}
        </Link>
        <button type="button" class="button quiet" onClick={() => runInBackground(signOut())}>
          Sign out
        </button>
      </div>
    </nav>
  );
}

/** Current on its own page and on subpages, unless it is the top of other links. */
function Item({ to, children }: { readonly to: string; readonly children: string }) {
  const [path] = useLocation();
  const hasOwnBelow = to === '/sites' || /^\/sites\/[^/]+$/.test(to);
  const isHere = path === to || (!hasOwnBelow && path.startsWith(`${to}/`));
  return (
    <li>
      <Link href={to} aria-current={isHere ? 'page' : undefined}>
        {children}
      </Link>
    </li>
  );
}
