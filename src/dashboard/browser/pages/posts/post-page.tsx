import { useState } from 'preact/hooks';
import { useParams } from 'wouter-preact';
import { request, siteRoutes } from '../../api.ts';
import { ActionMenu, type PageAction, type PageActions } from '../../components/actions.tsx';
import { AudioPlayer } from '../../components/audio-player.tsx';
import { LinkButton } from '../../components/button.tsx';
import { Choice } from '../../components/field.tsx';
import { formDialog } from '../../components/form.tsx';
import { ErrorNotice, Page, QueryView } from '../../components/page.tsx';
import { formatCount, formatLanguage } from '../../format.ts';
import { links, navigate, useAddressQuery } from '../../location.ts';
import { type Query, useQuery } from '../../query.ts';
import { fetchSiteVoices, readerOf, useSite } from '../../site.tsx';
import { fromInputValue, toInputValue } from '../../time-zone.ts';
import { fetchAnalytics, lastDays } from '../analytics/analytics.ts';
import { AudioCard, type AudioProps, AudioState, EmbedCard, ListeningCard } from './post-audio.tsx';
import {
  type AudioDetail,
  actionsOf,
  isPublicNow,
  isUnfinished,
  type PostDetail,
  postOf,
  publicityOf,
  servedOf,
} from './posts-api.ts';
import { listPostFields, type PostValues } from './text-draft.ts';
import { Transcript } from './transcript.tsx';

/** A post: play it, read along, correct pronunciations. */
export function PostPage() {
  const { site } = useSite();
  const postId = decodeURIComponent(useParams<{ post: string }>().post);
  const voices = useQuery(() => fetchSiteVoices(site.slug), [site.slug]);
  const post = useQuery(() => request(() => postOf(site.slug, postId).get()), [site.slug, postId]);
  if (post.value === undefined || (voices.value === undefined && voices.isLoading)) {
    return (
      <Page back={backTo(site.slug)} title={postId}>
        <QueryView of={post}>{() => null}</QueryView>
      </Page>
    );
  }
  const usual = voices.value && readerOf(voices.value);
  return <Post of={post} post={post.value} siteLanguage={usual?.language} />;
}

function backTo(slug: string) {
  return { to: links.ofSite(slug, '/posts'), title: 'Posts' };
}

interface PostProps {
  readonly of: Query<PostDetail>;
  readonly post: PostDetail;
  readonly siteLanguage: string | undefined;
}

function Post({ of, post, siteLanguage }: PostProps) {
  const { site, canEdit } = useSite();
  const [address] = useAddressQuery();
  // That of the site's voice first.
  const languages = [...new Set(post.audio.map(({ language }) => language))].toSorted(
    (a, b) => Number(b === siteLanguage) - Number(a === siteLanguage),
  );
  const language = languages.find((language) => language === address.get('language')) ?? languages[0];
  const audios = post.audio.filter((record) => record.language === language);
  const audio = audios.find(({ voice }) => String(voice.id) === address.get('voice')) ?? audios[0];
  const week = { site: site.slug, postId: post.post_id, ...lastDays(7) };
  const listening = useQuery(() => fetchAnalytics(week), [site.slug, post.post_id]);
  const hasAudio = post.audio.some((record) => isUnfinished(record) || servedOf(record) !== undefined);
  return (
    <Page
      back={backTo(site.slug)}
      title={audio?.title ?? post.title ?? post.post_id}
      isHeadline
      lang={audio?.language}
      about={<About post={post} plays={listening.value?.totals.plays} />}
      actions={
        canEdit &&
        audio !== undefined && (
          <>
            <LinkButton icon="pencil" to={links.postText(site.slug, post.post_id, audio.language)} label="Edit text" />
            <ActionMenu
              label={`More: ${audio.title ?? post.post_id}`}
              of={listPostActions(site.slug, post, audio)}
              onDone={of.reload}
            />
          </>
        )
      }
    >
      <ErrorNotice problem={of.problem} />
      <div class="columns">
        <div class="stack">
          {audio !== undefined && (
            <>
              <Variants languages={languages} audios={audios} shown={audio} />
              <Audio key={audio.id} post={post} audio={audio} reload={of.reload} />
            </>
          )}
        </div>
        {audio !== undefined && hasAudio && (
          <aside class="stack" aria-label="About this post">
            <AudioCard key={audio.id} audio={audio} />
            <ListeningCard post={post} of={listening} />
            <EmbedCard post={post} of={listening} />
          </aside>
        )}
      </div>
    </Page>
  );
}

interface VariantsProps {
  readonly languages: readonly string[];
  /** Of the language that is shown. */
  readonly audios: readonly AudioDetail[];
  readonly shown: AudioDetail;
}

