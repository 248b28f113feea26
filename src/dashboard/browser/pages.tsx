import type { JSX } from 'preact';
import { Redirect, Route, Switch } from 'wouter-preact';
import { AccountPage } from './pages/account/account-page.tsx';
import { AnalyticsPage } from './pages/analytics/analytics-page.tsx';
import { AuditPage } from './pages/audit/audit-page.tsx';
import { ConfigurationPage } from './pages/configuration/configuration-page.tsx';
import { OverviewPage } from './pages/overview/overview-page.tsx';
import { NewPostPage } from './pages/posts/new-post-page.tsx';
import { PostPage } from './pages/posts/post-page.tsx';
import { PostTextPage } from './pages/posts/post-text-page.tsx';
import { PostsPage } from './pages/posts/posts-page.tsx';
import { PronunciationsPage } from './pages/pronunciations/pronunciations-page.tsx';
import { SitePronunciationsPage } from './pages/pronunciations/site-pronunciations-page.tsx';
import { QueuePage } from './pages/queue/queue-page.tsx';
import { SitesPage } from './pages/sites/sites-page.tsx';
import { SystemPage } from './pages/system/system-page.tsx';
import { UsersPage } from './pages/users/users-page.tsx';
import { SiteVoicesPage } from './pages/voices/site-voices-page.tsx';
import { VoicesPage } from './pages/voices/voices-page.tsx';
import { useSession } from './session.tsx';
import { SiteProvider } from './site.tsx';

/** Pages of a site, below `/sites/{site}`. */
const sitePages: readonly { path: string; page: () => JSX.Element }[] = [
  { path: '/', page: OverviewPage },
  { path: '/posts', page: PostsPage },
  { path: '/new-post', page: NewPostPage },
  { path: '/posts/:post', page: PostPage },
  { path: '/posts/:post/text/:language', page: PostTextPage },
  { path: '/voices', page: SiteVoicesPage },
  { path: '/lexicon', page: SitePronunciationsPage },
  { path: '/analytics/:post?', page: AnalyticsPage },
  // With its sections, such as /configuration/keys.
  { path: '/configuration/:chapter?', page: ConfigurationPage },
];

const pages: readonly { path: string; page: () => JSX.Element; isForAdmins?: boolean }[] = [
  { path: '/sites', page: SitesPage },
  { path: '/account', page: AccountPage },
  { path: '/lexicon', page: PronunciationsPage },
  { path: '/voices', page: VoicesPage },
  { path: '/queue', page: QueuePage, isForAdmins: true },
  { path: '/users', page: UsersPage, isForAdmins: true },
  { path: '/audit', page: AuditPage, isForAdmins: true },
  { path: '/system', page: SystemPage, isForAdmins: true },
];

/** The page for the URL. */
export function Pages() {
  const { user, isAdmin } = useSession();
  const [only, ...others] = user.sites;
  const home = !isAdmin && only !== undefined && others.length === 0 ? `/sites/${only.slug}` : '/sites';
  return (
    <Switch>
      {pages
        .filter(({ isForAdmins }) => isAdmin || isForAdmins !== true)
        .map(({ path, page }) => (
          <Route key={path} path={path} component={page} />
        ))}
      <Route path="/sites/:site" nest>
        {({ site }: { site: string }) => (
          <SiteProvider key={site} name={site}>
            <Switch>
              {sitePages.map(({ path, page }) => (
                <Route key={path} path={path} component={page} />
              ))}
              <Route>
                <Redirect to="/" />
              </Route>
            </Switch>
          </SiteProvider>
        )}
      </Route>
      <Route>
        <Redirect to={home} />
      </Route>
    </Switch>
  );
}
