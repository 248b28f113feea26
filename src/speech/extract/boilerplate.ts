import type { DraftBlock } from './block.ts';
import { type Block, createLeftOutBlock, type LeftOut, type LeftOutReason } from './block.ts';
import type { ElementStack, StartTag } from './elements.ts';
import { findReasonByName, isHidden } from './elements.ts';

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
const SUPERSCRIPT_NOTE_CLASSES = [...NOTE_CLASSES, 'reference', 'endnote', 'fn'];
/** A number, a letter or a sign, perhaps in brackets and tags, up to the end of the link. */
const NOTE_MARK =
  /(?:[\s\d[\]()†‡*§¶↩↑^]|\ufe0e|[a-z](?!\p{L})|(?:note|nb)(?=[\s\d])|&#?\w{1,8};|<(?!\/?a[\s>])[^<>]{0,200}>){1,40}<\/a/iuy;
const QUOTED_POST_CLASSES = ['twitter-tweet', 'twitter-video', 'bluesky-embed', 'mastodon-embed'];
const VERSE_CLASSES = ['wp-block-verse', 'verse', 'poem', 'poetry'];
/** A raised link to another place of the page, perhaps in brackets. */
const LINK_IN_PAGE = /\s{0,9}\[?\s{0,9}<a\s[^>]{0,300}?href\s?=\s?["']?#/iy;
/** A raised number in brackets, linked or not. */
const BRACKETED_MARK = /\s{0,9}\[\s{0,9}(?:\d{1,3}|[a-z]|note \d{1,3})\s{0,9}\]\s{0,9}<\/sup/iy;
/** A raised number that no power is: behind a word of some length, or a year. */
const PLAIN_NOTE_MARK = /\s{0,9}\d{1,2}\s{0,9}<\/sup/iy;
const WORD_OR_YEAR_BEFORE = /(?:\p{L}{4}|(?<!\d)(?:1[89]|20)\d\d)[.,;:!?"”’)]{0,3}$/u;
const LENGTH_BEFORE =
  /(?:met(?:er|re)s?|mètres?|metros?|feet|foot|pieds?|miles?|inch(?:es)?|yards?|seconds?|sekunden?|secondes?|segundos?|zoll)$/i;
const CONTEXT_UNITS = 30;
const SUPERSCRIPT = /\s{0,9}<sup[\s>]/iy;

/** Tells for certain what belongs to the page around an article, and what of the article is not for the ear. */
export class BoilerplateRule {
  readonly #source: string;
  readonly #articleStarts: NextMatchFinder;
  readonly #headings: NextMatchFinder;
  readonly #headerEnds: NextMatchFinder;
  readonly #formEnds: NextMatchFinder;
  readonly #hasArticle: boolean;

  constructor(source: string) {
    this.#source = source;
    this.#articleStarts = new NextMatchFinder(source, /<(?:article|main)[\s>]/gi);
    this.#headings = new NextMatchFinder(source, /<h[1-6][\s>]/gi);
    this.#headerEnds = new NextMatchFinder(source, /<\/header[\s>]/gi);
    this.#formEnds = new NextMatchFinder(source, /<\/form[\s>]/gi);
    this.#hasArticle = this.#articleStarts.findFrom(0) < source.length;
  }

  /** Why the element whose start tag lies between `start` and `end` is left out; undefined where it is read. `start` must not fall. */
  findReason(element: StartTag, start: number, end: number, stack: ElementStack): LeftOutReason | undefined {
    if (isHidden(element)) return 'hidden';
    const { name, attributes, role, classes } = element;
    if (isPullQuote(element)) return undefined;
    const byRole = role === undefined ? undefined : REASONS_BY_ROLE.get(role);
    if (byRole) return byRole;
    if (isQuotedPost(element)) return 'embedded post';
    if (name === 'pre' && VERSE_CLASSES.some((one) => classes.has(one))) return undefined;
    const byName = findReasonByName(name);
    if (byName) return byName;
    if (name === 'aside') return 'page furniture';
    if (name === 'footer') return stack.isOpen('blockquote') ? undefined : 'page furniture';
    if (name === 'header') return this.#isArticleHeader(start, stack) ? undefined : 'page furniture';
    if (name === 'form') return this.#holdsArticle(start) ? undefined : 'form';
    if (name === 'a' || name === 'sup') {
      return this.#isNoteMark(element, start, end, stack) ? 'footnote' : undefined;
    }
    return findReasonByStyle(attributes.get('style')?.toLowerCase());
  }

  #isArticleHeader(start: number, stack: ElementStack): boolean {
    if (stack.isOpen('article') || stack.isOpen('main')) return true;
    if (this.#hasArticle) return false;
    return this.#headings.findFrom(start) < this.#headerEnds.findFrom(start);
  }

  /** Some servers wrap the whole page in one form. */
  #holdsArticle(start: number): boolean {
    return this.#articleStarts.findFrom(start) < this.#formEnds.findFrom(start);
  }

  /** The raised number of a footnote, which would be read as part of the word before it. */
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

/** Words of the text, set large beside it. */
export function isPullQuote({ name, classes, role }: StartTag): boolean {
  if (role === 'doc-pullquote') return true;
  if (!['aside', 'blockquote', 'figure', 'div', 'p', 'section', 'q'].includes(name)) return false;
  return [...classes]
    .slice(0, 20)
    .some((one) => /(?:^|[-_])pull(?:ed)?[-_]?quotes?(?:$|[-_])/i.test(one.slice(0, 100)));
}

/** A post quoted from elsewhere, with its words in a paragraph and its author, date and links around it. */
export function isQuotedPost({ name, classes }: StartTag): boolean {
  return name === 'blockquote' && QUOTED_POST_CLASSES.some((one) => classes.has(one));
}

function findReasonByStyle(style: string | undefined): LeftOutReason | undefined {
  if (style === undefined) return undefined;
  // Word writes the bullet or number of a list item into its text, and marks it so.
  if (/mso-list\s*:\s*ignore/.test(style)) return 'page furniture';
  return /text-decoration[^;]{0,100}line-through/.test(style) ? 'struck out' : undefined;
}

/** Finds the next match at or after offsets that only rise, so that all searches together read the source once. */
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

const MAX_POINTER_UNITS = 300;
/** How lines begin, in the languages of our articles, that only point to another article. */
const POINTER_START =
  /^[^\p{L}]{0,5}(?:read (?:more|also|next|on)|also read|see also|related (?:story|stories|article|articles)|related(?=\s?[:–—|])|more on this|continue reading|lesen sie (?:auch|mehr)|(?:mehr|weiteres) zum thema|siehe auch|weiterlesen|lire (?:aussi|également|la suite)|[àa] lire (?:aussi|également)|lee también|leer más|lea también|leggi anche|lees ook)(?![\p{L}\p{N}])[\s:–—|-]{0,5}/iu;
/** Pages of players and posts that a content system would have shown in place of their address. */
const PLAYER_ADDRESS =
  /^https?:\/\/(?:www\.|m\.|open\.)?(?:youtube\.com|youtu\.be|vimeo\.com|dailymotion\.com|soundcloud\.com|spotify\.com|twitter\.com|x\.com|instagram\.com|facebook\.com|tiktok\.com|bsky\.app)\/\S{1,500}$/i;

/** Headings that belong to a box of links, of sharing or of letters, and mean nothing without it. */
const BOX_HEADING =
  /^[^\p{L}]{0,5}(?:related|recommended|more (?:stories|news|articles|from|on|like)|read (?:more|next|also)|see also|you (?:may|might) also|most (?:read|popular)|trending|share|comments?|newsletter|sign up|mehr zum|lesen sie auch|das könnte sie|kommentare|teilen|[àa] lire|lire aussi|sur le même|partager|lee también|te puede interesar|compartir)(?!\p{L})/iu;
const MAX_BOX_HEADING_UNITS = 60;

const BOX_REASONS: ReadonlySet<LeftOutReason> = new Set<LeftOutReason>([
  'related articles',
  'share bar',
  'sign-up box',
  'reader comments',
]);

/**
 * Leaves out lines of the text that only lead away from it: "Read more: …" with a link, the bare address of a video, the heading of
 * a box that was left out.
 * @param beforeLeftOut blocks right before something left out, with its reason
 */
export function removePointers(
  blocks: DraftBlock[],
  beforeLeftOut: ReadonlyMap<DraftBlock, LeftOutReason>,
): FilteredBlocks {
  const leftOut: LeftOut[] = [];
  const remaining = blocks.filter((draft) => {
    const { block } = draft;
    const boxReason = beforeLeftOut.get(draft);
    if (boxReason && BOX_REASONS.has(boxReason) && isBoxHeading(draft)) {
      leftOut.push(createLeftOutBlock(block, boxReason));
      return false;
    }
    if (block.text.length > MAX_POINTER_UNITS || block.kind === 'heading') return true;
    if (isPointer(draft)) leftOut.push(createLeftOutBlock(block, 'related articles'));
    else if (PLAYER_ADDRESS.test(block.text)) leftOut.push(createLeftOutBlock(block, 'embedded media'));
    else return true;
    return false;
  });
  return { blocks: remaining, leftOut };
}

function isBoxHeading({ block: { kind, text } }: DraftBlock): boolean {
  return kind === 'heading' && text.length <= MAX_BOX_HEADING_UNITS && BOX_HEADING.test(text);
}

/** All of it behind the first words is a link. "Related work is hard" is not one, nor is "Read more in our report of today". */
function isPointer({ block, linkedUnits }: DraftBlock): boolean {
  const words = POINTER_START.exec(block.text);
  if (!words || linkedUnits === 0) return false;
  return linkedUnits >= block.text.length - words[0].length - 1;
}

/** Further down, a heading that happens to equal the title is the author's. */
const MAX_BLOCKS_BEFORE_REPEATED_TITLE = 3;
/** Fewer letters may be said twice by chance. */
const MIN_QUOTE_LETTERS = 15;
/** Beyond so many, quotations are read without asking whether they repeat something. */
const MAX_COMPARED_QUOTES = 50;
/** A name under the words that repeat. */
const MAX_ATTRIBUTION_LETTERS = 80;

interface FilteredBlocks {
  readonly blocks: DraftBlock[];
  readonly leftOut: LeftOut[];
}

/** Leaves out headings at the top that say what the title has said. */
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

/** Leaves out quotations whose words stand in the text as well, as words of the text are set large beside it. */
export function removeRepeatedQuotes(blocks: DraftBlock[]): FilteredBlocks {
  const quotes = new Map<number, DraftBlock[]>();
  for (const block of blocks) {
    if (block.quote === undefined) continue;
    const quoteBlocks = quotes.get(block.quote);
    if (quoteBlocks) quoteBlocks.push(block);
    else quotes.set(block.quote, [block]);
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

/** Every block of it stands in the text, but for a last one that says whose words they are. */
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
