import { useEffect, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { runInBackground } from '../query.ts';
import { useSession } from '../session.tsx';
import { Count, type Counts, Destinations, helpUrl, serverDestinations, siteDestinations } from './destinations.tsx';

/** On phones: four pages of daily work, and everything else. */
export function Tabbar({ site, counts }: { readonly site: string | undefined; readonly counts: Counts }) {
  const [path] = useLocation();
  const { isAdmin, signOut } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => setIsOpen(false), [path]);
  const { daily, setup } = site === undefined ? { daily: [], setup: [] } : siteDestinations(site);
  const shown = daily.filter(({ title }) => title !== 'Pronunciation');
  const others = [...daily.filter((destination) => !shown.includes(destination)), ...setup];
  return (
    <>
      <nav class="tabbar" aria-label="Bottom bar">
        <Destinations of={shown} counts={counts} />
        <button type="button" onClick={() => setIsOpen(true)}>
          <Icon name="menu" />
          More
          <Count of={others.flatMap(({ title }) => (counts[title] === undefined ? [] : [counts[title]]))} />
        </button>
      </nav>
      {isOpen && (
        <Dialog title="More" onClose={() => setIsOpen(false)}>
          <div class="menu">
            <Destinations of={others} counts={counts} />
            {site !== undefined && <hr />}
            {isAdmin && <Destinations of={serverDestinations} />}
            {isAdmin && <hr />}
            <Link href="/account">
              <Icon name="user" />
              Account
            </Link>
            <a href={helpUrl}>
              <Icon name="circle-question-mark" />
              Help
            </a>
            <button type="button" onClick={() => runInBackground(signOut())}>
              <Icon name="log-out" />
              Sign out
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
