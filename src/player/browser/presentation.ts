import type { Item } from './item.ts';
import type { Playback } from './playback.ts';
import type { Post } from './post.ts';
import { fill, type Texts } from './texts.ts';
import type { Track } from './tracks.ts';
import type { Shown } from './view.ts';

/** What a player is about at the moment. */
export interface Presented {
  readonly texts: Texts;
  readonly language: string;
  readonly playback: Playback;
  readonly post: Post;
  readonly items: readonly Item[];
  readonly itemIndex: number;
  /** Play was asked for before there was anything. */
  readonly startsWhenThere: boolean;
  readonly hasFailed: boolean;
  readonly isDark: boolean;
  readonly isMini: boolean;
  readonly canDownload: boolean;
  /** Nothing is shown where there is nothing to hear. */
  readonly hidesWhenEmpty: boolean;
}

/** @returns what the reader is to see of it */
export function present(presented: Presented): Shown {
  const { playback, post, items, itemIndex } = presented;
  const { track, durationS, bufferedS } = playback;
  const isBroken = presented.hasFailed || (post.phase === 'broken' && track === undefined);
  const isLive = track?.isLive === true;
  return {
    title: headline(presented),
    miniTitle: postTitle(presented),
    status: statusLine(presented, isBroken),
    isDark: presented.isDark,
    isEmpty: post.phase === 'empty' && presented.hidesWhenEmpty && items.length === 1,
    isPlayable: track !== undefined && !isBroken,
    isPlaying: playback.isPlaying || presented.startsWhenThere,
    isWaiting: (playback.isWaiting || presented.startsWhenThere) && !isBroken,
    canRetry: isBroken,
    positionS: playback.positionS,
    durationS: isLive ? undefined : durationS,
    bufferedShare: isLive ? post.progressPercent / 100 : bufferedS / (durationS || Infinity),
    rate: playback.audio.playbackRate,
    voices: voiceNames(post.tracks, presented.language),
    voice: post.tracks.findIndex(({ url }) => url === track?.url),
    downloadUrl: presented.canDownload && !isLive ? (track?.url ?? '') : undefined,
    titles: items.map(({ title }, index) => titleOf(presented, title, index)),
    item: itemIndex,
    isMini: presented.isMini,
  };
}

/** What a post is called where several are, or where the page is not to be seen. */
export function postTitle({ texts, post, items, itemIndex }: Presented): string {
  const isList = items.length > 1;
  return post.title ?? (isList ? fill(texts.part, itemIndex + 1) : document.title);
}

function headline(presented: Presented): string {
  const { texts, items, itemIndex } = presented;
  // The title of an article stands above it already, unless the page says that it is to be shown.
  const isNamed = items.length > 1 || items[itemIndex]?.title !== undefined;
  return isNamed ? postTitle(presented) : texts.listen;
}

function titleOf({ texts, post, itemIndex }: Presented, title: string | undefined, index: number) {
  const known = index === itemIndex ? post.title : undefined;
  return title ?? known ?? fill(texts.part, index + 1);
}

function statusLine({ texts, post, playback, items, itemIndex }: Presented, isBroken: boolean) {
  const { track, durationS } = playback;
  if (isBroken) return texts.broken;
  const place = items.length > 1 ? [fill(texts.of, itemIndex + 1, items.length)] : [];
  if (post.phase === 'empty') return [...place, texts.empty].join(' · ');
  if (track === undefined) return place.join('');
  if (track.isLive) {
    return post.phase === 'making' ? fill(texts.making, post.progressPercent) : texts.waiting;
  }
  const length =
    durationS === undefined ? [] : [fill(texts.minutes, Math.max(1, Math.round(durationS / 60)))];
  return [...place, ...length, texts.synthetic].join(' · ');
}

/** The language is named only where there is more than one. */
function voiceNames(tracks: readonly Track[], language: string): string[] {
  const isOneLanguage = tracks.every((track) => track.language === tracks[0]?.language);
  const names = new Intl.DisplayNames(language, { type: 'language' });
  return tracks.map((track) =>
    isOneLanguage ? track.voiceName : `${names.of(track.language)} – ${track.voiceName}`,
  );
}
