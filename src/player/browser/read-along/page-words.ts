import { findWords, normalizeWord } from './words.ts';

/** Elements within a line of text: a word may begin outside of one and end in it. */
const inline = /^(A|ABBR|B|BDI|BDO|CITE|CODE|DATA|DFN|EM|FONT|I|INS|KBD|MARK|Q|SAMP|SMALL|SPAN|STRONG|TIME|U|VAR|WBR)$/;
/** What is not read out, or not by the page. */
const skipped =
  'script,style,noscript,template,button,input,select,textarea,audio,video,iframe,object,canvas,svg,math,del,s,strike,rt,rp,lectern-player';

/** A word of a page. It may stand in several text nodes, where markup begins or ends within it. */
export interface PageWord {
  /** As `normalizeWord` makes it; never empty. */
  readonly even: string;
  readonly first: Text;
  readonly start: number;
  readonly last: Text;
  readonly end: number;
}

/** Reads the words of an area that can be seen, in the order of the page. */
export function pageWords(area: Element): PageWord[] {
  const words: PageWord[] = [];
  /** A word at the very end of a text, which the next text may go on with. */
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
