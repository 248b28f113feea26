import { createChoice } from './choice.ts';
import { createButton, createElement, setLabel } from './dom.ts';
import { formatClockTime } from './format-time.ts';
import { drawIcon } from './icons.ts';
import type { Segment } from './read-along/read-along.ts';
import type { Texts } from './texts.ts';

/** What the menu offers now. */
interface MenuContent {
  readonly texts: Texts;
  readonly voices: readonly string[];
  readonly voice: number;
  readonly segments: readonly Segment[];
  /** Of the segments; empty: unknown. */
  readonly language: string;
  readonly hasTranscript: boolean;
  readonly canDownload: boolean;
}

interface MenuActions {
  chooseVoice(index: number): void;
  seek(segment: Segment): void;
  openTranscript(): void;
  download(): void;
  share(): Promise<'copied' | 'shared'>;
}

/** Voice, language, chapters, transcript, download and share. @returns opens it below a button */
export function createMenu(card: HTMLElement, actions: MenuActions) {
  const panel = createElement('div', { class: 'menu float', part: 'menu', popover: 'auto', role: 'group' });
  let opener: HTMLElement | undefined;
  panel.ontoggle = (event) => {
    const { newState } = event as ToggleEvent;
    opener?.setAttribute('aria-expanded', `${newState === 'open'}`);
    if (newState === 'closed') panel.remove();
  };
  const close = () => panel.hidePopover();

  const listRows = ({ texts, ...content }: MenuContent): HTMLElement[] => {
    const { format } = texts;
    const rows: HTMLElement[] = [];
    if (content.voices.length > 1) {
      const choice = createChoice('voice', (index) => actions.chooseVoice(index));
      choice.show(content.voices, content.voice);
      setLabel(choice.element, format('voice'));
      rows.push(createElement('label', {}, format('voice'), choice.element));
    }
    const headings = content.segments.filter(({ kind, text }) => kind === 'heading' && text !== undefined);
    for (const segment of headings.length < 2 ? [] : headings) {
      const time = createElement('time', {}, formatClockTime(segment.start_ms / 1000));
      const pick = () => {
        close();
        actions.seek(segment);
      };
      rows.push(
        createButton({ part: 'chapter', lang: content.language }, pick, time, document.createTextNode(segment.text)),
      );
    }
    const add = (icon: 'transcript' | 'download' | 'share', onClick: () => void) => {
      const label = document.createTextNode(format(icon));
      rows.push(createButton({ class: icon, part: `button ${icon}` }, onClick, drawIcon(icon), label));
    };
    if (content.hasTranscript) {
      add('transcript', () => {
        close();
        actions.openTranscript();
      });
    }
    if (content.canDownload) add('download', actions.download);
    add('share', () => {
      const button = panel.lastElementChild;
      actions.share().then(
        (way) => {
          if (way === 'copied' && button !== null) button.textContent = format('copied');
          else close();
        },
        // The listener changed their mind, or the page may not share.
        close,
      );
    });
    return rows;
  };

  return (button: HTMLElement, content: MenuContent): void => {
    if (panel.isConnected) {
      close();
      return;
    }
    opener = button;
    panel.ariaLabel = content.texts.format('more');
    panel.replaceChildren(...listRows(content));
    card.parentElement?.append(panel);
    panel.showPopover();
    place(panel, button);
    panel.querySelector<HTMLElement>('select,button')?.focus();
  };
}

/** Below the button, or above it where there is no room; within the window. */
function place(panel: HTMLElement, button: HTMLElement): void {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const { clientWidth } = document.documentElement;
  const isRightToLeft = getComputedStyle(button).direction === 'rtl';
  const x = Math.min(Math.max(8, isRightToLeft ? left : right - width), clientWidth - width - 8);
  const y = bottom + 4 + height > innerHeight && top > height ? top - 4 - height : bottom + 4;
  panel.style.left = `${x + scrollX}px`;
  panel.style.top = `${y + scrollY}px`;
}
