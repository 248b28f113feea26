import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useOffline } from '../api.ts';
import { Icon, Mark } from './icon.tsx';

interface SplitProps {
  /** Names the screen: the first field gets the focus when it changes. */
  readonly name: string;
  /** What comes of it, on green; default: the mark. */
  readonly result?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A screen without navigation: the question left, the result right. */
export function Split({ name, result, children }: SplitProps) {
  const main = useRef<HTMLElement>(null);
  // `autofocus` does nothing if the URL has a fragment.
  useEffect(() => main.current?.querySelector<HTMLElement>('input:not([type=radio]), textarea')?.focus(), [name]);
  return (
    <>
      <OfflineStrip />
      <div class="split">
        <div class="question">
          <p class="brand" aria-hidden="true">
            <Mark />
            Lectern
          </p>
          <main ref={main}>{children}</main>
          <footer class="small dim">Runs on this machine alone. Nothing you type leaves it.</footer>
        </div>
        {result === undefined ? (
          <div class="result">
            <Mark />
          </div>
        ) : (
          <aside class="result" aria-label="What your readers get">
            {result}
          </aside>
        )}
      </div>
    </>
  );
}

const steps = ['Your account', 'Your paper', 'First listen'];

/** The steps from the setup link to the first article. @param at the current one, from 0; all are done at 3 */
export function Steps({ at }: { readonly at: number }) {
  return (
    <ol role="list" class="steps" aria-label="Steps">
      {steps.map((step, index) => (
        <li key={step} class={index < at ? 'done' : ''} aria-current={index === at ? 'step' : undefined}>
          {index < at ? <Icon name="check" /> : <span>{index + 1}</span>}
          {step}
          {index < at && <span class="unseen"> (done)</span>}
        </li>
      ))}
    </ol>
  );
}

/** Shown across the page while the server cannot be reached. */
export function OfflineStrip() {
  return (
    <div class="strips">
      {useOffline() && (
        <div class="strip" role="status">
          <Icon name="wifi-off" />
          Can't reach the server. Trying again…
        </div>
      )}
    </div>
  );
}
