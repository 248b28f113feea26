import type { ComponentChildren } from 'preact';
import type { Query } from '../query.ts';
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
