import type { Badge } from '../../../parts/badge.tsx';

type Kind = NonNullable<Parameters<typeof Badge>[0]['kind']>;

const words = {
  waiting: { kind: 'busy', word: 'Waiting' },
  queued: { kind: 'good', word: 'Post' },
  updated: { kind: 'good', word: 'Post, corrected' },
  removed: { kind: 'plain', word: 'Post deleted' },
  known: { kind: 'plain', word: 'Known already' },
  too_short: { kind: 'warning', word: 'Too short' },
  refused: { kind: 'bad', word: 'Refused' },
  skipped: { kind: 'plain', word: 'Older' },
} as const satisfies Record<string, { kind: Kind; word: string }>;

type Outcome = keyof typeof words;

/** What has become, or would become, of an item of a feed. */
export function outcomeWords(outcome: Outcome): { readonly kind: Kind; readonly word: string } {
  return words[outcome];
}
