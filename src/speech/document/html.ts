import { Tokenizer } from 'htmlparser2';
import type { Block, BlockKind, LeftOut, LeftOutReason, SourceSpan } from './block.ts';
import { BlockText } from './block-text.ts';
import { endsBlock, isHidden, isVoid, reasonByName } from './element-rules.ts';
import { ElementStack } from './element-stack.ts';
import { FurnitureRule } from './furniture.ts';
import { leaveOut } from './left-out.ts';

const BLANK_LINE = /\n[^\S\n]{0,200}\n/g;
const EXCERPT_UNITS = 2_000;
const JOINED_REASONS: ReadonlySet<LeftOutReason> = new Set(['script', 'style', 'hidden']);
const READ_ATTRIBUTES = new Set([
  'hidden',
  'aria-hidden',
  'style',
  'href',
  'role',
  'lang',
  'xml:lang',
]);

interface DroppedElement {
  readonly reason: LeftOutReason;
  readonly start: number;
  /** How many elements were open around it; it ends when the stack is back there. */
  readonly depth: number;
  readonly isMedia: boolean;
  text: string;
}

/** Blocks of HTML in reading order, and what of it is not read. */
export function readHtml(
  source: string,
  field: SourceSpan['field'],
): { blocks: Block[]; leftOut: LeftOut[] } {
  const reader = new HtmlReader(source, field);
  // htmlparser2's Parser looks through all open elements at each end tag; the tokenizer beneath it stays linear.
  const tokenizer = new Tokenizer({}, reader);
  tokenizer.write(source);
  tokenizer.end();
  return { blocks: reader.blocks, leftOut: reader.leftOut };
}

class HtmlReader {
  readonly blocks: Block[] = [];
  readonly leftOut: LeftOut[] = [];
  readonly #source: string;
  readonly #field: SourceSpan['field'];
  readonly #stack = new ElementStack();
  readonly #blockText: BlockText;
  readonly #furniture: FurnitureRule;
  #dropped: DroppedElement | undefined;
  /** Where the next token begins. */
  #cursor = 0;
  #tagStart = 0;
  #tagName = '';
  #attributes = new Map<string, string>();
  #attributeName = '';
  #attributeValue = '';
  #endsLine = false;
  #kind: BlockKind = 'paragraph';

  constructor(source: string, field: SourceSpan['field']) {
    this.#source = source;
    this.#field = field;
    this.#blockText = new BlockText(field);
    this.#furniture = new FurnitureRule(source);
  }

