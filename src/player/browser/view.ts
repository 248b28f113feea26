import { createChoice } from './choice.ts';
import { label, make, makeButton, write } from './dom.ts';
import { drawIcon, type Icon } from './icons.ts';
import { createMiniPlayer } from './mini-player.ts';
import { createPlayButton } from './play-button.ts';
import { createPlaylist } from './playlist.ts';
import {
  headline,
  type Presented,
  postTitle,
  rowTitles,
  statusLine,
  voiceNames,
} from './presentation.ts';
import { createSeekBar } from './seek-bar.ts';
import { styles } from './styles.ts';
import { clockTime } from './time-text.ts';

/** What the reader does. */
export interface Actions {
  toggle(): void;
  skip(seconds: number): void;
  seek(positionS: number): void;
  setRate(rate: number): void;
  chooseVoice(index: number): void;
  /** To another post of the playlist. */
  pick(index: number): void;
  retry(): void;
  download(): void;
  returnHere(): void;
  closeMini(): void;
}

export interface View {
  show(presented: Presented): void;
  /** Has it read aloud. */
  say(text: string): void;
  focus(): void;
}

const usualRates = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3];

/** Builds the player once; what changes later is written into it. */
export function createView(root: ShadowRoot, actions: Actions): View {
  let item = 0;
  let rates = usualRates;
  const button = (icon: Icon, onClick: () => void) =>
    makeButton({ class: 'icon', part: `button ${icon}` }, onClick, drawIcon(icon));
  const time = (part: string) => make('span', { class: 'time', part });
  const row = (name: string, ...children: Node[]) => make('div', { class: name }, ...children);

  const playButton = createPlayButton(actions.toggle);
  const title = make('div', { class: 'title', part: 'title' });
  const status = make('span', { part: 'status' });
  const retry = makeButton({ class: 'retry', part: 'retry' }, actions.retry);
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
  const said = make('div', { class: 'said', role: 'status' });
  const card = make(
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
      const { texts, playback, post, items, isBroken, isEmpty, startsWhenThere } = presented;
      const { say, language } = texts;
      const { track, positionS, audio } = playback;
      const isLive = track?.isLive === true;
      const durationS = (!isLive && playback.durationS) || 0;
      const isPlayable = track !== undefined && !isBroken;
      const isPlaying = playback.isPlaying || startsWhenThere;
      item = presented.itemIndex;

      wrapper.lang = language;
      wrapper.classList.toggle('dark', presented.isDark);
      wrapper.classList.toggle('empty', isEmpty);
      wrapper.inert = isEmpty;
      for (const each of [playButton, mini.playButton]) {
        const isWaiting = playback.isWaiting || startsWhenThere;
        each.show(isPlaying, isWaiting && !isBroken, say(isPlaying ? 'pause' : 'play'));
      }
      playButton.element.disabled = !isPlayable && !startsWhenThere;
      write(title, headline(presented));
      card.ariaLabel = headline(presented);
      write(status, statusLine(presented));
      write(retry, say('retry'));
      retry.hidden = !isBroken;

      const share = isLive ? post.progressPercent / 100 : playback.bufferedS / durationS || 0;
      const clock = clockTime(positionS);
      const end = durationS === 0 ? '–:––' : clockTime(durationS);
      write(elapsed, clock);
      write(total, end);
      seekBar.show(texts, positionS, isPlayable ? durationS : 0, share);
      back.disabled = forward.disabled = !isPlayable || durationS === 0;

      // One that a script set may be none of the usual.
      rates = [...new Set([...usualRates, audio.playbackRate])];
      const rateNames = rates.map((rate) => `${rate.toLocaleString(language)}×`);
      speed.show(rateNames, rates.indexOf(audio.playbackRate));
      voices.element.hidden = post.tracks.length < 2;
      const place = post.tracks.findIndex(({ url }) => url === track?.url);
      voices.show(voiceNames(post.tracks, texts), place);
      label(voices.element, say('voice'));
      for (const [name, element] of Object.entries(named)) label(element, say(name as Named));
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
    say: (text) => write(said, text),
    focus: () => playButton.element.focus({ preventScroll: true }),
  };

  type Named = keyof typeof named;
}
