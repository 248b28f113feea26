import type { NarrationSettings } from '../narration-settings.ts';
import type { LeftOutReason, SourceSpan } from './block.ts';
import { createLeftOut, DocumentBuilder } from './block.ts';
import { BoilerplateRule, isPullQuote, isQuotedPost } from './boilerplate.ts';
import { type ClassNameHint, findHint, isConfirmed, isInlineSized } from './class-names.ts';
import type { StartTag } from './elements.ts';
import { ElementStack, isBlockLevel, isVoid } from './elements.ts';
import { compileSelectors, SelectorMatcher, WorkMeter } from './selectors.ts';
import { maxTotalPauseMs, readSsml, ssmlAttributes } from './ssml.ts';
import { Table } from './tables.ts';
import { TextBuilder } from './text-builder.ts';

const EXCERPT_UNITS = 2_000;
/** Text left out for these reasons may be within a word. */
const INLINE_REASONS: ReadonlySet<LeftOutReason> = new Set<LeftOutReason>([
  'script',
  'style',
  'hidden',
  'footnote',
  'struck out',
  'ruby annotation',
]);
const RELEVANT_ATTRIBUTES =
  'hidden aria-hidden style href role lang xml:lang class id open colspan rowspan data-footnotes fallback placeholder data-testid data-component data-qa data-hook'.split(
    ' ',
  );
/** Elements without text. */
const NON_TEXT_ELEMENTS = new Set(['script', 'style']);
const MAX_CARD_LETTERS = 600;
/** Maximum length of an inline element that is left out for its class. */
const MAX_INLINE_UNITS = 600;

export interface HtmlExtractionOptions extends Pick<NarrationSettings, 'leave_out' | 'keep' | 'tables' | 'ssml'> {
  readonly followsClassNames: boolean;
  /** Notion exports its callouts as `aside`. */
  readonly isMarkdown?: boolean;
}

/** A part of the article that is extracted, or left out for a reason. Regions nest. */
interface Region {
  readonly reason: LeftOutReason | undefined;
  /** An embedded post: only its paragraphs are its text. */
  readonly isQuotedPost: boolean;
  /** Listed even without text. */
  isMedia: boolean;
}

interface CloseHandler {
  readonly depth: number;
  /** @param isEnded false if only the end of the text ended the element */
  readonly finish: (end: number, isEnded: boolean) => void;
}

/** Collects the text to speak, element by element, in linear time for any input. */
export class ArticleExtractor {
  readonly document = new DocumentBuilder();
  readonly #source: string;
  readonly #field: SourceSpan['field'];
  readonly #options: HtmlExtractionOptions;
  readonly #stack = new ElementStack();
  readonly #textBuilder: TextBuilder;
  readonly #boilerplate: BoilerplateRule;
  readonly #leaveOutSelectors: SelectorMatcher;
  readonly #keepSelectors: SelectorMatcher;
  readonly #relevantAttributes: ReadonlySet<string>;
  readonly #closeHandlers: CloseHandler[] = [];
  readonly #tables: Table[] = [];
  readonly #columnNames: { unitsLeft: number };
  #region: Region = { reason: undefined, isQuotedPost: false, isMedia: false };
  /** Start and first text of the current left-out range. */
  #leftOutStart = 0;
  #leftOutText = '';
  /** A block began or ended within the left-out range. */
  #hasPassedBlock = false;
  /** Kept elements so far; an element that contains one is not left out for its class. */
  #keptCount = 0;
  #quoteCount = 0;
  /** Silence that further marks may ask for. */
  #pauseLeftMs = maxTotalPauseMs;

  constructor(source: string, field: SourceSpan['field'], reading: HtmlExtractionOptions) {
    this.#source = source;
    this.#field = field;
    this.#options = reading;
    this.#textBuilder = new TextBuilder(source, field, this.#stack, this.document);
    this.#boilerplate = new BoilerplateRule(source);
    this.#columnNames = { unitsLeft: source.length };
    const leaveOut = compileSelectors(reading.leave_out);
    const keep = compileSelectors(reading.keep);
    const meter = new WorkMeter();
    this.#leaveOutSelectors = new SelectorMatcher(leaveOut, meter);
    this.#keepSelectors = new SelectorMatcher(keep, meter);
    const attributes = [...leaveOut.attributes, ...keep.attributes, ...(reading.ssml ? ssmlAttributes : [])];
    this.#relevantAttributes = new Set([...RELEVANT_ATTRIBUTES, ...attributes]);
  }

