// First: the rules of pages must follow these.
import './style/tokens.css';
import './style/base.css';
import './style/layout.css';
import './style/components.css';

import { render } from 'preact';
import { Router } from 'wouter-preact';
import { useHashLocation } from 'wouter-preact/use-hash-location';
import { AuthPage } from './auth/auth-page.tsx';
import { ToastProvider } from './components/toasts.tsx';
import { Layout } from './layout/layout.tsx';
import { Pages } from './pages.tsx';
import { SessionProvider } from './session.tsx';

function Dashboard() {
  return (
    <Router hook={useHashLocation}>
      <ToastProvider>
        <SessionProvider
          renderSignIn={(onSignedIn, hasEnded) => <AuthPage onSignedIn={onSignedIn} hasEnded={hasEnded} />}
        >
          <Layout>
            <Pages />
          </Layout>
        </SessionProvider>
      </ToastProvider>
    </Router>
  );
}

const root = document.querySelector<HTMLElement>('#app');
if (root !== null) render(<Dashboard />, root);
