import { useState } from 'preact/hooks';
import { inBackground } from '../../background.ts';
import { links } from '../../links.ts';
import { useAction, useListed, useLoaded, useSettled } from '../../loading.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button, LinkButton } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { ListedView } from '../../parts/list.tsx';
import { Moment } from '../../parts/moment.tsx';
import { ProblemNotice } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toasts.tsx';
import { useSite } from '../../site.tsx';
import { readSiteVoices } from '../../site-voices.ts';
import { durationText, languageText } from '../../words.ts';
import { AudioState } from './audio-state.tsx';
import { NoneMatching, NoPosts } from './no-posts.tsx';
import { isUnfinished, type Post, type PostChoice, readPosts, retryPost } from './posts-api.ts';
import './posts.css';

const pollMs = 3_000;
const anything: PostChoice = { search: '', status: '', language: '' };
/** By site: whoever comes back from a post finds the list as he left it. */
const lastChoices = new Map<string, PostChoice>();

const statuses = [
  { value: '', label: 'Any' },
  { value: 'ready', label: 'Ready' },
  { value: 'generating', label: 'Being made' },
  { value: 'pending', label: 'Waiting' },
  { value: 'failed', label: 'Failed' },
] as const satisfies readonly { value: PostChoice['status']; label: string }[];

/** The posts of a site, newest first, with what is being made. */
export function PostsPage() {
  const { site, canEdit } = useSite();
  const { slug } = site;
  const [choice, setChoice] = useState(lastChoices.get(slug) ?? anything);
  const asked = useSettled(choice);
  const isAny = Object.values(asked).every((value) => value === '');
  const choose = (changes: Partial<PostChoice>) => {
    const chosen = { ...choice, ...changes };
    lastChoices.set(slug, chosen);
    setChoice(chosen);
  };
  const posts = useListed(
    (cursor) => readPosts(slug, asked, cursor),
    [slug, asked],
    (items) => (items.some(({ audio }) => audio.some(isUnfinished)) ? pollMs : undefined),
  );
  const isEmpty = isAny && posts.items?.length === 0;
  return (
    <Page
      title="Posts"
      about="Articles of this site, and what is read out of them."
      actions={
        canEdit && (
          <LinkButton kind="primary" href={`#${links.ofSite(slug, '/new-post')}`}>
            New post
          </LinkButton>
        )
      }
    >
      {!isEmpty && <Choice choice={choice} choose={choose} />}
      <ListedView
        of={posts}
        empty={isAny ? <NoPosts /> : <NoneMatching onAll={() => choose(anything)} />}
      >
        {(items) => (
          <Table
            caption="Posts, newest first"
            rows={items}
            keyOf={({ post_id }) => post_id}
            columns={columnsFor(slug, canEdit, posts.reload)}
          />
        )}
      </ListedView>
    </Page>
  );
}

interface ChoiceProps {
  readonly choice: PostChoice;
  readonly choose: (changes: Partial<PostChoice>) => void;
}

function Choice({ choice, choose }: ChoiceProps) {
  const { site } = useSite();
  const voices = useLoaded(() => readSiteVoices(site.slug), [site.slug]);
  const spoken = voices.value?.voices.map(({ language }) => language) ?? [];
  const languages = [...new Set([...spoken, choice.language])].filter((one) => one !== '').sort();
  return (
    // biome-ignore lint/a11y/useSemanticElements: the element "search" is unknown to the types of preact
    <form class="filter-bar" role="search" onSubmit={(event) => event.preventDefault()}>
      <TextField
        label="Search"
        type="search"
        placeholder="Title, id or address"
        maxLength={200}
        value={choice.search}
        onValue={(search) => choose({ search })}
      />
      <SelectField
        label="State"
        value={choice.status}
        options={statuses}
        onValue={(value) =>
          choose({ status: statuses.find((one) => one.value === value)?.value ?? '' })
        }
      />
      <SelectField
        label="Language"
        value={choice.language}
        options={[
          { value: '', label: 'Any' },
          ...languages.map((code) => ({ value: code, label: languageText(code) })),
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
              post.audio.some(({ status }) => status === 'failed') && (
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
            Public <Moment at={publishAt} />
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
          <AudioState audio={audio} />
          <span class="language">{languageText(audio.language)}</span>
          {audio.duration_seconds !== null && <span>{durationText(audio.duration_seconds)}</span>}
          {audio.error !== undefined && <p class="wrong">{audio.error}</p>}
        </li>
      ))}
    </ul>
  );
}

function Created({ at }: { readonly at: string }) {
  return (
    <span class="created">
      <Moment at={at} />
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
    tell(`${post.title ?? post.post_id} is in the queue again`);
    onDone();
  });
  return (
    <>
      <Button
        isBusy={retry.isRunning}
        aria-label={`Try again: ${post.title ?? post.post_id}`}
        onClick={() => inBackground(retry.run())}
      >
        Try again
      </Button>
      <ProblemNotice problem={retry.problem} />
    </>
  );
}
