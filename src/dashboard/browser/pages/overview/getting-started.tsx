import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { CopyLine } from '../../components/copy.tsx';
import { links } from '../../links.ts';
import { useSite } from '../../site.tsx';
import { playerSnippet } from '../../snippets.ts';
import { FirstPost } from './first-post.tsx';
import { KeyStep } from './key-step.tsx';
import type { Overview } from './overview-api.ts';

interface GettingStartedProps {
  readonly overview: Overview;
  readonly reload: () => void;
  readonly onHide: () => void;
}

/** Setup steps from an empty site to a page with the player. The state of the server decides which are done. */
export function GettingStarted({ overview, reload, onHide }: GettingStartedProps) {
  const { site } = useSite();
  const { activeKeys, newestReady } = overview;
  const [newKey, setNewKey] = useState<string>();
  const hasKey = activeKeys.length > 0;
  const domains = new Intl.ListFormat('en').format(site.domains);
  const settings = (path: `/${string}`) => `#${links.ofSite(site.slug, path)}`;
  return (
    <section class="started card" aria-labelledby="started">
      <header>
        <h2 id="started">Set up {site.name}</h2>
        {newestReady !== undefined && (
          <Button kind="quiet" onClick={onHide}>
            Hide setup steps
          </Button>
        )}
      </header>
      <ol>
        <Step isDone title="Register the domain">
          <p>
            The player works on pages of <strong>{domains}</strong>. <a href={settings('/settings')}>Domains</a>
          </p>
        </Step>
        <Step isDone={hasKey} title="Create an API key">
          <KeyStep
            keys={activeKeys}
            newKey={newKey}
            onMade={(key) => {
              setNewKey(key);
              reload();
            }}
          />
        </Step>
        <Step isDone={newestReady !== undefined} title="Generate the first audio">
          <FirstPost overview={overview} newKey={newKey} reload={reload} />
        </Step>
        <Step isDone={false} title="Add the player to your page">
          {newestReady === undefined ? (
            <p>The embed code appears here when the first audio is ready.</p>
          ) : (
            <>
              <p>Paste this into the article page where you want the player:</p>
              <CopyLine label="Embed code" text={playerSnippet({ 'post-id': newestReady.post_id })} />
              <p class="waiting-for" role="status">
                Waiting for the first page view with the player…
              </p>
              <p>
                Player not visible? It works only on the <a href={settings('/settings')}>registered domains</a>:{' '}
                <strong>{domains}</strong>. Compare them with the address bar.
              </p>
              <p>
                <a href={settings('/player')}>Player options, Content-Security-Policy, pages without JavaScript</a>
              </p>
            </>
          )}
        </Step>
      </ol>
    </section>
  );
}

interface StepProps {
  readonly isDone: boolean;
  readonly title: string;
  readonly children: ComponentChildren;
}

function Step({ isDone, title, children }: StepProps) {
  return (
    <li class={isDone ? 'done' : 'open'}>
      <h3>
        {title}
        {isDone && <span class="unseen"> (done)</span>}
      </h3>
      {children}
    </li>
  );
}
