import type { ComponentChildren } from 'preact';

interface EmptyProps {
  readonly title: string;
  /** What belongs here, and how to add it. */
  readonly children: ComponentChildren;
  readonly action?: ComponentChildren;
}

/** Shown instead of an empty list: what to do next. */
export function EmptyState({ title, children, action }: EmptyProps) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <div class="empty-text">{children}</div>
      {action !== undefined && <div class="actions">{action}</div>}
    </div>
  );
}
