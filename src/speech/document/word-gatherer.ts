import type { BlockKind, SourceSpan } from './block.ts';
import { BlockText } from './block-text.ts';
import type { Draft } from './draft.ts';
import type { ElementStack } from './element-stack.ts';
import { leaveOut } from './left-out.ts';
import { findShortcodes, type Shortcode } from './shortcodes.ts';
import type { Cell } from './table.ts';

/** A raised number, as behind the base of a power. */
const RAISED_NUMBER = /^\s{0,9}([-−–]?)(\d{1,3})\s{0,9}$/;
const RAISED_DIGITS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
/** What stood above was no power: "1<sup>1</sup>/<sub>2</sub>". */
const FRACTION_BAR = /<\/sup\s{0,9}>\s{0,9}(?:[/⁄]|&frasl;)/iy;
const BLANK_LINE = /\n[^\S\n]{0,200}\n/g;

/** Gathers the words that are read into blocks, by where they stand among the open elements. Shortcodes are left out. */
export class WordGatherer {
  /** Number of the quotation that is open; undefined: none. */
  quote: number | undefined;
  /** The cell of a table that is open. */
  cell: Cell | undefined;
  readonly #source: string;
  readonly #field: SourceSpan['field'];
  readonly #stack: ElementStack;
  readonly #draft: Draft;
  readonly #blockText: BlockText;
  readonly #shortcodes: readonly Shortcode[];
  #shortcodeIndex = 0;
  #listedUntil = 0;
  #endsLine = false;
  #kind: BlockKind = 'paragraph';

  /** @param draft takes the blocks */
  constructor(source: string, field: SourceSpan['field'], stack: ElementStack, draft: Draft) {
    this.#source = source;
    this.#field = field;
    this.#stack = stack;
    this.#draft = draft;
    this.#blockText = new BlockText(field);
    this.#shortcodes = findShortcodes(source);
  }

  /** Text between two offsets. */
  text(start: number, end: number): void {
    let from = start;
    for (const shortcode of this.#shortcodesIn(start, end)) {
      if (shortcode.start > from) this.#appendRun(from, shortcode.start);
      this.space();
      from = Math.max(from, shortcode.end);
    }
    if (from < end) this.#appendRun(from, end);
  }

  /** An entity between two offsets, decoded. */
  entity(text: string, start: number, end: number): void {
    if (this.#shortcodesIn(start, end).length > 0) return;
    this.#beginText();
    const isMinus = text === '−' && this.#stack.isOpen('sup') && this.#blockText.endsInNumber;
    this.#blockText.appendMapped(isMinus ? '⁻' : text, start, end);
    if (text.trim() !== '') this.#endsLine = false;
  }

  /** A boundary between words. */
  space(): void {
    this.#blockText.space();
  }

  /** One line break is a space, two in a row end the paragraph. */
  lineBreak(): void {
    if (this.#endsLine) this.endBlock();
    else this.space();
    this.#endsLine = true;
  }

  /** What comes now belongs to another block. */
  endBlock(): void {
    const { linked } = this.#blockText;
    const block = this.#blockText.take(this.#kind);
    this.#endsLine = false;
    if (!block) return;
    const draft = { block, linked, quote: this.quote };
    this.#draft.add(draft);
    this.cell?.blocks.push(draft);
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
      this.endBlock();
      from = start + match.index + match[0].length;
    }
    this.#appendText(from, end);
  }

  #appendText(start: number, end: number): void {
    this.#beginText();
    const raised = this.#stack.isOpen('sup') ? this.#raisedNumber(start, end) : undefined;
    if (raised === undefined) this.#blockText.append(this.#source, start, end);
    else this.#blockText.appendMapped(raised, start, end);
    if (this.#endsLine && this.#source.slice(start, end).trim() !== '') this.#endsLine = false;
  }

  /** Right behind a number the digits of a power would be taken for its last ones: "10<sup>6</sup>". */
  #raisedNumber(start: number, end: number): string | undefined {
    const [, minus, digits] =
      RAISED_NUMBER.exec(this.#source.slice(start, Math.min(end, start + 30))) ?? [];
    if (digits === undefined || !this.#blockText.endsInNumber) return undefined;
    FRACTION_BAR.lastIndex = end;
    if (FRACTION_BAR.test(this.#source)) return ` ${digits}`;
    return [...digits].reduce(
      (raised, digit) => raised + RAISED_DIGITS.charAt(Number(digit)),
      minus && '⁻',
    );
  }

  /** A block is of the kind its first words stand in. */
  #beginText(): void {
    if (this.#blockText.isEmpty) this.#kind = this.#stack.kind;
    this.#blockText.standIn(this.#stack.language, this.#stack.isOpen('a'));
  }

  /** The shortcodes that a stretch of text touches; each is listed when it is first met. Offsets must not fall. */
  #shortcodesIn(start: number, end: number): Shortcode[] {
    const touched: Shortcode[] = [];
    // Ends: each turn returns or goes on to the next shortcode.
    for (;;) {
      const shortcode = this.#shortcodes[this.#shortcodeIndex];
      if (shortcode === undefined || shortcode.start >= end) return touched;
      if (shortcode.end > start && !this.#isShown(shortcode)) {
        touched.push(shortcode);
        this.#listShortcode(shortcode);
      } else if (shortcode.end > start) {
        this.#shortcodeIndex += 1;
        continue;
      }
      if (shortcode.end > end) return touched;
      this.#shortcodeIndex += 1;
    }
  }

  /** In the middle of code it is what the article is about. */
  #isShown({ end }: Shortcode): boolean {
    return this.#stack.isOpen('code') && this.#listedUntil < end;
  }

  #listShortcode({ start, end, reason }: Shortcode): void {
    if (this.#listedUntil >= end) return;
    this.#listedUntil = end;
    const text = this.#source.slice(start, end).replace(/<[^<>]*>/g, '');
    this.#draft.leftOut.push(leaveOut(text, reason, { field: this.#field, start, end }));
  }
}
