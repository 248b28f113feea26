import type { Reading } from '../narration-settings.ts';
import type { LeftOutReason, SourceSpan } from './block.ts';
import { leaveOut } from './block.ts';
import { FurnitureRule, isPullQuote, isQuotedPost } from './boilerplate.ts';
import { isBrief, type Suggestion, suggestionOf } from './class-names.ts';
import { Draft } from './document-builder.ts';
import { isBlockLevel, isVoid } from './element-rules.ts';
import type { OpeningElement } from './open-elements.ts';
import { ElementStack } from './open-elements.ts';
import { createSelectors, SelectorTrack } from './selectors.ts';
import { Table } from './tables.ts';
import { WordGatherer } from './text-builder.ts';

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

/** Decides element by element what is read, and gathers it. Takes time in proportion to the article, whatever stands in it. */
export class ArticleReader {
  readonly draft = new Draft();
  readonly #source: string;
  readonly #field: SourceSpan['field'];
  readonly #reading: HtmlReading;
  readonly #stack = new ElementStack();
  readonly #words: WordGatherer;
  readonly #furniture: FurnitureRule;
  readonly #unwanted: SelectorTrack;
  readonly #kept: SelectorTrack;
  readonly #lookedAt: ReadonlySet<string>;
  readonly #frames: Frame[] = [];
  readonly #tables: Table[] = [];
  readonly #columnNames: { unitsLeft: number };
  #zone: Zone = { reason: undefined, isQuotedPost: false, isMedia: false };
  /** Where the zone that is being left out began, or went on, and the first of its text. */
  #stretchStart = 0;
  #stretchText = '';
  /** A block began or ended while nothing was read. */
  #passedBlock = false;
  /** How many elements have been kept; what one of them stands in is not left out for its class. */
  #keptCount = 0;
  #quoteCount = 0;

  constructor(source: string, field: SourceSpan['field'], reading: HtmlReading) {
    this.#source = source;
    this.#field = field;
    this.#reading = reading;
    this.#words = new WordGatherer(source, field, this.#stack, this.draft);
    this.#furniture = new FurnitureRule(source);
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

  /** An end tag that ends at an offset, with or without a start tag. */
  close(name: string, end: number): void {
    if (name === 'br' && this.#isReading()) this.#words.lineBreak();
    this.#stack.close(name);
    this.#finishFrames(this.#stack.depth, end, true);
    if (isBlockLevel(name)) this.#passBlock();
  }

  text(start: number, end: number): void {
    if (this.#isReading()) this.#words.text(start, end);
    else if (!this.#isCodeAmongOthers()) {
      this.#excerpt(this.#source.slice(start, Math.min(end, start + EXCERPT_UNITS)));
    }
  }

  /** An entity between two offsets, decoded. */
  entity(text: string, start: number, end: number): void {
    if (this.#isReading()) this.#words.entity(text, start, end);
    else this.#excerpt(text);
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
    this.#words.endBlock();
  }

  #isReading(): boolean {
    return this.#zone.reason === undefined;
  }

  /** Nobody would recognize a box by the script in it. */
  #isCodeAmongOthers(): boolean {
    const { reason } = this.#zone;
    if (reason === 'script' || reason === 'style') return false;
    return this.isOpen('script') || this.isOpen('style');
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
      if (this.#passedBlock) this.#words.endBlock();
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
    if (!JOINED_REASONS.has(reason)) this.#words.space();
    const isMedia = reason === 'embedded media' && element.name !== 'svg';
    const zone = { reason, isMedia, isQuotedPost: isQuotedPost(element) };
    this.#enter(zone, element, start, end, depth);
  }

  #enter(zone: Zone, { name }: OpeningElement, start: number, end: number, depth: number): void {
    const around = this.#zone;
    this.#switchTo(zone, start);
    const leave = (offset: number) => {
      if (this.#isReading() && isBlockLevel(name)) this.#words.endBlock();
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
    if (name === 'br') this.#words.lineBreak();
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
    if (name === 'tr') this.#tables.at(-1)?.beginRow();
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
      this.#words.endBlock();
      if (!isEnded || this.#keptCount > keptBefore) return;
      const { letters, linked } = this.draft.since(mark);
      const linkedMin = letters < LINKS_NEEDED_FROM ? 0 : letters * suggestion.linkShareMin;
      const isSo =
        letters <= suggestion.lettersMax &&
        linked >= linkedMin &&
        mark.letters >= letters * suggestion.textBeforeMin &&
        (!suggestion.isAddress || this.draft.isAddressSince(mark));
      if (isSo) this.draft.leaveOutSince(mark, suggestion.reason, this.#span(start, end));
    };
    this.#frames.push({ depth, finish });
  }

  #beginQuote(depth: number): void {
    if (this.#words.quote !== undefined) return;
    this.#quoteCount += 1;
    this.#words.quote = this.#quoteCount;
    const finish = () => {
      this.#words.endBlock();
      this.#words.quote = undefined;
    };
    this.#frames.push({ depth, finish });
  }

  #beginTable({ role }: OpeningElement, start: number, depth: number): void {
    this.#tables.at(-1)?.nest();
    const table = new Table(role === 'presentation' || role === 'none');
    this.#tables.push(table);
    this.#words.cell = undefined;
    const mark = this.draft.mark();
    const keptBefore = this.#keptCount;
    const finish = (end: number, isEnded: boolean) => {
      this.#words.endBlock();
      this.#tables.pop();
      if (!table.isData(this.draft.blocks, mark.blockCount)) return;
      if (this.#reading.tables === 'none' && isEnded && this.#keptCount === keptBefore) {
        this.draft.leaveOutSince(mark, 'table', this.#span(start, end));
        return;
      }
      const { rows, head } = table.readRows(this.draft.takeSince(mark), this.#columnNames);
      for (const row of rows) this.draft.add(row);
      this.draft.leftOut.push(...head);
    };
    this.#frames.push({ depth, finish });
  }

  #beginCell(isHeader: boolean, attributes: ReadonlyMap<string, string>, depth: number): void {
    const cell = this.#tables.at(-1)?.beginCell(isHeader, attributes);
    if (!cell) return;
    this.#words.cell = cell;
    const finish = () => {
      this.#words.endBlock();
      this.#words.cell = undefined;
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

  #passBlock(): void {
    if (this.#isReading()) this.#words.endBlock();
    else {
      this.#passedBlock = true;
      this.#excerpt(' ');
    }
  }

  #span(start: number, end: number): SourceSpan {
    return { field: this.#field, start, end };
  }
}
