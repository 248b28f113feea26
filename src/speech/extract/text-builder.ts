import type { DocumentBuilder } from './block.ts';
import { type Block, type BlockKind, createLeftOut, type LanguageRun, type SourceSpan } from './block.ts';
import type { ElementStack } from './elements.ts';
import { findShortcodes, type Shortcode } from './shortcodes.ts';
import type { Cell } from './tables.ts';

/** A superscript number, such as an exponent. */
const SUPERSCRIPT_NUMBER = /^\s{0,9}([-−–]?)(\d{1,3})\s{0,9}$/;
const SUPERSCRIPT_DIGITS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
/** After a superscript that is a numerator: "1<sup>1</sup>/<sub>2</sub>". */
const FRACTION_BAR = /<\/sup\s{0,9}>\s{0,9}(?:[/⁄]|&frasl;)/iy;
/** What follows a decoded "&" in text that was escaped twice: "&amp;quot;". */
const ESCAPED_TWICE = /(amp|lt|gt|quot|apos|nbsp|hellip|[lr][sd]quo|[mn]dash|#(?:x[\da-f]{2,5}|\d{2,6}));/iy;
const NAMED_ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', hellip: '…', mdash: '—', ndash: '–' },
  ...{ lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”' },
};
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
  #kind: BlockKind = 'paragraph';

  constructor(source: string, field: SourceSpan['field'], stack: ElementStack, document: DocumentBuilder) {
    this.#source = source;
    this.#field = field;
    this.#stack = stack;
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

  space(): void {
    this.#blockText.space();
  }

  /** One line break is a space, two in a row end the paragraph. */
  lineBreak(): void {
    if (this.#endsLine) this.endBlock();
    else this.space();
    this.#endsLine = true;
  }

  endBlock(): void {
    const { linkedUnits } = this.#blockText;
    const block = this.#blockText.takeBlock(this.#kind);
    this.#endsLine = false;
    if (!block) return;
    const draft = { block, linkedUnits, quote: this.quote };
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
    if (this.#blockText.isEmpty) this.#kind = this.#stack.kind;
    this.#blockText.setContext(this.#stack.language, this.#stack.isOpen('a'));
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

/** Case matters in no entity of the table. */
function decodeEntity(name: string): string {
  if (!name.startsWith('#')) return NAMED_ENTITIES[name.toLowerCase()] ?? '';
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10_ffff ? String.fromCodePoint(code) : REPLACEMENT;
}

const SPACE = 0x20;
const REPLACEMENT = '\uFFFD';

/**
 * Collects the cleaned text of a block with the source offset of every unit.
 * Offsets must not decrease between calls.
 */
export class BlockTextBuilder {
  readonly #field: SourceSpan['field'];
  #text = '';
  #sources: number[] = [];
  #end = 0;
  #hasPendingSpace = false;
  #lastCode = 0;
  #language: string | undefined;
  #isLink = false;
  #linked = 0;
  #languages: { start: number; end: number; language: string }[] = [];

  constructor(field: SourceSpan['field']) {
    this.#field = field;
  }

  get isEmpty(): boolean {
    return this.#sources.length === 0;
  }

  /** Units of the current block that are links. */
  get linkedUnits(): number {
    return this.#linked;
  }

  /** Whether a digit added now would extend a number. */
  get endsInNumber(): boolean {
    return !this.#hasPendingSpace && /[\d⁻]$/.test(this.#text.slice(-1));
  }

  /** Whether a raised number now would be an exponent: after a number, a variable or a unit. */
  get endsInBase(): boolean {
    return this.endsInNumber || (!this.#hasPendingSpace && /(?<!\p{L})\p{L}{1,2}$/u.test(this.#text.slice(-3)));
  }

  /** @param language of the following text: BCP 47 primary code; undefined: that of the article */
  setContext(language: string | undefined, isLink: boolean): void {
    this.#language = language;
    this.#isLink = isLink;
  }

  /** Appends a range of `source`; each unit maps to itself. */
  append(source: string, start: number, end: number): void {
    let runStart = start;
    for (let index = start; index < end; index++) {
      const code = source.charCodeAt(index);
      const cleaning = classifyCharacter(code, source.charCodeAt(index - 1), source.charCodeAt(index + 1));
      if (cleaning === 'pair') {
        index++;
        continue;
      }
      if (cleaning === 'keep') continue;
      this.#appendRun(source, runStart, index);
      runStart = index + 1;
      if (cleaning === 'space') this.space();
      if (cleaning === 'replace') this.#appendDecoded(REPLACEMENT, index, index + 1);
    }
    this.#appendRun(source, runStart, end);
  }

  /** Appends a decoded entity; every unit of `text` maps to `start`. */
  appendMapped(text: string, start: number, end: number): void {
    for (let index = 0; index < text.length; index++) {
      const cleaning = classifyCharacter(text.charCodeAt(index), this.#lastCode, text.charCodeAt(index + 1));
      if (cleaning === 'space') this.space();
      else if (cleaning === 'replace') this.#appendDecoded(REPLACEMENT, start, end);
      else if (cleaning === 'pair') {
        this.#appendDecoded(text.slice(index, index + 2), start, end);
        index++;
      } else if (cleaning === 'keep') this.#appendDecoded(text.charAt(index), start, end);
    }
  }

  /** Marks a word boundary; consecutive ones become one space. */
  space(): void {
    if (!this.isEmpty) this.#hasPendingSpace = true;
  }

  /** @returns the current block, undefined if it is empty; a new one begins */
  takeBlock(kind: BlockKind): Block | undefined {
    this.#hasPendingSpace = false;
    if (this.isEmpty) return undefined;
    this.#sources.push(this.#end);
    const sources = Uint32Array.from(this.#sources);
    const languages: readonly LanguageRun[] = this.#languages;
    const block: Block = { kind, field: this.#field, text: this.#text, sources, languages };
    this.#text = '';
    this.#sources = [];
    this.#languages = [];
    this.#linked = 0;
    return block;
  }

  #appendRun(source: string, start: number, end: number): void {
    if (start >= end) return;
    const before = this.#text.length;
    this.#flushSpace();
    this.#recordSource(before, end - start);
    this.#text += source.slice(start, end);
    this.#lastCode = source.charCodeAt(end - 1);
    for (let offset = start; offset < end; offset++) this.#sources.push(offset);
    this.#end = end;
  }

  #appendDecoded(text: string, start: number, end: number): void {
    const before = this.#text.length;
    this.#flushSpace();
    this.#recordSource(before, text.length);
    this.#text += text;
    this.#lastCode = text.charCodeAt(text.length - 1);
    for (let unit = 0; unit < text.length; unit++) this.#sources.push(start);
    this.#end = end;
  }

  /** A space between words of the same language belongs to their run. */
  #recordSource(before: number, length: number): void {
    if (this.#isLink) this.#linked += length + this.#text.length - before;
    const language = this.#language;
    if (language === undefined) return;
    const start = this.#text.length;
    const last = this.#languages.at(-1);
    if (last?.end === before && last.language === language) last.end = start + length;
    else this.#languages.push({ start, end: start + length, language });
  }

  /** The source of the space is all text since the last word, so that excluded text in between belongs to no sentence. */
  #flushSpace(): void {
    if (!this.#hasPendingSpace) return;
    this.#text += ' ';
    this.#sources.push(this.#end);
    this.#hasPendingSpace = false;
  }
}

type Cleaning = 'keep' | 'pair' | 'space' | 'replace' | 'remove';

function classifyCharacter(code: number, before: number, after: number): Cleaning {
  if (code > SPACE && code < 0x7f) return 'keep';
  if (code <= 0xa0) return 'space';
  if (code === 0xad) return 'remove';
  if (code < 0x0600) return code === 0x034f ? 'remove' : 'keep';
  if (code >= 0xd800 && code <= 0xdbff) return after >= 0xdc00 && after <= 0xdfff ? 'pair' : 'replace';
  if (code >= 0xdc00 && code <= 0xdfff) return 'replace';
  return code < 0x1680 ? 'keep' : classifyRareCharacter(code, before);
}

const RARE_SPACE = /[\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
const INVISIBLE = /[\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]/;

function classifyRareCharacter(code: number, before: number): Cleaning {
  if (code === 0x200c || code === 0x200d) {
    // Joiners matter in Persian and Indic scripts and in emoji, not in Latin text.
    const isJoiner = before >= 0x0600 && !(before >= 0x2000 && before <= 0x206f) && before < 0xfe00;
    return isJoiner ? 'keep' : 'remove';
  }
  const character = String.fromCharCode(code);
  if (RARE_SPACE.test(character)) return 'space';
  return INVISIBLE.test(character) ? 'remove' : 'keep';
}
