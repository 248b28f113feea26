import { useState } from 'preact/hooks';
import { Button } from '../../../components/button.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { Card } from '../../../components/page.tsx';
import { PagedQueryView } from '../../../components/query-view.tsx';
import { usePagedQuery } from '../../../query.ts';
import { useSite } from '../../../site.tsx';
import { AddSourceDialog } from './add-source-dialog.tsx';
import { fetchSources, isDue } from './source.ts';
import { SourceCard } from './source-card.tsx';
import './sources.css';

const fetchingMs = 1_000;
const quietMs = 15_000;

/** The sources of a site. */
export function SourcesSection() {
  const { site, canEdit } = useSite();
  const [isAdding, setIsAdding] = useState(false);
  const sources = usePagedQuery(
    (cursor) => fetchSources(site.slug, cursor),
    [site.slug],
    (items) => (items.some(isDue) ? fetchingMs : quietMs),
  );
  const add = canEdit && (
    <Button kind="primary" onClick={() => setIsAdding(true)}>
      Add feed
    </Button>
  );
  return (
    <Card
      title="Sources"
      about="Create posts without a CMS integration: add the RSS, Atom or JSON feed of your site, and each new item becomes a post."
      actions={(sources.items?.length ?? 0) > 0 && add}
    >
      <PagedQueryView
        of={sources}
        empty={
          <EmptyState title="No feeds yet" action={add}>
            <p>
              Many sites have a feed at <code>/feed</code> or <code>/rss.xml</code>. A preview shows its items before
              you add it.
            </p>
          </EmptyState>
        }
      >
        {(items) => (
          <div class="sources">
            {items.map((source) => (
              <SourceCard key={source.id} source={source} reload={sources.reload} />
            ))}
          </div>
        )}
      </PagedQueryView>
      {isAdding && (
        <AddSourceDialog
          onAdded={() => {
            setIsAdding(false);
            sources.reload();
          }}
          onClose={() => setIsAdding(false)}
        />
      )}
    </Card>
  );
}
