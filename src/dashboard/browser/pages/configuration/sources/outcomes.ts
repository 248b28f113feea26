import type { Badge } from '../../../components/badge.tsx';

type Kind = NonNullable<Parameters<typeof Badge>[0]['kind']>;

const outcomeLabels = {
  waiting: { kind: 'busy', word: 'Waiting' },
  queued: { kind: 'good', word: 'Post created' },
  updated: { kind: 'good', word: 'Post updated' },
  removed: { kind: 'plain', word: 'Post deleted' },
  known: { kind: 'plain', word: 'Unchanged' },
  too_short: { kind: 'warning', word: 'Too short' },
  refused: { kind: 'bad', word: 'Rejected' },
  skipped: { kind: 'plain', word: 'Skipped: older' },
} as const satisfies Record<string, { kind: Kind; word: string }>;

type Outcome = keyof typeof outcomeLabels;

/** Labels for the outcome of a feed item. */
export function outcomeLabel(outcome: Outcome): { readonly kind: Kind; readonly word: string } {
  return outcomeLabels[outcome];
}
