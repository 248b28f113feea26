import { request } from '../../api.ts';
import { ActionButton, type PageActions } from '../../components/actions.tsx';
import { LinkButton } from '../../components/button.tsx';
import { Collection } from '../../components/collection.tsx';
import type { Column } from '../../components/collection-rows.tsx';
import { Card, ErrorNotice } from '../../components/page.tsx';
import { PlayButton } from '../../components/play-button.tsx';
import { capitalize, formatCount, formatDayHeading, listLanguages } from '../../format.ts';
import { useLive } from '../../live.ts';
import { links, useAddressQuery } from '../../location.ts';
import { useQuery } from '../../query.ts';
import { fetchSiteVoices, useSite } from '../../site.tsx';
import { formatLength, Languages, Plays, PostTitle, playableOf } from './post-cells.tsx';
import { actionsOf, type BulkAction, changePosts, isScheduled, type Post, type PostPage, postOf } from './posts-api.ts';

/** Minimum number of posts for headings by day. */
const groupedFrom = 50;

/** The posts of a site, by state. */
export function PostsPage() {
  const { site, routes, canEdit } = useSite();
  const { slug } = site;
  const [address, change] = useAddressQuery();
  const voices = useQuery(() => fetchSiteVoices(slug), [slug]).value?.voices ?? [];
  const state = address.get('state') ?? '';
  const isByDate = ['', 'newest', 'oldest'].includes(address.get('sort') ?? '');
  const language = voices.find(({ id }) => id === site.default_voice_id)?.language ?? 'en';
  return (
    <Collection
      as="page"
      title="Posts"
      load={(query) => request(() => routes.posts.get({ query }))}
      head={() => [canEdit && { label: 'New post', icon: 'plus', kind: 'primary', href: `#${links.newPost(slug)}` }]}
      live={slug}
      keyOf={({ post_id }) => post_id}
      tabs={{ name: 'state', of: listStates }}
      search="Headline, id or address"
      filters={[
        { name: 'language', label: 'Language', options: listLanguages(voices) },
        {
          name: 'voice_id',
          label: 'Voice',
          options: voices.map(({ id, name }) => ({ value: String(id), label: name })),
        },
      ]}
      sorts={{ '': 'Newest first', oldest: 'Oldest first', title: 'By title', plays: 'Most played first' }}
      columns={listColumns(slug, language)}
      {...(canEdit && {
        actions: (post: Post) => listActions(slug, post),
        bulk: (posts: readonly Post[]) => listBulkActions(slug, posts),
      })}
      groupOf={({ created_at, deleted_at }, { counts }) =>
        isByDate && counts.all > groupedFrom ? formatDayHeading(deleted_at ?? created_at) : undefined
      }
      above={state === 'failed' && <FailedPosts onAllDone={() => change({ state: '' })} />}
      empty={{
        title: 'No posts yet',
        children:
          'Write one here, let your content system send each article with an API key, or add a feed whose items become posts.',
        action: canEdit && (
          <>
            <LinkButton kind="primary" to={links.newPost(slug)} label="New post" />
            <LinkButton to={links.ofSite(slug, '/sources')} label="Add a feed" />
          </>
        ),
      }}
    />
  );
}

function listStates(page: PostPage | undefined) {
  const states = ['all', 'ready', 'generating', 'failed', 'scheduled', 'private', 'deleted'] as const;
  return states.map((state) => ({
    value: state === 'all' ? '' : state,
    label: capitalize(state),
    count: page?.counts[state],
    isBad: state === 'failed',
  }));
}

function listColumns(slug: string, language: string): Column<Post>[] {
  return [
    {
      title: 'Play',
      isNarrow: true,
      cell: (post) => (
        <PlayButton
          id={post.post_id}
          label={post.title ?? post.post_id}
          source={playableOf(post, language)?.audio_url ?? undefined}
        />
      ),
    },
    { title: 'Headline', phone: 'main', cell: (post) => <PostTitle slug={slug} post={post} /> },
    { title: 'Languages', phone: 'hidden', cell: (post) => <Languages post={post} /> },
    { title: 'Length', align: 'end', cell: (post) => formatLength(playableOf(post, language)) },
    { title: 'Plays, 7 days', align: 'end', phone: 'hidden', cell: ({ plays }) => <Plays of={plays} /> },
    { title: 'Date', phone: 'hidden', at: ({ created_at, deleted_at }) => deleted_at ?? created_at },
  ];
}

