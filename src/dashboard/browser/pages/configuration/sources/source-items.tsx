import { api, ask, part } from '../../../api.ts';
import { links } from '../../../links.ts';
import { useListed } from '../../../loading.ts';
import { Badge } from '../../../parts/badge.tsx';
import { ListedView } from '../../../parts/list.tsx';
import { Moment } from '../../../parts/moment.tsx';
import { Table } from '../../../parts/table.tsx';
import { useSite } from '../../../site.tsx';
import { outcomeWords } from './outcomes.ts';

interface SourceItemsProps {
  readonly sourceId: number;
  /** When it is another, there may be new ones. */
  readonly fetchedAt: string | null;
}

/** What has become of each item of a feed. */
export function SourceItems({ sourceId, fetchedAt }: SourceItemsProps) {
  const { site } = useSite();
  const items = useListed(
    (cursor) =>
      ask(
        api
          .sites({ site: part(site.slug) })
          .sources({ source: sourceId })
          .items.get({ query: cursor === undefined ? {} : { cursor } }),
      ),
    [sourceId, fetchedAt],
  );
  return (
    <div class="items">
      <ListedView of={items} empty={<p class="hint">No item was read from it yet.</p>}>
        {(rows) => (
          <Table
            caption="Items"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                title: 'Item',
                cell: ({ title, guid, post_id, reason }) => (
                  <>
                    {post_id === null ? (
                      (title ?? guid)
                    ) : (
                      <a href={`#${links.post(site.slug, post_id)}`}>{title ?? guid}</a>
                    )}
                    {reason !== null && <span class="item-excerpt">{reason}</span>}
                  </>
                ),
              },
              {
                title: 'Became',
                cell: ({ outcome }) => {
                  const { kind, word } = outcomeWords(outcome);
                  return <Badge kind={kind}>{word}</Badge>;
                },
              },
              { title: 'Seen', cell: ({ seen_at }) => <Moment at={seen_at} /> },
            ]}
          />
        )}
      </ListedView>
    </div>
  );
}
