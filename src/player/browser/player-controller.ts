import { runInBackground } from './background.ts';
import { download } from './download.ts';
import {
  buildEventsUrl,
  buildPostRequest,
  buildResumeKey,
  buildTextsUrl,
  findArticle,
  type Item,
  readItem,
} from './item.ts';
import { handleKey } from './keyboard.ts';
import { clearMediaSession, setMediaSession, updateMediaSession } from './media-session.ts';
import { isOnDark, watchScheme } from './page-scheme.ts';
import { createPlayback, type Playback } from './playback.ts';
import { type PlayerState, postTitle } from './player-state.ts';
import { pollPost } from './poll-post.ts';
import { createFilePost, createLoadingPost, type Post } from './post.ts';
import { type ReadAlong, readAlong, type Segment } from './read-along/read-along.ts';
import { createReporting, type Reporting } from './reporting/reporting.ts';
import { createResumeStore } from './resume-store.ts';
import { createSticky } from './sticky.ts';
import { defaultTexts, loadTexts, type Texts } from './texts.ts';
import type { Track } from './tracks.ts';
import { createView } from './view.ts';

/** State of one player: playback, view and reporting. */
export interface PlayerController {
  readonly playback: Playback;
  play(): Promise<void>;
  pause(): void;
  /** The player was added to a page. */
  begin(): void;
  end(): void;
}

/** Attributes that select the audio, and `theme`. */
const attributeFilter = [
  ...['post-id', 'audio-url', 'segments-url', 'title', 'duration'],
  ...['base-url', 'domain', 'lang', 'language', 'theme'],
];

/** This player pauses when another one on the page starts. */
let activePlayer: PlayerController | undefined;

