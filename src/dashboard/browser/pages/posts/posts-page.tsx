import { useState } from 'preact/hooks';
import { runInBackground } from '../../background.ts';
import { Badge } from '../../components/badge.tsx';
import { Button, LinkButton } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { PagedQueryView } from '../../components/query-view.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { useToast } from '../../components/toasts.tsx';
import { formatDuration, formatLanguage } from '../../format.ts';
import { links } from '../../links.ts';
import { useAction, useDebounced, usePagedQuery, useQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { fetchSiteVoices } from '../../site-voices.ts';
import { AudioStatusBadge } from './audio-status-badge.tsx';
import { NoMatchingPosts, NoPosts } from './no-posts.tsx';
import { fetchPosts, isUnfinished, type Post, type PostChoice, retryPost } from './posts-api.ts';
import './posts.css';

const pollMs = 3_000;
const anything: PostChoice = { search: '', status: '', language: '' };
/** Filters by site: kept while a post is open. */
const lastChoices = new Map<string, PostChoice>();

const statuses = [
  { value: '', label: 'Any' },
  { value: 'ready', label: 'Ready' },
  { value: 'generating', label: 'Generating' },
  { value: 'pending', label: 'Queued' },
  { value: 'failed', label: 'Failed' },
  { value: 'removed', label: 'Removed' },
] as const satisfies readonly { value: PostChoice['status']; label: string }[];

/** The posts of a site, newest first. The list updates while audio is generated. */
export function PostsPage() {
  const { site, canEdit } = useSite();
  const { slug } = site;
  const [choice, setChoice] = useState(lastChoices.get(slug) ?? anything);
  const asked = useDebounced(choice);
  const isAny = Object.values(asked).every((value) => value === '');
  const choose = (changes: Partial<PostChoice>) => {
    const chosen = { ...choice, ...changes };
    lastChoices.set(slug, chosen);
    setChoice(chosen);
  };
  const posts = usePagedQuery(
    (cursor) => fetchPosts(slug, asked, cursor),
    [slug, asked],
    (items) => (items.some(({ audio }) => audio.some(isUnfinished)) ? pollMs : undefined),
  );
  const isEmpty = isAny && posts.items?.length === 0;
  return (
    <Page
      title="Posts"
      about="Articles of this site with their audio."
      actions={
        canEdit && (
          <LinkButton kind="primary" href={`#${links.ofSite(slug, '/new')}`}>
            New post
          </LinkButton>
        )
      }
    >
      {!isEmpty && <Choice choice={choice} choose={choose} />}
      <PagedQueryView of={posts} empty={isAny ? <NoPosts /> : <NoMatchingPosts onAll={() => choose(anything)} />}>
        {(items) => (
          <Table
            caption="Posts, newest first"
            rows={items}
            keyOf={({ post_id }) => post_id}
            columns={columnsFor(slug, canEdit, posts.reload)}
          />
        )}
      </PagedQueryView>
    </Page>
  );
}

interface ChoiceProps {
  readonly choice: PostChoice;
  readonly choose: (changes: Partial<PostChoice>) => void;
}

function Choice({ choice, choose }: ChoiceProps) {
  const { site } = useSite();
  const voices = useQuery(() => fetchSiteVoices(site.slug), [site.slug]);
  const spoken = voices.value?.voices.map(({ language }) => language) ?? [];
  const languages = [...new Set([...spoken, choice.language])].filter((one) => one !== '').sort();
  return (
    // biome-ignore lint/a11y/useSemanticElements: the element "search" is unknown to the types of preact
    <form class="filter-bar" role="search" onSubmit={(event) => event.preventDefault()}>
      <TextField
        label="Search"
        type="search"
        placeholder="Title, ID or URL"
        maxLength={200}
        value={choice.search}
        onValue={(search) => choose({ search })}
      />
      <SelectField
        label="Status"
        value={choice.status}
        options={statuses}
        onValue={(value) => choose({ status: statuses.find((one) => one.value === value)?.value ?? '' })}
      />
      <SelectField
        label="Language"
        value={choice.language}
        options={[
          { value: '', label: 'Any' },
          ...languages.map((code) => ({ value: code, label: formatLanguage(code) })),
        ]}
        onValue={(language) => choose({ language })}
      />
    </form>
  );
}

function columnsFor(slug: string, canEdit: boolean, reload: () => void): Column<Post>[] {
  return [
    { title: 'Post', cell: (post) => <Name slug={slug} post={post} /> },
    { title: 'Audio', cell: (post) => <Audios post={post} /> },
    { title: 'Created', cell: ({ created_at }) => <Created at={created_at} /> },
    ...(canEdit
      ? [
          {
            title: 'Actions',
            isActions: true,
            cell: (post: Post) =>
              post.audio.some(({ status, removed_at }) => status === 'failed' && removed_at === undefined) && (
                <Retry slug={slug} post={post} onDone={reload} />
              ),
          },
        ]
      : []),
  ];
}

function Name({ slug, post }: { readonly slug: string; readonly post: Post }) {
  const { post_id: id, title, visibility, publish_at: publishAt } = post;
  const isYetToCome = publishAt !== null && Date.parse(publishAt) > Date.now();
  return (
    <div class="post-name">
      <a href={`#${links.post(slug, id)}`}>{title ?? id}</a>
      <span class="post-facts">
        <code>{id}</code>
        {visibility === 'private' && <Badge>Private</Badge>}
        {isYetToCome && (
          <Badge kind="warning">
            Public <RelativeTime at={publishAt} />
          </Badge>
        )}
      </span>
    </div>
  );
}

function Audios({ post }: { readonly post: Post }) {
  return (
    <ul class="audios">
      {post.audio.map((audio) => (
        <li key={audio.id}>
          <AudioStatusBadge audio={audio} />
          <span class="language">{formatLanguage(audio.language)}</span>
          {audio.duration_seconds !== null && <span>{formatDuration(audio.duration_seconds)}</span>}
          {audio.error !== undefined && <p class={audio.removed_at === undefined ? 'wrong' : 'hint'}>{audio.error}</p>}
        </li>
      ))}
    </ul>
  );
}

function Created({ at }: { readonly at: string }) {
  return (
    <span class="created">
      <RelativeTime at={at} />
    </span>
  );
}

interface RetryProps {
  readonly slug: string;
  readonly post: Post;
  readonly onDone: () => void;
}

function Retry({ slug, post, onDone }: RetryProps) {
  const tell = useToast();
  const retry = useAction(async () => {
    await retryPost(slug, post.post_id);
    tell(`${post.title ?? post.post_id} queued again`);
    onDone();
  });
  return (
    <>
      <Button
        isBusy={retry.isRunning}
        aria-label={`Retry: ${post.title ?? post.post_id}`}
        onClick={() => runInBackground(retry.run())}
      >
        Retry
      </Button>
      <ErrorNotice problem={retry.problem} />
    </>
  );
}