  ontext(start: number, end: number): void {
    // The tokenizer reports an end tag cut off by the end of the text as text from -1 on.
    if (start < 0) return;
    this.#cursor = end;
    if (this.#dropped) {
      this.#excerpt(this.#source.slice(start, Math.min(end, start + EXCERPT_UNITS)));
      return;
    }
    if (this.#stack.isInBlock()) this.#appendText(start, end);
    else this.#appendLooseText(start, end);
  }

  ontextentity(codePoint: number, end: number): void {
    this.#cursor = end;
    const text = String.fromCodePoint(codePoint);
    if (this.#dropped) {
      this.#excerpt(text);
      return;
    }
    this.#beginText();
    this.#blockText.appendMapped(text, this.#source.lastIndexOf('&', end - 1), end);
    if (text.trim() !== '') this.#endsLine = false;
  }

  onopentagname(start: number, end: number): void {
    this.#tagStart = start - 1;
    this.#tagName = this.#source.slice(start, end).toLowerCase();
    this.#attributes = new Map();
  }

  onattribname(start: number, end: number): void {
    this.#attributeName = this.#source.slice(start, end).toLowerCase();
    this.#attributeValue = '';
  }

  onattribdata(start: number, end: number): void {
    if (READ_ATTRIBUTES.has(this.#attributeName)) {
      this.#attributeValue += this.#source.slice(start, end);
    }
  }

  onattribentity(codePoint: number): void {
    if (READ_ATTRIBUTES.has(this.#attributeName)) {
      this.#attributeValue += String.fromCodePoint(codePoint);
    }
  }

  onattribend(): void {
    if (!READ_ATTRIBUTES.has(this.#attributeName) || this.#attributes.has(this.#attributeName))
      return;
    this.#attributes.set(this.#attributeName, this.#attributeValue);
  }

  onopentagend(end: number): void {
    this.#open(this.#tagStart, end + 1);
    this.#cursor = end + 1;
  }

  onselfclosingtag(end: number): void {
    const name = this.#tagName;
    this.onopentagend(end);
    if (this.isInForeignContext()) this.#close(name, end + 1);
  }

  onclosetag(start: number, end: number): void {
    const name = this.#source.slice(start, end).toLowerCase();
    const bracket = this.#source.indexOf('>', end);
    this.#cursor = bracket < 0 ? end : bracket + 1;
    if (name === 'br' && !this.#dropped) this.#lineBreak(start - 2);
    this.#close(name, this.#cursor);
  }

  oncomment(_start: number, end: number): void {
    const isUnclosed = end >= this.#source.length;
    if (isUnclosed) this.#leaveOutRest('hidden');
    this.#cursor = end + 1;
  }

  ondeclaration(_start: number, end: number): void {
    this.#cursor = end + 1;
  }

  oncdata(_start: number, end: number): void {
    this.#cursor = end + 1;
  }

  onprocessinginstruction(_start: number, end: number): void {
    this.#cursor = end + 1;
  }

  isInForeignContext(): boolean {
    return this.#stack.isOpen('svg') || this.#stack.isOpen('math');
  }

  onend(): void {
    const rest = this.#source.length;
    if (this.#dropped) this.#endDropped(rest);
    else if (this.#cursor < rest) this.#leaveOutRest('broken markup');
    this.#endBlock();
  }

  #open(start: number, end: number): void {
    const name = this.#tagName;
    if (!isVoid(name)) {
      this.#stack.open(name, this.#attributes.get('lang') ?? this.#attributes.get('xml:lang'));
      // The start of one element may imply the end of another, and so of what was being left out.
      if (this.#dropped && this.#stack.depth <= this.#dropped.depth + 1) this.#endDropped(start);
    }
    if (this.#dropped) {
      if (endsBlock(name) || name === 'br') this.#excerpt(' ');
      return;
    }
    if (endsBlock(name)) this.#endBlock();
    const reason = this.#reason(name, start);
    if (reason) this.#drop(name, reason, start, end);
    else if (name === 'br') this.#lineBreak(start);
    else if (name === 'td' || name === 'th') this.#blockText.separate(start, end);
  }

  #reason(name: string, start: number): LeftOutReason | undefined {
    if (isHidden(this.#attributes)) return 'hidden';
    if (this.#attributes.get('role') === 'navigation') return 'navigation';
    return reasonByName(name) ?? this.#furniture.reason(name, start, this.#stack, this.#attributes);
  }

  #drop(name: string, reason: LeftOutReason, start: number, end: number): void {
    if (!JOINED_REASONS.has(reason)) this.#blockText.space(start);
    const isMedia = reason === 'embedded media' && name !== 'svg';
    this.#dropped = { reason, start, depth: this.#stack.depth - 1, isMedia, text: '' };
    if (isVoid(name)) this.#endDropped(end);
  }

  #close(name: string, end: number): void {
    this.#stack.close(name);
    if (this.#dropped && this.#stack.depth <= this.#dropped.depth) this.#endDropped(end);
    if (!this.#dropped && endsBlock(name)) this.#endBlock();
  }

  #endDropped(end: number): void {
    const dropped = this.#dropped;
    this.#dropped = undefined;
    if (!dropped || (!dropped.isMedia && dropped.text.trim() === '')) return;
    const span: SourceSpan = { field: this.#field, start: dropped.start, end };
    this.leftOut.push(leaveOut(dropped.text, dropped.reason, span));
  }

  #excerpt(text: string): void {
    if (this.#dropped && this.#dropped.text.length < EXCERPT_UNITS) this.#dropped.text += text;
  }

  #leaveOutRest(reason: LeftOutReason): void {
    if (this.#dropped) return;
    const start = this.#cursor;
    const text = this.#source.slice(start);
    const span: SourceSpan = { field: this.#field, start, end: this.#source.length };
    if (text.trim() !== '') this.leftOut.push(leaveOut(text, reason, span));
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
    this.#blockText.speak(this.#stack.language);
  }

  #endBlock(): void {
    const block = this.#blockText.take(this.#kind);
    if (block) this.blocks.push(block);
    this.#endsLine = false;
  }
}
