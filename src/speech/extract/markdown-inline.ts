import type { ArticleExtractor } from './article-extractor.ts';
import type { LeftOutReason } from './block.ts';
import { StartTag } from './elements.ts';
import { readHtml } from './html-tokens.ts';

/** The lines of a paragraph, heading or cell, as ranges of the source. */
export type Leaf = readonly { readonly start: number; readonly end: number }[];

/** A range that is no plain text: a mark, an element, HTML. Offsets of the joined lines. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly apply: (start: number, end: number) => void;
}

interface Bracket {
  readonly start: number;
  readonly isImage: boolean;
}

interface Delimiter {
  readonly start: number;
  readonly length: number;
}

/** Where something other than text may begin. */
const MARK = /[\\`*_~=+^[\]!<&{:%$]|\n/g;
const ESCAPE = /\\([!-/:-@[-`{-~])/y;
const AUTOLINK = /<((?:https?|mailto|ftp):[^\s<>]{1,1000}|[\w.+-]{1,100}@[\w.-]{1,100})>/iy;
const HTML_TAG = /<(?:\/?[a-z][^<>]{0,1000}|!--[^>]{0,1000}--)>/iy;
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/iy;
const DESTINATION =
  /\(\s{0,10}(<[^<>\n]{0,1000}>|(?:[^\s()\\]|\\.|\([^\s()]{0,200}\)){0,1000})(?:\s{1,10}(?:"[^"]{0,500}"|'[^']{0,500}'|\([^()]{0,500}\)))?\s{0,10}\)/y;
const REFERENCE = /\[([^[\]]{0,200})\]/y;
const NOTE = /\[\^[^[\]\s]{1,100}\]/y;
const RUN = /\*+|_+|~+|=+|\++/y;
/** A page of a wiki, such as Obsidian's, perhaps with the text to show. */
const WIKI_LINK = /\[\[([^[\]|\n]{1,200}\|)?[^[\]\n]{1,200}\]\]/y;
/** Of Pandoc: `[@roe2020, p. 3]`. */
const CITATION = /\[(?:[^[\]\n]{0,100}[ ;])?-?@[\w:.#$%&+?~/-]{1,100}(?:[,;][^[\]\n]{0,200})?\](?![([])/y;
/** Attributes of kramdown and Pandoc: `{: .lead}`, `{#id}`. */
const ATTRIBUTES = /\{(?:[:#.]|\w[\w-]{0,40}=)[^{}\n]{0,300}\}/y;
const RAISED = /([~^])[\p{L}\p{N}]{1,20}\1/uy;
/** Of a paragraph in Obsidian: ` ^deadline`. */
const BLOCK_ID = /\^[\w-]{1,40}(?=\n|$)/y;
/** With a sign of mathematics: `$$` alone may be a class of prices. */
const FORMULA = /\$\$(?![$\s])(?=[^$\n]{0,500}[=^\\_+])[^$\n]{1,1000}(?<!\s)\$\$(?!\$)/y;
/** An emoji by its name, or a comment of Obsidian. */
const SILENT = /:[a-z][a-z\d_+-]{1,30}:(?![\p{L}\p{N}])|%%[^%\n]{1,500}%%/uy;

/** Extracts the text of Markdown paragraphs in linear time: pairs of marks are found with stacks, everything else ahead is bounded. */
export class MarkdownInline {
  readonly #source: string;
  readonly #extractor: ArticleExtractor;
  readonly #definitions: ReadonlySet<string>;
  #text = '';
  #spans: Span[] = [];
  #brackets: Bracket[] = [];
  #delimiters = new Map<string, Delimiter[]>();

  /** @param definitions labels of link addresses, in lower case */
  constructor(source: string, extractor: ArticleExtractor, definitions: ReadonlySet<string>) {
    this.#source = source;
    this.#extractor = extractor;
    this.#definitions = definitions;
  }

  read(leaf: Leaf): void {
    this.#text = leaf.map(({ start, end }) => this.#source.slice(start, end)).join('\n');
    this.#spans = [];
    this.#brackets = [];
    this.#delimiters = new Map();
    this.#findSpans();
    this.#emit(leaf);
  }

  #findSpans(): void {
    const codeEnds = findCodeEnds(this.#text);
    MARK.lastIndex = 0;
    for (let mark = MARK.exec(this.#text); mark !== null; mark = MARK.exec(this.#text)) {
      MARK.lastIndex = this.#readMark(mark[0], mark.index, codeEnds);
    }
  }

  /** @returns where to go on */
  #readMark(mark: string, at: number, codeEnds: ReadonlyMap<number, number>): number {
    if (mark === '\n') return this.#readLineBreak(at);
    if (mark === '\\') {
      if (this.#match(ESCAPE, at) === null) return at + 1;
      this.#skip(at, at + 1);
      return at + 2;
    }
    if (mark === '`') return this.#readCode(at, codeEnds);
    if (mark === '<') return this.#readAngle(at);
    if (mark === '&') {
      const entity = this.#match(ENTITY, at);
      return entity === null ? at + 1 : this.#add(at, at + entity[0].length, this.#readHtml);
    }
    if (mark === '[' || mark === '!') return this.#openBracket(mark, at);
    if (mark === '{') return this.#leaveOutMatch(ATTRIBUTES, at, 'shortcode');
    if (mark === '$') return this.#leaveOutMatch(FORMULA, at, 'formula');
    if (mark === '%' || (mark === ':' && !isWord(this.#text[at - 1] ?? ' '))) {
      return this.#leaveOutMatch(SILENT, at, 'shortcode');
    }
    if (mark === ':') return at + 1;
    const raised = mark === '~' || mark === '^' ? this.#match(RAISED, at) : null;
    if (raised !== null) return this.#addElement(mark === '~' ? 'sub' : 'sup', at, at + raised[0].length, 1);
    if (mark === '^') return this.#text[at - 1] === ' ' ? this.#leaveOutMatch(BLOCK_ID, at, 'shortcode') : at + 1;
    return mark === ']' ? this.#closeBracket(at) : this.#readDelimiter(at);
  }

  readonly #readHtml = (start: number, end: number) => readHtml(this.#source, this.#extractor, start, end);

  #readLineBreak(at: number): number {
    const before = this.#text.slice(Math.max(0, at - 2), at);
    if (before.endsWith('\\')) this.#skip(at - 1, at);
    if (before === '  ' || before.endsWith('\\')) {
      this.#add(at, at, (offset) => this.#extractor.open(new StartTag('br', new Map()), offset, offset));
    }
    return at + 1;
  }

  #readCode(at: number, ends: ReadonlyMap<number, number>): number {
    const length = /`+/y.exec(this.#text.slice(at, at + 1_000))?.[0].length ?? 1;
    const end = ends.get(at);
    if (end === undefined) return at + length;
    return this.#addElement('code', at, end, length);
  }

  #readAngle(at: number): number {
    const link = this.#match(AUTOLINK, at);
    if (link !== null) {
      const end = at + link[0].length;
      const attributes = new Map([['href', link[1] ?? '']]);
      this.#add(at, at + 1, (offset, to) => this.#extractor.open(new StartTag('a', attributes), offset, to));
      this.#add(end - 1, end, (_offset, to) => this.#extractor.close('a', to));
      return end;
    }
    const tag = this.#match(HTML_TAG, at);
    return tag === null ? at + 1 : this.#add(at, at + tag[0].length, this.#readHtml);
  }

  #openBracket(mark: string, at: number): number {
    const note = mark === '[' ? (this.#match(NOTE, at) ?? this.#match(CITATION, at)) : null;
    if (note !== null) return this.#leaveOut(at, at + note[0].length, 'footnote');
    const isImage = mark === '!';
    const wikiLink = this.#match(WIKI_LINK, isImage ? at + 1 : at);
    if (wikiLink !== null) return this.#readWikiLink(isImage, at, wikiLink);
    if (isImage && this.#text[at + 1] !== '[') return at + 1;
    this.#brackets.push({ start: at, isImage });
    return at + (isImage ? 2 : 1);
  }

  #readWikiLink(isEmbedded: boolean, at: number, [text, target = '']: RegExpExecArray): number {
    if (isEmbedded) return this.#leaveOut(at, at + 1 + text.length, 'caption');
    const end = at + text.length;
    const attributes = new Map([['href', target]]);
    const open = (offset: number, to: number) => this.#extractor.open(new StartTag('a', attributes), offset, to);
    this.#add(at, at + 2 + target.length, open);
    return this.#add(end - 2, end, (_offset, to) => this.#extractor.close('a', to));
  }

  #closeBracket(at: number): number {
    const bracket = this.#brackets.pop();
    if (bracket === undefined) return at + 1;
    const address = this.#match(DESTINATION, at + 1);
    const label = address === null ? this.#match(REFERENCE, at + 1) : null;
    const inner = this.#text.slice(bracket.start + (bracket.isImage ? 2 : 1), Math.min(at, bracket.start + 203));
    const reference = (label?.[1] || inner).toLowerCase();
    if (address === null && this.#match(ATTRIBUTES, at + 1) !== null) {
      this.#skip(bracket.start, bracket.start + 1);
      this.#skip(at, at + 1);
    }
    if (address === null && !this.#definitions.has(reference)) return at + 1;
    const end = at + 1 + (address ?? label ?? [''])[0].length;
    if (bracket.isImage) {
      return this.#add(bracket.start, end, (from, to) => {
        this.#extractor.leaveOut(from, to, 'caption');
        this.#extractor.image();
      });
    }
    const attributes = new Map([['href', address?.[1] ?? '']]);
    const open = (offset: number, to: number) => this.#extractor.open(new StartTag('a', attributes), offset, to);
    this.#add(bracket.start, bracket.start + 1, open);
    return this.#add(at, end, (_offset, to) => this.#extractor.close('a', to));
  }

  /** Emphasis, highlighted, inserted and struck out text. */
  #readDelimiter(at: number): number {
    RUN.lastIndex = at;
    const run = RUN.exec(this.#text)?.[0] ?? '';
    const end = at + run.length;
    const sign = run.charAt(0);
    const before = this.#text[at - 1] ?? ' ';
    const after = this.#text[end] ?? ' ';
    const isInWord = isWord(before) && isWord(after);
    let canOpen = !/\s/.test(after) && (isWord(after) || !isWord(before));
    let canClose = !/\s/.test(before) && (isWord(before) || !isWord(after));
    if (sign === '_' && isInWord) canOpen = canClose = false;
    if ('~=+'.includes(sign) && run.length !== 2) return end;
    const stack = this.#delimiters.get(sign) ?? [];
    this.#delimiters.set(sign, stack);
    let left = run.length;
    while (canClose && left > 0 && stack.length > 0) {
      const opener = stack.pop() as Delimiter;
      const matched = Math.min(opener.length, left);
      const openEnd = opener.start + opener.length;
      const closeStart = end - left;
      this.#pair(sign, openEnd - matched, closeStart, matched);
      if (opener.length > matched) stack.push({ start: opener.start, length: opener.length - matched });
      left -= matched;
    }
    if (canOpen && left > 0) stack.push({ start: end - left, length: left });
    return end;
  }

  #pair(sign: string, open: number, close: number, length: number): void {
    if (sign !== '~') {
      this.#skip(open, open + length);
      this.#skip(close, close + length);
      return;
    }
    this.#addElement('del', open, close + length, length);
  }

  /** @param length of the marks at its start and end */
  #addElement(name: string, start: number, end: number, length: number): number {
    this.#add(start, start + length, (from, to) => this.#extractor.open(new StartTag(name, new Map()), from, to));
    return this.#add(end - length, end, (_from, to) => this.#extractor.close(name, to));
  }

  /** @returns where to go on */
  #leaveOutMatch(pattern: RegExp, at: number, reason: LeftOutReason): number {
    const match = this.#match(pattern, at);
    return match === null ? at + 1 : this.#leaveOut(at, at + match[0].length, reason);
  }

  #skip(start: number, end: number): void {
    this.#add(start, end, () => {});
  }

  #leaveOut(start: number, end: number, reason: LeftOutReason): number {
    return this.#add(start, end, (from, to) => this.#extractor.leaveOut(from, to, reason));
  }

  #add(start: number, end: number, apply: Span['apply']): number {
    this.#spans.push({ start, end, apply });
    return end;
  }

  /** Passes text and spans in their order. What a span covers, such as marks within an image, is passed over. */
  #emit(leaf: Leaf): void {
    const spans = this.#spans.sort((one, other) => one.start - other.start || other.end - one.end);
    const lines = new LineOffsets(leaf);
    let at = 0;
    for (const { start, end, apply } of spans) {
      if (start < at) continue;
      this.#emitText(lines, at, start);
      apply(lines.toSource(start), lines.toSource(end));
      at = end;
    }
    this.#emitText(lines, at, this.#text.length);
  }

  #emitText(lines: LineOffsets, start: number, end: number): void {
    for (let from = start; from < end; ) {
      const to = Math.min(lines.lineEnd(from), end);
      if (to > from) this.#extractor.text(lines.toSource(from), lines.toSource(to));
      // A line break is a space. Its source is what is between the lines, such as the mark of a quotation.
      if (to < end) this.#extractor.entity(' ', lines.toSource(to), lines.toSource(to + 1));
      from = to + 1;
    }
  }

  #match(pattern: RegExp, at: number): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(this.#text);
  }
}

/** Offsets of joined lines in the source; they must not decrease between calls, but for a line. */
class LineOffsets {
  readonly #leaf: Leaf;
  #index = 0;
  /** Offset of the current line in the joined text. */
  #start = 0;

  constructor(leaf: Leaf) {
    this.#leaf = leaf;
  }

  lineEnd(offset: number): number {
    this.#moveTo(offset);
    const line = this.#leaf[this.#index];
    return this.#start + (line === undefined ? 0 : line.end - line.start);
  }

  toSource(offset: number): number {
    this.#moveTo(offset);
    const line = this.#leaf[this.#index];
    return (line?.start ?? 0) + offset - this.#start;
  }

  #moveTo(offset: number): void {
    for (let line = this.#leaf[this.#index]; line !== undefined; line = this.#leaf[this.#index]) {
      const length = line.end - line.start;
      if (offset <= this.#start + length || this.#index === this.#leaf.length - 1) return;
      this.#start += length + 1;
      this.#index += 1;
    }
  }
}

/** @returns the end of each code span by its start: a run of as many backticks */
function findCodeEnds(text: string): Map<number, number> {
  const ends = new Map<number, number>();
  const nextByLength = new Map<number, number>();
  for (const { 0: run, index } of [...text.matchAll(/`+/g)].toReversed()) {
    const next = nextByLength.get(run.length);
    if (next !== undefined) ends.set(index, next);
    nextByLength.set(run.length, index + run.length);
  }
  return ends;
}

function isWord(character: string): boolean {
  return /[\p{L}\p{N}]/u.test(character) || character > '\ud7ff';
}
