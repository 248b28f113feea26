import type { ComponentChildren } from 'preact';
import { PageLink } from '../../components/button.tsx';
import { Spark } from '../../components/chart.tsx';
import { Status } from '../../components/page.tsx';
import {
  formatCount,
  formatDateTime,
  formatDuration,
  formatLanguage,
  formatNumber,
  formatRelativeTime,
} from '../../format.ts';
import { links } from '../../location.ts';
import { isScheduled, isUnfinished, type Post, type PostAudio } from './posts-api.ts';

/** Of a post in lists. */
const shownLanguages = 2;

interface PostTitleProps {
  readonly slug: string;
  readonly post: Post;
  /** Below the headline if all is well; default: the ID. */
  readonly about?: ComponentChildren;
}

/** The headline of a post, and its state. */
export function PostTitle({ slug, post, about = post.post_id }: PostTitleProps) {
  const { post_id, title, audio, deleted_at } = post;
  const lang = audio[0]?.language;
  return (
    <>
      {deleted_at === null ? (
        <PageLink look="title headline" to={links.post(slug, post_id)} text={title ?? post_id} lang={lang} />
      ) : (
        <span class="headline" lang={lang}>
          {title ?? post_id}
        </span>
      )}
      <span class="line">{stateOf(post) ?? about}</span>
    </>
  );
}

/** What is not ready and public, in words; undefined if all is well. */
function stateOf({ audio, visibility, publish_at, purge_at }: Post): ComponentChildren {
  if (purge_at !== null) return <Status icon="trash-2">Deleted for good {formatRelativeTime(purge_at)}</Status>;
  const failed = audio.find(({ status, dismissed_at }) => status === 'failed' && dismissed_at === undefined);
  const unfinished = audio.find(isUnfinished);
  if (failed?.removed_at !== undefined) return <Status icon="archive">MP3 removed after its retention time</Status>;
  if (failed !== undefined) return <Status tone="bad">{failureText(failed)}</Status>;
  if (unfinished?.status === 'pending') return <Status icon="clock">Waiting</Status>;
  if (unfinished !== undefined) return <Status tone="info">Generating, {unfinished.progress_percent}%</Status>;
  if (audio.some(({ status }) => status === 'failed')) return <Status icon="ban">No audio needed</Status>;
  if (visibility === 'private') return <Status icon="lock">Private</Status>;
  if (publish_at === null || !isScheduled({ publish_at })) return undefined;
  return <Status icon="clock">Scheduled for {formatDateTime(publish_at)}</Status>;
}

/** The audio that is heard in lists: in the language of the site, if there is one. */
export function playableOf({ audio }: Post, language: string): PostAudio | undefined {
  const ready = audio.filter(({ audio_url }) => audio_url !== null);
  return ready.find((record) => record.language === language) ?? ready[0];
}

export function Languages({ post }: { readonly post: Post }) {
  const names = [...new Set(post.audio.map(({ language }) => formatLanguage(language)))];
  const more = names.length > shownLanguages ? ` +${names.length - shownLanguages}` : '';
  return (
    <span class="sub" title={names.join(', ')}>
      {names.slice(0, shownLanguages).join(', ')}
      {more}
    </span>
  );
}

/** Plays of the last seven days. */
export function Plays({ of }: { readonly of: readonly number[] }) {
  const sum = of.reduce((total, plays) => total + plays, 0);
  if (sum === 0) return <span class="dim">–</span>;
  return (
    <span class="row" style={{ justifyContent: 'flex-end' }}>
      <Spark values={of} label={`Plays of the last seven days: ${of.join(', ')}`} />
      {formatNumber(sum)}
    </span>
  );
}

/** @returns like `2:43`, or a dash without audio */
export function formatLength(audio: PostAudio | undefined): string {
  return audio?.duration_seconds == null ? '–' : formatDuration(audio.duration_seconds);
}

/** Why an audio failed, with what its content has instead of text. */
export function failureText({ error, content_counts: counts }: PostAudio): string {
  if (counts === undefined) return error ?? 'Failed';
  return `Nothing to read: ${formatCount(counts.pictures, 'picture')}, ${formatCount(counts.words, 'word')}`;
}
