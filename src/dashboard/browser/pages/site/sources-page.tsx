import { useState } from 'preact/hooks';
import type { Source } from '../../../../sources/schema.ts';
import { ask } from '../../api.ts';
import { Collection } from '../../components/collection.tsx';
import { DialogButton } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Card, Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import type { RowAction } from '../../components/row-actions.tsx';
import { Status } from '../../components/status.tsx';
import { formatCount } from '../../format.ts';
import { type SiteRoutes, useSite } from '../../site.tsx';
import { AddSourceDialog } from './add-source-dialog.tsx';
import { EditSourceDialog } from './edit-source-dialog.tsx';
import { FeedCards } from './feed-cards.tsx';
import { SourceItemsDrawer } from './source-items.tsx';

const fetchingMs = 1_000;
const quietMs = 15_000;

/** The feeds that a site reads, and the one that it publishes. */
export function SourcesPage() {
  const { site, routes, canEdit } = useSite();
  const [added, setAdded] = useState(0);
  const onAdded = () => setAdded(added + 1);
  const add = canEdit && (
    <DialogButton name="add" icon="plus" dialog={(onClose) => <AddSourceDialog onAdded={onAdded} onClose={onClose} />}>
      Add feed
    </DialogButton>
  );
  return (
    <Page title="Sources and feed">
      <div class="stack">
        <Card title="Sources" about="Each new item of these feeds becomes a post." actions={add} isFlush>
          <Collection
            label="Sources"
            load={(query) => ask(() => routes.sources.get({ query }))}
            dependencies={[site.slug, added]}
            keyOf={({ id }) => id}
            everyMs={(sources: readonly Source[]) => (sources.some(isDue) ? fetchingMs : quietMs)}
            columns={[
              {
                title: 'Feed',
                phone: 'main',
                cell: (source) => (
                  <>
                    {source.title !== null && <span class="title headline">{source.title}</span>}
                    <span class={source.title === null ? 'title' : 'line'}>{source.url}</span>
                  </>
                ),
              },
              { title: 'State', phone: 'line', cell: (source) => <State source={source} /> },
              { title: 'Posts', align: 'end', phone: 'hidden', cell: ({ items }) => <Items items={items} /> },
              { title: 'Fetched', align: 'end', phone: 'hidden', cell: (source) => <Times source={source} /> },
            ]}
            actions={(source) => toActions(routes.sources({ source: source.id }), source, canEdit)}
            empty={
              <EmptyState title="No feeds yet">
                <p>
                  Posts without work on your content system: many have a feed at <code>/feed</code> or{' '}
                  <code>/rss.xml</code>. You see its items before you add it.
                </p>
              </EmptyState>
            }
          />
        </Card>
        <FeedCards />
      </div>
    </Page>
  );
}

/** Whether the feed is being fetched or due. */
function isDue({ enabled, paused, next_fetch_at }: Source): boolean {
  return enabled && paused === null && Date.parse(next_fetch_at) <= Date.now();
}

type SourceRoutes = ReturnType<SiteRoutes['sources']>;

function toActions(route: SourceRoutes, source: Source, canEdit: boolean): readonly (RowAction | undefined)[] {
  const name = source.title ?? source.url;
  const items: RowAction = {
    label: 'Items',
    icon: 'list-ordered',
    dialog: ({ onClose }) => <SourceItemsDrawer source={source} onClose={onClose} />,
  };
  if (!canEdit) return [items];
  return [
    items,
    source.enabled
      ? { label: 'Fetch now', icon: 'refresh-cw', run: () => ask(() => route.fetch.post()), done: 'Fetching' }
      : undefined,
    {
      label: 'Edit',
      icon: 'pencil',
      dialog: ({ onClose, onDone }) => <EditSourceDialog source={source} onClose={onClose} onDone={onDone} />,
    },
    {
      label: source.enabled ? 'Pause' : 'Resume',
      icon: source.enabled ? 'circle-pause' : 'play',
      run: () => ask(() => route.patch({ enabled: !source.enabled })),
      done: source.enabled ? 'Feed paused' : 'Feed resumed',
    },
    {
      label: 'Delete feed',
      icon: 'trash-2',
      isDanger: true,
      confirm: {
        title: `Delete ${name}?`,
        text: (
          <p>
            No new items are fetched, and waiting items are discarded. {formatCount(source.items.posts, 'post')}{' '}
            {source.items.posts === 1 ? 'is' : 'are'} kept.
          </p>
        ),
      },
      run: () => ask(() => route.delete()),
      done: 'Feed deleted',
    },
  ];
}

/** Silent when all is well. */
function State({ source }: { readonly source: Source }) {
  const { enabled, disabled_reason, paused, problem, failure_count, waiting_reason, moved_to } = source;
  if (!enabled) {
    return (
      <Status tone="warn" icon="circle-pause">
        {disabled_reason === null ? 'Paused' : `Paused by the server: ${disabled_reason}`}
      </Status>
    );
  }
  if (paused !== null) return <Status tone="bad">{paused}</Status>;
  if (problem !== null) {
    return (
      <Status tone="bad">
        {failure_count > 1 ? `Failing, ${failure_count} times in a row: ${problem}` : `Failing: ${problem}`}
      </Status>
    );
  }
  if (isDue(source)) return <Status tone="info">Fetching</Status>;
  if (moved_to !== null) return <Status tone="warn">Moved to {moved_to}: update the address</Status>;
  return waiting_reason === null ? null : <Status icon="clock">Waiting: {waiting_reason}</Status>;
}

function Items({ items: { posts, waiting, left_out } }: Pick<Source, 'items'>) {
  return (
    <>
      {formatCount(posts, 'post')}
      {waiting > 0 && `, ${waiting} waiting`}
      {left_out > 0 && <span class="line">{left_out} left out</span>}
    </>
  );
}

function Times({ source }: { readonly source: Source }) {
  const { last_fetch_at, enabled, paused, next_fetch_at } = source;
  return (
    <>
      <RelativeTime at={last_fetch_at} />
      {enabled && paused === null && !isDue(source) && (
        <span class="line">
          next <RelativeTime at={next_fetch_at} />
        </span>
      )}
    </>
  );
}
