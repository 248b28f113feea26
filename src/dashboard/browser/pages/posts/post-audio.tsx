import { useState } from 'preact/hooks';
import type { LiveAudio } from '../../../../audio/live-updates.ts';
import { request, requestIfExists, toSameOrigin } from '../../api.ts';
import { ActionButton, ActionButtons, type ButtonAction } from '../../components/actions.tsx';
import { Button, CopyLine, LinkButton, PageLink } from '../../components/button.tsx';
import { Chart } from '../../components/chart.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Card, Chip, ErrorNotice, Facts, Notice, QueryView, Status } from '../../components/page.tsx';
import {
  formatBytes,
  formatCount,
  formatDateTime,
  formatDuration,
  formatNumber,
  formatPercent,
  formatShortDay,
  formatTimeSpan,
} from '../../format.ts';
import { useLive } from '../../live.ts';
import { links } from '../../location.ts';
import { type Query, useQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { playerSnippet } from '../../snippets.ts';
import { dayOf } from '../../time-zone.ts';
import type { Analytics } from '../analytics/analytics.ts';
import { countLeftOut, nameLeftOut } from './left-out.ts';
import { failureText } from './post-cells.tsx';
import {
  type AudioDetail,
  type Certificate,
  changePosts,
  isPublicNow,
  isUnfinished,
  type PostDetail,
  postOf,
  servedOf,
} from './posts-api.ts';

export interface AudioProps {
  readonly post: PostDetail;
  readonly audio: AudioDetail;
  readonly reload: () => void;
}

/** State of audio that is not ready: its progress, or why it failed and how to repair it. */
export function AudioState({ post, audio, reload }: AudioProps) {
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
        <Status tone="info">{isQueued ? 'Waiting in the queue' : `Generating, ${formatPercent(share)}`}</Status>
        <span class="small dim">
          {left != null && left > 0 && `About ${formatTimeSpan(left)} left. `}
          {audio.last_ready !== null && 'The previous version is served until then.'}
        </span>
      </div>
      <progress aria-label="Generating" max={1} value={share} />
    </div>
  );
}

function Failed({ post: { post_id }, audio, reload }: AudioProps) {
  const { site, canEdit } = useSite();
  const { error_code, language, last_ready } = audio;
  const isRemoved = audio.removed_at !== undefined;
  const isDismissed = audio.dismissed_at !== undefined;
  const reason = failureText(audio);
  // A retry cannot repair the text.
  const isFinal = error_code === 'no_text' || error_code === 'language';
  const repair: ButtonAction = isFinal
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
          {/[.!?]$/.test(reason) ? reason : `${reason}.`}
          {last_ready !== null && ' The previous version is still served.'}
        </p>
        {canEdit && audio.main && (
          <div class="actions">
            <ActionButtons isCompact of={[repair, !isRemoved && !isDismissed && dismiss]} onDone={reload} />
          </div>
        )}
      </div>
    </Notice>
  );
}

/** Voice, length, completeness and files of an audio. */
export function AudioCard({ audio }: { readonly audio: AudioDetail }) {
  const { site } = useSite();
  const served = servedOf(audio);
  const loaded = useQuery(async () => served && certificateOf(site.slug, audio), [audio.id, served?.audio_url]);
  const certificate = loaded.value;
  const proof = certificate?.certificate;
  const isWithoutProof = proof === undefined && !loaded.isLoading && loaded.problem === undefined;
  return (
    <Card title="Audio" actions={proof !== undefined && <Status tone="good">Complete</Status>}>
      <div class="stack tight">
        <ErrorNotice problem={loaded.problem} />
        {proof !== undefined && (
          <p class="sub small">
            {completenessOf(proof)}{' '}
            <ActionButton
              kind="link"
              label="Certificate"
              dialog={({ onClose }) => certificate && <CertificateDrawer of={certificate} onClose={onClose} />}
            />
          </p>
        )}
        {served !== undefined && isWithoutProof && (
          <p class="sub small">This audio has no certificate. Regenerate it to get one.</p>
        )}
        <Facts
          class="small narrow"
          of={[
            ['Voice', audio.voice.name],
            served !== undefined && ['Length', formatDuration(served.duration_seconds)],
            ['Made', proof === undefined ? formatDateTime(audio.updated_at) : madeText(proof)],
            proof !== undefined && ['File', `${formatBytes(proof.sound.bytes)} · ${proof.sound.bit_rate_kbps} kbit/s`],
          ]}
        />
        {served !== undefined && (
          <div class="actions">
            <LinkButton isCompact icon="download" href={toSameOrigin(served.audio_url)} download label="MP3" />
            {site.timings_text && (
              <LinkButton
                isCompact
                href={toSameOrigin(served.segments_url).replace(/json$/, 'vtt')}
                download
                label="Transcript"
              />
            )}
            <LinkButton isCompact href={toSameOrigin(served.segments_url)} download label="Timings" />
          </div>
        )}
      </div>
    </Card>
  );
}

type Proof = Certificate['certificate'];

function madeText({ made_at, version }: Proof): string {
  return `${formatDateTime(made_at)}, version ${version}`;
}

function completenessOf({ segments, left_out: leftOut }: Proof): string {
  const kinds = countLeftOut(leftOut);
  const spoken = `${segments.length} of ${formatCount(segments.length, 'sentence is', 'sentences are')} spoken.`;
  return kinds === '' ? `${spoken} Nothing is left out.` : `${spoken} Left out: ${kinds}.`;
}