  isRelevantAttribute(attribute: string): boolean {
    return this.#relevantAttributes.has(attribute);
  }

  isOpen(name: string): boolean {
    return this.#stack.isOpen(name);
  }

  open(element: StartTag, start: number, end: number): void {
    const { name } = element;
    if (!isVoid(name)) {
      this.#stack.open(element, isPullQuote(element) ? 'quote' : undefined);
      // The start of one element may imply the end of another.
      this.#runCloseHandlers(this.#stack.depth - 1, start, true);
    }
    const depth = this.#stack.depth - (isVoid(name) ? 0 : 1);
    const isKept = this.#keepSelectors.matches(element, depth) && !NON_TEXT_ELEMENTS.has(name);
    const isUnwanted = this.#leaveOutSelectors.matches(element, depth);
    if (isKept) this.#stack.section.isKept = true;
    if (isBlockLevel(name)) this.#passBlock();
    if (isKept || this.#isPostText(name)) this.#extractFrom(element, start, end, depth);
    else if (!this.#isExtracting()) this.#excerpt(name === 'br' ? ' ' : '');
    else {
      const reason = isUnwanted ? 'left out by the site' : this.#reason(element, start, end);
      if (reason) this.#leaveOutFrom(element, reason, start, end, depth);
      else this.#extract(element, start, end, depth, false);
    }
    // Counted after the element itself, so that it counts for its ancestors only.
    if (isKept || name === 'main' || name === 'h1') this.#keptCount += 1;
  }

  close(name: string, end: number): void {
    if (name === 'br' && this.#isExtracting()) this.#textBuilder.lineBreak();
    this.#stack.close(name);
    this.#runCloseHandlers(this.#stack.depth, end, true);
    if (isBlockLevel(name)) this.#passBlock();
  }

  text(start: number, end: number): void {
    if (this.#isExtracting()) this.#textBuilder.text(start, end);
    else if (!this.#isCodeAmongOthers()) {
      this.#excerpt(this.#source.slice(start, Math.min(end, start + EXCERPT_UNITS)));
    }
  }

  entity(text: string, start: number, end: number): void {
    if (this.#isExtracting()) this.#textBuilder.entity(text, start, end);
    else this.#excerpt(text);
  }

  /** The following line may be the caption of an image. */
  image(): void {
    if (this.#isExtracting()) this.#textBuilder.image();
  }

  /** Leaves out a range outside of elements. */
  leaveOut(start: number, end: number, reason: LeftOutReason): void {
    const text = this.#source.slice(start, end);
    if (this.#isExtracting() && text.trim() !== '') {
      this.document.leftOut.push(createLeftOut(text, reason, this.#span(start, end)));
    }
  }

  end(): void {
    this.#runCloseHandlers(0, this.#source.length, false);
    this.#textBuilder.endBlock();
  }

  #isExtracting(): boolean {
    return this.#region.reason === undefined;
  }

  /** Code does not describe the element that contains it. */
  #isCodeAmongOthers(): boolean {
    const { reason } = this.#region;
    if (reason === 'script' || reason === 'style') return false;
    return this.isOpen('script') || this.isOpen('style');
  }

  #isPostText(name: string): boolean {
    return name === 'p' && this.#region.isQuotedPost && !this.#isExtracting();
  }

  #reason(element: StartTag, start: number, end: number): LeftOutReason | undefined {
    if (this.#isSentence(element)) return undefined;
    if (this.#options.isMarkdown && element.name === 'aside' && element.attributes.size === 0) return undefined;
    const isLinkOfPost = this.#region.isQuotedPost && element.name === 'a';
    if (isLinkOfPost && element.attributes.get('href')?.includes('//t.co/')) return 'embedded post';
    return this.#boilerplate.findReason(element, start, end, this.#stack, this.document.leftOut.at(-1));
  }

  /** Outside of `speak` it is struck out, as in HTML. */
  #isSentence({ name }: StartTag): boolean {
    return name === 's' && this.#options.ssml && this.isOpen('speak');
  }

  #extractFrom(element: StartTag, start: number, end: number, depth: number): void {
    if (!this.#isExtracting()) {
      if (this.#hasPassedBlock) this.#textBuilder.endBlock();
      this.#enter({ ...this.#region, reason: undefined, isMedia: false }, element, start, end, depth);
    }
    this.#extract(element, start, end, depth, true);
  }

  #leaveOutFrom(element: StartTag, reason: LeftOutReason, start: number, end: number, depth: number): void {
    if (!INLINE_REASONS.has(reason)) this.#textBuilder.space();
    const isMedia = reason === 'embedded media' && element.name !== 'svg';
    const region = { reason, isMedia, isQuotedPost: isQuotedPost(element) };
    this.#enter(region, element, start, end, depth);
  }

  #enter(region: Region, { name }: StartTag, start: number, end: number, depth: number): void {
    const outerRegion = this.#region;
    this.#switchTo(region, start);
    const leave = (offset: number) => {
      if (this.#isExtracting() && isBlockLevel(name)) this.#textBuilder.endBlock();
      this.#switchTo(outerRegion, offset);
    };
    if (isVoid(name)) leave(end);
    else this.#closeHandlers.push({ depth, finish: leave });
  }

  #switchTo(region: Region, offset: number): void {
    const { reason } = this.#region;
    const text = this.#leftOutText;
    if (reason !== undefined && (this.#region.isMedia || text.trim() !== '')) {
      const span = this.#span(this.#leftOutStart, offset);
      this.document.leftOut.push(createLeftOut(text, reason, span));
      this.#region.isMedia = false;
    }
    this.#region = region;
    this.#leftOutStart = offset;
    this.#leftOutText = '';
    this.#hasPassedBlock = false;
  }

  #extract(element: StartTag, start: number, end: number, depth: number, isKept: boolean): void {
    const { name, attributes } = element;
    if (name === 'br') this.#textBuilder.lineBreak();
    if (name === 'img' || name === 'amp-img') this.#textBuilder.image();
    if (this.#options.ssml) this.#followSsml(element, depth);
    if (isVoid(name)) return;
    if (name === 'math') this.#beginFormula(start, end, depth);
    if (name === 'a' && attributes.has('href')) this.#beginLink(start, depth);
    const isDoubtful = !isKept && this.#options.followsClassNames;
    const suggestion = isDoubtful ? findHint(element) : undefined;
    if (suggestion && !isBlockLevel(name)) {
      const isShort = isInlineSized(suggestion) && this.#endsSoon(name, end);
      const isShown =
        suggestion.reason === 'hidden' && this.#boilerplate.isShown(name, start, end, this.document.leftOut.at(-1));
      if (isShort && !isShown) this.#leaveOutFrom(element, suggestion.reason, start, end, depth);
      return;
    }
    if (suggestion) this.#extractTentatively(suggestion, start, depth);
    if (name === 'blockquote' || isPullQuote(element)) this.#beginQuote(depth);
    if (name === 'table') this.#beginTable(element, start, depth);
    if (name === 'tr') this.#tables.at(-1)?.beginRow();
    if (name === 'td' || name === 'th') this.#beginCell(name === 'th', attributes, depth);
  }

  #followSsml(element: StartTag, depth: number): void {
    const effect = element.name === 's' && !this.isOpen('speak') ? undefined : readSsml(element);
    if (effect === undefined) return;
    const textBuilder = this.#textBuilder;
    if (effect.kind === 'pause') {
      const pauseMs = Math.min(effect.pauseMs, this.#pauseLeftMs);
      this.#pauseLeftMs -= pauseMs;
      textBuilder.cut({ kind: 'pause', pauseMs });
    } else if (effect.kind === 'say') this.#closeHandlers.push({ depth, finish: textBuilder.beginSaying(effect.as) });
    else if (effect.kind === 'sentence') this.#closeHandlers.push({ depth, finish: () => textBuilder.cut(effect) });
    else {
      const { rate } = textBuilder;
      textBuilder.rate = effect.rate;
      this.#closeHandlers.push({
        depth,
        finish: () => {
          textBuilder.rate = rate;
        },
      });
    }
  }

  /** A link around several blocks is a card that leads to another article: its title, first sentence and site. */
  #beginLink(start: number, depth: number): void {
    if (!this.#options.followsClassNames || !this.#textBuilder.isEmpty) return;
    const checkpoint = this.document.checkpoint();
    const keptBefore = this.#keptCount;
    const finish = (end: number, isEnded: boolean) => {
      const { letters } = this.document.countSince(checkpoint);
      const blockCount = this.document.blocks.length - checkpoint.blockCount + (this.#textBuilder.isEmpty ? 0 : 1);
      if (!isEnded || this.#keptCount > keptBefore || blockCount < 2 || letters > MAX_CARD_LETTERS) return;
      this.#textBuilder.endBlock();
      this.document.leaveOutSince(checkpoint, 'related articles', this.#span(start, end));
    };
    this.#closeHandlers.push({ depth, finish });
  }

  #beginFormula(start: number, end: number, depth: number): void {
    const formula = this.#boilerplate.findFormula(start, end);
    if (formula === undefined) return;
    this.#closeHandlers.push({ depth, finish: this.#textBuilder.beginSaying({ formula }) });
  }

  #endsSoon(name: string, end: number): boolean {
    return this.#source
      .slice(end, end + MAX_INLINE_UNITS)
      .toLowerCase()
      .includes(`</${name}`);
  }

  /** Extracts an element that may be left out for its class, which is decided at its end. */
  #extractTentatively(suggestion: ClassNameHint, start: number, depth: number): void {
    const checkpoint = this.document.checkpoint();
    const keptBefore = this.#keptCount;
    const finish = (end: number, isEnded: boolean) => {
      this.#textBuilder.endBlock();
      if (!isEnded || this.#keptCount > keptBefore) return;
      const isSo = isConfirmed(suggestion, this.document, checkpoint);
      if (isSo) this.document.leaveOutSince(checkpoint, suggestion.reason, this.#span(start, end));
    };
    this.#closeHandlers.push({ depth, finish });
  }

  #beginQuote(depth: number): void {
    if (this.#textBuilder.quote !== undefined) return;
    this.#quoteCount += 1;
    this.#textBuilder.quote = this.#quoteCount;
    const finish = () => {
      this.#textBuilder.endBlock();
      this.#textBuilder.quote = undefined;
    };
    this.#closeHandlers.push({ depth, finish });
  }

  #beginTable({ role }: StartTag, start: number, depth: number): void {
    this.#tables.at(-1)?.markAsLayout();
    const table = new Table(role === 'presentation' || role === 'none');
    this.#tables.push(table);
    this.#textBuilder.cell = undefined;
    const checkpoint = this.document.checkpoint();
    const keptBefore = this.#keptCount;
    const finish = (end: number, isEnded: boolean) => {
      this.#textBuilder.endBlock();
      this.#tables.pop();
      if (!table.isData(this.document.blocks, checkpoint.blockCount)) return;
      if (this.#options.tables === 'none' && isEnded && this.#keptCount === keptBefore) {
        this.document.leaveOutSince(checkpoint, 'table', this.#span(start, end));
        return;
      }
      const { rows, head } = table.buildRows(this.document.removeSince(checkpoint), this.#columnNames);
      for (const row of rows) this.document.add(row);
      this.document.leftOut.push(...head);
    };
    this.#closeHandlers.push({ depth, finish });
  }

  #beginCell(isHeader: boolean, attributes: ReadonlyMap<string, string>, depth: number): void {
    const cell = this.#tables.at(-1)?.beginCell(isHeader, attributes);
    if (!cell) return;
    this.#textBuilder.cell = cell;
    const finish = () => {
      this.#textBuilder.endBlock();
      this.#textBuilder.cell = undefined;
    };
    this.#closeHandlers.push({ depth, finish });
  }

  /** Closes the elements at this depth or deeper, the innermost first. */
  #runCloseHandlers(depth: number, end: number, isEnded: boolean): void {
    for (
      let handler = this.#closeHandlers.at(-1);
      handler && handler.depth >= depth;
      handler = this.#closeHandlers.at(-1)
    ) {
      this.#closeHandlers.pop();
      handler.finish(end, isEnded);
    }
  }

  #excerpt(text: string): void {
    if (this.#leftOutText.length < EXCERPT_UNITS) this.#leftOutText += text;
  }

  #passBlock(): void {
    if (this.#isExtracting()) this.#textBuilder.endBlock();
    else {
      this.#hasPassedBlock = true;
      this.#excerpt(' ');
    }
  }

  #span(start: number, end: number): SourceSpan {
    return { field: this.#field, start, end };
  }
}
