import { useState } from 'preact/hooks';
import { useLocation, useParams } from 'wouter-preact';
import { Form } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { useToast } from '../../components/toasts.tsx';
import { formatLanguage } from '../../format.ts';
import { decodePostId, links } from '../../links.ts';
import { useAction, useQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { fetchSiteVoices } from '../../site-voices.ts';
import { type AudioDetail, createPost, fetchPost, fetchTimings } from './posts-api.ts';
import { SpokenPreview } from './spoken-preview.tsx';
import { emptyDraft, type TextDraft } from './text-draft.ts';
import { TextFields } from './text-fields.tsx';
import './posts.css';

/** Form for the text of a post in one language. */
export function PostTextPage() {
  const { site, canEdit } = useSite();
  const params = useParams<{ post: string; language: string }>();
  const postId = decodePostId(params.post);
  const loaded = useQuery(() => fetchPost(site.slug, postId), [site.slug, postId]);
  return (
    <Page
      back={{ to: links.post(site.slug, postId), title: loaded.value?.title ?? postId }}
      title="Edit text"
      about={formatLanguage(params.language)}
    >
      {canEdit ? (
        <QueryView of={loaded}>
          {({ audio }) => {
            const main = audio.find((one) => one.main && one.language === params.language);
            return main === undefined ? (
              <Notice>This post has no text in this language.</Notice>
            ) : (
              <Text postId={postId} audio={main} />
            );
          }}
        </QueryView>
      ) : (
        <Notice>Editing text requires the editor role.</Notice>
      )}
    </Page>
  );
}

function Text({ postId, audio }: { readonly postId: string; readonly audio: AudioDetail }) {
  const { site } = useSite();
  const tell = useToast();
  const [, navigate] = useLocation();
  const voices = useQuery(() => fetchSiteVoices(site.slug), [site.slug]);
  const spoken = useQuery(() => sentencesOf(audio), [audio.id]);
  const [typed, setDraft] = useState<TextDraft>({
    ...emptyDraft,
    title: audio.title ?? '',
    content: audio.content ?? '',
    voice: String(audio.voice_id),
  });
  // The default voice of the language replaces an unavailable voice.
  const isGone = voices.value?.voices.every(({ id }) => String(id) !== typed.voice) === true;
  const draft = isGone ? { ...typed, voice: '' } : typed;
  const send = useAction(async () => {
    const sent = await createPost(site.slug, {
      post_id: postId,
      content: draft.content,
      post_title: draft.title,
      ...(draft.voice === '' ? { language: audio.language } : { voice_id: Number(draft.voice) }),
    });
    tell(sent.status === 'ready' ? 'No changes' : 'Regeneration queued: only changed sentences are synthesized');
    navigate(`${links.post(site.slug, postId)}`);
  });
  return (
    <div class="compose">
      <Form
        action={send}
        submit="Save and regenerate"
        fields={['post_title', 'content', 'voice_id']}
        canSubmit={draft.content.trim() !== ''}
        onCancel={() => navigate(`${links.post(site.slug, postId)}`)}
      >
        <TextFields
          draft={draft}
          change={(changes) => setDraft({ ...draft, ...changes })}
          problem={send.problem}
          voices={voices.value}
        />
        <p class="hint">
          Only changed sentences are synthesized. The current audio is served until the new audio is ready.
        </p>
      </Form>
      <SpokenPreview
        draft={draft}
        language={draft.voice === '' ? audio.language : undefined}
        spoken={draft.voice === String(audio.voice_id) ? spoken.value : undefined}
      />
    </div>
  );
}

/** @returns the sentences of an audio that is ready; undefined if they are not available */
async function sentencesOf({ segments_url: url }: AudioDetail): Promise<ReadonlySet<string> | undefined> {
  if (url === null) return undefined;
  const texts = (await fetchTimings(url)).flatMap(({ text }) => (text === undefined ? [] : [text]));
  return texts.length === 0 ? undefined : new Set(texts);
}
