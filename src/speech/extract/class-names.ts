import type { Checkpoint, DocumentBuilder, DraftBlock, LeftOutReason } from './block.ts';
import table from './class-names.txt' with { type: 'text' };
import type { StartTag } from './elements.ts';
import { isBoxHeading, isLabel } from './line-kinds.ts';
import { findStandingLine, MIN_WEAK_POINTS, scoreHouseProse } from './standing-lines.ts';

/** A suggestion by a class or id. The content of the element, known at its end, confirms it. */
export interface ClassNameHint {
  readonly reason: LeftOutReason;
  /** Elements with more text are kept. */
  readonly maxLetters: number;
  /** Minimum share of linked letters; no minimum below 60 letters. */
  readonly minLinkShare: number;
  /** Minimum length of the text before it, relative to its own length. */
  readonly minTextBefore: number;
  /** It contains only URLs. */
  readonly isAddress: boolean;
  /** It contains links and labels, or is a card: a linked title before a text. */
  readonly isOnlyLabels: boolean;
  /** It is a block-level element: on a link or a word, the name says what happens on a click. */
  readonly isBlock: boolean;
  /** Its lines are labels, or one of them calls to a reader: names of walls are also those of the text behind them. */
  readonly isWall: boolean;
}

const MAX_NAME_COUNT = 20;
const MAX_NAME_LENGTH = 100;
const HINTS = {
  advertisement: createHint('advertisement', 400),
  shareBar: createHint('share bar', 250),
  related: createHint('related articles', 2_000, { minLinkShare: 0.4 }),
  signUp: createHint('sign-up box', 600),
  navigation: createHint('navigation', 3_000, { minLinkShare: 0.5 }),
  editLink: createHint('navigation', 100),
  tags: createHint('page furniture', 400, { minLinkShare: 0.5 }),
  wall: createHint('sign-up box', 600, { isBlock: true, isWall: true }),
  box: createHint('page furniture', 600, { isBlock: true }),
  /** Vendors of consent banners. Their text is long, and its names are not those of an article. */
  consent: createHint('page furniture', 5_000, { isBlock: true }),
  notice: createHint('page furniture', 800),
  besideArticle: createHint('page furniture', 600, { isOnlyLabels: true }),
  poll: createHint('form', 400),
  metadata: createHint('page furniture', 300),
  /** Fields of Drupal whose label is shown. */
  field: createHint('page furniture', 300, { isOnlyLabels: true, isBlock: true }),
  counter: createHint('page furniture', 60),
  /** Stars that readers gave. */
  votes: createHint('page furniture', 100, { isBlock: true }),
  /** What a printed page lacks. */
  besidePrint: createHint('page furniture', 600, { isOnlyLabels: true, isBlock: true }),
  /** The International Phonetic Alphabet. */
  phonetic: createHint('foreign script', 100),
  /** Numbers of cells in a notebook. */
  prompt: createHint('code', 60),
  hidden: createHint('hidden', 300),
  notShown: createHint('hidden', 2_000, { minTextBefore: 0.2 }),
  caption: createHint('caption', 800),
  credit: createHint('caption', 120),
  /** Behind the text; above it is the byline. */
  authors: createHint('page furniture', 800, { minTextBefore: 0.5, isBlock: true }),
  footnotes: createHint('footnote', 100_000, { minTextBefore: 0.5 }),
  comments: createHint('reader comments', 500_000, { minTextBefore: 0.05 }),
  player: createHint('embedded media', 400),
  wordComment: createHint('footnote', 2_000),
  address: createHint('embedded media', 400, { isAddress: true }),
  post: createHint('embedded post', 2_000),
} satisfies Record<string, ClassNameHint>;

function createHint(reason: LeftOutReason, maxLetters: number, conditions: Partial<ClassNameHint> = {}): ClassNameHint {
  return {
    ...{
      reason,
      maxLetters,
      minLinkShare: 0,
      minTextBefore: 0,
      isAddress: false,
      isOnlyLabels: false,
      isBlock: false,
      isWall: false,
    },
    ...conditions,
  };
}

/** @returns the lines below a heading of the table */
function readLines(heading: string): string[] {
  const [, part = ''] = table.split(`# ${heading}\n`);
  return part.split('\n\n', 1).flatMap((lines) => lines.trim().split('\n'));
}

/** A line has the name of a hint, and those of classes and ids. */
function readHints(heading: string): ReadonlyMap<string, ClassNameHint> {
  const hints: Readonly<Record<string, ClassNameHint>> = HINTS;
  return new Map(
    readLines(heading).flatMap((line) => {
      const [hintName = '', names = ''] = line.split(': ');
      const hint = hints[hintName];
      if (hint === undefined) throw new Error(`No hint ${hintName}`);
      return names.split(' ').map((name) => [name, hint] as const);
    }),
  );
}

/** Whole class names and ids of well-known systems. */
const WHOLE_NAMES = readHints('whole names');

/** Words in class names that identify a topic. */
const TOPIC_BY_PHRASE = readHints('topics');
const MAX_PHRASE_WORDS = 3;
/** `no-tts` */
const NEGATIONS = new Set(['no', 'non', 'not', 'without']);

/** Words without a topic. A name with any other word beside a topic is not matched: `share-price`. */
const NEUTRAL_WORDS = new Set(readLines('neutral words').join(' ').split(' '));

/** Words in names of boxes beside an article, and never of the article itself. Only boxes without a sentence are left out for them. */
const BESIDE_ARTICLE = new Set(readLines('words of boxes beside an article').join(' ').split(' '));
const BOXES = new Set('div section ul ol dl figure center'.split(' '));

