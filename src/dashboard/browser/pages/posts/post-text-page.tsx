import { useParams } from 'wouter-preact';
import { request } from '../../api.ts';
import { Button, LinkButton } from '../../components/button.tsx';
import { useToast } from '../../components/dialog.tsx';
import { Notice, Page, QueryView } from '../../components/page.tsx';
import { useDraft } from '../../draft.ts';
import { formatCount, formatLanguage } from '../../format.ts';
import { decodePostId, links, navigate } from '../../location.ts';
import { useAction, useQuery } from '../../query.ts';
import { fetchSiteVoices, useSite } from '../../site.tsx';
import { Editor } from './editor.tsx';
import { type AudioDetail, fetchTimings, type Preview, postOf } from './posts-api.ts';
import { emptyDraft, type TextDraft } from './text-draft.ts';

/** Edits the text of a post in one language. */
export function PostTextPage() {
  const { site, canEdit } = useSite();
  const params = useParams<{ post: string; language: string }>();
  const postId = decodePostId(params.post);
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
  const tell = useToast();
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
    tell('Regenerating. The current audio is served until then.');
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
      bar={(preview) => {
        const changed = voice === stored.voice ? countChanged(preview, spoken.value) : preview?.sentences.length;
        return (
          <>
            <span class="small sub wide-only">
              {formatLanguage(audio.language)} · The current audio is served until the new one is ready.
            </span>
            <div class="actions">
              <LinkButton kind="quiet" href={`#${links.post(site.slug, postId)}`} label="Cancel" />
              <Button
                kind="primary"
                disabled={content.trim() === '' || !isChanged}
                action={send}
                label={
                  changed === undefined || changed === 0 ? 'Save' : `Regenerate ${formatCount(changed, 'sentence')}`
                }
              />
            </div>
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
