import { useRef, useState } from 'preact/hooks';
import { useParams } from 'wouter-preact';
import { ApiError, request, requestIfExists } from '../../api.ts';
import { Button, LinkButton } from '../../components/button.tsx';
import { toast } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { type FieldSpecs, Fields } from '../../components/form.tsx';
import { Notice, Page, QueryView } from '../../components/page.tsx';
import { Popover } from '../../components/popover.tsx';
import { useDraft } from '../../draft.ts';
import { formatCount, formatDateTime, formatLanguage } from '../../format.ts';
import { links, navigate } from '../../location.ts';
import { useAction, useQuery } from '../../query.ts';
import { fetchSiteVoices, useSite } from '../../site.tsx';
import { fromInputValue, shownTimeZone } from '../../time-zone.ts';
import { Editor } from './editor.tsx';
import { type AudioDetail, fetchTimings, type Preview, postOf } from './posts-api.ts';
import { emptyDraft, idFromTitle, listPostFields, type TextDraft } from './text-draft.ts';

/** Write or paste an article, hear it, generate its audio. */
export function NewPostPage() {
  const { canEdit } = useSite();
  if (canEdit) return <NewPost />;
  return (
    <Page title="New post">
      <Notice>Creating posts requires the editor role.</Notice>
    </Page>
  );
}

function NewPost() {
  const { site, routes } = useSite();
  const draft = useDraft<TextDraft>(site.slug, 'new', emptyDraft);
  const { value } = draft;
  const voices = useQuery(() => fetchSiteVoices(site.slug), [site.slug]);
  const details = useRef<HTMLDetailsElement>(null);
  const postId = value.post_id || idFromTitle(value.title);
  const change = (changes: Partial<TextDraft>) => draft.set({ ...value, ...changes });
  const send = useAction(async () => {
    await checkNew(site.slug, postId);
    await request(() => routes.posts.post({ ...bodyOf(value), post_id: postId }));
    draft.discard();
    navigate(links.post(site.slug, postId));
  });
  const fields = { ...postIdField, ...listPostFields(true) };
  const detailFields = ['voice_id', ...Object.keys(fields)];
  const hasHiddenProblem = Object.keys(send.problem?.fields ?? {}).some((name) => detailFields.includes(name));
  return (
    <Editor
      heading="New post"
      back={{ to: links.ofSite(site.slug, '/posts'), title: 'Posts' }}
      draft={draft}
      voices={voices.value}
      problem={send.problem}
      shownFields={detailFields}
      note={
        postId !== '' && (
          <>
            Goes to {site.domains[0] ?? site.name} as <b>{postId}</b> ·{' '}
            <Button kind="link" onClick={() => openAt(details.current)} label="Change" />
          </>
        )
      }
      actions={() => (
        <>
          <Schedule value={value.publish_at} onValue={(publish_at) => change({ publish_at })} />
          <Button
            kind="primary"
            disabled={value.content.trim() === '' || postId === ''}
            action={send}
            label="Generate audio"
          />
        </>
      )}
    >
      <details ref={details} class="card folded" open={hasHiddenProblem}>
        <summary>Address, schedule, who may hear it</summary>
        <div class="form">
          <Fields of={fields} values={{ ...value, post_id: postId }} set={change} problem={send.problem} />
        </div>
      </details>
    </Editor>
  );
}

const postIdField: FieldSpecs<TextDraft> = {
  post_id: {
    label: 'Post ID',
    hint: 'Names the post in players, feeds and the API. It cannot be changed later.',
    input: { maxLength: 255 },
  },
};

function bodyOf({ title, content, post_url, voice, publish_at, visibility, priority }: TextDraft) {
  return {
    content,
    post_title: title.trim(),
    ...(post_url.trim() !== '' && { post_url: post_url.trim() }),
    ...(voice !== '' && { voice_id: Number(voice) }),
    publish_at: fromInputValue(publish_at),
    visibility,
    priority,
  };
}

function openAt(details: HTMLDetailsElement | null): void {
  if (details === null) return;
  details.open = true;
  details.querySelector('input')?.focus();
}

