import { formatDateTime } from '../../format.ts';
import { isScheduled } from './post-cells.tsx';
import type { AudioDetail, PostDetail } from './posts-api.ts';

/** A version that is served. */
export interface ServedAudio {
  readonly audio_url: string;
  readonly segments_url: string;
  readonly duration_seconds: number;
}

/** @returns the newest ready version */
export function servedOf(audio: AudioDetail): ServedAudio | undefined {
  const { audio_url, segments_url, duration_seconds, last_ready } = audio;
  if (audio_url !== null && segments_url !== null && duration_seconds !== null) {
    return { audio_url, segments_url, duration_seconds };
  }
  return last_ready ?? undefined;
}

/** Whether public pages can play it now. */
export function isPublicNow({ visibility, publish_at: publishAt }: PostDetail): boolean {
  return visibility === 'public' && !isScheduled(publishAt);
}

/** @returns who may hear a post, in words */
export function publicityOf(post: PostDetail): string {
  const { visibility, publish_at: publishAt, created_at: createdAt } = post;
  if (visibility === 'private') return 'private';
  return `${isPublicNow(post) ? 'public since' : 'scheduled for'} ${formatDateTime(publishAt ?? createdAt)}`;
}

/** @returns languages of a post, that of the site's voice first */
export function languagesOf(post: PostDetail, siteLanguage: string | undefined): string[] {
  const all = [...new Set(post.audio.map(({ language }) => language))];
  return all.toSorted((a, b) => Number(b === siteLanguage) - Number(a === siteLanguage));
}
