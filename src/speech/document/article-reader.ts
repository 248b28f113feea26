import type { Reading } from '../reading.ts';
import type { BlockKind, LeftOutReason, SourceSpan } from './block.ts';
import { BlockText } from './block-text.ts';
import { isBrief, type Suggestion, suggestionOf } from './class-names.ts';
import { Draft } from './draft.ts';
import { isBlockLevel, isVoid } from './element-rules.ts';
import { ElementStack } from './element-stack.ts';
import { FurnitureRule, isPullQuote, isQuotedPost } from './furniture.ts';
import { leaveOut } from './left-out.ts';
import type { OpeningElement } from './opening-element.ts';
import { createSelectors, SelectorTrack } from './selectors.ts';
import { findShortcodes, type Shortcode } from './shortcodes.ts';
import { type Cell, Table } from './table.ts';

const BLANK_LINE = /\n[^\S\n]{0,200}\n/g;
const EXCERPT_UNITS = 2_000;
/** What is left out for one of these may stand in the middle of a word. */
const JOINED_REASONS: ReadonlySet<LeftOutReason> = new Set<LeftOutReason>([
  'script',
  'style',
  'hidden',
  'footnote',
  'struck out',
  'ruby annotation',
]);
const LOOKED_AT =
  'hidden aria-hidden style href role lang xml:lang class id open colspan rowspan data-footnotes'.split(
    ' ',
  );
/** No text, whoever asks for it. */
const NEVER_READ = new Set(['script', 'style']);
/** Even a box of links has a heading. */
const LINKS_NEEDED_FROM = 60;
/** An inline element that is left out for its class must end this near. */
const INLINE_UNITS_MAX = 600;

/** How a text is read: what the site has set, and whether what class names suggest is followed. */
export interface HtmlReading extends Pick<Reading, 'leave_out' | 'keep' | 'tables'> {
  readonly followsClassNames: boolean;
}

/** A part of the article that is read, or left out for a reason. Another may lie in it. */
interface Zone {
  /** Undefined: it is read. */
  readonly reason: LeftOutReason | undefined;
  /** A post quoted from elsewhere: paragraphs are its words, all else is about it. */
  readonly isQuotedPost: boolean;
  /** To be listed even if it has no text. */
  isMedia: boolean;
}

/** What ends with an element. */
interface Frame {
  /** How many elements are open around it. */
  readonly depth: number;
  /** @param isEnded false where nothing but the end of the text has ended it */
  readonly finish: (end: number, isEnded: boolean) => void;
}

interface OpenTable {
  readonly table: Table;
  cell: Cell | undefined;
}

/** Decides element by element what is read, and gathers it. Takes time in proportion to the article, whatever stands in it. */
export class ArticleReader {
  readonly draft = new Draft();
  readonly #source: string;
  readonly #field: SourceSpan['field'];
  readonly #reading: HtmlReading;
  readonly #stack = new ElementStack();
  readonly #blockText: BlockText;
  readonly #furniture: FurnitureRule;
  readonly #unwanted: SelectorTrack;
  readonly #kept: SelectorTrack;
  readonly #lookedAt: ReadonlySet<string>;
  readonly #frames: Frame[] = [];
  readonly #tables: OpenTable[] = [];
  readonly #columnNames: { unitsLeft: number };
  readonly #shortcodes: readonly Shortcode[];
  #shortcodeIndex = 0;
  #listedUntil = 0;
  #zone: Zone = { reason: undefined, isQuotedPost: false, isMedia: false };
  /** Where the zone that is being left out began, or went on, and the first of its text. */
  #stretchStart = 0;
  #stretchText = '';
  /** A block began or ended while nothing was read. */
  #passedBlock = false;
  /** How many elements have been kept; what one of them stands in is not left out for its class. */
  #keptCount = 0;
  #quote: number | undefined;
  #quoteCount = 0;
  #endsLine = false;
  #kind: BlockKind = 'paragraph';

  constructor(source: string, field: SourceSpan['field'], reading: HtmlReading) {
    this.#source = source;
    this.#field = field;
    this.#reading = reading;
    this.#blockText = new BlockText(field);
    this.#furniture = new FurnitureRule(source);
    this.#shortcodes = findShortcodes(source);
    this.#columnNames = { unitsLeft: source.length };
    const unwanted = createSelectors(reading.leave_out);
    const kept = createSelectors(reading.keep);
    this.#unwanted = new SelectorTrack(unwanted);
    this.#kept = new SelectorTrack(kept);
    this.#lookedAt = new Set([...LOOKED_AT, ...unwanted.attributes, ...kept.attributes]);
  }