/** When the post becomes public, as a `datetime-local` field has it; the audio is generated at once. */
function Schedule({ value, onValue }: { readonly value: string; readonly onValue: (value: string) => void }) {
  const [anchor, setAnchor] = useState<HTMLElement>();
  const at = fromInputValue(value);
  return (
    <>
      <Button
        icon="clock"
        class="wide-only"
        onClick={({ currentTarget }) => setAnchor(currentTarget)}
        label={at === null ? 'Schedule' : `Public ${formatDateTime(at)}`}
      />
      {anchor !== undefined && (
        <Popover anchor={anchor} label="Schedule" onClose={() => setAnchor(undefined)}>
          <div class="form">
            <Field
              label="Public from"
              hint={`Time in ${shownTimeZone()}. The audio is generated at once, and heard from then on.`}
              type="datetime-local"
              value={value}
              onValue={onValue}
            />
            <div class="actions">
              <Button isCompact kind="primary" onClick={() => setAnchor(undefined)} label="Done" />
              {value !== '' && <Button isCompact kind="quiet" onClick={() => onValue('')} label="At once" />}
            </div>
          </div>
        </Popover>
      )}
    </>
  );
}

/** Submitting with an existing ID would replace the text of that post. */
async function checkNew(slug: string, postId: string): Promise<void> {
  const existing = await requestIfExists(() => postOf(slug, postId).get());
  if (existing === undefined) return;
  throw new ApiError(422, 'Validation failed', {
    post_id: ['is already used by another post. Choose another ID, or edit that post.'],
  });
}

/** Edits the text of a post in one language. */
export function PostTextPage() {
  const { site, canEdit } = useSite();
  const params = useParams<{ post: string; language: string }>();
  const postId = decodeURIComponent(params.post);
  const loaded = useQuery(() => request(() => postOf(site.slug, postId).get()), [site.slug, postId]);
  const main = loaded.value?.audio.find((record) => record.main && record.language === params.language);
  if (canEdit && main !== undefined) return <PostText key={main.id} postId={postId} audio={main} />;
  return (
    <Page back={{ to: links.post(site.slug, postId), title: loaded.value?.title ?? postId }} title="Edit text">
      {canEdit ? (
        <QueryView of={loaded}>
          {() => <Notice>This post has no text in {formatLanguage(params.language)}.</Notice>}
        </QueryView>
      ) : (
        <Notice>Editing text requires the editor role.</Notice>
      )}
    </Page>
  );
}

function PostText({ postId, audio }: { readonly postId: string; readonly audio: AudioDetail }) {
  const { site, routes } = useSite();
  const voices = useQuery(() => fetchSiteVoices(site.slug), [site.slug]);
  const spoken = useQuery(() => sentencesOf(audio), [audio.id]);
  const stored = { title: audio.title ?? '', content: audio.content ?? '', voice: String(audio.voice_id) };
  const draft = useDraft<TextDraft>(site.slug, `${postId}/${audio.language}`, { ...emptyDraft, ...stored });
  const { title, content, voice } = draft.value;
  const isVoiceKnown = voices.value?.voices.some(({ id }) => String(id) === voice) === true;
  const isChanged = title !== stored.title || content !== stored.content || voice !== stored.voice;
  const send = useAction(async () => {
    const body = {
      post_id: postId,
      content,
      post_title: title.trim(),
      ...(audio.content_type === undefined ? {} : { content_type: audio.content_type }),
      ...(isVoiceKnown ? { voice_id: Number(voice) } : { language: audio.language }),
    };
    await request(() => routes.posts.post(body));
    draft.discard();
    toast('Regenerating. The current audio is served until then.');
    navigate(links.post(site.slug, postId));
  });
  return (
    <Editor
      heading="Edit text"
      back={{ to: links.post(site.slug, postId), title: audio.title ?? postId }}
      draft={draft}
      voices={voices.value}
      language={audio.language}
      problem={send.problem}
      note={`${formatLanguage(audio.language)} · The current audio is served until the new one is ready.`}
      actions={(preview) => {
        const changed = voice === stored.voice ? countChanged(preview, spoken.value) : preview?.sentences.length;
        return (
          <>
            <LinkButton kind="quiet" to={links.post(site.slug, postId)} label="Cancel" />
            <Button
              kind="primary"
              disabled={content.trim() === '' || !isChanged}
              action={send}
              label={changed === undefined || changed === 0 ? 'Save' : `Regenerate ${formatCount(changed, 'sentence')}`}
            />
          </>
        );
      }}
    />
  );
}

/** @returns the sentences of an audio that is ready; undefined if they are not available */
async function sentencesOf({ segments_url: url }: AudioDetail): Promise<ReadonlySet<string> | undefined> {
  if (url === null) return undefined;
  const texts = (await fetchTimings(url)).flatMap(({ text }) => (text === undefined ? [] : [text]));
  return texts.length === 0 ? undefined : new Set(texts);
}

function countChanged(preview: Preview | undefined, spoken: ReadonlySet<string> | undefined): number | undefined {
  return spoken && preview?.sentences.filter(({ text }) => !spoken.has(text)).length;
}
