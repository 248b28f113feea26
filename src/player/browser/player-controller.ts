import { runInBackground } from './background.ts';
import { createCountdown } from './countdown.ts';
import { buildPostRequest, buildResumeKey, buildTextsUrl, type Item, itemAttributes, readItem } from './item.ts';
import { watchKeys } from './keyboard.ts';
import { clearMediaSession, setMediaSession, updateMediaSession } from './media-session.ts';
import { watchScheme } from './page-scheme.ts';
import { createPanels } from './panels.ts';
import { createPlayback, type Playback } from './playback.ts';
import { lookAttributes, readLook } from './player-look.ts';
import { type PlayerState, postTitle } from './player-state.ts';
import { pollPost } from './poll-post.ts';
import { createFilePost, createLoadingPost, type Post } from './post.ts';
import type { Segment } from './read-along/read-along.ts';
import { createPlayerReports } from './reporting/player-reports.ts';
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

/** The first pause before audio that cannot be reached is tried again. */
const firstRetryMs = 5_000;

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
  let look = readLook(host, undefined);
  let settings: Post['settings'];
  let playsWhenReady = false;
  /** The media failed, also after another request. */
  let hasFailed = false;
  /** Where to continue when the server has returned another file. */
  let refreshFromS: number | undefined;
  /** The live stream ended early, or has too many listeners: the player waits for the file. */
  let isStreamOver = false;
  const sticky = createSticky(host, show);
  /** Aborted when the player leaves the page. */
  let stay = new AbortController();
  let following = new AbortController();
  let begunSegment: Segment | undefined;

  const countdown = createCountdown(firstRetryMs, show);

  const playback: Playback = createPlayback({
    changed: show,
    playing: countdown.reset,
    play: () => {
      playsWhenReady = false;
      panels.load();
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
      panels.show(undefined);
      pick(itemIndex + 1);
    },
    failed,
    segments: (segments) => {
      begunSegment = undefined;
      panels.setSegments(segments);
    },
    segment: (segment, word) => {
      panels.show(segment, word);
      if (segment !== begunSegment) emit('segment', segment);
      begunSegment = segment;
    },
  });
  const reports = createPlayerReports(host, playback.audio);
  const view = createView(shadow, {
    toggle: () => (presented().isBroken ? retry() : toggle()),
    skip,
    seek: playback.seek,
    setRate: (rate) => {
      playback.setRate(rate);
      reports.report('speed', rate);
    },
    pick,
    reachSegments: () => runInBackground(playback.loadSegments()),
    openTranscript: (button) => panels.openTranscript(button),
    openMenu: (button) => panels.openMenu(button),
  });
  const panels = createPanels(host, shadow, view.card, {
    toggle,
    returnHere: () => {
      host.scrollIntoView({ block: 'center' });
      view.focus();
    },
    closeMini: () => {
      sticky.close();
      view.focus();
    },
    state: presented,
    changed: show,
    jump,
    chooseVoice: (index) => {
      voice = post.tracks[index];
      if (voice === undefined) return;
      // In another voice the same share of the duration is the same place.
      const share = playback.positionS / (playback.durationS ?? 0) || 0;
      reports.report('voice', voice.voiceId ?? 0);
      runInBackground(playback.switchTo(voice, share * (voice.durationS ?? 0)));
      reports.begin(post.postId, voice);
    },
    reportUse: (kind) => reports.report(kind),
  });
  watchKeys(shadow, {
    toggle,
    skip,
    mute: () => {
      playback.audio.muted = !playback.audio.muted;
      view.announce(playback.audio.muted ? texts.format('muted') : '');
    },
  });

  const changes = new MutationObserver((records) => {
    if (records.every(({ attributeName }) => lookAttributes.includes(attributeName ?? ''))) updateLook();
    else if (host.isConnected) load();
  });
  changes.observe(host, {
    childList: true,
    subtree: true,
    characterData: true,
    attributeFilter: [...itemAttributes, ...lookAttributes],
  });

  const self: PlayerController = {
    playback,
    play,
    pause,
    begin: () => {
      stay = new AbortController();
      const { signal } = stay;
      updateLook();
      watchScheme(updateLook, signal);
      changes.takeRecords();
      // On a phone this is the last event of a page.
      document.addEventListener('visibilitychange', remember, { signal });
      load();
    },
    end: () => {
      remember();
      pause();
      following.abort();
      countdown.reset();
      stay.abort();
      reports.end();
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
    reports.end();
    playback.clear();
    countdown.stop();
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
    if (news.settings !== undefined) settings = news.settings;
    else if (news.phase !== 'loading') settings ??= null;
    if (news.retryAtMs === undefined) countdown.stop();
    else countdown.showUntil(news.retryAtMs);
    post = isStreamOver ? { ...news, tracks: news.tracks.filter(({ isLive }) => !isLive) } : news;
    const wanted = post.tracks.find(({ voiceId }) => voiceId === voice?.voiceId) ?? post.tracks[0];
    if (wanted !== undefined) arrive(wanted, wasLive);
    // The next post of the list may be available.
    if (post.phase === 'empty' && playsWhenReady) pick(itemIndex + 1);
    updateLook();
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
      reports.begin(post.postId, track);
      reports.report('load');
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
    const isWanted = playsWhenReady || playback.isPlaying;
    hasFailed = true;
    playsWhenReady = false;
    countdown.start(() => retry(isWanted));
    view.announce(texts.format('broken'));
    const message = playback.audio.error?.message ?? '';
    emit('error', { message });
    reports.report('error', message);
    show();
  }

  /** @param plays whether playback was wanted */
  function retry(plays = true): void {
    const { positionS } = playback;
    open(itemIndex);
    if (plays) runInBackground(play());
    playback.seek(positionS);
  }

  /** The listener chose a sentence of the page or of the player. */
  function jump(segment: Segment | undefined, place: 'article' | 'player'): void {
    if (segment === undefined) return;
    if (place === 'article') reports.report('click', segment.index);
    playback.seek(segment.start_ms / 1000);
    runInBackground(play());
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

  function updateLook(): void {
    look = readLook(host, settings);
    if (look.layout === 'large') panels.load();
    // A page may reserve room until then.
    if (look.layout === undefined) host.ariaBusy = 'true';
    else host.removeAttribute('aria-busy');
    show();
  }

  function show(): void {
    if (!host.isConnected || pendingTexts !== undefined) return;
    if (activePlayer === self) updateMediaSession(playback.audio);
    const shown = presented();
    view.show(shown);
    panels.update(shown);
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
      ...{ playsWhenReady, look },
      segments: panels.segments,
      isDressed: panels.isLoaded,
      retryInS: countdown.leftS,
      isBroken: hasFailed || (phase === 'broken' && playback.track === undefined),
      isMini: look.hasMini && sticky.isShown(playback.isPlaying),
      isEmpty: phase === 'empty' && hides,
    };
  }
}