/** Every language and voice of a post. */
function Variants({ languages, audios, shown }: VariantsProps) {
  const [, change] = useAddressQuery();
  if (languages.length + audios.length <= 2) return null;
  return (
    <div class="row wrap">
      {languages.length > 1 && (
        <Choice
          label="Language"
          value={shown.language}
          options={languages.map((value) => ({ value, label: formatLanguage(value) }))}
          onValue={(language) => change({ language, voice: '' })}
        />
      )}
      {audios.length > 1 && (
        <Choice
          label="Voice"
          value={String(shown.voice.id)}
          options={audios.map(({ voice }) => ({ value: String(voice.id), label: voice.name }))}
          onValue={(voice) => change({ language: shown.language, voice })}
        />
      )}
    </div>
  );
}

function About({ post, plays }: { readonly post: PostDetail; readonly plays: number | undefined }) {
  return (
    <>
      {post.url === null ? (
        <code>{post.post_id}</code>
      ) : (
        <a class="link" href={post.url} rel="noreferrer" target="_blank">
          {post.url.replace(/^https?:\/\/(www\.)?/, '')}
        </a>
      )}
      <span class="dim">
        {' · '}
        {publicityOf(post)}
        {plays !== undefined && plays > 0 && ` · ${formatCount(plays, 'play')} this week`}
      </span>
    </>
  );
}

function Audio({ post, audio, reload }: AudioProps) {
  const { site } = useSite();
  const served = servedOf(audio);
  const [isHeardLive, setIsHeardLive] = useState(false);
  const [domain] = site.domains;
  const isLive = isHeardLive || (served === undefined && audio.main && isUnfinished(audio));
  const title = audio.title ?? post.title ?? post.post_id;
  return (
    <>
      <AudioState post={post} audio={audio} reload={reload} />
      {isLive && isPublicNow(post) && domain !== undefined && (
        <div class="stuck">
          <AudioPlayer
            post-id={post.post_id}
            domain={domain}
            language={audio.language}
            onlectern-play={() => setIsHeardLive(true)}
          />
        </div>
      )}
      {served !== undefined && (
        <Transcript
          key={served.audio_url}
          title={title}
          audio={audio}
          served={served}
          hasPlayer={!isHeardLive}
          onRegenerate={reload}
        />
      )}
    </>
  );
}

/** What editors do with a post besides its text. */
function listPostActions(slug: string, post: PostDetail, { language }: AudioDetail): PageActions {
  const { regenerate, toggle, remove } = actionsOf(slug, post);
  const isOneOfSeveral = post.audio.some((audio) => audio.language !== language);
  const leave = (act: () => Promise<void>, to: string) => async () => {
    await act();
    navigate(to);
  };
  return [
    regenerate,
    { label: 'Settings', icon: 'settings', dialog: settingsDialog(slug, post) },
    toggle,
    isOneOfSeveral && languageRemoval(slug, post, language),
    {
      ...remove,
      run: leave(remove.run, links.ofSite(slug, '/posts')),
      undo: leave(remove.undo, links.post(slug, post.post_id)),
    },
  ];
}

/** Deletes one language of a post; Undo submits its text again, which generates its audio. */
function languageRemoval(slug: string, post: PostDetail, language: string): PageAction {
  const named = formatLanguage(language);
  const main = post.audio.find((audio) => audio.main && audio.language === language);
  return {
    label: `Delete ${named} audio`,
    icon: 'trash-2',
    isDanger: true,
    run: () => request(() => postOf(slug, post.post_id).delete(undefined, { query: { language } })),
    done: `${named} audio deleted`,
    ...(main?.content !== undefined && {
      undo: () => {
        const { post_id, content = '', content_type = null, title, voice } = main;
        const body = { post_id, content, content_type, post_title: title, voice_id: voice.id };
        return request(() => siteRoutes(slug).posts.post(body));
      },
    }),
  };
}

function settingsDialog(slug: string, post: PostDetail) {
  const initial: PostValues = {
    post_url: post.url ?? '',
    publish_at: toInputValue(post.publish_at),
    visibility: post.visibility,
    priority: 'normal',
  };
  return formDialog<PostValues>({
    title: 'Settings',
    fields: listPostFields(post.audio.some(isUnfinished)),
    initial,
    submit: 'Save',
    send: ({ post_url, publish_at, visibility, priority }) => {
      const [url, publishAt] = [post_url.trim() || null, fromInputValue(publish_at)];
      const queued = priority === initial.priority ? {} : { priority };
      const changes = { post_url: url, publish_at: publishAt, visibility, ...queued };
      return request(() => postOf(slug, post.post_id).patch(changes));
    },
    done: 'Settings saved',
  });
}
