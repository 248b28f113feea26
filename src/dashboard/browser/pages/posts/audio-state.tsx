import { useState } from 'preact/hooks';
import type { LiveAudio } from '../../../../audio/live/live-updates.ts';
import { request } from '../../api.ts';
import { ActionButtons, type ButtonAction } from '../../components/actions.tsx';
import { Notice, Status } from '../../components/page.tsx';
import { formatPercent, formatTimeSpan } from '../../format.ts';
import { useLive } from '../../live.ts';
import { links } from '../../location.ts';
import { useSite } from '../../site.tsx';
import { failureText } from './post-cells.tsx';
import { type AudioDetail, changePosts, isUnfinished, type PostDetail, postOf } from './posts-api.ts';

interface AudioStateProps {
  readonly post: PostDetail;
  readonly audio: AudioDetail;
  readonly reload: () => void;
}

/** What is not ready: progress, or why it failed and what helps. */
export function AudioState({ post, audio, reload }: AudioStateProps) {
  const [live, setLive] = useState<LiveAudio>();
  const { site } = useSite();
  useLive(site.slug, (event) => {
    if (event.type === 'counts') return;
    const isOwn =
      event.type === 'audio' && event.data.post_id === post.post_id && event.data.language === audio.language;
    if (isOwn && event.data.status === 'generating') setLive(event.data);
    if (event.type === 'resync' ? isUnfinished(audio) : isOwn && event.data.status !== audio.status) reload();
  });
  return (
    <>
      {audio.status === 'failed' && <Failed post={post} audio={audio} reload={reload} />}
      {isUnfinished(audio) && <Progress audio={audio} live={live} />}
      {audio.voice_replaced && (
        <Notice kind="warning">
          The requested voice is no longer installed: {audio.voice.name} speaks this post instead.
        </Notice>
      )}
    </>
  );
}

function Progress({ audio, live }: { readonly audio: AudioDetail; readonly live: LiveAudio | undefined }) {
  const share = live?.progress ?? audio.progress_percent / 100;
  const left = live?.seconds_left;
  const isQueued = audio.status === 'pending' && live === undefined;
  return (
    <div class="stack tight" role="status">
      <div class="row wide">
        <Status tone="info" icon="loader-circle">
          {isQueued ? 'Waiting in the queue' : `Generating, ${formatPercent(share)}`}
        </Status>
        <span class="small dim">
          {left != null && left > 0 && `About ${formatTimeSpan(left)} left. `}
          {audio.last_ready !== null && 'The previous version is served until then.'}
        </span>
      </div>
      <progress aria-label="Generating" max={1} value={share} />
    </div>
  );
}

function Failed({ post: { post_id }, audio, reload }: AudioStateProps) {
  const { site, canEdit } = useSite();
  const { error_code, language, last_ready } = audio;
  const isRemoved = audio.removed_at !== undefined;
  const isDismissed = audio.dismissed_at !== undefined;
  // Neither time nor a retry mends the text.
  const isFinal = error_code === 'no_text' || error_code === 'language';
  const mend: ButtonAction = isFinal
    ? { label: 'Edit text', icon: 'pencil', href: `#${links.postText(site.slug, post_id, language)}` }
    : {
        label: isRemoved ? 'Generate audio' : 'Retry',
        icon: 'refresh-cw',
        run: () => request(() => postOf(site.slug, post_id).retry.post(undefined, { query: { language } })),
      };
  const dismiss = { label: 'No audio needed', run: () => changePosts(site.slug, 'dismiss', [post_id]) };
  return (
    <Notice kind={isRemoved || isDismissed ? 'info' : 'problem'}>
      <div class="stack tight">
        <p>
          <b>{isRemoved ? 'The audio was removed.' : isDismissed ? 'No audio needed.' : 'This post has no audio.'}</b>{' '}
          {withFullStop(failureText(audio))}
          {last_ready !== null && ' The previous version is still served.'}
        </p>
        {canEdit && audio.main && (
          <div class="actions">
            <ActionButtons isCompact of={[mend, !isRemoved && !isDismissed && dismiss]} onDone={reload} />
          </div>
        )}
      </div>
    </Notice>
  );
}

function withFullStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