/** @returns undefined for audio without a certificate, from an older release */
function certificateOf(slug: string, { post_id, language, main, voice }: AudioDetail) {
  const query = { language, ...(!main && { voice_id: voice.id }) };
  return requestIfExists(() => postOf(slug, post_id).certificate.get({ query }));
}

/** Proof of the text that the audio contains. */
function CertificateDrawer({ of, onClose }: { readonly of: Certificate; readonly onClose: () => void }) {
  const { segments, coverage, left_out: leftOut, sound, voices, source, program, engine, speed } = of.certificate;
  const spoken = `${formatNumber(segments.length)} of ${formatCount(segments.length, 'sentence')}`;
  return (
    <Dialog title="Certificate" isDrawer onClose={onClose}>
      <div class="stack">
        <p class="sub">Written when the audio was generated. It can be verified against the MP3 without Lectern.</p>
        <Facts
          of={[
            ['Spoken', `${spoken}, ${formatCount(coverage.spoken_characters, 'character')}`],
            [
              'Voice',
              voices.map(({ id, name, license }) => (
                <div key={id}>
                  {name}
                  {license !== null && <span class="dim"> · {license}</span>}
                </div>
              )),
            ],
            ['Generated', madeText(of.certificate)],
            ['Generator', `Lectern ${program}, engine ${engine}${speed === 1 ? '' : `, at speed ${speed}`}`],
            [
              'Audio format',
              `${formatDuration(sound.duration_ms / 1000)}, ${sound.bit_rate_kbps} kbit/s, ${formatNumber(sound.sample_rate_hz)} Hz`,
            ],
          ]}
        />
        {leftOut.length > 0 && (
          <details open>
            <summary>Left out ({formatNumber(leftOut.length)})</summary>
            <ul role="list" class="rows tight">
              {leftOut.map(({ text, reason }, index) => (
                <li key={index}>
                  <span class="grow serif">{text}</span> <Chip>{nameLeftOut(reason)}</Chip>
                </li>
              ))}
            </ul>
          </details>
        )}
        <details>
          <summary>Hashes (SHA-256)</summary>
          <Facts
            of={[
              ['Certificate', <CopyLine key="sha" label="SHA-256 of the certificate" text={of.sha256} />],
              ...source.map(({ field, sha256 }) => [fieldWords[field], <code key={field}>{sha256}</code>] as const),
              ...voices.map(
                (voice) => [`Voice ${voice.name}`, <code key={voice.id}>{voice.content_sha256}</code>] as const,
              ),
            ]}
          />
        </details>
        <div class="actions">
          <Button icon="download" onClick={() => download(of)} label="Download JSON" />
        </div>
      </div>
    </Dialog>
  );
}

const fieldWords = {
  title: 'Title',
  content: 'Text',
  intro: 'Intro',
  outro: 'Outro',
  disclosure: 'Closing disclosure',
} as const;

/** Saves the API response unchanged, so that the documented verification works. */
function download(data: Certificate): void {
  const response = JSON.stringify({ success: true, message: 'OK', data }, undefined, 2);
  const address = URL.createObjectURL(new Blob([response], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `certificate-${data.sha256.slice(0, 12)}.json`;
  link.click();
  URL.revokeObjectURL(address);
}

/** Listening of the last seven days. */
export function ListeningCard({ post, of }: { readonly post: PostDetail; readonly of: Query<Analytics> }) {
  const { site } = useSite();
  const more = links.postAnalytics(site.slug, post.post_id);
  return (
    <Card title="Listening, 7 days" actions={<PageLink look="link small" to={more} text="More" subject="listening" />}>
      <QueryView of={of}>
        {({ totals, retention }) => {
          if (totals.plays === 0) return <p class="sub small">Nobody has listened yet.</p>;
          const shares = retention.map(({ share }) => share ?? 0);
          return (
            <div class="stack tight">
              <p class="row">
                <span>
                  <b class="amount">{formatNumber(totals.plays)}</b>{' '}
                  <span class="dim small">{totals.plays === 1 ? 'play' : 'plays'}</span>
                </span>
                <span>
                  <b class="amount">{formatPercent(totals.completion ?? 0)}</b>{' '}
                  <span class="dim small">to the end</span>
                </span>
              </p>
              <Chart
                label="Share still listening"
                labels={retention.map(({ percent }) => `${percent}%`)}
                values={shares}
                top={Math.ceil(Math.max(1, ...shares))}
                format={formatPercent}
                height={120}
              />
              <p class="tiny dim">Share still listening, start to end. A part heard twice counts twice.</p>
            </div>
          );
        }}
      </QueryView>
    </Card>
  );
}

/** The embed code, and whether a page has loaded it. */
export function EmbedCard({ post, of }: { readonly post: PostDetail; readonly of: Query<Analytics> }) {
  const { site } = useSite();
  const seen = of.value?.series.findLast(({ loads }) => loads > 0);
  return (
    <Card title="On your page">
      <div class="stack tight">
        <CopyLine label="Embed code" text={playerSnippet(post.post_id)} />
        {!isPublicNow(post) ? (
          <p class="sub small">The player stays hidden until the post is public.</p>
        ) : seen === undefined ? (
          <p class="sub small">Open your page: this turns green when the player loads.</p>
        ) : (
          <Status tone="good">
            Loaded {formatCount(seen.loads, 'time')} {seen.day === dayOf() ? 'today' : `on ${formatShortDay(seen.day)}`}{' '}
            on {site.domains[0]}
          </Status>
        )}
      </div>
    </Card>
  );
}
