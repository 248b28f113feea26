import { Tokenizer } from 'htmlparser2';
import type { ArticleExtractor } from './article-extractor.ts';
import type { LeftOutReason } from './block.ts';
import { StartTag } from './elements.ts';

/** Extracts a range of the source that is HTML. */
export function readHtml(source: string, extractor: ArticleExtractor, start = 0, end = source.length): void {
  const handler = new HtmlTokenHandler(source, extractor, start, end);
  // htmlparser2's Parser searches all open elements at each end tag; its tokenizer is linear.
  const tokenizer = new Tokenizer({}, handler);
  tokenizer.write(source.slice(start, end));
  tokenizer.end();
}

/** Turns tokens into elements and texts. Text lost in broken markup is listed. */
class HtmlTokenHandler {
  readonly #source: string;
  readonly #extractor: ArticleExtractor;
  readonly #range: string;
  /** Where the range begins and ends; the tokenizer counts from its beginning. */
  readonly #base: number;
  readonly #rangeEnd: number;
  #cursor: number;
  #tagStart = 0;
  #tagName = '';
  #attributes = new Map<string, string>();
  #attributeName = '';
  #attributeValue = '';

  constructor(source: string, extractor: ArticleExtractor, start: number, end: number) {
    this.#source = source;
    this.#extractor = extractor;
    this.#range = source.slice(start, end);
    this.#base = start;
    this.#rangeEnd = end;
    this.#cursor = start;
  }

  ontext(start: number, end: number): void {
    // The tokenizer reports an end tag cut off by the end of the text as text from -1 on.
    if (start < 0) return;
    this.#cursor = this.#base + end;
    this.#extractor.text(this.#base + start, this.#cursor);
  }

  ontextentity(codePoint: number, end: number): void {
    this.#cursor = this.#base + end;
    const start = this.#source.lastIndexOf('&', this.#cursor - 1);
    this.#extractor.entity(String.fromCodePoint(codePoint), start, this.#cursor);
  }

  onopentagname(start: number, end: number): void {
    this.#tagStart = this.#base + start - 1;
    this.#tagName = this.#slice(start, end).toLowerCase();
    this.#attributes = new Map();
  }

  onattribname(start: number, end: number): void {
    this.#attributeName = this.#slice(start, end).toLowerCase();
    this.#attributeValue = '';
  }

  onattribdata(start: number, end: number): void {
    if (this.#extractor.isRelevantAttribute(this.#attributeName)) {
      this.#attributeValue += this.#slice(start, end);
    }
  }

  onattribentity(codePoint: number): void {
    if (this.#extractor.isRelevantAttribute(this.#attributeName)) {
      this.#attributeValue += String.fromCodePoint(codePoint);
    }
  }

  onattribend(): void {
    const name = this.#attributeName;
    if (!this.#extractor.isRelevantAttribute(name) || this.#attributes.has(name)) return;
    this.#attributes.set(name, this.#attributeValue);
  }

  onopentagend(end: number): void {
    const element = new StartTag(this.#tagName, this.#attributes);
    this.#cursor = this.#base + end + 1;
    this.#extractor.open(element, this.#tagStart, this.#cursor);
  }

  onselfclosingtag(end: number): void {
    const name = this.#tagName;
    this.onopentagend(end);
    if (this.isInForeignContext()) this.#extractor.close(name, this.#cursor);
  }

  onclosetag(start: number, end: number): void {
    const name = this.#slice(start, end).toLowerCase();
    const bracket = this.#range.indexOf('>', end);
    this.#cursor = this.#base + (bracket < 0 ? end : bracket + 1);
    this.#extractor.close(name, this.#cursor);
  }

  oncomment(_start: number, end: number): void {
    if (this.#base + end >= this.#rangeEnd) this.#leaveOutTo(this.#base + end, 'hidden');
    this.#cursor = this.#base + end + 1;
  }

  ondeclaration(_start: number, end: number): void {
    this.#cursor = this.#base + end + 1;
  }

  oncdata(start: number, end: number): void {
    if (this.#extractor.isOpen('ac:plain-text-link-body'))
      this.#extractor.text(this.#base + start, this.#base + end - 2);
    else this.#leaveOutTo(Math.min(this.#base + end + 1, this.#rangeEnd), 'hidden');
    this.#cursor = this.#base + end + 1;
  }

  onprocessinginstruction(_start: number, end: number): void {
    this.#cursor = this.#base + end + 1;
  }

  isInForeignContext(): boolean {
    return this.#extractor.isOpen('svg') || this.#extractor.isOpen('math');
  }

  onend(): void {
    if (this.#cursor < this.#rangeEnd) this.#leaveOutTo(this.#rangeEnd, 'broken markup');
  }

  #slice(start: number, end: number): string {
    return this.#range.slice(start, end);
  }

  #leaveOutTo(end: number, reason: LeftOutReason): void {
    this.#extractor.leaveOut(this.#cursor, end, reason);
  }
}
