import { inBackground } from './background.ts';
import { download } from './download.ts';
import { followPost } from './follow.ts';
import { articleOf, eventsAddress, followedPost, type Item, readItem, resumeKey } from './item.ts';
import { handleKey } from './keyboard.ts';
import { leaveMediaSession, takeMediaSession, tellMediaSession } from './media-session.ts';
import { isOnDark, watchScheme } from './page-scheme.ts';
import { createPlayback, type Playback } from './playback.ts';
import { type Post, postOfFile, unknownPost } from './post.ts';
import { type Presented, postTitle } from './presentation.ts';
import { type ReadAlong, readAlong, type Segment } from './read-along/read-along.ts';
import { createReporting, type Reporting } from './reporting/reporting.ts';
import { createMemory } from './resume.ts';
import { createSticky } from './sticky.ts';
import { textsFor } from './texts.ts';
import type { Track } from './tracks.ts';
import { createView } from './view.ts';

/** What goes on in one player: what it plays, shows and tells. */
export interface Listening {
  readonly playback: Playback;
  play(): Promise<void>;
  pause(): void;
  /** The player is in a page. */
  begin(): void;
  end(): void;
}

/** Those that say what is played, and `theme`. */
const attributeFilter = [
  ...['post-id', 'audio-url', 'segments-url', 'title', 'duration'],
  ...['base-url', 'domain', 'lang', 'language', 'theme'],
];

/** Another player of the page that begins makes this one pause. */
let speaking: Listening | undefined;

