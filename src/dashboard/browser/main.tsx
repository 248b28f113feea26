// First, so that a page's own rules come after them.
import './style/tokens.css';
import './style/base.css';
import './style/layout.css';
import './style/parts.css';

import { render } from 'preact';
import { Router } from 'wouter-preact';
import { useHashLocation } from 'wouter-preact/use-hash-location';
import { Entrance } from './entrance/entrance.tsx';
import { Layout } from './layout/layout.tsx';
import { Pages } from './pages.tsx';
import { WithToasts } from './parts/toasts.tsx';
import { WithSession } from './session.tsx';

function Dashboard() {
  return (
    <Router hook={useHashLocation}>
      <WithToasts>
        <WithSession
          entrance={(onSignedIn, hasEnded) => (
            <Entrance onSignedIn={onSignedIn} hasEnded={hasEnded} />
          )}
        >
          <Layout>
            <Pages />
          </Layout>
        </WithSession>
      </WithToasts>
    </Router>
  );
}

const root = document.querySelector<HTMLElement>('#app');
if (root !== null) render(<Dashboard />, root);