function listActions(slug: string, post: Post): PageActions {
  const { post_id, title, audio, visibility, deleted_at } = post;
  const act = (action: BulkAction) => () => changePosts(slug, action, [post_id]);
  if (deleted_at !== null) {
    return [
      { label: 'Restore', icon: 'undo-2', run: act('restore'), done: 'Post restored' },
      {
        label: 'Delete for good',
        icon: 'trash-2',
        isDanger: true,
        confirm: { title: `Delete “${title ?? post_id}” for good?`, text: <p>It cannot be restored afterwards.</p> },
        run: () => request(() => postOf(slug, post_id).delete(undefined, { query: { permanently: true } })),
        done: 'Post deleted for good',
      },
    ];
  }
  const language = audio[0]?.language;
  const hasFailed = audio.some(({ status, dismissed_at }) => status === 'failed' && dismissed_at === undefined);
  const { regenerate, toggle, remove } = actionsOf(slug, post);
  return [
    language !== undefined && {
      label: 'Edit text',
      icon: 'pencil',
      href: `#${links.postText(slug, post_id, language)}`,
    },
    hasFailed ? { label: 'Retry', icon: 'refresh-cw', run: act('retry'), done: 'Queued again' } : regenerate,
    hasFailed && { label: 'No audio needed', icon: 'check', run: act('dismiss'), done: 'Marked as not needed' },
    (visibility === 'private' || !isScheduled(post)) && toggle,
    remove,
  ];
}

function listBulkActions(slug: string, posts: readonly Post[]): PageActions {
  const ids = posts.map(({ post_id }) => post_id);
  const count = formatCount(ids.length, 'post');
  const act = (action: BulkAction) => () => changePosts(slug, action, ids);
  if (posts.some(({ deleted_at }) => deleted_at !== null)) {
    return [{ label: 'Restore', icon: 'undo-2', run: act('restore'), done: `${count} restored` }];
  }
  const hasFailed = posts.some(({ audio }) => audio.some(({ status }) => status === 'failed'));
  return [
    hasFailed && { label: 'Retry', icon: 'refresh-cw', run: act('retry'), done: `${count} queued again` },
    hasFailed && { label: 'No audio needed', icon: 'check', run: act('dismiss'), done: `${count} dismissed` },
    { label: 'Regenerate', icon: 'refresh-cw', run: act('regenerate'), done: `${count} queued` },
    { label: 'Make private', icon: 'lock', run: act('make_private'), done: `${count} private` },
    { label: 'Delete', icon: 'trash-2', run: act('delete'), done: `${count} deleted`, undo: act('restore') },
  ];
}

/** Failed posts by reason, each with what may help. */
function FailedPosts({ onAllDone }: { readonly onAllDone: () => void }) {
  const { site, routes, canEdit } = useSite();
  const failures = useQuery(() => request(() => routes.posts.failures.get()), [site.slug]);
  useLive(site.slug, ({ type }) => type !== 'audio' && failures.reload());
  const items = failures.value?.items ?? [];
  const reload = () => {
    failures.reload();
    if (items.length === 1) onAllDone();
  };
  if (items.length === 0) return <ErrorNotice problem={failures.problem} />;
  return (
    <Card title="Why they failed" isFlush>
      <ul role="list" class="rows">
        {items.map(({ reason, count, retryable, post_ids }) => {
          const label = !retryable ? 'No audio needed' : count === 1 ? 'Retry' : `Retry ${post_ids.length}`;
          return (
            <li key={reason}>
              <span class="grow">
                <b>{formatCount(count, 'post')}</b> <span class="sub">{reason ?? 'The reason was not recorded.'}</span>
              </span>
              {canEdit && (
                <ActionButton
                  isCompact
                  label={label}
                  run={() => changePosts(site.slug, retryable ? 'retry' : 'dismiss', post_ids)}
                  done={`${formatCount(post_ids.length, 'post')} ${retryable ? 'queued again' : 'dismissed'}`}
                  onDone={reload}
                />
              )}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
