import type { DocumentBuilder, Section } from './block.ts';
import { type BlockKind, createLeftOut, type SourceSpan } from './block.ts';
import { BlockTextBuilder } from './block-text.ts';
import type { ElementStack } from './elements.ts';
import { findShortcodes, type Shortcode } from './shortcodes.ts';
import type { SayAs, SpeechCut } from './ssml.ts';
import type { Cell } from './tables.ts';

/** A superscript number, such as an exponent. */
const SUPERSCRIPT_NUMBER = /^\s{0,9}([-−–]?)(\d{1,3})\s{0,9}$/;
const SUPERSCRIPT_DIGITS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
/** After a superscript that is a numerator: "1<sup>1</sup>/<sub>2</sub>". */
const FRACTION_BAR = /<\/sup\s{0,9}>\s{0,9}(?:[/⁄]|&frasl;)/iy;
/** What follows a decoded "&" in text that was escaped twice: "&amp;quot;". */
const ESCAPED_TWICE =
  /(?:amp;){0,3}(amp|lt|gt|quot|apos|nbsp|hellip|[lr](?:[sd]|a)quo|[mn]dash|euro|deg|szlig|iexcl|iquest|oelig|aelig|[a-z](?:acute|grave|circ|uml|tilde|cedil|caron)|#(?:x[\da-f]{2,5}|\d{2,6}));/iy;
const NAMED_ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', hellip: '…', mdash: '—', ndash: '–' },
  ...{ lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', laquo: '«', raquo: '»', iexcl: '¡', iquest: '¿' },
  ...{ euro: '€', deg: '°', szlig: 'ß', oelig: 'œ', aelig: 'æ', OElig: 'Œ', AElig: 'Æ' },
};
/** Combining marks by the end of an entity: "eacute". */
const MARKS: Readonly<Record<string, string>> = {
  ...{ acute: '\u0301', grave: '\u0300', circ: '\u0302', uml: '\u0308', tilde: '\u0303' },
  ...{ cedil: '\u0327', caron: '\u030c' },
};
const ITALICS = ['em', 'i', 'small'];
const MAX_IMAGE_DEPTH = 3;
const BLANK_LINE = /\n[^\S\n]{0,200}\n/g;

/** Collects extracted text in blocks according to the open elements. Leaves out shortcodes. */
export class TextBuilder {
  /** Number of the open quotation. */
  quote: number | undefined;
  /** The open table cell. */
  cell: Cell | undefined;
  readonly #source: string;
  readonly #field: SourceSpan['field'];
  readonly #stack: ElementStack;
  readonly #document: DocumentBuilder;
  readonly #blockText: BlockTextBuilder;
  readonly #shortcodes: readonly Shortcode[];
  #shortcodeIndex = 0;
  #listedUntil = 0;
  /** End of the last entity that was escaped twice. */
  #decodedUntil = 0;
  #endsLine = false;
  /** The element with the last image before the current block ends. */
  #imageSection: Section | undefined;
  #kind: BlockKind = 'paragraph';
  #section: Section;

  constructor(source: string, field: SourceSpan['field'], stack: ElementStack, document: DocumentBuilder) {
    this.#source = source;
    this.#field = field;
    this.#stack = stack;
    this.#section = stack.section;
    this.#document = document;
    this.#blockText = new BlockTextBuilder(field);
    this.#shortcodes = findShortcodes(source);
  }

  text(start: number, end: number): void {
    let from = Math.max(start, this.#decodedUntil);
    if (from >= end) return;
    for (const shortcode of this.#shortcodesIn(from, end)) {
      if (shortcode.start > from) this.#appendRun(from, shortcode.start);
      this.space();
      from = Math.max(from, shortcode.end);
    }
    if (from < end) this.#appendRun(from, end);
  }

  entity(text: string, start: number, end: number): void {
    if (this.#shortcodesIn(start, end).length > 0) return;
    if (text === '&' && !this.#stack.isOpen('code')) {
      ESCAPED_TWICE.lastIndex = end;
      const escaped = ESCAPED_TWICE.exec(this.#source)?.[1];
      if (escaped !== undefined) {
        this.#decodedUntil = ESCAPED_TWICE.lastIndex;
        this.#appendEntity(decodeEntity(escaped), start, this.#decodedUntil);
        return;
      }
    }
    this.#appendEntity(text, start, end);
  }

  #appendEntity(text: string, start: number, end: number): void {
    this.#beginText();
    const isMinus = text === '−' && this.#stack.isOpen('sup') && this.#blockText.endsInNumber;
    this.#blockText.appendMapped(isMinus ? '⁻' : text, start, end);
    if (text.trim() !== '') this.#endsLine = false;
  }

  /** Whether the current block has no text yet. */
  get isEmpty(): boolean {
    return this.#blockText.isEmpty;
  }

  space(): void {
    this.#blockText.space();
  }

  /** One line break is a space, two in a row end the paragraph. */
  lineBreak(): void {
    if (this.#endsLine) this.endBlock();
    else this.space();
    this.#endsLine = true;
  }

  /** Speaking rate of the following text, relative to that of the article. */
  get rate(): number {
    return this.#blockText.rate;
  }

  set rate(rate: number) {
    this.#blockText.rate = rate;
  }

  /** Silence after the text so far, or the end of a sentence. */
  cut(mark: SpeechCut): void {
    this.#blockText.cut(mark);
  }

  /** @returns marks the text added since, unless it has passed the end of its block */
  beginSaying(as: SayAs): () => void {
    return this.#blockText.beginSaying(as);
  }

  image(): void {
    this.#imageSection = this.#stack.section;
  }

  endBlock(): void {
    const { linkedUnits, linkStart, isItalic } = this.#blockText;
    const block = this.#blockText.takeBlock(this.#kind);
    this.#endsLine = false;
    if (!block) return;
    const isBelowImage = this.#imageSection !== undefined && (isItalic || isWithin(this.#imageSection, this.#section));
    const imageSection = this.#imageSection;
    this.#imageSection = undefined;
    const draft = {
      block,
      linkedUnits,
      linkStart,
      imageSection,
      isBelowImage,
      isItalic,
      quote: this.quote,
      section: this.#section,
    };
    this.#document.add(draft);
    this.cell?.blocks.push(draft);
  }

  #appendRun(start: number, end: number): void {
    if (this.#stack.isInBlock() && !this.#stack.isOpen('pre')) this.#appendText(start, end);
    else this.#appendLooseText(start, end);
  }

  /** Text outside block elements, from editors without paragraphs, and preformatted text: a blank line ends a paragraph. */
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
    const isRaised = this.#stack.isOpen('sup') || this.#stack.isOpen('msup');
    const raised = isRaised ? this.#superscriptNumber(start, end) : undefined;
    if (raised === undefined) this.#blockText.append(this.#source, start, end);
    else this.#blockText.appendMapped(raised, start, end);
    if (this.#endsLine && this.#source.slice(start, end).trim() !== '') this.#endsLine = false;
  }

  /** Without superscript digits "10<sup>6</sup>" would become 106. */
  #superscriptNumber(start: number, end: number): string | undefined {
    const [, minus, digits] = SUPERSCRIPT_NUMBER.exec(this.#source.slice(start, Math.min(end, start + 30))) ?? [];
    if (digits === undefined || !this.#blockText.endsInBase) return undefined;
    FRACTION_BAR.lastIndex = end;
    if (FRACTION_BAR.test(this.#source)) return ` ${digits}`;
    return [...digits].reduce((raised, digit) => raised + SUPERSCRIPT_DIGITS.charAt(Number(digit)), minus && '⁻');
  }

  /** The first text of a block decides its kind. */
  #beginText(): void {
    if (this.#blockText.isEmpty) {
      this.#kind = this.#stack.kind;
      this.#section = this.#stack.section;
    }
    const isItalic = ITALICS.some((name) => this.#stack.isOpen(name));
    this.#blockText.setContext(this.#stack.language, this.#stack.isOpen('a'), isItalic);
  }

  /** The shortcodes that overlap a range; offsets must not decrease between calls. Lists each at its first overlap. */
  #shortcodesIn(start: number, end: number): Shortcode[] {
    const overlapping: Shortcode[] = [];
    // Ends: each iteration returns or advances to the next shortcode.
    for (;;) {
      const shortcode = this.#shortcodes[this.#shortcodeIndex];
      if (shortcode === undefined || shortcode.start >= end) return overlapping;
      if (shortcode.end > start && !this.#isShown(shortcode)) {
        overlapping.push(shortcode);
        this.#listShortcode(shortcode);
      } else if (shortcode.end > start) {
        this.#shortcodeIndex += 1;
        continue;
      }
      if (shortcode.end > end) return overlapping;
      this.#shortcodeIndex += 1;
    }
  }

  /** Within code it is part of the article. */
  #isShown({ end }: Shortcode): boolean {
    return this.#stack.isOpen('code') && this.#listedUntil < end;
  }

  #listShortcode({ start, end, reason }: Shortcode): void {
    if (this.#listedUntil >= end) return;
    this.#listedUntil = end;
    const text = this.#source.slice(start, end).replace(/<[^<>]*>/g, '');
    this.#document.leftOut.push(createLeftOut(text, reason, { field: this.#field, start, end }));
  }
}

function isWithin(section: Section, outer: Section): boolean {
  let one: Section | undefined = section;
  for (let depth = 0; one !== undefined && depth <= MAX_IMAGE_DEPTH; depth += 1) {
    if (one === outer) return true;
    one = one.parent;
  }
  return false;
}

/** Case matters in no entity of the table. */
function decodeEntity(name: string): string {
  if (!name.startsWith('#')) {
    const mark = MARKS[name.slice(1).toLowerCase()];
    return mark === undefined
      ? (NAMED_ENTITIES[name] ?? NAMED_ENTITIES[name.toLowerCase()] ?? '')
      : (name.charAt(0) + mark).normalize('NFC');
  }
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10_ffff ? String.fromCodePoint(code) : '\uFFFD';
}