export function createListening(host: HTMLElement, shadow: ShadowRoot): Listening {
  const memory = createMemory(() => host.getAttribute('resume') !== 'off');
  let texts = textsFor(host);
  let items: readonly Item[] = [];
  let itemIndex = 0;
  let post: Post = unknownPost(readItem(host));
  let voice: Track | undefined;
  let isDark = false;
  let startsWhenThere = false;
  /** The media is gone or broken, and was so after asking again. */
  let hasFailed = false;
  /** Where to go on once the server has named another file. */
  let refreshFromS: number | undefined;
  /** The stream broke off, or there was no room for another listener: the file is waited for. */
  let isStreamOver = false;
  const sticky = createSticky(host, show);
  /** Ends with the player's stay in the page. */
  let stay = new AbortController();
  let following = new AbortController();
  let reading: ReadAlong | undefined;
  let reporting: Reporting | undefined;

  const playback = createPlayback({
    changed: show,
    play: () => {
      startsWhenThere = false;
      if (speaking !== self) speaking?.pause();
      speaking = self;
      const step = (by: number) =>
        items[itemIndex + by] === undefined ? null : () => pick(itemIndex + by);
      takeMediaSession(postTitle(presented()), {
        play: () => inBackground(play()),
        pause,
        skip,
        seek: playback.seek,
        previous: step(-1),
        next: step(1),
      });
      emit('play', { currentTime: playback.positionS });
    },
    pause: () => {
      remember();
      emit('pause', { currentTime: playback.positionS });
    },
    ended: () => {
      memory.keep(key(), 0);
      emit('ended');
      reading?.show(undefined);
      pick(itemIndex + 1);
    },
    failed,
    segments: (segments) => {
      reading?.end();
      const isOff = segments.length === 0 || host.getAttribute('read-along') === 'off';
      reading = isOff ? undefined : readAlong(segments, articleOf(host), (i) => jump(segments[i]));
    },
    segment: (segment) => {
      reading?.show(segment.index);
      emit('segment', segment);
    },
  });
  const view = createView(shadow, {
    toggle,
    skip,
    seek: playback.seek,
    setRate: (rate) => {
      playback.setRate(rate);
      reporting?.report('speed', rate);
    },
    chooseVoice: (index) => {
      voice = post.tracks[index];
      if (voice === undefined) return;
      // Another voice is as far at the same share of its time.
      const share = playback.positionS / (playback.durationS ?? 0) || 0;
      reporting?.report('voice', voice.voiceId ?? 0);
      inBackground(playback.change(voice, share * (voice.durationS ?? 0)));
      reportOn(voice);
    },
    pick,
    retry: () => {
      const { positionS } = playback;
      open(itemIndex);
      inBackground(play());
      playback.seek(positionS);
    },
    download: () => {
      const url = playback.track?.url ?? '';
      reporting?.report('download');
      download(url, postTitle(presented())).catch(() => window.open(url, '_blank', 'noopener'));
    },
    returnHere: () => {
      host.scrollIntoView({ block: 'center' });
      view.focus();
    },
    closeMini: () => {
      sticky.close();
      view.focus();
    },
  });
  shadow.addEventListener('keydown', (event) => {
    const mute = () => {
      const { audio } = playback;
      audio.muted = !audio.muted;
      view.say(audio.muted ? texts.say('muted') : '');
    };
    if (event instanceof KeyboardEvent) handleKey(event, { toggle, skip, mute });
  });

  const changes = new MutationObserver((records) => {
    if (records.every(({ attributeName }) => attributeName === 'theme')) look();
    else if (host.isConnected) load();
  });
  changes.observe(host, { childList: true, subtree: true, characterData: true, attributeFilter });

  const self: Listening = {
    playback,
    play,
    pause,
    begin: () => {
      stay = new AbortController();
      const { signal } = stay;
      look();
      watchScheme(look, signal);
      changes.takeRecords();
      // The last that a phone tells of a page.
      document.addEventListener('visibilitychange', remember, { signal });
      load();
    },
    end: () => {
      remember();
      pause();
      following.abort();
      stay.abort();
      endReporting();
      playback.clear();
      if (speaking !== self) return;
      leaveMediaSession();
      speaking = undefined;
    },
  };
  return self;

  async function play(): Promise<void> {
    startsWhenThere = playback.track === undefined;
    if (!startsWhenThere) await playback.play();
    show();
  }

  function pause(): void {
    startsWhenThere = false;
    playback.pause();
    show();
  }

  function toggle(): void {
    if (playback.isPlaying || startsWhenThere) pause();
    else inBackground(play());
  }

  function skip(seconds: number): void {
    playback.seek(playback.positionS + seconds);
  }

  function load(): void {
    texts = textsFor(host);
    const children = [...host.querySelectorAll('lectern-item')];
    items = (children.length === 0 ? [host] : children).map(readItem);
    open(0);
  }

  function open(index: number): void {
    const item = items[index];
    if (item === undefined) return;
    remember();
    itemIndex = index;
    endReporting();
    playback.clear();
    hasFailed = false;
    voice = undefined;
    refreshFromS = undefined;
    isStreamOver = false;
    post = unknownPost(item);
    show();
    follow(item, 'default');
  }

  function follow(item: Item, cache: RequestCache): void {
    following.abort();
    following = new AbortController();
    const { audioUrl } = item;
    if (audioUrl === null) {
      inBackground(followPost(followedPost(host, item), cache, tell, following.signal));
    } else tell(postOfFile(item, audioUrl));
  }

  function tell(news: Post): void {
    const { track } = playback;
    // Whoever listens goes on listening; a file that is gone and has no other is told so.
    if (news.tracks.length === 0 && track !== undefined && !hasFailed) {
      if (refreshFromS !== undefined) failed();
      return;
    }
    const wasLive = track?.isLive === true;
    post = isStreamOver ? { ...news, tracks: news.tracks.filter(({ isLive }) => !isLive) } : news;
    const wanted = post.tracks.find(({ voiceId }) => voiceId === voice?.voiceId) ?? post.tracks[0];
    if (wanted !== undefined) arrive(wanted, wasLive);
    // The next one of the list is there perhaps.
    if (post.phase === 'empty' && startsWhenThere) pick(itemIndex + 1);
    show();
  }

  function arrive(track: Track, wasLive: boolean): void {
    const before = playback.track?.url;
    if (refreshFromS !== undefined) {
      const positionS = refreshFromS;
      hasFailed = track.url === before;
      if (hasFailed) {
        failed();
        return;
      }
      refreshFromS = undefined;
      playback.take(track, positionS);
      if (startsWhenThere || !isStreamOver) inBackground(play());
    } else if (before === undefined) {
      playback.take(track, track.isLive ? 0 : memory.recall(key(track), track.durationS));
      emit('ready', { duration: track.durationS ?? null });
      reportOn(track);
      reporting?.report('load');
      if (startsWhenThere) inBackground(play());
    } else if (wasLive && !track.isLive) {
      inBackground(playback.swap(track));
    } else if (before !== track.url && !playback.hasBegun) {
      playback.take(track, 0);
    }
  }

  function pick(index: number): void {
    if (index === itemIndex) toggle();
    else if (items[index] !== undefined) {
      startsWhenThere = true;
      open(index);
      view.say(postTitle(presented()));
    }
  }

  /** A file that is gone may have another address by now: that is asked once. */
  function failed(): void {
    const item = items[itemIndex];
    if (refreshFromS === undefined && item?.audioUrl === null) {
      refreshFromS = playback.positionS;
      isStreamOver = playback.track?.isLive === true;
      if (isStreamOver) {
        startsWhenThere = true;
        playback.clear();
      }
      follow(item, 'no-cache');
      return;
    }
    hasFailed = true;
    startsWhenThere = false;
    view.say(texts.say('broken'));
    const message = playback.audio.error?.message ?? '';
    emit('error', { message });
    reporting?.report('error', message);
    show();
  }

  /** The listener picked a sentence of the page. */
  function jump(segment: Segment | undefined): void {
    if (segment === undefined) return;
    reporting?.report('click', segment.index);
    playback.seek(segment.start_ms / 1000);
    inBackground(play());
  }

  /** A page that names only a file has nobody to report to. */
  function reportOn({ language, voiceId }: Track): void {
    endReporting();
    const { postId } = post;
    if (postId === null || host.getAttribute('events') === 'off') return;
    const consent = host.getAttribute('consent') === 'full' ? 'full' : 'none';
    const about = { url: eventsAddress(host), postId, language: language || null, voiceId };
    reporting = createReporting({ ...about, consent }, playback.audio);
  }

  function endReporting(): void {
    reporting?.end();
    reporting = undefined;
  }

  function emit(name: string, more: object = {}): void {
    const detail = { postId: post.postId, ...more };
    const event = new CustomEvent(`lectern-${name}`, { bubbles: true, composed: true, detail });
    host.dispatchEvent(event);
  }

  function key(track = playback.track): string {
    return items[itemIndex]?.audioUrl ?? resumeKey(host, post.postId, track?.language);
  }

  function remember(): void {
    if (playback.hasBegun && !playback.audio.ended) memory.keep(key(), playback.positionS);
  }

  function look(): void {
    const theme = host.getAttribute('theme');
    isDark = theme === 'dark' || (theme !== 'light' && isOnDark(host));
    show();
  }

  function show(): void {
    if (!host.isConnected) return;
    if (speaking === self) tellMediaSession(playback.audio);
    view.show(presented());
  }

  function presented(): Presented {
    const { phase } = post;
    const hides = host.getAttribute('hidden-when-empty') !== 'off' && items.length < 2;
    return {
      texts,
      playback,
      post,
      items,
      itemIndex,
      startsWhenThere,
      isBroken: hasFailed || (phase === 'broken' && playback.track === undefined),
      isDark,
      isMini: sticky.isShown(playback.isPlaying),
      canDownload: host.hasAttribute('download'),
      isEmpty: phase === 'empty' && hides,
    };
  }
}
