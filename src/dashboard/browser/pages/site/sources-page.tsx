import { useState } from 'preact/hooks';
import type { Source } from '../../../../sources/schema.ts';
import { type DataOf, request } from '../../api.ts';
import { deletion, type PageAction, type PageActions } from '../../components/actions.tsx';
import { Collection } from '../../components/collection.tsx';
import { Dialog, type DialogHandlers } from '../../components/dialog.tsx';
import { Form, formDialog, useForm } from '../../components/form.tsx';
import { ErrorNotice, Page, RelativeTime, Status, type Tone } from '../../components/page.tsx';
import { formatCount, formatNumber, formatRelativeTime } from '../../format.ts';
import { links } from '../../location.ts';
import { runInBackground, useAction, useQuery } from '../../query.ts';
import { fetchSiteVoices, type SiteRoutes, useSite } from '../../site.tsx';
import { FeedCards } from './feed-cards.tsx';

const fetchingMs = 1_000;
const quietMs = 15_000;

/** The feeds that a site reads, and the one that it publishes. */
export function SourcesPage() {
  const { routes, canEdit } = useSite();
  return (
    <Page title="Sources and feed">
      <div class="stack">
        <Collection
          as="card"
          title="Sources"
          about="Each new item of these feeds becomes a post."
          head={() => [
            canEdit && { label: 'Add feed', icon: 'plus', name: 'add', dialog: (opened) => <AddSource {...opened} /> },
          ]}
          load={(query) => request(() => routes.sources.get({ query }))}
          deleted={{ others: 'Feeds', countOf: (page) => page?.deleted }}
          keyOf={({ id }) => id}
          everyMs={(sources) => (sources.some(isDue) ? fetchingMs : quietMs)}
          columns={[
            {
              title: 'Feed',
              phone: 'main',
              cell: ({ title, url }) => (title === null ? url : <span class="headline">{title}</span>),
              line: ({ title, url }) => (title === null ? undefined : url),
            },
            { title: 'State', phone: 'line', cell: (source) => <State source={source} /> },
            {
              title: 'Posts',
              align: 'end',
              phone: 'hidden',
              cell: ({ items: { posts, waiting, left_out } }) => (
                <>
                  {formatCount(posts, 'post')}
                  {waiting > 0 && `, ${waiting} waiting`}
                  {left_out > 0 && <span class="line">{left_out} left out</span>}
                </>
              ),
            },
            { title: 'Fetched', align: 'end', phone: 'hidden', cell: (source) => <Times source={source} /> },
          ]}
          actions={(source) => {
            if (source.deleted_at !== null) return [canEdit && restoration(routes.sources({ source: source.id }))];
            const [items, ...changes] = listActions(routes.sources({ source: source.id }), source);
            return canEdit ? [items, ...changes] : [items];
          }}
          empty={{
            title: 'No feeds yet',
            children: (
              <p>
                Posts without work on your content system: many have a feed at <code>/feed</code> or{' '}
                <code>/rss.xml</code>. You see its items before you add it.
              </p>
            ),
          }}
        />
        <FeedCards />
      </div>
    </Page>
  );
}

/** Whether the feed is being fetched or due. */
function isDue({ enabled, paused, next_fetch_at, deleted_at }: Source): boolean {
  return enabled && paused === null && deleted_at === null && Date.parse(next_fetch_at) <= Date.now();
}

type SourceRoutes = ReturnType<SiteRoutes['sources']>;

/** The first one is for everybody. */
function listActions(route: SourceRoutes, source: Source): PageActions {
  const { enabled } = source;
  return [
    {
      label: 'Items',
      icon: 'list-ordered',
      dialog: ({ onClose }) => <SourceItemsDrawer source={source} onClose={onClose} />,
    },
    enabled && {
      label: 'Fetch now',
      icon: 'refresh-cw',
      run: () => request(() => route.fetch.post()),
      done: 'Fetching',
    },
    { label: 'Edit', icon: 'pencil', dialog: (opened) => <EditSource {...{ route, source }} {...opened} /> },
    {
      label: enabled ? 'Pause' : 'Resume',
      icon: enabled ? 'circle-pause' : 'play',
      run: () => request(() => route.patch({ enabled: !enabled })),
      done: enabled ? 'Feed paused' : 'Feed resumed',
    },
    deletion('Feed', route, {
      confirm: {
        title: `Delete ${source.title ?? source.url}?`,
        text: (
          <p>
            No new items are fetched. {formatCount(source.items.posts, 'post is', 'posts are')} kept. Until the feed is
            deleted for good, it can be restored under Deleted.
          </p>
        ),
      },
    }),
  ];
}

function restoration(route: SourceRoutes): PageAction {
  return { label: 'Restore', icon: 'undo-2', run: () => request(() => route.restore.post()), done: 'Feed restored' };
}

const visibilities = { public: 'Are public', private: 'Stay private until you publish them' };

type Changes = Pick<Source, 'url' | 'voice_id' | 'visibility' | 'updates' | 'interval_minutes'>;

interface EditSourceProps extends DialogHandlers {
  readonly route: SourceRoutes;
  readonly source: Source;
}

