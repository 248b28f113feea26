import type { PublicAudio } from '../../audio/schema.ts';
import type { PlayerSettings } from '../../sites/player-settings.ts';
import type { Item } from './item.ts';
import { buildTracks, type Track } from './tracks.ts';

/** State of a post. */
export interface Post {
  /** `broken`: the server cannot be reached; the player retries by itself. */
  readonly phase: 'loading' | 'known' | 'empty' | 'broken';
  readonly progressPercent: number;
  readonly postId: string | null;
  readonly title: string | undefined;
  /** The default track, then the other voices and languages. */
  readonly tracks: readonly Track[];
  /** Of the site; undefined before the first response, null for a file that the page specifies. */
  readonly settings?: PlayerSettings | null;
  /** When a post that cannot be reached is requested again. */
  readonly retryAtMs?: number;
}

/** State before the first response. */
export function createLoadingPost({ postId, title }: Item): Post {
  return { phase: 'loading', progressPercent: 0, postId, title, tracks: [] };
}

/** A post whose file the page specifies: needs no request. */
export function createFilePost(item: Item, url: string): Post {
  const { segmentsUrl, durationS, voiceName } = item;
  const file = { url, isLive: false, durationS, segmentsUrl: segmentsUrl ?? undefined };
  const track = { ...file, language: '', voiceId: null, voiceName };
  return { ...createLoadingPost(item), phase: 'known', progressPercent: 100, tracks: [track], settings: null };
}

/** @param streamUrl URL of the live stream */
export function toPost(item: Item, audio: PublicAudio, streamUrl: string): Post {
  const tracks = buildTracks(audio, streamUrl);
  return {
    phase: tracks.length === 0 ? 'empty' : 'known',
    progressPercent: audio.progress_percent,
    postId: audio.post_id,
    title: item.title ?? audio.post_title ?? undefined,
    tracks,
    settings: audio.player,
  };
}
