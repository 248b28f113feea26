import { type Answer, askForAudio } from './ask.ts';
import { follow } from './follow.ts';
import { audioAddress, type Item, type Place, streamAddress } from './item.ts';
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

/** Which post is followed. */
export interface Wanted {
  readonly place: Place;
  readonly item: Item;
  readonly language: string;
  /** The language is that of the page: a post that isn't there in it may be there in English. */
  readonly isLanguageGuessed: boolean;
  /** Asks past the browser's cache: what it holds is out of date. */
  readonly isOutOfDate: boolean;
}

/** Tells of a post until there is nothing more to tell. */
export function followPost(
  wanted: Wanted,
  tell: (post: Post) => void,
  signal: AbortSignal,
): Promise<void> {
  const { place, item } = wanted;
  const nothing = unknownPost(item);
  let { language } = wanted;
  const ask = async (): Promise<Answer> => {
    const cache = wanted.isOutOfDate ? 'no-cache' : 'default';
    const answer = await askForAudio(audioAddress(place, item, language), cache, signal);
    if (answer.kind !== 'nothing' || language === 'en' || !wanted.isLanguageGuessed) return answer;
    language = 'en';
    return ask();
  };
  return follow(
    ask,
    (news) => {
      if (news.kind === 'trouble') return tell({ ...nothing, phase: 'broken' });
      if (news.kind === 'nothing') return tell({ ...nothing, phase: 'empty' });
      const { audio } = news;
      const stream = streamAddress(place, audio.post_id, audio.language);
      const tracks = tracksOf(audio, stream);
      const isLive = tracks[0]?.isLive === true;
      const making = audio.status === 'generating' ? 'making' : 'waiting';
      const known = isLive ? making : 'ready';
      tell({
        phase: tracks.length === 0 ? 'empty' : known,
        progressPercent: audio.progress_percent,
        postId: audio.post_id,
        title: item.title ?? audio.title ?? undefined,
        tracks,
      });
    },
    signal,
  );
}
