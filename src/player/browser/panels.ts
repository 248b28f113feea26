import { runInBackground } from './background.ts';
import { findArticle, getBaseUrl, getPageUrl } from './item.ts';
import { loadExtras } from './load-extras.ts';
import { type PlayerState, postTitle, voiceNames } from './player-state.ts';
import type { ReadAlong, Segment, TimedWord } from './read-along/read-along.ts';

type Extras = NonNullable<Awaited<ReturnType<typeof loadExtras>>>;

interface PanelActions {
  /** What the player shows. */
  state(): PlayerState;
  changed(): void;
  /** @param place where the listener chose it */
  jump(segment: Segment | undefined, place: 'article' | 'player'): void;
  chooseVoice(index: number): void;
  reportUse(kind: 'download' | 'share'): void;
  toggle(): void;
  returnHere(): void;
  closeMini(): void;
}

/** Read-along, transcript, menu and mini player, which are loaded when they are needed. */
export interface Panels {
  readonly segments: readonly Segment[];
  /** Whether the second script is loaded. */
  readonly isLoaded: boolean;
  load(): void;
  setSegments(segments: readonly Segment[]): void;
  /** @param segment that is spoken; undefined at the end */
  show(segment: Segment | undefined, word?: TimedWord): void;
  openTranscript(button: HTMLElement): void;
  openMenu(button: HTMLElement): void;
  update(presented: PlayerState): void;
}

export function createPanels(host: Element, shadow: ShadowRoot, card: HTMLElement, actions: PanelActions): Panels {
  let segments: readonly Segment[] = [];
  let extras: Extras | undefined;
  let reading: ReadAlong | undefined;
  let transcript: ReturnType<Extras['createTranscript']> | undefined;
  let menu: ReturnType<Extras['createMenu']> | undefined;
  let mini: ReturnType<Extras['createMiniPlayer']> | undefined;
  let spoken: readonly [Segment | undefined, TimedWord | undefined] = [undefined, undefined];

  const language = (): string => actions.state().playback.track?.language ?? '';
  const load = async (): Promise<Extras | undefined> => {
    const loaded = await loadExtras(getBaseUrl(host));
    if (loaded === undefined || extras !== undefined) return extras;
    extras = loaded;
    shadow.adoptedStyleSheets.push(loaded.styles);
    actions.changed();
    return extras;
  };
  const read = async (): Promise<void> => {
    const current = segments;
    const { readAlong } = (await load()) ?? {};
    if (current !== segments || readAlong === undefined) return;
    reading = readAlong(current, findArticle(host), (index) => actions.jump(current[index], 'article'));
    reading.show(spoken[0]?.index, spoken[1]);
  };
  const download = (save: Extras['download']): void => {
    const url = actions.state().playback.track?.url ?? '';
    actions.reportUse('download');
    save(url, postTitle(actions.state())).catch(() => window.open(url, '_blank', 'noopener'));
  };

  const self: Panels = {
    get segments() {
      return segments;
    },
    get isLoaded() {
      return extras !== undefined;
    },
    load: () => runInBackground(load()),
    setSegments: (next) => {
      segments = next;
      spoken = [undefined, undefined];
      reading?.end();
      reading = undefined;
      transcript?.setSegments(next, actions.state().texts, language());
      if (next.length > 0 && host.getAttribute('read-along') !== 'off') runInBackground(read());
      actions.changed();
    },
    show: (segment, word) => {
      spoken = [segment, word];
      reading?.show(segment?.index, word);
      transcript?.show(segment?.index, word);
    },
    update: (presented) => {
      if (mini === undefined && presented.isMini && extras !== undefined) {
        const { toggle, returnHere, closeMini } = actions;
        mini = extras.createMiniPlayer({ toggle, returnHere, close: closeMini });
        card.parentElement?.after(mini.element);
      }
      mini?.show(presented);
    },
    openTranscript: (button) => {
      const open = async (): Promise<void> => {
        await actions.state().playback.loadSegments();
        const { createTranscript } = (await load()) ?? {};
        if (createTranscript === undefined) return;
        const { texts, look } = actions.state();
        transcript ??= createTranscript(card, (segment) => actions.jump(segment, 'player'));
        transcript.setSegments(segments, texts, language());
        transcript.show(spoken[0]?.index, spoken[1]);
        transcript.toggle(button, look.layout !== 'large');
      };
      runInBackground(open());
    },
    openMenu: (button) => {
      const open = async (): Promise<void> => {
        const loaded = await load();
        if (loaded === undefined) return;
        const { texts, look, post, playback } = actions.state();
        menu ??= loaded.createMenu(card, {
          chooseVoice: actions.chooseVoice,
          seek: (segment) => actions.jump(segment, 'player'),
          openTranscript: () => self.openTranscript(button),
          download: () => download(loaded.download),
          share: () => {
            actions.reportUse('share');
            return loaded.share(getPageUrl(), postTitle(actions.state()));
          },
        });
        menu(button, {
          ...{ texts, segments, language: language() },
          voices: voiceNames(post.tracks, texts),
          voice: post.tracks.findIndex(({ url }) => url === playback.track?.url),
          hasTranscript: look.hasTranscript && playback.track?.segmentsUrl !== undefined,
          canDownload: look.canDownload && playback.track?.isLive === false,
        });
      };
      runInBackground(open());
    },
  };
  return self;
}
