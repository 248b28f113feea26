import type { JSX } from 'preact';
import { Redirect, Route, Switch, useLocation } from 'wouter-preact';
import { LinkButton } from './components/button.tsx';
import { EmptyState, Page } from './components/page.tsx';
import { useLastSite, useSites } from './frame/sites.ts';
import { currentPath, links } from './location.ts';
import { AccountPage } from './pages/account/account-page.tsx';
import { AnalyticsPage } from './pages/analytics/analytics-page.tsx';
import { OverviewPage } from './pages/overview/overview-page.tsx';
import { NewPostPage, PostTextPage } from './pages/posts/editor-pages.tsx';
import { PostPage } from './pages/posts/post-page.tsx';
import { PostsPage } from './pages/posts/posts-page.tsx';
import { PronunciationsPage, SitePronunciationsPage } from './pages/pronunciations/pronunciation-page.tsx';
import { AuditPage } from './pages/server/audit-page.tsx';
import { BackupsPage } from './pages/server/backups-page.tsx';
import { MachinesPage } from './pages/server/machines-page.tsx';
import { QueuePage } from './pages/server/queue-page.tsx';
import { SitesPage } from './pages/server/sites-page.tsx';
import { SystemPage } from './pages/server/system-page.tsx';
import { UsersPage } from './pages/server/users-page.tsx';
import { DevelopersPage } from './pages/site/developers-page.tsx';
import { PlayerPage } from './pages/site/player-page.tsx';
import { SettingsPage } from './pages/site/settings-page.tsx';
import { SourcesPage } from './pages/site/sources-page.tsx';
import { SiteVoicesPage } from './pages/voices/site-voices-page.tsx';
import { VoicesPage } from './pages/voices/voices-page.tsx';
import { useSession } from './session.tsx';
import { SiteProvider } from './site.tsx';

type PageTable = Readonly<Record<string, () => JSX.Element>>;

/** Pages of a site, below `/sites/{site}`. */
const sitePages: PageTable = {
  '': OverviewPage,
  '/posts': PostsPage,
  '/posts/:post': PostPage,
  '/posts/:post/edit/:language': PostTextPage,
  '/new': NewPostPage,
  '/pronunciation': SitePronunciationsPage,
  '/voices': SiteVoicesPage,
  '/analytics/:post?': AnalyticsPage,
  '/player': PlayerPage,
  '/sources': SourcesPage,
  '/developers': DevelopersPage,
  '/settings': SettingsPage,
};

/** Pages of the server, below `/server`, for admins. */
const serverPages: PageTable = {
  '/sites': SitesPage,
  '/queue': QueuePage,
  '/machines': MachinesPage,
  '/users': UsersPage,
  '/voices': VoicesPage,
  '/pronunciations': PronunciationsPage,
  '/backups': BackupsPage,
  '/audit': AuditPage,
  '/system': SystemPage,
};

/** The page for the address. */
export function Pages() {
  const { isAdmin } = useSession();
  return (
    <Switch>
      <Route path="/account" component={AccountPage} />
      {isAdmin &&
        Object.entries(serverPages).map(([path, page]) => (
          <Route key={path} path={`/server${path}`} component={page} />
        ))}
      <Route path="/sites/:site/*?">
        {({ site }: { site: string }) => (
          <SiteProvider key={site} name={site}>
            <Switch>
              {Object.entries(sitePages).map(([path, page]) => (
                <Route key={path} path={`/sites/:site${path}`} component={page} />
              ))}
              <Route component={NotFoundPage} />
            </Switch>
          </SiteProvider>
        )}
      </Route>
      <Route path={/^\/(?:$|(?:setup|invitation|reset)=)/} component={Home} />
      <Route component={NotFoundPage} />
    </Switch>
  );
}

/** The site that was open last, or the first one; also for a link of the sign-in page that is opened with a session. */
function Home() {
  const { isAdmin } = useSession();
  const sites = useSites();
  const [last] = useLastSite();
  if (sites === undefined) return null;
  const site = sites.find(({ slug }) => slug === last) ?? sites[0];
  if (site !== undefined) return <RedirectToPage to={links.site(site.slug)} />;
  if (isAdmin) return <RedirectToPage to="/start" />;
  return (
    <Page title="Lectern">
      <EmptyState title="No sites yet">
        <p>Ask an admin for access to a site: as an editor, who submits posts, or as a viewer.</p>
      </EmptyState>
    </Page>
  );
}

function NotFoundPage() {
  return (
    <Page title="This page does not exist">
      <EmptyState title={`Nothing at “${currentPath()}”`} action={<LinkButton href="#/" label="Open your last site" />}>
        The address is incomplete, or only admins have this page.
      </EmptyState>
    </Page>
  );
}

/** Does nothing when another address has been opened since: its event is yet to come. */
function RedirectToPage({ to }: { readonly to: string }) {
  const [path] = useLocation();
  return path === currentPath() ? <Redirect to={to} /> : null;
}
