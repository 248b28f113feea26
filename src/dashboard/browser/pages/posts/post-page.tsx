import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useParams } from 'wouter-preact';
import { ApiError, toSameOrigin } from '../../api.ts';
import { runInBackground } from '../../background.ts';
import { LiveAudioPlayer } from '../../components/audio-player.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button, LinkButton } from '../../components/button.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { Progress } from '../../components/progress.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { formatDateTime, formatDuration, formatLanguage } from '../../format.ts';
import { decodePostId, links } from '../../links.ts';
import { type Query, useAction, useQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { AudioStatusBadge } from './audio-status-badge.tsx';
import { CertificateSection } from './certificate-section.tsx';
import { EmbedSection } from './embed-section.tsx';
import { PostActions } from './post-actions.tsx';
import {
  type AudioDetail,
  type Certificate,
  fetchCertificate,
  fetchPost,
  isUnfinished,
  type PostDetail,
  retryPost,
} from './posts-api.ts';
import { SpokenArticle } from './spoken-article.tsx';
import './posts.css';

const pollMs = 2_000;

/** A post with its player, text and certificate. */
export function PostPage() {
  const { site } = useSite();
  const postId = decodePostId(useParams<{ post: string }>().post);
  const loaded = useQuery(
    () => fetchPost(site.slug, postId),
    [site.slug, postId],
    (post) => (post?.audio.some(isUnfinished) ? pollMs : undefined),
  );
  const back = { to: links.ofSite(site.slug, '/posts'), title: 'All posts' };
  if (loaded.value === undefined) {
    return (
      <Page back={back} title={postId}>
        <QueryView of={loaded}>{() => null}</QueryView>
      </Page>
    );
  }
  return <Post of={loaded} post={loaded.value} />;
}

function Post({ of, post }: { readonly of: Query<PostDetail>; readonly post: PostDetail }) {
  const { site, canEdit } = useSite();
  const [chosenId, setChosenId] = useState<number>();
  const audio = post.audio.find(({ id }) => id === chosenId) ?? post.audio[0];
  return (
    <Page
      back={{ to: links.ofSite(site.slug, '/posts'), title: 'All posts' }}
      title={post.title ?? post.post_id}
      about={
        <span class="post-facts">
          <a href={`#${links.postAnalytics(site.slug, post.post_id)}`}>Analytics</a>
          <code>{post.post_id}</code>
          <Visibility post={post} />
        </span>
      }
      actions={canEdit && audio && <PostActions post={post} audio={audio} reload={of.reload} />}
    >
      <ErrorNotice problem={of.problem} />
      {post.audio.length > 1 && <Variants all={post.audio} shown={audio} onChosen={({ id }) => setChosenId(id)} />}
      {audio !== undefined && <Audio key={audio.id} post={post} audio={audio} reload={of.reload} />}
      {post.audio.some((one) => isUnfinished(one) || servedOf(one)) && <EmbedSection postId={post.post_id} />}
    </Page>
  );
}

function Visibility({ post }: { readonly post: PostDetail }) {
  const { visibility, publish_at: publishAt } = post;
  if (visibility === 'private') return <Badge>Private</Badge>;
  if (isPublicNow(post) || publishAt === null) return <Badge>Public</Badge>;
  return <Badge kind="warning">Public from {formatDateTime(publishAt)}</Badge>;
}

/** Whether public pages can play it now. */
function isPublicNow({ visibility, publish_at: publishAt }: PostDetail): boolean {
  return visibility === 'public' && (publishAt === null || Date.parse(publishAt) <= Date.now());
}

interface VariantsProps {
  readonly all: readonly AudioDetail[];
  readonly shown: AudioDetail | undefined;
  readonly onChosen: (audio: AudioDetail) => void;
}

/** Every language and voice of the post. */
function Variants({ all, shown, onChosen }: VariantsProps) {
  return (
    <ul class="variants" aria-label="Languages and voices">
      {all.map((audio) => (
        <li key={audio.id}>
          <button type="button" class="variant" aria-pressed={audio.id === shown?.id} onClick={() => onChosen(audio)}>
            <span>
              {formatLanguage(audio.language)} · {audio.voice.name}
            </span>
            <AudioStatusBadge audio={audio} />
          </button>
        </li>
      ))}
    </ul>
  );
}

interface AudioProps {
  readonly post: PostDetail;
  readonly audio: AudioDetail;
  readonly reload: () => void;
}

function Audio({ post, audio, reload }: AudioProps) {
  const { site } = useSite();
  const served = servedOf(audio);
  const [isHeardLive, setIsHeardLive] = useState(false);
  const [domain] = site.domains;
  const isLive = isHeardLive || (served === undefined && audio.main && isUnfinished(audio));
  const title = audio.title ?? post.title ?? post.post_id;
  const certificate = useQuery(
    () => (served === undefined ? Promise.resolve(undefined) : certificateOf(site.slug, audio)),
    [site.slug, audio.id, served?.audio_url],
  );
  return (
    <>
      <State post={post} audio={audio} reload={reload} />
      {audio.voice_replaced && (
        <p class="post-state hint">
          The requested voice is no longer installed: {audio.voice.name} speaks this post instead.
        </p>
      )}
      {isLive && isPublicNow(post) && domain !== undefined && (
        <div class="spoken-player">
          <LiveAudioPlayer
            postId={post.post_id}
            domain={domain}
            language={audio.language}
            title={title}
            onPlay={() => setIsHeardLive(true)}
          />
        </div>
      )}
      {served !== undefined && (
        <div class="post-columns">
          {certificate.isLoading && certificate.value === undefined ? (
            <p class="waiting">Loading…</p>
          ) : (
            <SpokenArticle
              key={served.audio_url}
              title={title}
              language={audio.language}
              audioUrl={served.audio_url}
              segmentsUrl={served.segments_url}
              hasPlayer={!isHeardLive}
              certificate={certificate.value}
              problem={certificate.problem}
            />
          )}
          <Facts post={post} audio={audio} served={served} />
        </div>
      )}
      {certificate.value !== undefined && <CertificateSection of={certificate.value} />}
    </>
  );
}

/** Status of an audio that is not ready. */
function State({ post, audio, reload }: AudioProps) {
  const { site, canEdit } = useSite();
  const retry = useAction(async () => {
    await retryPost(site.slug, post.post_id, audio.language);
    reload();
  });
  const isRemoved = audio.removed_at !== undefined;
  const kept = audio.last_ready !== null && 'The previous version is served until then.';
  switch (audio.status) {
    case 'ready':
      return null;
    case 'failed':
      return (
        <div class="post-state">
          <Notice kind={isRemoved ? 'info' : 'problem'}>
            <p>
              {!isRemoved && <strong>Audio generation failed. </strong>}
              {audio.error}
            </p>
            {audio.last_ready !== null && <p>The previous version is still served.</p>}
          </Notice>
          {canEdit && audio.main && (
            <Button isBusy={retry.isRunning} onClick={() => runInBackground(retry.run())}>
              {isRemoved ? 'Generate again' : 'Retry'}
            </Button>
          )}
          <ErrorNotice problem={retry.problem} />
        </div>
      );
    case 'pending':
      return (
        <div class="post-state">
          <Notice>
            <p>Audio generation is queued. {kept}</p>
          </Notice>
        </div>
      );
    case 'generating':
      return (
        <div class="post-state">
          <Notice>
            <p class="making">
              Audio generation is in progress. <Progress label="Generation progress" percent={audio.progress_percent} />
            </p>
            {kept}
          </Notice>
        </div>
      );
  }
}

interface FactsProps {
  readonly post: PostDetail;
  readonly audio: AudioDetail;
  readonly served: Served;
}

function Facts({ post, audio, served }: FactsProps) {
  const { site } = useSite();
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    ['Language', formatLanguage(audio.language)],
    ['Voice', audio.voice.name],
    ['Duration', formatDuration(served.duration_seconds)],
    ['Created', <RelativeTime key="created" at={post.created_at} />],
    ['Updated', <RelativeTime key="changed" at={audio.updated_at} />],
  ];
  return (
    <aside class="post-aside" aria-label="About this audio">
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {post.url !== null && (
          <div>
            <dt>Page</dt>
            <dd>
              <a href={post.url} rel="noreferrer" target="_blank">
                {post.url.replace(/^https?:\/\//, '')}
              </a>
            </dd>
          </div>
        )}
      </dl>
      <div class="actions">
        <LinkButton href={toSameOrigin(served.audio_url)} download>
          Download MP3
        </LinkButton>
        {site.timings_text && (
          <LinkButton href={toSameOrigin(served.segments_url).replace(/json$/, 'vtt')} download>
            Transcript (WebVTT)
          </LinkButton>
        )}
        <LinkButton href={toSameOrigin(served.segments_url)} download>
          Timings (JSON)
        </LinkButton>
      </div>
    </aside>
  );
}

interface Served {
  readonly audio_url: string;
  readonly segments_url: string;
  readonly duration_seconds: number;
}

/** The version that is served: the newest ready one. */
function servedOf({ audio_url, segments_url, duration_seconds, last_ready }: AudioDetail): Served | undefined {
  if (audio_url !== null && segments_url !== null && duration_seconds !== null) {
    return { audio_url, segments_url, duration_seconds };
  }
  return last_ready ?? undefined;
}

/** @returns undefined for audio without a certificate, from an older release */
async function certificateOf(
  slug: string,
  { post_id, language, main, voice }: AudioDetail,
): Promise<Certificate | undefined> {
  try {
    return await fetchCertificate(slug, post_id, language, main ? undefined : voice.id);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
