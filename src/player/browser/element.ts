import { download } from './download.ts';
import { type Item, languageAround, readItem, readPlace } from './item.ts';
import { handleKey } from './keyboard.ts';
import { leaveMediaSession, takeMediaSession, tellMediaSession } from './media-session.ts';
import { schemeAround, watchScheme } from './page-scheme.ts';
import { Playback } from './playback.ts';
import { followPost, type Post, postOfFile, unknownPost } from './post.ts';
import { type Presented, postTitle, present } from './presentation.ts';
import { createMemory } from './resume.ts';
import type { Segment } from './segments.ts';
import { createSticky, type Sticky } from './sticky.ts';
import { primary, type Texts, textsFor } from './texts.ts';
import type { Track } from './tracks.ts';
import { createView, type View } from './view.ts';

/** Another player of the page that begins makes this one pause. */
let speaking: LecternPlayer | undefined;

/** Those that say what is played: another value begins anew. */
const sources = [
  ...['post-id', 'audio-url', 'segments-url', 'title', 'duration'],
  ...['base-url', 'domain', 'lang', 'language'],
];

/** `<lectern-player>`: lets the post of a page be heard. */
export class LecternPlayer extends HTMLElement {
  static readonly observedAttributes = [...sources, 'theme', 'sticky', 'download'];

  readonly #view: View;
  readonly #playback: Playback;
  #texts: Texts = textsFor([]).texts;
  #language = 'en';
  #items: readonly Item[] = [];
  #itemIndex = 0;
  #post: Post = unknownPost(readItem(this));
  #voice: Pick<Track, 'language' | 'voiceId'> | undefined;
  #isDark = false;
  #startsWhenThere = false;
  /** The media is gone or broken, and was so after asking again. */
  #hasFailed = false;
  /** Where to go on once the server has named another file. */
  #refreshFromS: number | undefined;
  readonly #memory = createMemory(() => this.getAttribute('resume') !== 'off');
  #sticky: Sticky | undefined;
  /** Ends with the element's stay in the page. */
  #stay: AbortController | undefined;
  #following: AbortController | undefined;
  #isReloadDue = false;

