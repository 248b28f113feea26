import { findWords, normalizeWord } from './words.ts';

/** Inline elements: a word may begin outside and end inside. */
const inline = /^(A|ABBR|B|BDI|BDO|CITE|CODE|DATA|DFN|EM|FONT|I|INS|KBD|MARK|Q|SAMP|SMALL|SPAN|STRONG|TIME|U|VAR|WBR)$/;
/** Elements whose text is not part of the article. */
const skipped =
  'script,style,noscript,template,button,input,select,textarea,audio,video,iframe,object,canvas,svg,math,del,s,strike,rt,rp,lectern-player';

/** A word of a page. It may span several text nodes. */
export interface PageWord {
  /** Result of `normalizeWord`; never empty. */
  readonly even: string;
  readonly first: Text;
  readonly start: number;
  readonly last: Text;
  readonly end: number;
}

/** Returns the visible words of an area in document order. */
export function pageWords(area: Element): PageWord[] {
  const words: PageWord[] = [];
  /** A word at the end of a text node, which the next node may continue. */
  let open: { text: string; first: Text; start: number; last: Text; end: number } | undefined;
  const close = (): void => {
    if (open === undefined) return;
    const even = normalizeWord(open.text);
    if (even !== '') words.push({ even, ...open });
    open = undefined;
  };
  const readText = (node: Text): void => {
    const text = node.data;
    if (text === '') return;
    for (const word of findWords(text)) {
      if (open !== undefined && word.start === 0) {
        open = { ...open, text: open.text + word.text, last: node, end: word.end };
      } else {
        close();
        open = { text: word.text, first: node, start: word.start, last: node, end: word.end };
      }
      if (word.end < text.length) close();
    }
    if (open?.last !== node) close();
  };
  const read = (parent: Element): void => {
    for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
      if (node instanceof Text) readText(node);
      if (!(node instanceof Element) || isUnseen(node)) continue;
      const isInline = inline.test(node.nodeName);
      if (!isInline) close();
      read(node);
      if (!isInline) close();
    }
  };
  read(area);
  close();
  return words;
}

function isUnseen(element: Element): boolean {
  return element.matches(skipped) || element.checkVisibility?.({ visibilityProperty: true }) === false;
}
