import type { DraftBlock, FilteredBlocks, LeftOut } from './block.ts';
import { type Block, createLeftOutBlock, type LeftOutReason } from './block.ts';
import type { ElementStack, StartTag } from './elements.ts';
import { findReasonByName, isBlockLevel, isHidden } from './elements.ts';
import { isSpeakableFormula } from './formula.ts';

const REASONS_BY_ROLE = new Map<string, LeftOutReason>([
  ['navigation', 'navigation'],
  ['doc-toc', 'navigation'],
  ['complementary', 'page furniture'],
  ['contentinfo', 'page furniture'],
  ['search', 'page furniture'],
  ['tooltip', 'hidden'],
  ['dialog', 'page furniture'],
  ['alertdialog', 'page furniture'],
  ['doc-noteref', 'footnote'],
  ['doc-backlink', 'footnote'],
]);

const CORRECTION_CLASS =
  /(?:^|[\s_-])(?:corrections?|clarification|erratum|correctif|rectificatif|korrektur|correccion|editors-note)(?:$|[\s_-])/i;
/** Targets of links to footnotes and back, as Word, Markdown and content systems write them. */
const NOTE_ADDRESS = /^#_?(?:ftn|edn|fn|footnote|endnote|cite_?note|cite_?ref|easy-footnote|cmnt|n[bh]\d)/i;
/** A paragraph or a box that begins with the link back from a note. */
const NOTE_START =
  /\s{0,9}(?:<(?:div|p|span|sup)(?:\s[^<>]{0,200})?>\s{0,9}){0,3}\[?<a\s[^<>]{0,300}?href\s?=\s?["']?#_?(?:nh\d|cmnt_ref|ftnt?_?ref|ednref|fnref|msoanchor)/iy;
const NOTE_ELEMENTS = new Set(['p', 'div', 'li']);
const NOTE_CLASSES = ['footnote', 'footnote-ref', 'footnoteref', 'footnote-reference', 'noteref'];
/** For superscripts only: documentation calls every link a reference. */
const SUPERSCRIPT_NOTE_CLASSES = [...NOTE_CLASSES, 'reference', 'endnote', 'fn'];
/** A number, a letter or a sign, perhaps in brackets and tags, up to the end of the link. */
const NOTE_MARK =
  /(?:[\s\d[\]()†‡*§¶↩↑^]|\ufe0e|[a-z](?!\p{L})|(?:note|nb)(?=[\s\d])|&#?\w{1,8};|<(?!\/?a[\s>])[^<>]{0,200}>){1,40}<\/a/iuy;
const QUOTED_POST_CLASSES = [
  'twitter-tweet',
  'twitter-video',
  'bluesky-embed',
  'mastodon-embed',
  'fb-xfbml-parse-ignore',
];
/** Judges preformatted text by its beginning. */
const MAX_PREFORMATTED_SAMPLE = 4_000;
const MIN_PROSE_WORDS = 8;
const MIN_VERSE_LINES = 3;
/** Listings have more signs and numbers between their words. */
const MIN_PROSE_SHARE = 0.75;
/** Elements of MathML that cannot be read from left to right. */
const COMPLEX_FORMULA = /<m(?:frac|sqrt|root|table|under|over|underover|subsup|multiscripts|enclose)[\s>]/i;
const VERSE_CLASSES = ['wp-block-verse', 'verse', 'poem', 'poetry'];
/** A superscript link within the page, with or without brackets. */
const LINK_IN_PAGE = /\s{0,9}\[?\s{0,9}<a\s[^>]{0,300}?href\s?=\s?["']?#/iy;
/** A superscript number in brackets, linked or not. */
const BRACKETED_MARK = /\s{0,9}(?:\[\s{0,9}(?:\d{1,3}|[a-z]|note \d{1,3})\s{0,9}\]|\(\d{1,2}\))\s{0,9}<\/sup/iy;
/** A superscript number that is no exponent: after a longer word, a sentence, a year, a quotation, a percentage or words in brackets. */
const PLAIN_NOTE_MARK = /\s{0,9}\d{1,2}\s{0,9}<\/sup/iy;
const WORD_OR_YEAR_BEFORE =
  /(?:(?:\p{L}{4}|\p{L}{3}[.!?]|(?<!\d)(?:1[89]|20)\d\d)[.,;:!?"”’)]{0,3}|\p{L}["”’]|\d ?%|\((?![^()]*\b(?:sin|cos|tan|log|exp|max|min)\b)[^()]*(?:\p{L}{3}| (?:of|de) )[^()]*\))$/u;
const LENGTH_BEFORE =
  /(?:met(?:er|re)s?|mètres?|metros?|feet|foot|pieds?|miles?|inch(?:es)?|yards?|seconds?|sekunden?|secondes?|segundos?|zoll)$/i;
const CONTEXT_UNITS = 60;
/** An initial in a word, not "A" before a space. */
const DROP_CAP = /["“„«‘']?\p{Lu}<\/\w{1,9}>(?=\p{Ll})/uy;
const MAX_HIDDEN_UNITS = 400;
const MAX_SPACE_UNITS = 50;
/** A link to the heading that it stands in. */
const HEADING_ANCHOR = /(?:[\s#¶§🔗]|&para;|&#(?:182|xb6);|<(?!\/?a[\s>])[^<>]{0,200}>){1,9}<\/a/iuy;
const SUPERSCRIPT = /\s{0,9}<sup[\s>]/iy;

/** Detects elements that are certainly boilerplate or not meant to be heard. */
export class BoilerplateRule {
  readonly #source: string;
  readonly #articleStarts: NextMatchFinder;
  readonly #headings: NextMatchFinder;
  readonly #mainHeadings: NextMatchFinder;
  readonly #headerEnds: NextMatchFinder;
  readonly #formEnds: NextMatchFinder;
  readonly #preformattedEnds: NextMatchFinder;
  readonly #formulaEnds: NextMatchFinder;
  readonly #hasArticle: boolean;
  /** The last one found. */
  #formula = { start: 0, end: 0 };

  constructor(source: string) {
    this.#source = source;
    this.#articleStarts = new NextMatchFinder(source, /<(?:article|main)[\s>]/gi);
    this.#headings = new NextMatchFinder(source, /<h[1-6][\s>]/gi);
    this.#mainHeadings = new NextMatchFinder(source, /<h1[\s>]/gi);
    this.#headerEnds = new NextMatchFinder(source, /<\/header[\s>]/gi);
    this.#preformattedEnds = new NextMatchFinder(source, /<\/pre[\s>]/gi);
    this.#formulaEnds = new NextMatchFinder(source, /<\/math[\s>]/gi);
    this.#formEnds = new NextMatchFinder(source, /<\/form[\s>]/gi);
    this.#hasArticle = this.#articleStarts.findFrom(0) < source.length;
  }

  /**
   * @param start of the start tag; must not decrease between calls
   * @param before the text that was left out last
   * @returns why the element is left out; undefined if it is extracted
   */
  findReason(
    element: StartTag,
    start: number,
    end: number,
    stack: ElementStack,
    before: LeftOut | undefined,
  ): LeftOutReason | undefined {
    if (isHidden(element)) return this.isShown(element.name, start, end, before) ? undefined : 'hidden';
    const { name, attributes, role } = element;
    if (isPullQuote(element)) return undefined;
    const byRole = role === undefined ? undefined : REASONS_BY_ROLE.get(role);
    if (byRole) return byRole;
    if (isQuotedPost(element)) return 'embedded post';
    if (name === 'pre' && this.#isProse(element, end, stack)) return undefined;
    if (NOTE_ELEMENTS.has(name) && this.#follows(NOTE_START, end)) return 'footnote';
    if (name === 'math' && this.#isUnspeakableFormula(start, end)) return 'formula';
    // The answers of a poll; in a list of tasks it is the text.
    if (name === 'label' && !stack.isOpen('li')) return 'form';
    // The heading of an accordion is a button.
    if (name === 'button' && stack.kind === 'heading') return undefined;
    const byName = findReasonByName(name);
    if (byName) return byName;
    if (name === 'aside') return CORRECTION_CLASS.test(attributes.get('class') ?? '') ? undefined : 'page furniture';
    if (name === 'footer') return stack.isOpen('blockquote') ? undefined : 'page furniture';
    if (name === 'header') return this.#isArticleHeader(start, stack) ? undefined : 'page furniture';
    if (name === 'form') return this.#holdsArticle(start) ? undefined : 'form';
    if (name === 'a' && stack.kind === 'heading' && this.#follows(HEADING_ANCHOR, end)) return 'navigation';
    if (name === 'a' || name === 'sup') {
      return this.#isNoteMark(element, start, end, stack) ? 'footnote' : undefined;
    }
    return findReasonByStyle(attributes.get('style')?.toLowerCase());
  }

  /**
   * Whether hidden text is read: the first letter of a word, and what repeats the hidden text directly before it. A drop cap is
   * hidden from screen readers, and its word once more for the eye.
   */
  isShown(name: string, start: number, end: number, before: LeftOut | undefined): boolean {
    if (isBlockLevel(name)) return false;
    if (this.#follows(DROP_CAP, end)) return true;
    if (before?.reason !== 'hidden' || start - before.span.end > MAX_SPACE_UNITS) return false;
    if (this.#source.slice(before.span.end, start).trim() !== '') return false;
    const letters = extractLetters(before.text);
    return letters !== '' && extractLetters(this.#findContent(name, end)) === letters;
  }

  /** @returns the text of an inline element, without tags; "" for a long one */
  #findContent(name: string, end: number): string {
    const following = this.#source.slice(end, end + MAX_HIDDEN_UNITS);
    let depth = 1;
    for (const { index, 1: slash, 2: tag } of following.matchAll(/<(\/?)([a-z][a-z\d]*)/gi)) {
      if (tag?.toLowerCase() !== name) continue;
      depth += slash ? -1 : 1;
      if (depth === 0) return following.slice(0, index).replace(/<[^<>]*>/g, '');
    }
    return '';
  }

  /** @returns the source of a `math` element; undefined without an end tag or within another one */
  findFormula(start: number, end: number): string | undefined {
    if (start > this.#formula.start && start < this.#formula.end) return undefined;
    const formulaEnd = this.#formulaEnds.findFrom(end);
    if (formulaEnd === Number.POSITIVE_INFINITY) return undefined;
    this.#formula = { start, end: formulaEnd };
    return this.#source.slice(start, formulaEnd);
  }

  #isUnspeakableFormula(start: number, end: number): boolean {
    const formula = this.findFormula(start, end);
    return formula !== undefined && COMPLEX_FORMULA.test(formula) && !isSpeakableFormula(formula);
  }

  /** Verse, or text that was written with line breaks, such as an RFC or a wire report. */
  #isProse({ classes }: StartTag, end: number, stack: ElementStack): boolean {
    if (VERSE_CLASSES.some((one) => classes.has(one))) return true;
    // The stack holds the element itself. Within text that was judged before, nothing is judged again.
    if (stack.isOpen('code')) return false;
    const close = Math.min(this.#preformattedEnds.findFrom(end), end + MAX_PREFORMATTED_SAMPLE);
    return isProse(this.#source.slice(end, close));
  }

  #isArticleHeader(start: number, stack: ElementStack): boolean {
    if (stack.isOpen('article') || stack.isOpen('main')) return true;
    const headings = this.#hasArticle ? this.#mainHeadings : this.#headings;
    return headings.findFrom(start) < this.#headerEnds.findFrom(start);
  }

  /** Some servers wrap the whole page in a form. */
  #holdsArticle(start: number): boolean {
    const end = this.#formEnds.findFrom(start);
    return this.#articleStarts.findFrom(start) < end || this.#mainHeadings.findFrom(start) < end;
  }

  /** The superscript number of a footnote, which would be spoken as part of the word before it. */
  #isNoteMark(element: StartTag, start: number, end: number, stack: ElementStack): boolean {
    const { name, attributes, classes } = element;
    if (name === 'sup') {
      const isNamed = SUPERSCRIPT_NOTE_CLASSES.some((one) => classes.has(one));
      if (isNamed || this.#follows(LINK_IN_PAGE, end)) return true;
      return this.#follows(BRACKETED_MARK, end) || this.#isBareMark(start, end);
    }
    const address = attributes.get('href') ?? '';
    if (!address.startsWith('#')) return false;
    if (stack.isOpen('sup') || this.#follows(SUPERSCRIPT, end)) return true;
    const isNamed = NOTE_ADDRESS.test(address) || NOTE_CLASSES.some((one) => classes.has(one));
    return isNamed && this.#follows(NOTE_MARK, end);
  }

  #isBareMark(start: number, end: number): boolean {
    if (!this.#follows(PLAIN_NOTE_MARK, end)) return false;
    const before = this.#source.slice(Math.max(0, start - CONTEXT_UNITS), start);
    return WORD_OR_YEAR_BEFORE.test(before) && !LENGTH_BEFORE.test(before);
  }

  #follows(pattern: RegExp, offset: number): boolean {
    pattern.lastIndex = offset;
    return pattern.test(this.#source);
  }
}

export function isPullQuote({ name, classes, role }: StartTag): boolean {
  if (role === 'doc-pullquote') return true;
  if (!['aside', 'blockquote', 'figure', 'div', 'p', 'section', 'q'].includes(name)) return false;
  return [...classes]
    .slice(0, 20)
    .some((one) => /(?:^|[-_])pull(?:ed)?[-_]?quotes?(?:$|[-_])/i.test(one.slice(0, 100)));
}

/** An embedded post: its text is in a paragraph, with author, date and links around it. */
export function isQuotedPost({ name, classes }: StartTag): boolean {
  return name === 'blockquote' && QUOTED_POST_CLASSES.some((one) => classes.has(one));
}

function findReasonByStyle(style: string | undefined): LeftOutReason | undefined {
  if (style === undefined) return undefined;
  // Word writes the bullet of a list item into its text, with this style.
  if (/mso-list\s*:\s*ignore/.test(style)) return 'page furniture';
  if (/mso-element\s*:\s*(?:header|footer)/.test(style)) return 'page furniture';
  return /text-decoration[^;]{0,100}line-through/.test(style) ? 'struck out' : undefined;
}

/** Whether preformatted text is made of sentences: words with sentence ends, few signs of programs. Or of verse. */
function isProse(html: string): boolean {
  if (/<code[\s>]/i.test(html)) return false;
  const text = html.replace(/<[^<>]*>/g, ' ');
  const words = text.match(/\S+/g) ?? [];
  const plain = words.filter((word) => /^[("'“‘«„]*[\p{L}\p{M}’'-]+[.,;:!?)"'”’»…]*$/u.test(word));
  const ends = plain.filter((word) => /\p{L}{2}[.!?…]["'”’)»]*$/u.test(word));
  const isPlain = words.length >= MIN_PROSE_WORDS && plain.length >= MIN_PROSE_SHARE * words.length;
  return isPlain && (ends.length > 0 || (plain.length === words.length && isVerse(text, words.length)));
}

/** Verse may have no full stops: each line has some words and begins with a capital. */
function isVerse(text: string, wordCount: number): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const wordsPerLine = wordCount / lines.length;
  return (
    lines.length >= MIN_VERSE_LINES && wordsPerLine >= 3 && lines.every((line) => /^[\s\p{P}]{0,20}\p{Lu}/u.test(line))
  );
}

/** Finds the next match for offsets that never decrease, so that all searches together read the source once. */
class NextMatchFinder {
  readonly #source: string;
  readonly #pattern: RegExp;
  #matchOffset = -1;

  constructor(source: string, pattern: RegExp) {
    this.#source = source;
    this.#pattern = pattern;
  }

  findFrom(offset: number): number {
    if (this.#matchOffset < offset) {
      this.#pattern.lastIndex = offset;
      this.#matchOffset = this.#pattern.exec(this.#source)?.index ?? Number.POSITIVE_INFINITY;
    }
    return this.#matchOffset;
  }
}

/** A later heading that equals the title is intended. */
const MAX_BLOCKS_BEFORE_REPEATED_TITLE = 3;
/** Fewer letters may repeat by chance. */
const MIN_QUOTE_LETTERS = 15;
/** Further quotations are not compared. */
const MAX_COMPARED_QUOTES = 50;
/** The name of the speaker below the quotation. */
const MAX_ATTRIBUTION_LETTERS = 80;

/** Leaves out headings at the top that repeat the title. */
export function removeRepeatedTitle(blocks: DraftBlock[], title: Block | undefined): FilteredBlocks {
  const spokenTitle = extractLetters(title?.text ?? '');
  if (spokenTitle === '') return { blocks, leftOut: [] };
  const repeated = blocks
    .slice(0, MAX_BLOCKS_BEFORE_REPEATED_TITLE)
    .filter(({ block }) => block.kind === 'heading' && extractLetters(block.text) === spokenTitle);
  return {
    blocks: blocks.filter((block) => !repeated.includes(block)),
    leftOut: repeated.map(({ block }) => createLeftOutBlock(block, 'repeats the title')),
  };
}

/** Leaves out pull quotes: quotations that the text contains as well. */
export function removeRepeatedQuotes(blocks: DraftBlock[]): FilteredBlocks {
  const quotes = new Map<number, DraftBlock[]>();
  for (const block of blocks) {
    if (block.quote === undefined) continue;
    quotes.getOrInsertComputed(block.quote, () => []).push(block);
  }
  if (quotes.size === 0) return { blocks, leftOut: [] };
  const text = blocks
    .filter(({ quote }) => quote === undefined)
    .map(({ block }) => extractLetters(block.text))
    .join(' ');
  const repeated = new Set(
    [...quotes.values()]
      .slice(0, MAX_COMPARED_QUOTES)
      .filter((quote) => isRepeatedIn(quote, text))
      .flat(),
  );
  return {
    blocks: blocks.filter((block) => !repeated.has(block)),
    leftOut: [...repeated].map(({ block }) => createLeftOutBlock(block, 'repeats the text')),
  };
}

/** The text contains every block of the quotation except an attribution at the end. */
function isRepeatedIn(quote: readonly DraftBlock[], text: string): boolean {
  const blockTexts = quote.map(({ block }) => extractLetters(block.text));
  const last = blockTexts.at(-1) ?? '';
  const hasSource = blockTexts.length > 1 && last.length <= MAX_ATTRIBUTION_LETTERS && !text.includes(last);
  const words = hasSource ? blockTexts.slice(0, -1) : blockTexts;
  return words.every((one) => text.includes(one)) && words.join('').length >= MIN_QUOTE_LETTERS;
}

function extractLetters(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}
