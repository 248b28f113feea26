import { roundLength } from './format-time.ts';
import type { Item } from './item.ts';
import type { Playback } from './playback.ts';
import type { PlayerLook } from './player-look.ts';
import type { Post } from './post.ts';
import type { Segment } from './read-along/read-along.ts';
import type { Texts } from './texts.ts';
import type { Track } from './tracks.ts';

/** Shorter audio has its length in seconds. */
const minMinutesS = 90;

/** The state that the view shows. */
export interface PlayerState {
  readonly texts: Texts;
  readonly playback: Playback;
  readonly post: Post;
  readonly items: readonly Item[];
  readonly itemIndex: number;
  readonly segments: readonly Segment[];
  readonly look: PlayerLook;
  /** Whether the second script is loaded. */
  readonly isDressed: boolean;
  /** Play was requested before audio was available. */
  readonly playsWhenReady: boolean;
  /** The audio cannot be reached; the listener can retry, and the player does. */
  readonly isBroken: boolean;
  /** Seconds until the player tries again. */
  readonly retryInS: number;
  readonly isMini: boolean;
  readonly isEmpty: boolean;
}

/** @returns what a click on the play button does */
export function playAction({ playback, playsWhenReady, isBroken }: PlayerState): 'play' | 'pause' | 'retry' {
  if (isBroken) return 'retry';
  return playback.isPlaying || playsWhenReady ? 'pause' : 'play';
}

/** Playback was requested and has to wait for data. */
export function isWaiting({ playback, playsWhenReady, isBroken }: PlayerState): boolean {
  return (playback.isWaiting || playsWhenReady) && !isBroken;
}

/** Title of a post in a list, or outside the page. */
export function postTitle({
  post,
  items,
  itemIndex,
  texts,
}: Pick<PlayerState, 'post' | 'items' | 'itemIndex' | 'texts'>) {
  return post.title ?? (items.length > 1 ? texts.format('part', itemIndex + 1) : document.title);
}

/** The article title is above the player already, unless the page asks for it or the layout has room for it. */
export function headline(presented: PlayerState): string {
  const { texts, post, playback, items, itemIndex, look } = presented;
  if (presented.isBroken) return texts.format('broken');
  const isNamed = items.length > 1 || items[itemIndex]?.title !== undefined || look.layout === 'large';
  if (isNamed) return postTitle(presented);
  if (playback.track?.isLive === true && post.progressPercent < 100) return texts.format('fromStart');
  return texts.format(look.layout === 'pill' ? 'listenShort' : 'listen');
}

/** Titles of the list. */
export function rowTitles({ items, itemIndex, post, texts }: PlayerState): string[] {
  return items.map(({ title }, index) => {
    const known = index === itemIndex ? post.title : undefined;
    return title ?? known ?? texts.format('part', index + 1);
  });
}

/** @returns like `3 min`; empty while the length is unknown */
export function lengthText({ texts, playback: { lengthS } }: PlayerState): string {
  if (lengthS === undefined) return '';
  const isShort = lengthS < minMinutesS;
  return texts.format(isShort ? 'seconds' : 'minutes', roundLength(isShort ? lengthS : lengthS / 60));
}

export function statusLine(presented: PlayerState): string {
  const { texts, post, playback, items, itemIndex } = presented;
  const { format: say } = texts;
  const { track, audio } = playback;
  const parts = items.length > 1 ? [say('of', itemIndex + 1, items.length)] : [];
  if (presented.isBroken) parts.push(say('retryIn', presented.retryInS));
  else if (audio.muted) parts.push(say('muted'));
  else if (post.phase === 'empty') parts.push(say('empty'));
  else if (post.phase === 'known' && track?.isLive !== false) {
    parts.push(say('generating', post.progressPercent));
  } else if (track !== undefined && !(playback.hasBegun && items.length > 1)) {
    if (presented.look.layout === 'large') parts.push(say('listenShort'));
    parts.push(lengthText(presented), track.voiceName === '' ? say('synthetic') : say('readBy', track.voiceName));
  }
  return parts.filter((part) => part !== '').join(' · ');
}

/** Includes the language only if there are several. */
export function voiceNames(tracks: readonly Track[], { language }: Texts): string[] {
  const isOneLanguage = tracks.every((track) => track.language === tracks[0]?.language);
  const names = new Intl.DisplayNames(language, { type: 'language' });
  return tracks.map((track) => (isOneLanguage ? track.voiceName : `${names.of(track.language)} – ${track.voiceName}`));
}
