import type { ComponentChildren } from 'preact';
import type { PagedQuery, Query } from '../query.ts';
import { Button } from './button.tsx';
import { ErrorNotice } from './notice.tsx';

interface QueryViewProps<T> {
  readonly of: Query<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows the value of a query, its loading state or its error. */
export function QueryView<T>({ of, children }: QueryViewProps<T>) {
  return (
    <>
      {of.problem !== undefined && (
        <Retry reload={of.reload}>
          <ErrorNotice problem={of.problem} />
        </Retry>
      )}
      {of.value === undefined ? of.isLoading && <LoadingText /> : children(of.value)}
    </>
  );
}

interface PagedQueryViewProps<T> {
  readonly of: PagedQuery<T>;
  /** Shown if the list is empty. */
  readonly empty: ComponentChildren;
  readonly children: (items: readonly T[]) => ComponentChildren;
}

/** A list with a button to load more. */
export function PagedQueryView<T>({ of, empty, children }: PagedQueryViewProps<T>) {
  const { items, more, problem, isLoading, reload } = of;
  return (
    <>
      {problem !== undefined && (
        <Retry reload={reload}>
          <ErrorNotice problem={problem} />
        </Retry>
      )}
      {items === undefined && isLoading && <LoadingText />}
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

function LoadingText() {
  return (
    <p class="waiting" role="status">
      Loading…
    </p>
  );
}