  /** Whether an attribute of this name says anything here. */
  looksAt(attribute: string): boolean {
    return this.#lookedAt.has(attribute);
  }

  isOpen(name: string): boolean {
    return this.#stack.isOpen(name);
  }

  /** A start tag between two offsets. */
  open(element: OpeningElement, start: number, end: number): void {
    const { name, attributes } = element;
    if (!isVoid(name)) {
      this.#stack.open(name, {
        language: attributes.get('lang') ?? attributes.get('xml:lang'),
        kind: isPullQuote(element) ? 'quote' : undefined,
      });
      // The start of one element may imply the end of another.
      this.#finishFrames(this.#stack.depth - 1, start, true);
    }
    const depth = this.#stack.depth - (isVoid(name) ? 0 : 1);
    const isKept = this.#kept.matches(element, depth) && !NEVER_READ.has(name);
    const isUnwanted = this.#unwanted.matches(element, depth);
    if (isBlockLevel(name)) this.#passBlock();
    if (isKept || this.#isPostText(name)) this.#readFrom(element, start, end, depth);
    else if (!this.#isReading()) this.#excerpt(name === 'br' ? ' ' : '');
    else {
      const reason = isUnwanted ? 'left out by the site' : this.#reason(element, start, end);
      if (reason) this.#leaveOutFrom(element, reason, start, end, depth);
      else this.#read(element, start, end, depth, false);
    }
    // Counted behind the element itself: what it stands in stays, and it stays, too.
    if (isKept || name === 'main' || name === 'h1') this.#keptCount += 1;
  }

  /** An end tag between two offsets, with or without a start. */
  close(name: string, start: number, end: number): void {
    if (name === 'br' && this.#isReading()) this.#lineBreak(start);
    this.#stack.close(name);
    this.#finishFrames(this.#stack.depth, end, true);
    if (isBlockLevel(name)) this.#passBlock();
  }

  text(start: number, end: number): void {
    if (!this.#isReading()) {
      this.#excerpt(this.#source.slice(start, Math.min(end, start + EXCERPT_UNITS)));
      return;
    }
    let from = start;
    for (const shortcode of this.#shortcodesIn(start, end)) {
      if (shortcode.start > from) this.#appendRun(from, shortcode.start);
      this.#blockText.space(Math.max(from, shortcode.start));
      from = Math.max(from, shortcode.end);
    }
    if (from < end) this.#appendRun(from, end);
  }

  /** An entity between two offsets, decoded. */
  entity(text: string, start: number, end: number): void {
    if (!this.#isReading()) {
      this.#excerpt(text);
      return;
    }
    if (this.#shortcodesIn(start, end).length > 0) return;
    this.#beginText();
    this.#blockText.appendMapped(text, start, end);
    if (text.trim() !== '') this.#endsLine = false;
  }

  /** A stretch that is no markup and not to be seen either. */
  leaveOut(start: number, end: number, reason: LeftOutReason): void {
    const text = this.#source.slice(start, end);
    if (this.#isReading() && text.trim() !== '') {
      this.draft.leftOut.push(leaveOut(text, reason, this.#span(start, end)));
    }
  }

  /** The end of the text. */
  end(): void {
    this.#finishFrames(0, this.#source.length, false);
    this.#endBlock();
  }

  #isReading(): boolean {
    return this.#zone.reason === undefined;
  }

  #isPostText(name: string): boolean {
    return name === 'p' && this.#zone.isQuotedPost && !this.#isReading();
  }

  #reason(element: OpeningElement, start: number, end: number): LeftOutReason | undefined {
    const isLinkOfPost = this.#zone.isQuotedPost && element.name === 'a';
    if (isLinkOfPost && element.attributes.get('href')?.includes('//t.co/')) return 'embedded post';
    return this.#furniture.reason(element, start, end, this.#stack);
  }

  #readFrom(element: OpeningElement, start: number, end: number, depth: number): void {
    if (!this.#isReading()) {
      if (this.#passedBlock) this.#endBlock();
      this.#enter({ ...this.#zone, reason: undefined, isMedia: false }, element, start, end, depth);
    }
    this.#read(element, start, end, depth, true);
  }

  #leaveOutFrom(
    element: OpeningElement,
    reason: LeftOutReason,
    start: number,
    end: number,
    depth: number,
  ): void {
    if (!JOINED_REASONS.has(reason)) this.#blockText.space(start);
    const isMedia = reason === 'embedded media' && element.name !== 'svg';
    const zone = { reason, isMedia, isQuotedPost: isQuotedPost(element) };
    this.#enter(zone, element, start, end, depth);
  }

  #enter(zone: Zone, { name }: OpeningElement, start: number, end: number, depth: number): void {
    const around = this.#zone;
    this.#switchTo(zone, start);
    const leave = (offset: number) => {
      if (this.#isReading() && isBlockLevel(name)) this.#endBlock();
      this.#switchTo(around, offset);
    };
    if (isVoid(name)) leave(end);
    else this.#frames.push({ depth, finish: leave });
  }

  #switchTo(zone: Zone, offset: number): void {
    const { reason } = this.#zone;
    const text = this.#stretchText;
    if (reason !== undefined && (this.#zone.isMedia || text.trim() !== '')) {
      const span = this.#span(this.#stretchStart, offset);
      this.draft.leftOut.push(leaveOut(text, reason, span));
      this.#zone.isMedia = false;
    }
    this.#zone = zone;
    this.#stretchStart = offset;
    this.#stretchText = '';
    this.#passedBlock = false;
  }

  #read(element: OpeningElement, start: number, end: number, depth: number, isKept: boolean): void {
    const { name, attributes } = element;
    if (name === 'br') this.#lineBreak(start);
    if (isVoid(name)) return;
    const isDoubtful = !isKept && this.#reading.followsClassNames;
    const suggestion = isDoubtful ? suggestionOf(element) : undefined;
    if (suggestion && !isBlockLevel(name)) {
      const isShort = isBrief(suggestion) && this.#endsSoon(name, end);
      if (isShort) this.#leaveOutFrom(element, suggestion.reason, start, end, depth);
      return;
    }
    if (suggestion) this.#doubt(suggestion, start, depth);
    if (name === 'blockquote' || isPullQuote(element)) this.#beginQuote(depth);
    if (name === 'table') this.#beginTable(element, start, depth);
    if (name === 'tr') this.#tables.at(-1)?.table.beginRow();
    if (name === 'td' || name === 'th') this.#beginCell(name === 'th', attributes, depth);
  }

  #endsSoon(name: string, end: number): boolean {
    return this.#source
      .slice(end, end + INLINE_UNITS_MAX)
      .toLowerCase()
      .includes(`</${name}`);
  }

  /** Reads what may be left out for its class; its end decides. */
  #doubt(suggestion: Suggestion, start: number, depth: number): void {
    const mark = this.draft.mark();
    const keptBefore = this.#keptCount;
    const finish = (end: number, isEnded: boolean) => {
      this.#endBlock();
      if (!isEnded || this.#keptCount > keptBefore) return;
      const { letters, linked } = this.draft.since(mark);
      const linkedMin = letters < LINKS_NEEDED_FROM ? 0 : letters * suggestion.linkShareMin;
      const isSo =
        letters <= suggestion.lettersMax &&
        linked >= linkedMin &&
        mark.letters >= letters * suggestion.textBeforeMin;
      if (isSo) this.draft.leaveOutSince(mark, suggestion.reason, this.#span(start, end));
    };
    this.#frames.push({ depth, finish });
  }

  #beginQuote(depth: number): void {
    if (this.#quote !== undefined) return;
    this.#quoteCount += 1;
    this.#quote = this.#quoteCount;
    const finish = () => {
      this.#endBlock();
      this.#quote = undefined;
    };
    this.#frames.push({ depth, finish });
  }

  #beginTable({ role }: OpeningElement, start: number, depth: number): void {
    this.#tables.at(-1)?.table.nest();
    const open = { table: new Table(role === 'presentation' || role === 'none'), cell: undefined };
    this.#tables.push(open);
    const mark = this.draft.mark();
    const keptBefore = this.#keptCount;
    const finish = (end: number, isEnded: boolean) => {
      this.#endBlock();
      this.#tables.pop();
      if (!open.table.isData(this.draft.blocks, mark.blockCount)) return;
      if (this.#reading.tables === 'none' && isEnded && this.#keptCount === keptBefore) {
        this.draft.leaveOutSince(mark, 'table', this.#span(start, end));
        return;
      }
      const { rows, head } = open.table.readRows(this.draft.takeSince(mark), this.#columnNames);
      for (const row of rows) this.draft.add(row);
      this.draft.leftOut.push(...head);
    };
    this.#frames.push({ depth, finish });
  }

  #beginCell(isHeader: boolean, attributes: ReadonlyMap<string, string>, depth: number): void {
    const open = this.#tables.at(-1);
    if (!open) return;
    open.cell = open.table.beginCell(isHeader, attributes);
    const finish = () => {
      this.#endBlock();
      open.cell = undefined;
    };
    this.#frames.push({ depth, finish });
  }

  /** Ends what stands at this depth or deeper, the innermost first. */
  #finishFrames(depth: number, end: number, isEnded: boolean): void {
    for (
      let frame = this.#frames.at(-1);
      frame && frame.depth >= depth;
      frame = this.#frames.at(-1)
    ) {
      this.#frames.pop();
      frame.finish(end, isEnded);
    }
  }

  #excerpt(text: string): void {
    if (this.#stretchText.length < EXCERPT_UNITS) this.#stretchText += text;
  }

  /** The shortcodes that a stretch of text touches; each is listed when it is first met. Offsets must not fall. */
  #shortcodesIn(start: number, end: number): Shortcode[] {
    const touched: Shortcode[] = [];
    for (;;) {
      const shortcode = this.#shortcodes[this.#shortcodeIndex];
      if (shortcode === undefined || shortcode.start >= end) return touched;
      if (shortcode.end > start) {
        touched.push(shortcode);
        this.#listShortcode(shortcode);
      }
      if (shortcode.end > end) return touched;
      this.#shortcodeIndex += 1;
    }
  }

  #listShortcode({ start, end, reason }: Shortcode): void {
    if (this.#listedUntil >= end) return;
    this.#listedUntil = end;
    const text = this.#source.slice(start, end).replace(/<[^<>]*>/g, '');
    this.draft.leftOut.push(leaveOut(text, reason, this.#span(start, end)));
  }

  #appendRun(start: number, end: number): void {
    if (this.#stack.isInBlock()) this.#appendText(start, end);
    else this.#appendLooseText(start, end);
  }

  /** Text outside every block, as editors without paragraphs send it: a blank line ends a paragraph. */
  #appendLooseText(start: number, end: number): void {
    let from = start;
    for (const match of this.#source.slice(start, end).matchAll(BLANK_LINE)) {
      this.#appendText(from, start + match.index);
      this.#endBlock();
      from = start + match.index + match[0].length;
    }
    this.#appendText(from, end);
  }

  #appendText(start: number, end: number): void {
    this.#beginText();
    this.#blockText.append(this.#source, start, end);
    if (this.#endsLine && this.#source.slice(start, end).trim() !== '') this.#endsLine = false;
  }

  /** One line break is a space, two in a row end the paragraph. */
  #lineBreak(offset: number): void {
    if (this.#endsLine) this.#endBlock();
    else this.#blockText.space(offset);
    this.#endsLine = true;
  }

  /** A block is of the kind its first words stand in. */
  #beginText(): void {
    if (this.#blockText.isEmpty) this.#kind = this.#stack.kind;
    this.#blockText.standIn(this.#stack.language, this.#stack.isOpen('a'));
  }

  #passBlock(): void {
    if (this.#isReading()) this.#endBlock();
    else {
      this.#passedBlock = true;
      this.#excerpt(' ');
    }
  }

  #endBlock(): void {
    const { linked } = this.#blockText;
    const block = this.#blockText.take(this.#kind);
    this.#endsLine = false;
    if (!block) return;
    const draft = { block, linked, quote: this.#quote };
    this.draft.add(draft);
    this.#tables.at(-1)?.cell?.blocks.push(draft);
  }

  #span(start: number, end: number): SourceSpan {
    return { field: this.#field, start, end };
  }
}
