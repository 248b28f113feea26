import type { LeftOutReason } from './block.ts';
import { isHidden, reasonByName } from './element-rules.ts';
import type { ElementStack } from './element-stack.ts';
import type { OpeningElement } from './opening-element.ts';

const REASONS_BY_ROLE = new Map<string, LeftOutReason>([
  ['navigation', 'navigation'],
  ['doc-toc', 'navigation'],
  ['complementary', 'page furniture'],
  ['contentinfo', 'page furniture'],
  ['search', 'page furniture'],
  ['dialog', 'page furniture'],
  ['alertdialog', 'page furniture'],
  ['doc-noteref', 'footnote'],
  ['doc-backlink', 'footnote'],
]);

/** The target of a note's mark, as Word, Markdown and content systems write it, and of the way back from the note. */
const NOTE_ADDRESS = /^#_?(?:ftn|edn|fn|footnote|endnote|cite_?note|cite_?ref|easy-footnote)/i;
const NOTE_CLASSES = ['footnote', 'footnote-ref', 'footnoteref', 'footnote-reference', 'noteref'];
/** Only of what is raised: documentation calls every link a reference. */
const RAISED_NOTE_CLASSES = [...NOTE_CLASSES, 'reference', 'endnote', 'fn'];
/** A number, a letter or a sign, perhaps in brackets and tags, up to the end of the link. */
const MARK =
  /(?:[\s\d[\]()†‡*§¶↩↑^]|\ufe0e|[a-z](?!\p{L})|(?:note|nb)(?=[\s\d])|&#?\w{1,8};|<(?!\/?a[\s>])[^<>]{0,200}>){1,40}<\/a/iuy;
const QUOTED_POST_CLASSES = ['twitter-tweet', 'twitter-video', 'bluesky-embed', 'mastodon-embed'];
const VERSE_CLASSES = ['wp-block-verse', 'verse', 'poem', 'poetry'];
/** A raised link to another place of the page, perhaps in brackets. */
const LINK_IN_PAGE = /\s{0,9}\[?\s{0,9}<a\s[^>]{0,300}?href\s?=\s?["']?#/iy;
/** A raised number in brackets, linked or not. */
const BRACKETED_MARK = /\s{0,9}\[\s{0,9}(?:\d{1,3}|[a-z]|note \d{1,3})\s{0,9}\]\s{0,9}<\/sup/iy;
/** A raised number that no power is: behind a word of some length, or a year. */
const BARE_MARK = /\s{0,9}\d{1,2}\s{0,9}<\/sup/iy;
const WORD_OR_YEAR_BEFORE = /(?:\p{L}{4}|(?<!\d)(?:1[89]|20)\d\d)[.,;:!?"”’)]{0,3}$/u;
const LENGTH_BEFORE =
  /(?:met(?:er|re)s?|mètres?|metros?|feet|foot|pieds?|miles?|inch(?:es)?|yards?|seconds?|sekunden?|secondes?|segundos?|zoll)$/i;
const LOOKED_AT_BEFORE = 30;
const RAISED = /\s{0,9}<sup[\s>]/iy;

/** Tells for certain what belongs to the page around an article, and what of the article is not for the ear. */
export class FurnitureRule {
  readonly #source: string;
  readonly #articleStarts: NextMatch;
  readonly #headings: NextMatch;
  readonly #headerEnds: NextMatch;
  readonly #formEnds: NextMatch;
  readonly #hasArticle: boolean;

  constructor(source: string) {
    this.#source = source;
    this.#articleStarts = new NextMatch(source, /<(?:article|main)[\s>]/gi);
    this.#headings = new NextMatch(source, /<h[1-6][\s>]/gi);
    this.#headerEnds = new NextMatch(source, /<\/header[\s>]/gi);
    this.#formEnds = new NextMatch(source, /<\/form[\s>]/gi);
    this.#hasArticle = this.#articleStarts.from(0) < source.length;
  }

  /** Why the element whose start tag lies between `start` and `end` is left out; undefined where it is read. `start` must not fall. */
  reason(
    element: OpeningElement,
    start: number,
    end: number,
    stack: ElementStack,
  ): LeftOutReason | undefined {
    if (isHidden(element)) return 'hidden';
    const { name, attributes, role, classes } = element;
    if (isPullQuote(element)) return undefined;
    const byRole = role === undefined ? undefined : REASONS_BY_ROLE.get(role);
    if (byRole) return byRole;
    if (isQuotedPost(element)) return 'embedded post';
    if (name === 'pre' && VERSE_CLASSES.some((one) => classes.has(one))) return undefined;
    const byName = reasonByName(name);
    if (byName) return byName;
    if (name === 'aside') return 'page furniture';
    if (name === 'footer') return stack.isOpen('blockquote') ? undefined : 'page furniture';
    if (name === 'header')
      return this.#isArticleHeader(start, stack) ? undefined : 'page furniture';
    if (name === 'form') return this.#holdsArticle(start) ? undefined : 'form';
    if (name === 'a' || name === 'sup') {
      return this.#isNoteMark(element, start, end, stack) ? 'footnote' : undefined;
    }
    return reasonByStyle(attributes.get('style')?.toLowerCase());
  }

  #isArticleHeader(start: number, stack: ElementStack): boolean {
    if (stack.isOpen('article') || stack.isOpen('main')) return true;
    if (this.#hasArticle) return false;
    return this.#headings.from(start) < this.#headerEnds.from(start);
  }

  /** Some servers wrap the whole page in one form. */
  #holdsArticle(start: number): boolean {
    return this.#articleStarts.from(start) < this.#formEnds.from(start);
  }

  /** The raised number of a footnote, which would be read as part of the word before it. */
  #isNoteMark(element: OpeningElement, start: number, end: number, stack: ElementStack): boolean {
    const { name, attributes, classes } = element;
    if (name === 'sup') {
      const isNamed = RAISED_NOTE_CLASSES.some((one) => classes.has(one));
      if (isNamed || this.#follows(LINK_IN_PAGE, end)) return true;
      return this.#follows(BRACKETED_MARK, end) || this.#isBareMark(start, end);
    }
    const address = attributes.get('href') ?? '';
    if (!address.startsWith('#')) return false;
    if (stack.isOpen('sup') || this.#follows(RAISED, end)) return true;
    const isNamed = NOTE_ADDRESS.test(address) || NOTE_CLASSES.some((one) => classes.has(one));
    return isNamed && this.#follows(MARK, end);
  }

  #isBareMark(start: number, end: number): boolean {
    if (!this.#follows(BARE_MARK, end)) return false;
    const before = this.#source.slice(Math.max(0, start - LOOKED_AT_BEFORE), start);
    return WORD_OR_YEAR_BEFORE.test(before) && !LENGTH_BEFORE.test(before);
  }

  #follows(pattern: RegExp, offset: number): boolean {
    pattern.lastIndex = offset;
    return pattern.test(this.#source);
  }
}

/** Words of the text, set large beside it. */
export function isPullQuote({ name, classes, role }: OpeningElement): boolean {
  if (role === 'doc-pullquote') return true;
  if (!['aside', 'blockquote', 'figure', 'div', 'p', 'section', 'q'].includes(name)) return false;
  return [...classes]
    .slice(0, 20)
    .some((one) => /(?:^|[-_])pull(?:ed)?[-_]?quotes?(?:$|[-_])/i.test(one.slice(0, 100)));
}

/** A post quoted from elsewhere, with its words in a paragraph and its author, date and links around it. */
export function isQuotedPost({ name, classes }: OpeningElement): boolean {
  return name === 'blockquote' && QUOTED_POST_CLASSES.some((one) => classes.has(one));
}

function reasonByStyle(style: string | undefined): LeftOutReason | undefined {
  if (style === undefined) return undefined;
  // Word writes the bullet or number of a list item into its text, and marks it so.
  if (/mso-list\s*:\s*ignore/.test(style)) return 'page furniture';
  return /text-decoration[^;]{0,100}line-through/.test(style) ? 'struck out' : undefined;
}

/** Finds the next match at or after offsets that only rise, so that all searches together read the source once. */
class NextMatch {
  readonly #source: string;
  readonly #pattern: RegExp;
  #found = -1;

  constructor(source: string, pattern: RegExp) {
    this.#source = source;
    this.#pattern = pattern;
  }

  /** The offset of the next match, or infinity. */
  from(offset: number): number {
    if (this.#found < offset) {
      this.#pattern.lastIndex = offset;
      this.#found = this.#pattern.exec(this.#source)?.index ?? Number.POSITIVE_INFINITY;
    }
    return this.#found;
  }
}
