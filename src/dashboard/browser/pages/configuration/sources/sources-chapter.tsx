import { useState } from 'preact/hooks';
import { useListed } from '../../../loading.ts';
import { Button } from '../../../parts/button.tsx';
import { Empty } from '../../../parts/empty.tsx';
import { ListedView } from '../../../parts/list.tsx';
import { Section } from '../../../parts/page.tsx';
import { useSite } from '../../../site.tsx';
import { AddSourceDialog } from './add-source-dialog.tsx';
import { isDue, readSources } from './source.ts';
import { SourceCard } from './source-card.tsx';
import './sources.css';

const fetchingMs = 1_000;
const quietMs = 15_000;

/** The feeds that the site takes its posts from. */
export function SourcesChapter() {
  const { site, canEdit } = useSite();
  const [isAdding, setIsAdding] = useState(false);
  const sources = useListed(
    (cursor) => readSources(site.slug, cursor),
    [site.slug],
    (items) => (items.some(isDue) ? fetchingMs : quietMs),
  );
  const add = canEdit && (
    <Button kind="primary" onClick={() => setIsAdding(true)}>
      Add a feed
    </Button>
  );
  return (
    <Section
      title="Sources"
      about="Without an integration in your CMS: name the RSS, Atom or JSON feed of your site, and each new item becomes a post, once."
      actions={(sources.items?.length ?? 0) > 0 && add}
    >
      <ListedView
        of={sources}
        empty={
          <Empty title="No feed yet" action={add}>
            <p>
              Most sites have one, at <code>/feed</code> or <code>/rss.xml</code>. Before it is
              taken you see what it holds and what would become of it.
            </p>
          </Empty>
        }
      >
        {(items) => (
          <div class="sources">
            {items.map((source) => (
              <SourceCard key={source.id} source={source} reload={sources.reload} />
            ))}
          </div>
        )}
      </ListedView>
      {isAdding && (
        <AddSourceDialog
          onAdded={() => {
            setIsAdding(false);
            sources.reload();
          }}
          onClose={() => setIsAdding(false)}
        />
      )}
    </Section>
  );
}