  constructor() {
    super();
    const shadow = this.attachShadow({ mode: 'open' });
    this.#playback = new Playback({
      changed: () => this.#show(),
      play: () => this.#onPlay(),
      pause: () => this.#onPause(),
      ended: () => this.#onEnded(),
      failed: () => this.#onFailed(),
      segment: (segment) => this.#onSegment(segment),
    });
    const skip = (seconds: number) => this.#playback.seek(this.currentTime + seconds);
    const toggle = () => (this.paused && !this.#startsWhenThere ? void this.play() : this.pause());
    this.#view = createView(shadow, {
      toggle,
      skip,
      seek: (positionS) => this.#playback.seek(positionS),
      setRate: (rate) => this.#playback.setRate(rate),
      chooseVoice: (index) => this.#chooseVoice(index),
      open: (index) => this.#pick(index),
      retry: () => this.#retry(),
      download: () => this.#download(),
      returnHere: () => {
        this.scrollIntoView({ block: 'center' });
        this.#view.focus();
      },
      closeMini: () => {
        this.#sticky?.close();
        this.#view.focus();
      },
    });
    const mute = () => {
      const { audio } = this.#playback;
      audio.muted = !audio.muted;
      this.#view.say(audio.muted ? this.#texts.muted : this.#texts.unmuted);
    };
    const seekTo = (share: 0 | 1) => this.#playback.seek(share * (this.#playback.durationS ?? 0));
    shadow.addEventListener('keydown', (event) => {
      if (event instanceof KeyboardEvent) handleKey(event, { toggle, skip, seekTo, mute });
    });
  }

  get currentTime(): number {
    return this.#playback.positionS;
  }

  set currentTime(seconds: number) {
    this.#playback.seek(seconds);
  }

  /** Seconds; `NaN` while it is unknown. */
  get duration(): number {
    return this.#playback.durationS ?? Number.NaN;
  }

  get paused(): boolean {
    return !this.#playback.isPlaying;
  }

  get playbackRate(): number {
    return this.#playback.audio.playbackRate;
  }

  set playbackRate(rate: number) {
    this.#playback.setRate(rate);
  }

  /** Plays as soon as there is something to play. */
  async play(): Promise<void> {
    this.#startsWhenThere = this.#playback.track === undefined;
    if (!this.#startsWhenThere) await this.#playback.play();
    this.#show();
  }

  pause(): void {
    this.#startsWhenThere = false;
    this.#playback.pause();
    this.#show();
  }

  connectedCallback(): void {
    this.#stay = new AbortController();
    const { signal } = this.#stay;
    this.#sticky = createSticky(this, () => this.#show(), signal);
    const look = () => {
      const theme = this.getAttribute('theme');
      const isFixed = theme === 'light' || theme === 'dark';
      this.#isDark = (isFixed ? theme : schemeAround(this)) === 'dark';
      this.#show();
    };
    look();
    watchScheme(look, signal);
    const children = new MutationObserver(() => this.#reloadSoon());
    children.observe(this, { childList: true, subtree: true, characterData: true });
    signal.addEventListener('abort', () => children.disconnect());
    window.addEventListener('pagehide', () => this.#remember(), { signal });
    this.#load();
  }

  disconnectedCallback(): void {
    this.pause();
    this.#following?.abort();
    this.#stay?.abort();
    this.#playback.clear();
    this.#items = [];
    if (speaking !== this) return;
    leaveMediaSession();
    speaking = undefined;
  }

  attributeChangedCallback(name: string): void {
    if (!this.isConnected) return;
    if (sources.includes(name)) this.#reloadSoon();
    else if (name === 'theme') {
      this.disconnectedCallback();
      this.connectedCallback();
    } else this.#show();
  }

  /** Once for all that changes in one go. */
  #reloadSoon(): void {
    if (this.#isReloadDue) return;
    this.#isReloadDue = true;
    queueMicrotask(() => {
      this.#isReloadDue = false;
      if (this.isConnected) this.#load();
    });
  }

  #load(): void {
    const named = [this.getAttribute('lang'), languageOf(document.documentElement)];
    const wanted = [...named, ...navigator.languages].filter((code) => code !== null);
    const { texts, language } = textsFor(wanted);
    this.#texts = texts;
    this.#language = language;
    this.#view.setTexts(texts, language);
    const children = [...this.querySelectorAll('lectern-item')];
    this.#items = (children.length === 0 ? [this] : children).map(readItem);
    this.#open(0);
  }

  #open(index: number): void {
    const item = this.#items[index];
    if (item === undefined) return;
    this.#remember();
    this.#itemIndex = index;
    this.#playback.clear();
    this.#hasFailed = false;
    this.#voice = undefined;
    this.#refreshFromS = undefined;
    this.hidden = false;
    this.#post = unknownPost(item);
    this.#show();
    this.#follow(item, false);
  }

  #follow(item: Item, isOutOfDate: boolean): void {
    this.#following?.abort();
    if (item.audioUrl !== null) {
      this.#tell(postOfFile(item, item.audioUrl));
      return;
    }
    this.#following = new AbortController();
    const named = this.getAttribute('language');
    const language = named === null ? languageAround(this) : primary(named);
    const wanted = { place: readPlace(this), item, language, isOutOfDate };
    const isLanguageGuessed = named === null;
    const tell = (post: Post) => this.#tell(post);
    void followPost({ ...wanted, isLanguageGuessed }, tell, this.#following.signal);
  }

  #tell(post: Post): void {
    const playing = this.#playback.track;
    // Whoever listens goes on listening.
    if (post.tracks.length === 0 && playing !== undefined && !this.#hasFailed) return;
    const before = this.#post.phase;
    this.#post = post;
    const track = this.#trackOf(post);
    if (track !== undefined) this.#arrive(track, playing);
    if (post.phase === 'ready' && (before === 'making' || before === 'waiting')) {
      this.#view.say(this.#texts.ready);
    }
    if (post.phase === 'empty' && this.#startsWhenThere) this.#pick(this.#itemIndex + 1);
    this.#show();
  }

  #arrive(track: Track, playing: Track | undefined): void {
    if (this.#refreshFromS !== undefined) this.#refresh(track, this.#refreshFromS);
    else if (playing === undefined) {
      const key = this.#resumeKey(track);
      this.#playback.take(track, track.isLive ? 0 : this.#memory.recall(key, track.durationS));
      this.#emit('ready', { duration: track.durationS ?? null });
      if (this.#startsWhenThere) void this.play();
    } else if (playing.isLive && !track.isLive) void this.#playback.swap(track);
    else if (playing.url !== track.url && !this.#playback.hasBegun) {
      this.#playback.take(track, 0);
    }
  }

  #refresh(track: Track, fromS: number): void {
    this.#refreshFromS = undefined;
    this.#hasFailed = track.url === this.#playback.track?.url;
    if (this.#hasFailed) this.#onFailed();
    else void this.#playback.change(track, fromS);
  }

  #trackOf({ tracks }: Post): Track | undefined {
    const chosen = tracks.find(
      ({ voiceId, language }) =>
        voiceId === this.#voice?.voiceId && language === this.#voice.language,
    );
    return chosen ?? tracks[0];
  }

  #chooseVoice(index: number): void {
    const track = this.#post.tracks[index];
    const { durationS, positionS } = this.#playback;
    if (track === undefined) return;
    this.#voice = track;
    // Another voice is as far at the same share of its time.
    const share = durationS === undefined || durationS === 0 ? 0 : positionS / durationS;
    void this.#playback.change(track, share * (track.durationS ?? 0));
  }

  #pick(index: number): void {
    if (index === this.#itemIndex) return void this.play();
    if (this.#items[index] === undefined) return;
    this.#startsWhenThere = true;
    this.#open(index);
    this.#view.say(this.#title());
  }

  #retry(): void {
    const { positionS } = this.#playback;
    this.#open(this.#itemIndex);
    void this.play();
    this.#playback.seek(positionS);
  }

  #download(): void {
    const { track } = this.#playback;
    if (track === undefined) return;
    this.#emit('download', {});
    download(track.url, this.#title()).catch(() => window.open(track.url, '_blank', 'noopener'));
  }

  #onPlay(): void {
    this.#startsWhenThere = false;
    if (speaking !== this) speaking?.pause();
    speaking = this;
    const step = (by: number) => {
      const index = this.#itemIndex + by;
      return this.#items[index] === undefined ? null : () => this.#pick(index);
    };
    takeMediaSession(this.#title(), siteName(), {
      play: () => void this.play(),
      pause: () => this.pause(),
      skip: (seconds) => this.#playback.seek(this.currentTime + seconds),
      seekTo: (positionS) => this.#playback.seek(positionS),
      previous: step(-1),
      next: step(1),
    });
    this.#emit('play', { currentTime: this.currentTime });
  }

  #onPause(): void {
    this.#remember();
    this.#emit('pause', { currentTime: this.currentTime });
  }

  #onEnded(): void {
    this.#memory.keep(this.#resumeKey(), 0);
    this.#emit('ended', {});
    this.#pick(this.#itemIndex + 1);
  }

  /** A file that is gone may have another address by now: that is asked once. */
  #onFailed(): void {
    const item = this.#items[this.#itemIndex];
    const isNew = !this.#hasFailed && this.#refreshFromS === undefined;
    if (isNew && item !== undefined && item.audioUrl === null) {
      this.#refreshFromS = this.currentTime;
      this.#follow(item, true);
      return;
    }
    this.#hasFailed = true;
    this.#startsWhenThere = false;
    this.#view.say(this.#texts.broken);
    this.#emit('error', { message: this.#playback.audio.error?.message ?? '' });
    this.#show();
  }

  #onSegment(segment: Segment): void {
    this.#emit('segment', { ...segment });
  }

  #emit(name: string, detail: object): void {
    const postId = this.#post.postId ?? null;
    const about = { bubbles: true, composed: true, detail: { postId, ...detail } };
    this.dispatchEvent(new CustomEvent(`lectern-${name}`, about));
  }

  #resumeKey(track = this.#playback.track): string {
    const { baseUrl, domain } = readPlace(this);
    const post = `${domain}/${this.#post.postId}/${track?.language}`;
    return this.#items[this.#itemIndex]?.audioUrl ?? `${baseUrl} ${post}`;
  }

  #remember(): void {
    const { audio, positionS, hasBegun } = this.#playback;
    if (hasBegun && !audio.ended) this.#memory.keep(this.#resumeKey(), positionS);
  }

  #title(): string {
    return postTitle(this.#presented());
  }

  #show(): void {
    if (!this.isConnected) return;
    const { audio, positionS, isPlaying } = this.#playback;
    if (isPlaying) this.#memory.keepNowAndThen(this.#resumeKey(), positionS);
    if (speaking === this) tellMediaSession(audio);
    this.#view.show(present(this.#presented()));
  }

  #presented(): Presented {
    return {
      texts: this.#texts,
      language: this.#language,
      playback: this.#playback,
      post: this.#post,
      items: this.#items,
      itemIndex: this.#itemIndex,
      startsWhenThere: this.#startsWhenThere,
      hasFailed: this.#hasFailed,
      isDark: this.#isDark,
      isMini: this.#sticky?.isShown(this.#playback.isPlaying) ?? false,
      canDownload: this.hasAttribute('download'),
      hidesWhenEmpty: this.getAttribute('hidden-when-empty') !== 'off',
    };
  }
}

function languageOf(element: Element): string | null {
  return element.getAttribute('lang');
}

function siteName(): string {
  const name = document.querySelector('meta[property="og:site_name"]')?.getAttribute('content');
  return name ?? location.hostname;
}