export function createPlayerController(host: HTMLElement, shadow: ShadowRoot): PlayerController {
  const memory = createResumeStore(() => host.getAttribute('resume') !== 'off');
  let texts = defaultTexts;
  /** Nothing is shown until the texts are loaded. */
  let pendingTexts: Promise<Texts> | undefined;
  let items: readonly Item[] = [];
  let itemIndex = 0;
  let post: Post = createLoadingPost(readItem(host));
  let voice: Track | undefined;
  let isDark = false;
  let playsWhenReady = false;
  /** The media failed, also after another request. */
  let hasFailed = false;
  /** Position to continue at when the server has returned another file. */
  let refreshFromS: number | undefined;
  /** The live stream ended early, or has too many listeners: the player waits for the file. */
  let isStreamOver = false;
  const sticky = createSticky(host, show);
  /** Aborted when the player leaves the page. */
  let stay = new AbortController();
  let following = new AbortController();
  let reading: ReadAlong | undefined;
  let begunSegment: Segment | undefined;
  let reporting: Reporting | undefined;

  const playback = createPlayback({
    changed: show,
    play: () => {
      playsWhenReady = false;
      if (activePlayer !== self) activePlayer?.pause();
      activePlayer = self;
      const step = (by: number) => (items[itemIndex + by] === undefined ? null : () => pick(itemIndex + by));
      setMediaSession(postTitle(presented()), {
        play: () => runInBackground(play()),
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
      memory.setPosition(key(), 0);
      emit('ended');
      reading?.show(undefined);
      pick(itemIndex + 1);
    },
    failed,
    segments: (segments) => {
      begunSegment = undefined;
      reading?.end();
      const isOff = segments.length === 0 || host.getAttribute('read-along') === 'off';
      reading = isOff ? undefined : readAlong(segments, findArticle(host), (i) => jump(segments[i]));
    },
    segment: (segment, word) => {
      reading?.show(segment.index, word);
      if (segment !== begunSegment) emit('segment', segment);
      begunSegment = segment;
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
      // In another voice the same share of the duration is the same place.
      const share = playback.positionS / (playback.durationS ?? 0) || 0;
      reporting?.report('voice', voice.voiceId ?? 0);
      runInBackground(playback.switchTo(voice, share * (voice.durationS ?? 0)));
      reportOn(voice);
    },
    pick,
    retry: () => {
      const { positionS } = playback;
      open(itemIndex);
      runInBackground(play());
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
      view.announce(audio.muted ? texts.format('muted') : '');
    };
    if (event instanceof KeyboardEvent) handleKey(event, { toggle, skip, mute });
  });

  const changes = new MutationObserver((records) => {
    if (records.every(({ attributeName }) => attributeName === 'theme')) look();
    else if (host.isConnected) load();
  });
  changes.observe(host, { childList: true, subtree: true, characterData: true, attributeFilter });

  const self: PlayerController = {
    playback,
    play,
    pause,
    begin: () => {
      stay = new AbortController();
      const { signal } = stay;
      look();
      watchScheme(look, signal);
      changes.takeRecords();
      // On a phone this is the last event of a page.
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
      if (activePlayer !== self) return;
      clearMediaSession();
      activePlayer = undefined;
    },
  };
  return self;

  async function play(): Promise<void> {
    playsWhenReady = playback.track === undefined;
    if (!playsWhenReady) await playback.play();
    show();
  }

  function pause(): void {
    playsWhenReady = false;
    playback.pause();
    show();
  }

  function toggle(): void {
    if (playback.isPlaying || playsWhenReady) pause();
    else runInBackground(play());
  }

  function skip(seconds: number): void {
    playback.seek(playback.positionS + seconds);
  }

  function load(): void {
    runInBackground(updateTexts());
    const children = [...host.querySelectorAll('lectern-item')];
    items = (children.length === 0 ? [host] : children).map(readItem);
    open(0);
  }

  async function updateTexts(): Promise<void> {
    const loading = loadTexts(host, (language) => buildTextsUrl(host, language));
    pendingTexts = loading;
    const loaded = await loading;
    // The language may have changed meanwhile.
    if (pendingTexts !== loading) return;
    pendingTexts = undefined;
    texts = loaded;
    show();
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
    post = createLoadingPost(item);
    show();
    follow(item, 'default');
  }

  function follow(item: Item, cache: RequestCache): void {
    following.abort();
    following = new AbortController();
    const { audioUrl } = item;
    if (audioUrl === null) {
      runInBackground(pollPost(buildPostRequest(host, item), cache, tell, following.signal));
    } else tell(createFilePost(item, audioUrl));
  }

  function tell(news: Post): void {
    const { track } = playback;
    // Playback continues; a file that was deleted without a replacement is reported.
    if (news.tracks.length === 0 && track !== undefined && !hasFailed) {
      if (refreshFromS !== undefined) failed();
      return;
    }
    const wasLive = track?.isLive === true;
    post = isStreamOver ? { ...news, tracks: news.tracks.filter(({ isLive }) => !isLive) } : news;
    const wanted = post.tracks.find(({ voiceId }) => voiceId === voice?.voiceId) ?? post.tracks[0];
    if (wanted !== undefined) arrive(wanted, wasLive);
    // The next post of the list may be available.
    if (post.phase === 'empty' && playsWhenReady) pick(itemIndex + 1);
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
      playback.load(track, positionS);
      if (playsWhenReady || !isStreamOver) runInBackground(play());
    } else if (before === undefined) {
      playback.load(track, track.isLive ? 0 : memory.getPosition(key(track), track.durationS));
      emit('ready', { duration: track.durationS ?? null });
      reportOn(track);
      reporting?.report('load');
      if (playsWhenReady) runInBackground(play());
    } else if (wasLive && !track.isLive) {
      runInBackground(playback.swap(track));
    } else if (before !== track.url && !playback.hasBegun) {
      playback.load(track, 0);
    }
  }

  function pick(index: number): void {
    if (index === itemIndex) toggle();
    else if (items[index] !== undefined) {
      playsWhenReady = true;
      open(index);
      view.announce(postTitle(presented()));
    }
  }

  /** A deleted file may have a new URL: one request asks for it. */
  function failed(): void {
    const item = items[itemIndex];
    if (refreshFromS === undefined && item?.audioUrl === null) {
      refreshFromS = playback.positionS;
      isStreamOver = playback.track?.isLive === true;
      if (isStreamOver) {
        playsWhenReady = true;
        playback.clear();
      }
      follow(item, 'no-cache');
      return;
    }
    hasFailed = true;
    playsWhenReady = false;
    view.announce(texts.format('broken'));
    const message = playback.audio.error?.message ?? '';
    emit('error', { message });
    reporting?.report('error', message);
    show();
  }

  /** The listener clicked a sentence of the page. */
  function jump(segment: Segment | undefined): void {
    if (segment === undefined) return;
    reporting?.report('click', segment.index);
    playback.seek(segment.start_ms / 1000);
    runInBackground(play());
  }

  /** A page that specifies only a file has no server to report to. */
  function reportOn({ language, voiceId }: Track): void {
    endReporting();
    const { postId } = post;
    if (postId === null || host.getAttribute('events') === 'off') return;
    const consent = host.getAttribute('consent') === 'full' ? 'full' : 'none';
    const about = { url: buildEventsUrl(host), postId, language: language || null, voiceId };
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
    return items[itemIndex]?.audioUrl ?? buildResumeKey(host, post.postId, track?.language);
  }

  function remember(): void {
    if (playback.hasBegun && !playback.audio.ended) memory.setPosition(key(), playback.positionS);
  }

  function look(): void {
    const theme = host.getAttribute('theme');
    isDark = theme === 'dark' || (theme !== 'light' && isOnDark(host));
    show();
  }

  function show(): void {
    if (!host.isConnected || pendingTexts !== undefined) return;
    if (activePlayer === self) updateMediaSession(playback.audio);
    view.show(presented());
  }

  function presented(): PlayerState {
    const { phase } = post;
    const hides = host.getAttribute('hidden-when-empty') !== 'off' && items.length < 2;
    return {
      texts,
      playback,
      post,
      items,
      itemIndex,
      playsWhenReady,
      isBroken: hasFailed || (phase === 'broken' && playback.track === undefined),
      isDark,
      isMini: sticky.isShown(playback.isPlaying),
      canDownload: host.hasAttribute('download'),
      isEmpty: phase === 'empty' && hides,
    };
  }
}
