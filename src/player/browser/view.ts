import { createChoice } from './choice.ts';
import { make, setLabel, write } from './dom.ts';
import { drawIcon, type Icon } from './icons.ts';
import { createMiniPlayer } from './mini-player.ts';
import { createPlayButton } from './play-button.ts';
import { createPlaylist } from './playlist.ts';
import { createSeekBar } from './seek-bar.ts';
import { styles } from './styles.ts';
import type { Texts } from './texts.ts';
import { clockTime } from './time-text.ts';

/** All that the reader sees. */
export interface Shown {
  readonly title: string;
  readonly miniTitle: string;
  readonly status: string;
  readonly isDark: boolean;
  readonly isEmpty: boolean;
  readonly isPlayable: boolean;
  readonly isPlaying: boolean;
  /** Wants to play, but has nothing yet. */
  readonly isWaiting: boolean;
  readonly canRetry: boolean;
  readonly positionS: number;
  /** Undefined while it is unknown: then nothing can be sought. */
  readonly durationS: number | undefined;
  /** Loaded, or made; 0 to 1. */
  readonly bufferedShare: number;
  readonly rate: number;
  readonly voices: readonly string[];
  readonly voice: number;
  readonly downloadUrl: string | undefined;
  readonly titles: readonly string[];
  readonly item: number;
  readonly isMini: boolean;
}

/** What the reader does. */
export interface Actions {
  toggle(): void;
  skip(seconds: number): void;
  seek(positionS: number): void;
  setRate(rate: number): void;
  chooseVoice(index: number): void;
  /** To another post of the playlist. */
  open(index: number): void;
  retry(): void;
  download(): void;
  returnHere(): void;
  closeMini(): void;
}

export interface View {
  show(shown: Shown): void;
  setTexts(texts: Texts, language: string): void;
  /** Has it read aloud. */
  say(text: string): void;
  focus(): void;
}

const usualRates: readonly number[] = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3];

/** Builds the player once; what changes later is written into it. */
export function createView(root: ShadowRoot, actions: Actions): View {
  let texts: Texts | undefined;
  let language = 'en';
  let item = 0;
  const playButton = createPlayButton(actions.toggle);
  const title = make('div', { class: 'title', part: 'title' });
  const status = make('span', { part: 'status' });
  const retry = iconless('retry', actions.retry);
  const voices = createChoice('voice', actions.chooseVoice);
  let rates = usualRates;
  const speed = createChoice('speed', (index) => actions.setRate(rates[index] ?? 1));
  voices.element.className = 'voice';
  speed.element.className = 'speed';
  const previous = button('previous', 'skip-button', () => actions.open(item - 1));
  const back = button('back', 'skip-button', () => actions.skip(-15));
  const forward = button('forward', 'skip-button', () => actions.skip(15));
  const next = button('next', 'skip-button', () => actions.open(item + 1));
  const save = button('download', 'download', actions.download);
  const elapsed = make('span', { class: 'time', part: 'elapsed' });
  const total = make('span', { class: 'time', part: 'total' });
  const seekBar = createSeekBar(actions.seek);
  const playlist = createPlaylist(actions.open);
  const said = make('div', { class: 'said', role: 'status' });
  const mini = createMiniPlayer(actions.toggle, actions.returnHere, actions.closeMini);
  const about = make('div', { class: 'about' }, title);
  about.append(make('div', { class: 'status' }, status, voices.element, retry));
  const buttons = make('div', { class: 'actions', part: 'actions' });
  buttons.append(previous, back, forward, next, speed.element, save);
  const seek = make('div', { class: 'seek' }, elapsed, seekBar.element, total);
  const card = make('div', { class: 'card', part: 'player', role: 'group' });
  card.append(playButton.element, about, seek, buttons);
  const fold = make('div', { class: 'fold' }, card, playlist.element);
  const wrapper = make('div', { class: 'root' }, fold, said, mini.element);
  root.adoptedStyleSheets = [styles];
  root.append(wrapper);

  return {
    show: (shown) => {
      ({ item } = shown);
      const { positionS, durationS, isPlayable } = shown;
      wrapper.classList.toggle('dark', shown.isDark);
      wrapper.classList.toggle('empty', shown.isEmpty);
      wrapper.inert = shown.isEmpty;
      const name = (shown.isPlaying ? texts?.pause : texts?.play) ?? '';
      for (const each of [playButton, mini.playButton]) {
        each.show(shown.isPlaying, shown.isWaiting, name);
      }
      playButton.element.disabled = !isPlayable;
      write(title, shown.title);
      write(status, shown.status);
      card.ariaLabel = shown.title;
      retry.hidden = !shown.canRetry;
      const canSeek = isPlayable && durationS !== undefined;
      back.disabled = forward.disabled = !canSeek;
      const clock = clockTime(positionS);
      const end = durationS === undefined ? '–:––' : clockTime(durationS);
      write(elapsed, clock);
      write(total, end);
      for (const time of [elapsed, total]) time.classList.toggle('long', (durationS ?? 0) >= 3600);
      seekBar.show(positionS, canSeek ? durationS : undefined, shown.bufferedShare);
      rates = ratesWith(shown.rate);
      const rateNames = rates.map((rate) => `${rate.toLocaleString(language)}×`);
      speed.show(rateNames, rates.indexOf(shown.rate));
      voices.element.hidden = shown.voices.length < 2;
      voices.show(shown.voices, shown.voice);
      save.hidden = shown.downloadUrl === undefined;
      const isList = shown.titles.length > 1;
      previous.hidden = next.hidden = !isList;
      previous.disabled = item === 0;
      next.disabled = item >= shown.titles.length - 1;
      playlist.show(shown.titles, item);
      const share = durationS === undefined ? 0 : positionS / durationS;
      mini.show(shown.isMini, shown.miniTitle, `${clock} / ${end}`, share);
    },
    setTexts: (spoken, spokenLanguage) => {
      texts = spoken;
      language = spokenLanguage;
      wrapper.lang = language;
      retry.textContent = texts.retry;
      const named = { back, forward, previous, next, download: save } as const;
      for (const [key, element] of Object.entries(named)) {
        setLabel(element, texts[key as keyof typeof named]);
      }
      setLabel(speed.element, texts.speed);
      setLabel(voices.element, texts.voice);
      setLabel(playlist.element, texts.list);
      seekBar.setTexts(texts, language);
      mini.setTexts(texts);
    },
    say: (text) => write(said, text),
    focus: () => playButton.element.focus({ preventScroll: true }),
  };
}

function button(icon: Icon, part: string, onClick: () => void): HTMLButtonElement {
  const element = make('button', { type: 'button', class: 'icon', part }, drawIcon(icon));
  element.addEventListener('click', onClick);
  return element;
}

function iconless(name: string, onClick: () => void): HTMLButtonElement {
  const element = make('button', { type: 'button', class: name, part: name });
  element.addEventListener('click', onClick);
  return element;
}

/** A rate that a script set may stand between the usual ones. */
function ratesWith(rate: number): readonly number[] {
  return usualRates.includes(rate) ? usualRates : [...usualRates, rate].sort((a, b) => a - b);
}
