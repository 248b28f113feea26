import type { ComponentChildren } from 'preact';
import type { ListPage, PagedQuery, Query } from '../query.ts';
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

interface PagedQueryViewProps<P extends ListPage<unknown>> {
  readonly of: PagedQuery<P>;
  /** Shown if the list is empty. */
  readonly empty: ComponentChildren;
  readonly children: (items: P['items']) => ComponentChildren;
}

/** A list with a button to load more. */
export function PagedQueryView<P extends ListPage<unknown>>({ of, empty, children }: PagedQueryViewProps<P>) {
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
