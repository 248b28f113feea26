import type { ComponentChildren } from 'preact';

interface EmptyProps {
  readonly title: string;
  /** Why, or what comes next. */
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}

/** Shown instead of an empty list: what to do next. */
export function EmptyState({ title, children, action }: EmptyProps) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children !== undefined && <div>{children}</div>}
      {action !== undefined && <div class="actions">{action}</div>}
    </div>
  );
}
