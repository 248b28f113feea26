import type { Item } from './item.ts';
import type { Playback } from './playback.ts';
import type { Post } from './post.ts';
import type { Texts } from './texts.ts';
import type { Track } from './tracks.ts';

/** The state that the view shows. */
export interface PlayerState {
  readonly texts: Texts;
  readonly playback: Playback;
  readonly post: Post;
  readonly items: readonly Item[];
  readonly itemIndex: number;
  /** Play was requested before audio was available. */
  readonly playsWhenReady: boolean;
  /** Playback failed; the listener can retry. */
  readonly isBroken: boolean;
  readonly isDark: boolean;
  readonly isMini: boolean;
  readonly canDownload: boolean;
  readonly isEmpty: boolean;
}

/** Title of a post in a list, or outside the page. */
export function postTitle({ post, items, itemIndex, texts }: PlayerState): string {
  return post.title ?? (items.length > 1 ? texts.format('part', itemIndex + 1) : document.title);
}

/** The article title is above the player already, unless the page asks for it. */
export function headline(presented: PlayerState): string {
  const { texts, items, itemIndex } = presented;
  const isNamed = items.length > 1 || items[itemIndex]?.title !== undefined;
  return isNamed ? postTitle(presented) : texts.format('listen');
}

/** Titles of the list. */
export function rowTitles({ items, itemIndex, post, texts }: PlayerState): string[] {
  return items.map(({ title }, index) => {
    const known = index === itemIndex ? post.title : undefined;
    return title ?? known ?? texts.format('part', index + 1);
  });
}

export function statusLine(presented: PlayerState): string {
  const { texts, post, playback, items, itemIndex } = presented;
  const { format: say } = texts;
  const { track, durationS, audio } = playback;
  const parts = items.length > 1 ? [say('of', itemIndex + 1, items.length)] : [];
  if (presented.isBroken) parts.push(say('broken'));
  else if (audio.muted) parts.push(say('muted'));
  else if (post.phase === 'empty') parts.push(say('empty'));
  else if (post.phase === 'known' && track?.isLive !== false) {
    parts.push(say('generating', post.progressPercent));
  } else if (track !== undefined) {
    if (durationS !== undefined) parts.push(say('minutes', Math.round(durationS / 60) || 1));
    // With several voices, their names are shown.
    if (post.tracks.length < 2) parts.push(say('synthetic'));
  }
  return parts.join(' · ');
}

/** Includes the language only if there are several. */
export function voiceNames(tracks: readonly Track[], { language }: Texts): string[] {
  const isOneLanguage = tracks.every((track) => track.language === tracks[0]?.language);
  const names = new Intl.DisplayNames(language, { type: 'language' });
  return tracks.map((track) => (isOneLanguage ? track.voiceName : `${names.of(track.language)} – ${track.voiceName}`));
}
