import type { Block, BlockKind, LanguageRun, SourceSpan } from './block.ts';
import type { SayAs, SpeechCut, SpeechMark } from './ssml.ts';

/** Each sentence of a block looks at all of them; further ones have no effect. */
const maxMarksPerBlock = 200;
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
  #linkStart = 0;
  #isInItalics = false;
  #italic = 0;
  #languages: { start: number; end: number; language: string }[] = [];
  #marks: SpeechMark[] = [];
  #rateRun: { kind: 'rate'; start: number; end: number; rate: number } | undefined;
  /** Speaking rate of the following text. */
  rate = 1;

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

  /** Offset of the first link; 0 without one. */
  get linkStart(): number {
    return this.#linkStart;
  }

  /** Whether a digit added now would extend a number. */
  get endsInNumber(): boolean {
    return !this.#hasPendingSpace && /[\d⁻]$/.test(this.#text.slice(-1));
  }

  /** Whether a raised number now would be an exponent: after a number, a variable or a unit. */
  get endsInBase(): boolean {
    return this.endsInNumber || (!this.#hasPendingSpace && /(?<!\p{L})\p{L}{1,2}$/u.test(this.#text.slice(-3)));
  }

  /** Whether all of the current block is in italics. */
  get isItalic(): boolean {
    return this.#italic >= this.#text.length;
  }

  /** @param language of the following text: BCP 47 primary code; undefined: that of the article */
  setContext(language: string | undefined, isLink: boolean, isItalic: boolean): void {
    this.#isInItalics = isItalic;
    this.#language = language;
    this.#isLink = isLink;
  }

  cut(mark: SpeechCut): void {
    this.#mark({ ...mark, start: this.#text.length });
    this.space();
  }

  beginSaying(as: SayAs): () => void {
    const marks = this.#marks;
    const start = this.#text.length + (this.#hasPendingSpace ? 1 : 0);
    return () => {
      const end = this.#text.length;
      if (marks === this.#marks && end > start) this.#mark({ kind: 'say', start, end, as });
    };
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
    const marks = this.#marks.toSorted((one, other) => one.start - other.start);
    const block: Block = {
      ...{ kind, field: this.#field, text: this.#text, sources, languages },
      ...(marks.length === 0 ? {} : { marks }),
    };
    this.#marks = [];
    this.#rateRun = undefined;
    this.#text = '';
    this.#sources = [];
    this.#languages = [];
    this.#linked = 0;
    this.#linkStart = 0;
    this.#italic = 0;
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
    if (this.#isLink && this.#linked === 0) this.#linkStart = this.#text.length;
    if (this.#isInItalics) this.#italic += length + this.#text.length - before;
    if (this.#isLink) this.#linked += length + this.#text.length - before;
    const start = this.#text.length;
    this.#recordRate(before, start + length);
    const language = this.#language;
    if (language === undefined) return;
    const last = this.#languages.at(-1);
    if (last?.end === before && last.language === language) last.end = start + length;
    else this.#languages.push({ start, end: start + length, language });
  }

  #mark(mark: SpeechMark): void {
    if (this.#marks.length < maxMarksPerBlock) this.#marks.push(mark);
  }

  #recordRate(before: number, end: number): void {
    if (this.rate === 1) return;
    const last = this.#rateRun;
    if (last?.end === before && last.rate === this.rate) last.end = end;
    else {
      this.#rateRun = { kind: 'rate', start: this.#text.length, end, rate: this.rate };
      this.#mark(this.#rateRun);
    }
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