/** `social-article` is an article. */
const ARTICLE_WORDS = new Set('article post entry story content body text page main'.split(' '));
const HEADED_BY_TOPIC = new Set<LeftOutReason>(['advertisement', 'share bar', 'sign-up box']);

/** `lg:block` */
const SHOWN_SOMETIMES = /^[\w-]{1,30}:!?(?:block|flex|grid|inline|table|contents)/;
const NEVER_LEFT_OUT = new Set('html body article main h1 h2 h3 h4 h5 h6'.split(' '));
/** Other ids are often made from a heading. */
const ELEMENTS_JUDGED_BY_ID = new Set('div ul ol aside ins section'.split(' '));

/** Names where the class is a hash. */
const NAMING_ATTRIBUTES = ['data-testid', 'data-component', 'data-qa', 'data-hook'];

export function findHint(element: StartTag): ClassNameHint | undefined {
  const { name, attributes, classes, role } = element;
  if (NEVER_LEFT_OUT.has(name)) return undefined;
  if (role === 'doc-endnotes' || role === 'doc-footnote' || attributes.has('data-footnotes')) {
    return HINTS.footnotes;
  }
  if (isWordNotes(attributes.get('style'))) return HINTS.footnotes;
  const id = ELEMENTS_JUDGED_BY_ID.has(name) ? attributes.get('id') : undefined;
  const names = NAMING_ATTRIBUTES.flatMap((attribute) => attributes.get(attribute) ?? []);
  let isBeside = false;
  for (const className of [...[...classes].slice(0, MAX_NAME_COUNT), ...(id ? [id] : []), ...names]) {
    if (className.length > MAX_NAME_LENGTH) continue;
    // Utility classes hide it on small screens only.
    if (className === 'hidden' && [...classes].some((other) => SHOWN_SOMETIMES.test(other))) continue;
    const words = splitWords(className);
    const hint =
      WHOLE_NAMES.get(className.toLowerCase()) ?? findHintByWords(words) ?? findHintByWords(listWordsOfPlugin(words));
    if (hint) return hint;
    isBeside ||= words.some((word) => BESIDE_ARTICLE.has(word) || TOPIC_BY_PHRASE.has(word));
  }
  return isBeside && BOXES.has(name) ? HINTS.besideArticle : undefined;
}

const MAX_TEASER_LETTERS = 400;
/** Even a box of links has a heading. */
const MIN_LETTERS_FOR_LINK_SHARE = 60;

/** Whether the content of an element, since the checkpoint, is what its name says. */
export function isConfirmed(hint: ClassNameHint, document: DocumentBuilder, checkpoint: Checkpoint): boolean {
  const { letters, linked } = document.countSince(checkpoint);
  if (letters > hint.maxLetters || checkpoint.letters < letters * hint.minTextBefore) return false;
  const linkedMin = letters < MIN_LETTERS_FOR_LINK_SHARE ? 0 : letters * hint.minLinkShare;
  const first = document.blocks[checkpoint.blockCount];
  const isTeaser = letters <= MAX_TEASER_LETTERS && document.isTeaserSince(checkpoint);
  if (linked < linkedMin && !isTeaser && !(first && isBoxHeading(first))) return false;
  if (hint.isAddress && !document.isAddressSince(checkpoint)) return false;
  if (hint.isWall && !isWall(document.blocks.slice(checkpoint.blockCount))) return false;
  return !hint.isOnlyLabels || document.isOnlyLabelsSince(checkpoint) || document.isTeaserSince(checkpoint);
}

function isWall(blocks: readonly DraftBlock[]): boolean {
  const isCall = ({ block, linkedUnits }: DraftBlock) =>
    findStandingLine(block) === 'sign-up box' || scoreHouseProse(block, linkedUnits > 0) >= MIN_WEAK_POINTS;
  return blocks.every(isLabel) || blocks.some(isCall);
}

/** Whether the element may be inline: it has a few words only. */
export function isInlineSized({ maxLetters, minTextBefore, isBlock }: ClassNameHint): boolean {
  return maxLetters <= HINTS.related.maxLetters && minTextBefore === 0 && !isBlock;
}

function isWordNotes(style: string | undefined): boolean {
  return style !== undefined && /mso-element\s*:\s*(?:foot|end)note/i.test(style);
}

/** `ShareBar_root__x7f2`, `share-bar` → share, bar */
function splitWords(name: string): string[] {
  return name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && (!/\d/.test(word) || word === 'a2a' || word === 'mc4wp'));
}

/** `wp-block-mailpoet-subscription` → subscription */
function listWordsOfPlugin(words: readonly string[]): readonly string[] {
  return words[0] === 'wp' && words[1] === 'block' ? words.slice(3) : [];
}

function findHintByWords(words: readonly string[]): ClassNameHint | undefined {
  for (let start = 0; start < words.length; start += 1) {
    for (let length = MAX_PHRASE_WORDS; length > 0; length -= 1) {
      const hint = TOPIC_BY_PHRASE.get(words.slice(start, start + length).join('-'));
      if (hint === undefined) continue;
      if (NEGATIONS.has(words[start - 1] ?? '')) continue;
      const others = [...words.slice(0, start), ...words.slice(start + length)];
      const isOnlyThat = others.every(
        (word) => word.length <= 2 || NEUTRAL_WORDS.has(word) || TOPIC_BY_PHRASE.has(word),
      );
      const isArticle = HEADED_BY_TOPIC.has(hint.reason) && ARTICLE_WORDS.has(words.at(-1) ?? '');
      if (isOnlyThat && !isArticle) return hint;
    }
  }
  return undefined;
}
