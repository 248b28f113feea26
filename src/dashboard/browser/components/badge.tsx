import type { ComponentChildren } from 'preact';

interface BadgeProps {
  readonly kind?: 'plain' | 'good' | 'busy' | 'bad' | 'warning';
  readonly children: ComponentChildren;
}

/** A status label. */
export function Badge({ kind = 'plain', children }: BadgeProps) {
  return <span class={`badge ${kind}`}>{children}</span>;
}
