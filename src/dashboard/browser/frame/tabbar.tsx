import { Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { runInBackground } from '../background.ts';
import { Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { useSession } from '../session.tsx';
import { helpUrl, serverDestinations, siteDestinations } from './destinations.ts';

/** Whether a path is a destination or below it. The overview of a site is above all its pages, so it matches exactly. */
export function isAt(path: string, to: string): boolean {
  return path === to || (!/^\/sites\/[^/]+$/.test(to) && path.startsWith(`${to}/`));
}

/** On phones: four pages of daily work, and everything else. */
export function Tabbar({ site }: { readonly site: string | undefined }) {
  const [path] = useLocation();
  const { isAdmin, signOut } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => setIsOpen(false), [path]);
  const { daily, setup } = site === undefined ? { daily: [], setup: [] } : siteDestinations(site);
  const shown = daily.filter(({ title }) => title !== 'Pronunciation');
  const groups = [[...daily.filter((one) => !shown.includes(one)), ...setup], isAdmin ? serverDestinations : []];
  return (
    <>
      <nav class="tabbar" aria-label="Bottom bar">
        {shown.map((one) => (
          <Link key={one.path} href={one.path} aria-current={isAt(path, one.path) ? 'page' : undefined}>
            <Icon name={one.icon} />
            {one.title}
          </Link>
        ))}
        <button type="button" onClick={() => setIsOpen(true)}>
          <Icon name="menu" />
          More
        </button>
      </nav>
      {isOpen && (
        <Dialog title="More" onClose={() => setIsOpen(false)}>
          <div class="menu">
            {groups.map((group) => (
              <Fragment key={group[0]?.path}>
                {group.map((one) => (
                  <Link key={one.path} href={one.path}>
                    <Icon name={one.icon} />
                    {one.title}
                  </Link>
                ))}
                {group.length > 0 && <hr />}
              </Fragment>
            ))}
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
