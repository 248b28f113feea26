import type { ComponentChildren } from 'preact';
import type { Listed, Loaded } from '../loading.ts';
import { Button } from './button.tsx';
import { ProblemNotice } from './notice.tsx';

interface LoadedViewProps<T> {
  readonly of: Loaded<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** What was loaded, or that it is on its way, or why it isn't there. */
export function LoadedView<T>({ of, children }: LoadedViewProps<T>) {
  return (
    <>
      {of.problem !== undefined && (
        <Retry reload={of.reload}>
          <ProblemNotice problem={of.problem} />
        </Retry>
      )}
      {of.value === undefined ? of.isLoading && <Waiting /> : children(of.value)}
    </>
  );
}

interface ListedViewProps<T> {
  readonly of: Listed<T>;
  /** Shown when there is nothing: it teaches the next step. */
  readonly empty: ComponentChildren;
  readonly children: (items: readonly T[]) => ComponentChildren;
}

/** A list with its button for more. */
export function ListedView<T>({ of, empty, children }: ListedViewProps<T>) {
  const { items, more, problem, isLoading, reload } = of;
  return (
    <>
      {problem !== undefined && (
        <Retry reload={reload}>
          <ProblemNotice problem={problem} />
        </Retry>
      )}
      {items === undefined && isLoading && <Waiting />}
      {items !== undefined && (items.length === 0 ? empty : children(items))}
      {more !== undefined && (
        <p class="more">
          <Button onClick={more} isBusy={isLoading}>
            Show more
          </Button>
        </p>
      )}
    </>
  );
}

function Retry({ reload, children }: { reload: () => void; children: ComponentChildren }) {
  return (
    <div class="retry">
      {children}
      <Button onClick={reload}>Try again</Button>
    </div>
  );
}

function Waiting() {
  return (
    <p class="waiting" role="status">
      Loading…
    </p>
  );
}
