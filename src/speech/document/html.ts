import { Tokenizer } from 'htmlparser2';
import { ArticleReader, type HtmlReading } from './article-reader.ts';
import type { LeftOutReason, SourceSpan } from './block.ts';
import type { Draft } from './draft.ts';
import { OpeningElement } from './opening-element.ts';

/** What HTML says in reading order, block by block, and what of it is not read. */
export function readHtml(source: string, field: SourceSpan['field'], reading: HtmlReading): Draft {
  const text = withoutWrapping(source);
  const article = new ArticleReader(text, field, reading);
  // htmlparser2's Parser looks through all open elements at each end tag; the tokenizer beneath it stays linear.
  const tokenizer = new Tokenizer({}, new HtmlTokens(text, article));
  tokenizer.write(text);
  tokenizer.end();
  return article.draft;
}

/** Feeds wrap whole articles in a CDATA section; offsets stay as they are. */
function withoutWrapping(source: string): string {
  const wrapping = /^\s{0,1000}<!\[CDATA\[/.exec(source);
  if (!wrapping) return source;
  const begin = wrapping[0].length;
  const end = source.lastIndexOf(']]>');
  const inner = source.slice(begin, end < begin ? source.length : end);
  return (' '.repeat(begin) + inner).padEnd(source.length);
}

/** Makes elements and texts of the tokens. Nothing that broken markup swallows goes unlisted. */
class HtmlTokens {
  readonly #source: string;
  readonly #article: ArticleReader;
  /** Where the next token begins. */
  #cursor = 0;
  #tagStart = 0;
  #tagName = '';
  #attributes = new Map<string, string>();
  #attributeName = '';
  #attributeValue = '';

  constructor(source: string, article: ArticleReader) {
    this.#source = source;
    this.#article = article;
  }

  ontext(start: number, end: number): void {
    // The tokenizer reports an end tag cut off by the end of the text as text from -1 on.
    if (start < 0) return;
    this.#cursor = end;
    this.#article.text(start, end);
  }

  ontextentity(codePoint: number, end: number): void {
    this.#cursor = end;
    const start = this.#source.lastIndexOf('&', end - 1);
    this.#article.entity(String.fromCodePoint(codePoint), start, end);
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
    if (this.#article.looksAt(this.#attributeName)) {
      this.#attributeValue += this.#source.slice(start, end);
    }
  }

  onattribentity(codePoint: number): void {
    if (this.#article.looksAt(this.#attributeName)) {
      this.#attributeValue += String.fromCodePoint(codePoint);
    }
  }

  onattribend(): void {
    const name = this.#attributeName;
    if (!this.#article.looksAt(name) || this.#attributes.has(name)) return;
    this.#attributes.set(name, this.#attributeValue);
  }

  onopentagend(end: number): void {
    const element = new OpeningElement(this.#tagName, this.#attributes);
    this.#article.open(element, this.#tagStart, end + 1);
    this.#cursor = end + 1;
  }

  onselfclosingtag(end: number): void {
    const name = this.#tagName;
    this.onopentagend(end);
    if (this.isInForeignContext()) this.#article.close(name, end + 1);
  }

  onclosetag(start: number, end: number): void {
    const name = this.#source.slice(start, end).toLowerCase();
    const bracket = this.#source.indexOf('>', end);
    this.#cursor = bracket < 0 ? end : bracket + 1;
    this.#article.close(name, this.#cursor);
  }

  oncomment(_start: number, end: number): void {
    if (end >= this.#source.length) this.#leaveOutTo(end, 'hidden');
    this.#cursor = end + 1;
  }

  ondeclaration(_start: number, end: number): void {
    this.#cursor = end + 1;
  }

  oncdata(_start: number, end: number): void {
    this.#leaveOutTo(Math.min(end + 1, this.#source.length), 'hidden');
    this.#cursor = end + 1;
  }

  onprocessinginstruction(_start: number, end: number): void {
    this.#cursor = end + 1;
  }

  isInForeignContext(): boolean {
    return this.#article.isOpen('svg') || this.#article.isOpen('math');
  }

  onend(): void {
    if (this.#cursor < this.#source.length) {
      this.#leaveOutTo(this.#source.length, 'broken markup');
    }
    this.#article.end();
  }

  #leaveOutTo(end: number, reason: LeftOutReason): void {
    this.#article.leaveOut(this.#cursor, end, reason);
  }
}