function EditSource({ route, source, ...handlers }: EditSourceProps) {
  const { site } = useSite();
  const voices = useQuery(() => fetchSiteVoices(site.slug), [site.slug]).value?.voices ?? [];
  const { url, voice_id, visibility, updates, interval_minutes } = source;
  const show = formDialog<Changes>({
    title: 'Edit feed',
    body: 'SourceChanges',
    initial: { url, voice_id, visibility, updates, interval_minutes },
    fields: {
      url: {
        label: 'Feed address',
        kind: 'url',
        hint: 'With a new address the feed starts over: its newest items become posts.',
      },
      voice_id: {
        label: 'Voice',
        options: [
          { value: '', label: 'The voice for the language of each item' },
          ...voices.map(({ id, name, language }) => ({ value: String(id), label: `${name} (${language})` })),
        ],
      },
      visibility: { label: 'New posts', options: visibilities },
      updates: { label: 'Update posts when items change' },
      interval_minutes: {
        label: 'Fetch every (minutes)',
        hint: '5 to 1440; longer if the feed requests it. Empty: the default of the server.',
      },
    },
    submit: 'Save feed',
    // The same address is no new one.
    send: ({ url: given, ...changes }) =>
      request(() => route.patch({ ...changes, ...(given !== url && { url: given }) })),
    done: 'Feed saved',
  });
  return <>{show(handlers)}</>;
}

/** Silent when all is well. */
function State({ source }: { readonly source: Source }) {
  const { enabled, disabled_reason, paused, problem, failure_count, waiting_reason, moved_to, deleted_at } = source;
  if (deleted_at !== null) return <Status icon="trash-2">Deleted {formatRelativeTime(deleted_at)}</Status>;
  if (!enabled) {
    return (
      <Status tone="warn" icon="circle-pause">
        {disabled_reason === null ? 'Paused' : `Paused by the server: ${disabled_reason}`}
      </Status>
    );
  }
  if (paused !== null) return <Status tone="bad">{paused}</Status>;
  const again = failure_count > 1 ? `, ${failure_count} times in a row` : '';
  if (problem !== null) return <Status tone="bad">{`Failing${again}: ${problem}`}</Status>;
  if (isDue(source)) return <Status tone="info">Fetching</Status>;
  if (moved_to !== null) return <Status tone="warn">Moved to {moved_to}: update the address</Status>;
  return waiting_reason === null ? null : <Status icon="clock">Waiting: {waiting_reason}</Status>;
}

function Times({ source }: { readonly source: Source }) {
  const { last_fetch_at, enabled, paused, next_fetch_at, deleted_at } = source;
  return (
    <>
      <RelativeTime at={last_fetch_at} />
      {enabled && paused === null && deleted_at === null && !isDue(source) && (
        <span class="line">
          next <RelativeTime at={next_fetch_at} />
        </span>
      )}
    </>
  );
}

const shownMost = 10;

type Preview = DataOf<SiteRoutes['sources']['preview']['post']>;

/** Previews the items of a feed before it is added. */
function AddSource({ onDone, onClose }: DialogHandlers) {
  const { site, routes } = useSite();
  const [preview, setPreview] = useState<Preview>();
  const look = useAction(async (url: string, backfill: string) => {
    setPreview(await request(() => routes.sources.preview.post({ url, backfill: Number(backfill) })));
  });
  const isFound = preview !== undefined;
  const form = useForm({
    fields: {
      url: {
        label: 'Feed address',
        kind: 'url',
        placeholder: `https://${site.domains[0] ?? 'www.example.org'}/feed`,
      },
      backfill: {
        label: 'Existing items',
        isShown: () => isFound,
        options: [
          { value: '0', label: 'Only new items become posts' },
          { value: '1', label: 'The newest becomes a post' },
          ...['10', '25', '100'].map((value) => ({ value, label: `The newest ${value} become posts` })),
        ],
      },
      visibility: { label: 'Posts', isShown: () => isFound, options: visibilities },
    },
    initial: { url: '', backfill: '10', visibility: 'public' as Source['visibility'] },
    send: ({ backfill, ...body }) => request(() => routes.sources.post({ ...body, backfill: Number(backfill) })),
    done: 'Feed added',
    onDone,
  });
  const set = (changes: Partial<typeof form.values>) => {
    form.set(changes);
    if (changes.url !== undefined) setPreview(undefined);
    if (changes.backfill !== undefined) runInBackground(look.run(form.values.url, changes.backfill));
  };
  const run = isFound ? form.run : () => look.run(form.values.url, form.values.backfill);
  return (
    <Dialog title="Add feed" onClose={onClose} isWide={isFound}>
      {isFound && <ErrorNotice problem={look.problem} />}
      <Form
        of={{ ...form, ...(!isFound && look), set, run }}
        submit={isFound ? 'Add feed' : 'Show items'}
        canSubmit={({ url }) => url.trim() !== ''}
        onCancel={onClose}
      >
        {isFound && <Found preview={preview} />}
      </Form>
    </Dialog>
  );
}

function Found({ preview: { title, format, item_count, items } }: { readonly preview: Preview }) {
  const posts = items.filter(({ outcome }) => outcome === 'queued').length;
  return (
    <div class="stack tight">
      <p role="status">
        <b>{title ?? 'Untitled feed'}</b> ({format.toUpperCase()}) contains {formatCount(item_count, 'item')}. New
        posts: {formatNumber(posts)}.
      </p>
      <ul role="list" class="card rows tight">
        {items.slice(0, shownMost).map(({ guid, title: name, excerpt, outcome }) => (
          <li key={guid}>
            <span class="grow">
              <span class="headline">{name ?? guid}</span>
              <span class="line cut">{excerpt}</span>
            </span>
            <Outcome outcome={outcome} />
          </li>
        ))}
      </ul>
      {item_count > shownMost && <p class="hint">And {formatCount(item_count - shownMost, 'older item')}.</p>}
    </div>
  );
}

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
function Outcome({ outcome }: { readonly outcome: keyof typeof outcomes }) {
  const { tone, word } = outcomes[outcome];
  return <Status tone={tone}>{word}</Status>;
}

/** The items of a source and what became of them. */
function SourceItemsDrawer({ source, onClose }: { readonly source: Source; readonly onClose: () => void }) {
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
