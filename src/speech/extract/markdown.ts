import type { ArticleExtractor } from './article-extractor.ts';
import type { LeftOutReason } from './block.ts';
import { isBlockLevel, StartTag } from './elements.ts';
import { readHtml } from './html-tokens.ts';
import { type Leaf, MarkdownInline } from './markdown-inline.ts';

const FRONT_MATTER = /^(?:---\r?\n[\s\S]{0,20000}?\n---|\+\+\+\r?\n[\s\S]{0,20000}?\n\+\+\+)[ \t]*(?:\r?\n|$)/;
const FENCE = /^ {0,3}(`{3,}|~{3,}|\$\$(?!.{0,1000}\$\$[ \t]*\S))/;
const ATX_HEADING = /^ {0,3}(#{1,6})(?=[ \t]|$)[ \t]*/;
const ATX_END = /(?:^|[ \t])#{1,100}[ \t]*$/;
const SETEXT_UNDERLINE = /^ {0,3}(?:(=)=*|-{2,})[ \t]*$/;
const THEMATIC_BREAK = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const QUOTE_MARK = /^ {0,3}>[ \t]?/;
/** The kind of a note in a quotation, as GitHub and Obsidian write it. */
const ALERT_MARK = /^\[![a-z]{3,20}\][+-]?[ \t]*/i;
const ITEM_MARK = /^[ \t]{0,40}(?:[-+*•]|\d{1,9}[.)])(?:[ \t]{1,4}(?=\S)|[ \t]*$)(?:\[[ xX]\][ \t])?/;
const INDENT = /^(?: {2,}|\t)/;
const DEFINITION = /^ {0,3}\[(\^?)([^[\]]{1,200})\]:[ \t]*/;
const HTML_START = /^ {0,3}<(?:!--|\/?([a-z][a-z0-9-]{0,40})(?=[\s/>]|$))/i;
const HTML_ELEMENTS = new Set('script style iframe video audio svg template noscript picture img'.split(' '));
/** HTML that ends with its end tag; other HTML ends at a blank line. */
const RAW_ENDS = new Map([
  ['script', /<\/script\s*>/i],
  ['style', /<\/style\s*>/i],
  ['pre', /<\/pre\s*>/i],
  ['', /-->/],
]);

/** The mark of a box: `:::tip`, `!!! note`, `??? question`, or a tab, `===`; its title may follow. */
const BOX_MARK =
  /^ {0,3}(?::{3,}[ \t]*(?:\{[^{}]{0,200}\}|[\w-]{0,40}(?:\{[^{}]{0,200}\})?)|(?:!{3}|\?{3}\+?)[ \t]+[\w-]{1,40}(?=[ \t]*(?:$|["\w]))|={3}(?=[ \t]+"))[ \t]*/;
/** Lines that are no text, with the reason. */
const SILENT_LINES: readonly (readonly [RegExp, LeftOutReason])[] = [
  [/^ {0,3}\{:[^{}]{0,500}\}[ \t]*$/, 'shortcode'],
  [/^[ \t]*(?:[-*+][ \t]+|1\.[ \t]+)?(?:TOC|\[TOC\]|\[\[_?TOC_?\]\]|\[toc\])[ \t]*$/, 'navigation'],
  [/^ {0,3}\*\[[^[\]]{1,100}\]:/, 'footnote'],
  [
    /^(?:import\s(?:(?:\w+,?\s)?(?:\w+|\{.{0,200}\}|\*\sas\s\w+)\sfrom\s)?['"][^'"]{1,200}['"];?|export\s+(?:const|default|function|let|\{).{0,500})[ \t]*$/,
    'code',
  ],
];
const DEFINITION_MARK = /^ {0,3}:[ \t]+/;

interface Line {
  readonly start: number;
  /** Without the line break. */
  readonly end: number;
}

/**
 * Extracts Markdown (CommonMark with the tables, footnotes and strikethrough of GitHub) as the HTML that it stands for. Every range
 * is one of the source. Reads each line once. Nested lists become flat, and indented code is text.
 */
export function extractMarkdown(source: string, extractor: ArticleExtractor): void {
  new MarkdownReader(source, extractor).read();
  extractor.end();
}

class MarkdownReader {
  readonly #source: string;
  readonly #extractor: ArticleExtractor;
  readonly #inline: MarkdownInline;
  readonly #lines: readonly Line[];
  #index = 0;
  /** The lines of the open paragraph. */
  #leaf: Line[] = [];
  #isInQuote = false;
  #isInItem = false;

  constructor(source: string, extractor: ArticleExtractor) {
    this.#source = source;
    this.#extractor = extractor;
    const frontMatter = FRONT_MATTER.exec(source)?.[0] ?? '';
    extractor.leaveOut(0, frontMatter.length, 'page furniture');
    this.#lines = splitLines(source, frontMatter.length);
    this.#inline = new MarkdownInline(source, extractor, this.#listDefinitions());
  }

  read(): void {
    while (this.#index < this.#lines.length) {
      const line = this.#lines[this.#index] as Line;
      this.#index += 1;
      this.#readLine(line);
    }
    this.#endAll(this.#source.length);
  }

  #listDefinitions(): Set<string> {
    return new Set(
      this.#lines.flatMap((line) => {
        const [, note, label = ''] = DEFINITION.exec(this.#text(line).slice(0, 300)) ?? [];
        return note === '' ? [label.toLowerCase()] : [];
      }),
    );
  }

  #readLine(outer: Line): void {
    let line = outer;
    let isQuoted = false;
    for (let mark = this.#match(QUOTE_MARK, line); mark !== undefined; mark = this.#match(QUOTE_MARK, line)) {
      isQuoted = true;
      line = { start: line.start + mark.length, end: line.end };
    }
    if (this.#text(line).trim() === '') {
      if (this.#isInQuote && !isQuoted) this.#endAll(line.start);
      this.#emitLeaf('p');
      return;
    }
    if (isQuoted !== this.#isInQuote && (isQuoted || this.#leaf.length === 0)) {
      this.#endAll(outer.start);
      this.#isInQuote = isQuoted;
      if (isQuoted) this.#open('blockquote', outer.start);
      const alert = isQuoted ? (this.#match(ALERT_MARK, line) ?? '') : '';
      this.#extractor.leaveOut(line.start, line.start + alert.length, 'page furniture');
      line = { start: line.start + alert.length, end: line.end };
      if (line.start === line.end) return;
    }
    this.#readBlock(line);
  }

  #readBlock(line: Line): void {
    const isAfterText = this.#leaf.length > 0;
    if (this.#readMarkOnly(line)) return;
    if (isAfterText && this.#match(SETEXT_UNDERLINE, line) !== undefined) {
      const level = this.#text(line).includes('=') ? 'h1' : 'h2';
      this.#emitLeaf(level);
      return;
    }
    const fence = FENCE.exec(this.#text(line))?.[1];
    const heading = this.#match(ATX_HEADING, line);
    const isBreak = this.#match(THEMATIC_BREAK, line) !== undefined;
    if (isBreak || fence !== undefined || heading !== undefined) {
      this.#emitLeaf('p');
      if (this.#isInItem) this.#endItem(line.start);
      if (heading !== undefined) this.#readHeading(line, heading);
      else if (fence !== undefined) this.#readFence(line, fence);
      return;
    }
    const item = this.#match(ITEM_MARK, line);
    // A number in a wrapped line begins no list: "in\n1998. Then".
    if (item !== undefined && (!isAfterText || this.#isInItem || !/^\s*(?!1[.)])\d/.test(item))) {
      this.#readItem(line, item);
      return;
    }
    if (!isAfterText && this.#isInItem && this.#match(INDENT, line) === undefined) this.#endItem(line.start);
    if (!isAfterText && this.#readDefinition(line)) return;
    if (this.#readHtmlBlock(line)) return;
    if (!isAfterText && this.#readTable(line)) return;
    this.#leaf.push(line);
  }

  /** A line of extensions of Markdown that is no text, or the mark before one. */
  #readMarkOnly(line: Line): boolean {
    const text = this.#text(line).slice(0, 1_000);
    const reason = SILENT_LINES.find(([pattern]) => pattern.test(text))?.[1];
    const mark = reason === undefined ? BOX_MARK.exec(text)?.[0] : text;
    const definition = mark === undefined && this.#leaf.length > 0 ? DEFINITION_MARK.exec(text)?.[0] : undefined;
    if (mark === undefined && definition === undefined) return false;
    this.#emitLeaf('p');
    const start = line.start + (mark ?? definition ?? '').length;
    if (mark !== undefined) this.#extractor.leaveOut(line.start, start, reason ?? 'shortcode');
    const title = /^(?:"(.*)"|\[(.*)\])[ \t]*$/.exec(this.#source.slice(start, line.end));
    if (title !== null)
      this.#emit(
        'p',
        [{ start: start + 1, end: line.end - (title[0].length - 1 - (title[1] ?? title[2] ?? '').length) }],
        start,
      );
    else if (start < line.end && reason === undefined) this.#leaf = [{ start, end: line.end }];
    if (mark !== undefined && title === null) this.#emitLeaf('p');
    return true;
  }

  #readHeading(line: Line, mark: string): void {
    const start = line.start + mark.length;
    const text = this.#source.slice(start, line.end);
    const end = start + text.replace(ATX_END, '').length;
    this.#emit(`h${mark.trim().length}`, [{ start, end }], line.start);
  }

  #readItem(line: Line, mark: string): void {
    this.#emitLeaf('p');
    if (this.#isInItem) this.#close('li', line.start);
    else this.#open('ul', line.start);
    this.#isInItem = true;
    this.#open('li', line.start);
    const start = line.start + mark.length;
    if (start < line.end) this.#leaf = [{ start, end: line.end }];
  }

  #readFence(line: Line, fence: string): void {
    let end = line.end;
    const isClosed = fence === '$$' && /\$\$[ \t]*$/.test(this.#text(line).trim().slice(2));
    while (!isClosed && this.#index < this.#lines.length) {
      const next = this.#lines[this.#index] as Line;
      this.#index += 1;
      end = next.end;
      const text = this.#text(next).replace(QUOTE_MARK, '');
      if (fence === '$$' ? text.trimEnd().endsWith(fence) : FENCE.exec(text)?.[1]?.startsWith(fence)) break;
    }
    this.#extractor.leaveOut(line.start, end, fence === '$$' ? 'formula' : 'code');
  }

  /** A footnote, or the address of a link. */
  #readDefinition(line: Line): boolean {
    const definition = DEFINITION.exec(this.#text(line).slice(0, 300));
    if (definition === null) return false;
    if (definition[1] === '^') {
      let end = line.end;
      for (let next = this.#lines[this.#index]; next !== undefined; next = this.#lines[this.#index]) {
        if (this.#text(next).trim() === '' || DEFINITION.test(this.#text(next).slice(0, 300))) break;
        end = next.end;
        this.#index += 1;
      }
      this.#extractor.leaveOut(line.start, end, 'footnote');
    }
    return definition[1] === '^' || /^\S+(?:[ \t]+["'(].*)?[ \t]*$/.test(this.#text(line).slice(definition[0].length));
  }

  #readHtmlBlock(line: Line): boolean {
    const start = HTML_START.exec(this.#text(line).slice(0, 60));
    if (start === null) return false;
    const name = start[1]?.toLowerCase() ?? '';
    if (name !== '' && !isBlockLevel(name) && !HTML_ELEMENTS.has(name)) return false;
    this.#emitLeaf('p');
    const rawEnd = RAW_ENDS.get(name);
    let last = line;
    const isLast = () => rawEnd?.test(this.#text(last)) === true;
    for (let next = this.#lines[this.#index]; next !== undefined && !isLast(); next = this.#lines[this.#index]) {
      if (rawEnd === undefined && this.#text(next).trim() === '') break;
      last = next;
      this.#index += 1;
    }
    readHtml(this.#source, this.#extractor, line.start, last.end);
    return true;
  }

  #readTable(head: Line): boolean {
    const delimiter = this.#lines[this.#index];
    if (delimiter === undefined || !this.#text(head).includes('|')) return false;
    if (!/^[\s|:-]{1,1000}$/.test(this.#text(delimiter)) || !/-.*\||\|.*-/.test(this.#text(delimiter))) return false;
    this.#index += 1;
    this.#open('table', head.start);
    this.#emitRow(head, 'th');
    for (let row = this.#lines[this.#index]; row !== undefined; row = this.#lines[this.#index]) {
      if (!this.#text(row).includes('|')) break;
      this.#index += 1;
      this.#emitRow(row, 'td');
    }
    this.#close('table', this.#lines[this.#index - 1]?.end ?? head.end);
    return true;
  }

  #emitRow(line: Line, cell: 'th' | 'td'): void {
    this.#open('tr', line.start);
    let start = line.start;
    for (const { 0: text } of this.#text(line).matchAll(/(?:[^|\\]|\\.|\\$)*\|?/g)) {
      const range = { start, end: start + text.length - (text.endsWith('|') ? 1 : 0) };
      start += text.length;
      const isOutside = range.start === line.start || start >= line.end;
      if (isOutside && this.#text(range).trim() === '') continue;
      this.#emit(cell, [range], range.start);
    }
    this.#close('tr', line.end);
  }

  #emitLeaf(name: string): void {
    const leaf = this.#leaf;
    this.#leaf = [];
    const [first] = leaf;
    if (first !== undefined) this.#emit(name, leaf, first.start);
  }

  #emit(name: string, leaf: Leaf, start: number): void {
    this.#open(name, start);
    this.#inline.read(leaf);
    this.#close(name, leaf.at(-1)?.end ?? start);
  }

  #endItem(offset: number): void {
    this.#isInItem = false;
    this.#close('li', offset);
    this.#close('ul', offset);
  }

  #endAll(offset: number): void {
    this.#emitLeaf('p');
    if (this.#isInItem) this.#endItem(offset);
    if (this.#isInQuote) this.#close('blockquote', offset);
    this.#isInQuote = false;
  }

  #match(pattern: RegExp, line: Line): string | undefined {
    return pattern.exec(this.#text(line))?.[0];
  }

  #text({ start, end }: Line): string {
    return this.#source.slice(start, end);
  }

  #open(name: string, offset: number): void {
    this.#extractor.open(new StartTag(name, noAttributes), offset, offset);
  }

  #close(name: string, offset: number): void {
    this.#extractor.close(name, offset);
  }
}

const noAttributes: ReadonlyMap<string, string> = new Map();

function splitLines(source: string, from: number): Line[] {
  const lines: Line[] = [];
  let start = from;
  for (const match of source.slice(from).matchAll(/\r\n|\n|\r/g)) {
    lines.push({ start, end: from + match.index });
    start = from + match.index + match[0].length;
  }
  return [...lines, { start, end: source.length }];
}
