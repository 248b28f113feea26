// First: the rules of pages that are not yet built from the components follow these.
import './style/dashboard.css';
import './style/legacy.css';

import { render } from 'preact';
import { Router } from 'wouter-preact';
import { Entrance } from './auth/entrance.tsx';
import { SignIn } from './auth/sign-in.tsx';
import { ToastProvider } from './components/toasts.tsx';
import { Frame } from './frame/frame.tsx';
import { useHashPath } from './location.ts';
import { Pages } from './pages.tsx';
import { SessionProvider } from './session.tsx';

function Dashboard() {
  return (
    <Router hook={useHashPath}>
      <ToastProvider>
        <SessionProvider
          renderEntrance={(onSignedIn) => <Entrance onSignedIn={onSignedIn} />}
          renderSignIn={(onSignedIn) => <SignIn onSignedIn={onSignedIn} />}
        >
          <Frame>
            <Pages />
          </Frame>
        </SessionProvider>
      </ToastProvider>
    </Router>
  );
}

const root = document.querySelector<HTMLElement>('#app');
if (root !== null) render(<Dashboard />, root);
