import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { ApiError } from '../../api.ts';
import { SelectField, TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { links } from '../../links.ts';
import { useAction, useQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { fetchSiteVoices } from '../../site-voices.ts';
import { fromInputValue } from './datetime-input.ts';
import { priorities, visibilities } from './post-settings.tsx';
import { createPost, fetchPost } from './posts-api.ts';
import { SpokenPreview } from './spoken-preview.tsx';
import { emptyDraft, idFromTitle, type TextDraft } from './text-draft.ts';
import { TextFields } from './text-fields.tsx';
import './posts.css';

/** Form for a new post, with a preview of the narration. */
export function NewPostPage() {
  const { site, canEdit } = useSite();
  const [, navigate] = useLocation();
  const [draft, setDraft] = useState(emptyDraft);
  const [hasOwnId, setHasOwnId] = useState(false);
  const voices = useQuery(() => fetchSiteVoices(site.slug), [site.slug]);
  const postId = hasOwnId ? draft.postId : idFromTitle(draft.title);
  const change = (changes: Partial<TextDraft>) => setDraft({ ...draft, ...changes });
  const send = useAction(async () => {
    await checkNew(site.slug, postId);
    await createPost(site.slug, {
      post_id: postId,
      content: draft.content,
      post_title: draft.title,
      ...(draft.url.trim() !== '' && { post_url: draft.url.trim() }),
      ...(draft.voice !== '' && { voice_id: Number(draft.voice) }),
      publish_at: fromInputValue(draft.publishAt),
      visibility: draft.visibility,
      priority: draft.priority,
    });
    navigate(`${links.post(site.slug, postId)}`);
  });
  if (!canEdit) {
    return (
      <Page title="New post">
        <Notice>Creating posts requires the editor role.</Notice>
      </Page>
    );
  }
  return (
    <Page
      back={{ to: links.ofSite(site.slug, '/posts'), title: 'All posts' }}
      title="New post"
      about="Paste text, preview the narration, and submit the post."
    >
      <div class="compose">
        <Form
          action={send}
          submit="Submit post"
          fields={sentFields}
          canSubmit={draft.content.trim() !== '' && postId !== ''}
        >
          <TextFields draft={draft} change={change} problem={send.problem} voices={voices.value} />
          <TextField
            label="Post ID"
            hint="Identifies the post in players, feeds and the API. Cannot be changed later."
            name="post_id"
            problem={send.problem}
            maxLength={255}
            value={postId}
            onValue={(value) => {
              setHasOwnId(value !== '');
              change({ postId: value });
            }}
          />
          <details class="more-fields">
            <summary>URL, publication, priority</summary>
            <MoreFields draft={draft} change={change} problem={send.problem} />
          </details>
        </Form>
        <SpokenPreview draft={draft} />
      </div>
    </Page>
  );
}

const sentFields = ['post_title', 'content', 'voice_id', 'post_id', 'post_url', 'publish_at', 'visibility', 'priority'];

interface MoreFieldsProps {
  readonly draft: TextDraft;
  readonly change: (changes: Partial<TextDraft>) => void;
  readonly problem: ApiError | undefined;
}

function MoreFields({ draft, change, problem }: MoreFieldsProps) {
  return (
    <div class="more-fields-inside">
      <TextField
        label="Article URL"
        hint="A player without post-id finds the post by this URL."
        type="url"
        name="post_url"
        placeholder="https://"
        problem={problem}
        value={draft.url}
        onValue={(url) => change({ url })}
      />
      <SelectField
        label="Visibility"
        name="visibility"
        problem={problem}
        value={draft.visibility}
        options={visibilities}
        onValue={(value) => change({ visibility: value === 'private' ? 'private' : 'public' })}
      />
      <TextField
        label="Publish at"
        hint="The post is not public before this time. Empty: immediately."
        type="datetime-local"
        name="publish_at"
        problem={problem}
        value={draft.publishAt}
        onValue={(publishAt) => change({ publishAt })}
      />
      <SelectField
        label="Queue priority"
        name="priority"
        problem={problem}
        value={draft.priority}
        options={priorities}
        onValue={(value) => change({ priority: priorities.find((one) => one.value === value)?.value ?? 'normal' })}
      />
    </div>
  );
}

/** Submitting with an existing ID would replace the text of that post. */
async function checkNew(slug: string, postId: string): Promise<void> {
  const isTaken = await fetchPost(slug, postId).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return false;
      throw error;
    },
  );
  if (!isTaken) return;
  throw new ApiError(422, 'Validation failed', {
    post_id: ['is already used by another post. Choose another ID, or edit that post.'],
  });
}
