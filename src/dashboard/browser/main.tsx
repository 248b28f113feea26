import './style/dashboard.css';
import { render } from 'preact';
import { Route, Router, Switch } from 'wouter-preact';
import { ActionProvider } from './components/actions.tsx';
import { Toasts } from './components/dialog.tsx';
import { Frame } from './frame/frame.tsx';
import { PlaceProvider, useHashPath } from './location.ts';
import { FirstListenPage } from './pages/first-run/first-listen-page.tsx';
import { PaperPage } from './pages/first-run/paper-page.tsx';
import { Pages } from './pages.tsx';
import { SessionProvider } from './session.tsx';
import { SiteProvider } from './site.tsx';

function Dashboard() {
  return (
    <PlaceProvider>
      <Router hook={useHashPath}>
        <Toasts />
        <SessionProvider>
          <Switch>
            <Route path="/start" component={PaperPage} />
            <Route path="/sites/:site/start">
              {({ site }: { site: string }) => (
                <SiteProvider name={site}>
                  <FirstListenPage />
                </SiteProvider>
              )}
            </Route>
            <Route>
              <Frame>
                <ActionProvider>
                  <Pages />
                </ActionProvider>
              </Frame>
            </Route>
          </Switch>
        </SessionProvider>
      </Router>
    </PlaceProvider>
  );
}

// Files dropped beside their field would take the place of the page.
for (const type of ['dragover', 'drop']) addEventListener(type, (event) => event.preventDefault());

const root = document.querySelector<HTMLElement>('#app');
if (root !== null) render(<Dashboard />, root);
