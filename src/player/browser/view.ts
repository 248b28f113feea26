import { createChoice } from './choice.ts';
import { createButton, createElement, setLabel, setText } from './dom.ts';
import { formatClockTime } from './format-time.ts';
import { drawIcon, type Icon } from './icons.ts';
import { createMiniPlayer } from './mini-player.ts';
import { createPlayButton } from './play-button.ts';
import { headline, type PlayerState, postTitle, rowTitles, statusLine, voiceNames } from './player-state.ts';
import { createPlaylist } from './playlist.ts';
import { createSeekBar } from './seek-bar.ts';
import { styles } from './styles.ts';

/** Actions of the listener. */
export interface Actions {
  toggle(): void;
  skip(seconds: number): void;
  seek(positionS: number): void;
  setRate(rate: number): void;
  chooseVoice(index: number): void;
  /** Selects another post of the playlist. */
  pick(index: number): void;
  retry(): void;
  download(): void;
  returnHere(): void;
  closeMini(): void;
}

export interface View {
  show(presented: PlayerState): void;
  /** Announces a text to screen readers. */
  announce(text: string): void;
  focus(): void;
}

const defaultRates = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3];

/** Builds the elements once; `show` updates them. */
export function createView(root: ShadowRoot, actions: Actions): View {
  let item = 0;
  let rates = defaultRates;
  const button = (icon: Icon, onClick: () => void) =>
    createButton({ class: 'icon', part: `button ${icon}` }, onClick, drawIcon(icon));
  const time = (part: string) => createElement('span', { class: 'time', part });
  const row = (name: string, ...children: Node[]) => createElement('div', { class: name }, ...children);

  const playButton = createPlayButton(actions.toggle);
  const title = createElement('div', { class: 'title', part: 'title' });
  const status = createElement('span', { part: 'status' });
  const retry = createButton({ class: 'retry', part: 'retry' }, actions.retry);
  const voices = createChoice('voice', actions.chooseVoice);
  const speed = createChoice('speed', (index) => actions.setRate(rates[index] ?? 1));
  const named = {
    previous: button('previous', () => actions.pick(item - 1)),
    back: button('back', () => actions.skip(-15)),
    forward: button('forward', () => actions.skip(15)),
    next: button('next', () => actions.pick(item + 1)),
    speed: speed.element,
    download: button('download', actions.download),
  };
  const { previous, back, forward, next, download } = named;
  const elapsed = time('elapsed');
  const total = time('total');
  const seekBar = createSeekBar(actions.seek);
  const playlist = createPlaylist(actions.pick);
  const mini = createMiniPlayer(actions.toggle, actions.returnHere, actions.closeMini);
  const said = createElement('div', { class: 'said', role: 'status' });
  const card = createElement(
    'div',
    { class: 'card', part: 'player', role: 'group' },
    playButton.element,
    row('about', title, row('status', status, voices.element, retry)),
    row('seek', elapsed, seekBar.element, total),
    row('actions', ...Object.values(named)),
  );
  const wrapper = row('root', row('fold', card, playlist.element), said, mini.element);
  root.adoptedStyleSheets = [styles];
  root.append(wrapper);

  return {
    show: (presented) => {
      const { texts, playback, post, items, isBroken, isEmpty, playsWhenReady } = presented;
      const { format, language } = texts;
      const { track, positionS, audio } = playback;
      const isLive = track?.isLive === true;
      const durationS = (!isLive && playback.durationS) || 0;
      const isPlayable = track !== undefined && !isBroken;
      const isPlaying = playback.isPlaying || playsWhenReady;
      item = presented.itemIndex;

      wrapper.lang = language;
      wrapper.classList.toggle('dark', presented.isDark);
      wrapper.classList.toggle('empty', isEmpty);
      wrapper.inert = isEmpty;
      for (const each of [playButton, mini.playButton]) {
        const isWaiting = playback.isWaiting || playsWhenReady;
        each.show(isPlaying, isWaiting && !isBroken, format(isPlaying ? 'pause' : 'play'));
      }
      playButton.element.disabled = !isPlayable && !playsWhenReady;
      setText(title, headline(presented));
      card.ariaLabel = headline(presented);
      setText(status, statusLine(presented));
      setText(retry, format('retry'));
      retry.hidden = !isBroken;

      const share = isLive ? post.progressPercent / 100 : playback.bufferedS / durationS || 0;
      const clock = formatClockTime(positionS);
      const end = durationS === 0 ? '–:––' : formatClockTime(durationS);
      setText(elapsed, clock);
      setText(total, end);
      seekBar.show(texts, positionS, isPlayable ? durationS : 0, share);
      back.disabled = forward.disabled = !isPlayable || durationS === 0;

      // A script may set another speed than the options.
      rates = [...new Set([...defaultRates, audio.playbackRate])];
      const rateNames = rates.map((rate) => `${rate.toLocaleString(language)}×`);
      speed.show(rateNames, rates.indexOf(audio.playbackRate));
      voices.element.hidden = post.tracks.length < 2;
      const place = post.tracks.findIndex(({ url }) => url === track?.url);
      voices.show(voiceNames(post.tracks, texts), place);
      setLabel(voices.element, format('voice'));
      for (const [name, element] of Object.entries(named)) setLabel(element, format(name as Named));
      download.hidden = !presented.canDownload;
      download.disabled = !isPlayable || isLive;

      previous.hidden = next.hidden = items.length < 2;
      previous.disabled = item === 0;
      next.disabled = item === items.length - 1;
      playlist.show(rowTitles(presented), item);
      const miniTime = `${clock} / ${end}`;
      const played = positionS / durationS || 0;
      mini.show(presented.isMini, texts, postTitle(presented), miniTime, played);
    },
    announce: (text) => setText(said, text),
    focus: () => playButton.element.focus({ preventScroll: true }),
  };

  type Named = keyof typeof named;
}
