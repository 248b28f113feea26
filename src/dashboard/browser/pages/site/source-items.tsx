import type { Source } from '../../../../sources/schema.ts';
import { request } from '../../api.ts';
import { Collection } from '../../components/collection.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { RelativeTime, Status, type Tone } from '../../components/status.tsx';
import { links } from '../../location.ts';
import { useSite } from '../../site.tsx';

const outcomes = {
  waiting: { tone: 'info', word: 'Waiting' },
  queued: { tone: 'good', word: 'Post' },
  updated: { tone: 'good', word: 'Post updated' },
  removed: { tone: 'plain', word: 'Post deleted' },
  known: { tone: 'plain', word: 'Unchanged' },
  too_short: { tone: 'warn', word: 'Too short' },
  refused: { tone: 'bad', word: 'Refused' },
  skipped: { tone: 'plain', word: 'Skipped: older' },
} as const satisfies Record<string, { tone: Tone; word: string }>;

/** What became, or would become, of an item. */
export function Outcome({ outcome }: { readonly outcome: keyof typeof outcomes }) {
  const { tone, word } = outcomes[outcome];
  return <Status tone={tone}>{word}</Status>;
}

/** The items of a source and what became of them. */
export function SourceItemsDrawer({ source, onClose }: { readonly source: Source; readonly onClose: () => void }) {
  const { site, routes } = useSite();
  const { items } = routes.sources({ source: source.id });
  return (
    <Dialog title={source.title ?? 'Items'} onClose={onClose} isDrawer>
      <Collection
        title="Items"
        load={(query) => request(() => items.get({ query }))}
        dependencies={[source.id, source.last_fetch_at]}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Item',
            phone: 'main',
            to: ({ post_id }) => (post_id === null ? undefined : links.post(site.slug, post_id)),
            cell: ({ title, guid }) => title ?? guid,
            line: ({ reason, seen_at }) => reason ?? <RelativeTime at={seen_at} />,
          },
          { title: 'Result', cell: ({ outcome }) => <Outcome outcome={outcome} /> },
        ]}
        empty={{ title: 'No items yet' }}
      />
    </Dialog>
  );
}
