import { createChoice } from './choice.ts';
import { createButton, createElement, setLabel, setText } from './dom.ts';
import { formatClockTime, formatTimeLeft } from './format-time.ts';
import { drawIcon, type Icon } from './icons.ts';
import { createPlayButton } from './play-button.ts';
import {
  headline,
  isWaiting,
  lengthText,
  type PlayerState,
  playAction,
  rowTitles,
  statusLine,
} from './player-state.ts';
import { createPlaylist } from './playlist.ts';
import { createSeekBar } from './seek-bar.ts';
import { styles } from './styles.ts';

/** Actions of the listener. */
export interface Actions {
  toggle(): void;
  skip(seconds: number): void;
  seek(positionS: number): void;
  setRate(rate: number): void;
  /** Selects another post of the playlist. */
  pick(index: number): void;
  /** The listener is about to use the timings. */
  reachSegments(): void;
  /** @param button that opens it */
  openTranscript(button: HTMLElement): void;
  openMenu(button: HTMLElement): void;
}

export interface View {
  /** Holds the panels of the second script. */
  readonly card: HTMLElement;
  show(presented: PlayerState): void;
  /** Announces a text to screen readers. */
  announce(text: string): void;
  focus(): void;
}

/** Builds the elements once; `show` updates them. */
export function createView(root: ShadowRoot, actions: Actions): View {
  let item = 0;
  const button = (icon: Icon, onClick: () => void) =>
    createButton({ class: `icon ${icon}`, part: `button ${icon}` }, onClick, drawIcon(icon));
  const time = (part: string) => createElement('span', { class: `time ${part}`, part });
  const row = (name: string, ...children: Node[]) => createElement('div', { class: name }, ...children);

  const playButton = createPlayButton(actions.toggle);
  const title = createElement('div', { class: 'title', part: 'title' });
  const status = createElement('span', { class: 'status', part: 'status' });
  const rates = createRates(actions.setRate);
  const previous = button('previous', () => actions.pick(item - 1));
  const back = button('back', () => actions.skip(-15));
  const forward = button('forward', () => actions.skip(15));
  const next = button('next', () => actions.pick(item + 1));
  const transcript = button('transcript', () => actions.openTranscript(transcript));
  const more = button('more', () => actions.openMenu(more));
  // The script that opens them comes with the first click.
  transcript.ariaExpanded = 'false';
  more.ariaExpanded = 'false';
  const named = { previous, back, forward, next, speed: rates.element, transcript, more };
  const elapsed = time('elapsed');
  const total = time('total');
  const seekBar = createSeekBar({ seek: actions.seek, reached: actions.reachSegments });
  const playlist = createPlaylist(actions.pick);
  const announcement = createElement('div', { class: 'said', role: 'status' });
  const initial = createElement('span');
  const art = createElement('div', { class: 'art', 'aria-hidden': 'true' }, initial);
  const card = createElement(
    'div',
    { class: 'card', part: 'player', role: 'group' },
    playButton.element,
    back,
    row('mid', art, title, seekBar.element, row('times', elapsed, status, total)),
    forward,
    rates.element,
    row('end', previous, next, transcript, more),
  );
  const wrapper = row('root', row('fold', card, playlist.element), announcement);
  root.adoptedStyleSheets.push(styles);
  root.append(wrapper);

  const showClasses = ({ look, isEmpty, isDressed, isBroken, ...presented }: PlayerState): void => {
    const { playback, post, playsWhenReady } = presented;
    const isLive = playback.track?.isLive === true;
    const classes = {
      [look.layout ?? 'unknown']: true,
      dark: look.isDark,
      empty: isEmpty,
      // Until the styles of the large layout are loaded.
      unknown: look.layout === undefined || (look.layout === 'large' && !isDressed),
      begun: (playback.hasBegun || playsWhenReady) && !isBroken,
      broken: isBroken,
      live: isLive && post.progressPercent < 100,
      note: isLive || playback.audio.muted || presented.items.length > 1,
      tinted: look.style.accent !== null,
    };
    const names = Object.entries(classes).flatMap(([name, isSet]) => (isSet ? [name] : []));
    wrapper.className = `root ${names.join(' ')}`;
    for (const [name, value] of Object.entries(look.style)) wrapper.style.setProperty(`--lectern-site-${name}`, value);
  };

  return {
    card,
    show: (presented) => {
      const { texts, playback, post, items, segments, look, isBroken, isEmpty, playsWhenReady } = presented;
      const { format, language } = texts;
      const { track, positionS } = playback;
      const isLive = track?.isLive === true;
      const durationS = (!isLive && playback.durationS) || 0;
      const isPlayable = track !== undefined && !isBroken;
      item = presented.itemIndex;

      showClasses(presented);
      wrapper.lang = language;
      wrapper.dir = getComputedStyle(root.host).direction;
      // The texts of the player run from left to right in every language that it has: in isolation on other pages.
      const setLine = (element: Element, text: string) =>
        setText(element, wrapper.dir === 'rtl' ? `\u2066${text}\u2069` : text);
      wrapper.inert = isEmpty;
      const action = playAction(presented);
      playButton.show(action, isWaiting(presented), format(action));
      playButton.element.disabled = !isPlayable && !playsWhenReady && !isBroken;
      const heading = headline(presented);
      const line = statusLine(presented);
      setText(title, heading);
      setText(initial, look.initial);
      setLine(
        status,
        look.layout === 'pill' && !isBroken && !isLive && !playback.audio.muted ? lengthText(presented) : line,
      );
      card.ariaLabel = look.layout === 'pill' ? `${heading}, ${line}` : heading;

      const clock = formatClockTime(positionS);
      const end = durationS === 0 ? '–:––' : formatClockTime(playback.lengthS ?? 0);
      setLine(elapsed, clock);
      setLine(total, durationS === 0 ? end : formatTimeLeft(positionS, playback.lengthS ?? 0));
      seekBar.setSegments(segments);
      const played = positionS / durationS || 0;
      seekBar.show(texts, positionS, isPlayable ? durationS : 0, isLive ? post.progressPercent / 100 : played);
      back.disabled = forward.disabled = !isPlayable || durationS === 0;

      rates.show(playback.audio.playbackRate, language);
      for (const [name, element] of Object.entries(named)) setLabel(element, format(name as Named));
      // While the audio is unknown the button keeps its place.
      transcript.hidden = !look.hasTranscript || (track !== undefined && track.segmentsUrl === undefined);
      more.disabled = transcript.disabled = !isPlayable;

      previous.hidden = next.hidden = items.length < 2;
      previous.disabled = item === 0;
      next.disabled = item === items.length - 1;
      playlist.show(rowTitles(presented), item);
    },
    announce: (text) => setText(announcement, text),
    focus: () => playButton.element.focus({ preventScroll: true }),
  };

  type Named = keyof typeof named;
}

const defaultRates = [0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2];

/** The menu of speeds. */
function createRates(onChoose: (rate: number) => void) {
  let rates = defaultRates;
  const choice = createChoice('speed', (index) => onChoose(rates[index] ?? 1));
  return {
    element: choice.element,
    show: (rate: number, language: string): void => {
      // A script may set another speed than the options.
      rates = [...new Set([...defaultRates, rate])];
      choice.show(
        rates.map((each) => `${each.toLocaleString(language)}×`),
        rates.indexOf(rate),
      );
    },
  };
}
