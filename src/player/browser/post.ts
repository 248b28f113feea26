import { type Answer, askForAudio } from './ask.ts';
import { follow } from './follow.ts';
import type { Followed, Item } from './item.ts';
import { type Track, tracksOf } from './tracks.ts';

/** What is known of a post. */
export interface Post {
  /** `broken`: the server cannot be reached. */
  readonly phase: 'loading' | 'waiting' | 'making' | 'ready' | 'empty' | 'broken';
  readonly progressPercent: number;
  readonly postId: string | null;
  readonly title: string | undefined;
  /** The one to play first, then the other voices and languages. */
  readonly tracks: readonly Track[];
}

/** Nothing is known yet. */
export function unknownPost({ postId, title }: Item): Post {
  return { phase: 'loading', progressPercent: 0, postId, title, tracks: [] };
}

/** A post whose file the page names: nobody is asked. */
export function postOfFile(item: Item, url: string): Post {
  const { segmentsUrl, durationS } = item;
  const file = { url, isLive: false, durationS, segmentsUrl: segmentsUrl ?? undefined };
  const track = { ...file, language: '', voiceId: null, voiceName: '' };
  return { ...unknownPost(item), phase: 'ready', progressPercent: 100, tracks: [track] };
}

/**
 * Tells of a post until there is nothing more to tell.
 * @param cache `no-cache` asks past the browser's cache: what it holds is out of date
 */
export function followPost(
  followed: Followed,
  cache: RequestCache,
  tell: (post: Post) => void,
  signal: AbortSignal,
): Promise<void> {
  const { item, isLanguageGuessed, address, streamAddress } = followed;
  let { language } = followed;
  const ask = async (): Promise<Answer> => {
    const answer = await askForAudio(address(language), cache, signal);
    if (answer.kind !== 'nothing' || language === 'en' || !isLanguageGuessed) return answer;
    language = 'en';
    return ask();
  };
  return follow(
    ask,
    (audio) => {
      if (typeof audio === 'string') return tell({ ...unknownPost(item), phase: audio });
      const { post_id: postId, status, progress_percent: progressPercent } = audio;
      const tracks = tracksOf(audio, streamAddress(postId, audio.language));
      const making = status === 'generating' ? 'making' : 'waiting';
      const phase = tracks[0]?.isLive === true ? making : 'ready';
      const title = item.title ?? audio.title ?? undefined;
      tell({
        phase: tracks.length === 0 ? 'empty' : phase,
        progressPercent,
        postId,
        title,
        tracks,
      });
    },
    signal,
  );
}
