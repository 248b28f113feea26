import { api, ask, encodeSegment } from '../../../api.ts';
import { Badge } from '../../../components/badge.tsx';
import { PagedQueryView } from '../../../components/query-view.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { Table } from '../../../components/table.tsx';
import { links } from '../../../links.ts';
import { usePagedQuery } from '../../../query.ts';
import { useSite } from '../../../site.tsx';
import { outcomeLabel } from './outcomes.ts';

interface SourceItemsProps {
  readonly sourceId: number;
  /** A change means that there may be new items. */
  readonly fetchedAt: string | null;
}

/** The items of a source with their outcome. */
export function SourceItems({ sourceId, fetchedAt }: SourceItemsProps) {
  const { site } = useSite();
  const items = usePagedQuery(
    (cursor) =>
      ask(() =>
        api
          .sites({ site: encodeSegment(site.slug) })
          .sources({ source: sourceId })
          .items.get({ query: cursor === undefined ? {} : { cursor } }),
      ),
    [sourceId, fetchedAt],
  );
  return (
    <div class="items">
      <PagedQueryView of={items} empty={<p class="hint">No items fetched yet.</p>}>
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
                title: 'Result',
                cell: ({ outcome }) => {
                  const { kind, word } = outcomeLabel(outcome);
                  return <Badge kind={kind}>{word}</Badge>;
                },
              },
              { title: 'Seen', cell: ({ seen_at }) => <RelativeTime at={seen_at} /> },
            ]}
          />
        )}
      </PagedQueryView>
    </div>
  );
}
