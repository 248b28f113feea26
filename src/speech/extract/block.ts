import type { SpeechMark } from './ssml.ts';

/** Decides the pauses of a block and its label in the timings. */
export type BlockKind = 'title' | 'heading' | 'paragraph' | 'quote' | 'list';

/** A range of a field of the request or of the narration settings: UTF-16 offsets, `end` exclusive. */
export interface SourceSpan {
  readonly field: 'intro' | 'title' | 'content' | 'outro' | 'disclosure';
  readonly start: number;
  readonly end: number;
}

export interface Block {
  readonly kind: BlockKind;
  readonly field: SourceSpan['field'];
  /** Without markup, entities and control characters; white space collapsed; never empty. */
  readonly text: string;
  /** Offset in the source field of each UTF-16 unit of `text`, and of its end. */
  readonly sources: Uint32Array;
  /** Runs of `text` with a `lang` attribute, in order; the rest is in the language of the article. */
  readonly languages: readonly LanguageRun[];
  /** What SSML elements ask for, in order; undefined: nothing. */
  readonly marks?: readonly SpeechMark[];
}

/** UTF-16 offsets, `end` exclusive. */
export interface LanguageRun {
  readonly start: number;
  readonly end: number;
  /** BCP 47 primary code. */
  readonly language: string;
}

export type LeftOutReason =
  | 'script'
  | 'style'
  | 'navigation'
  | 'hidden'
  | 'code'
  | 'formula'
  | 'foreign script'
  | 'caption'
  | 'form'
  | 'embedded media'
  | 'embedded post'
  | 'page furniture'
  | 'advertisement'
  | 'share bar'
  | 'related articles'
  | 'sign-up box'
  | 'reader comments'
  | 'footnote'
  | 'table'
  | 'struck out'
  | 'ruby annotation'
  | 'shortcode'
  | 'broken markup'
  | 'repeats the title'
  | 'repeats the text'
  | 'left out by the site'
  | 'no speakable text';

export interface LeftOut {
  /** The first 200 characters of its text. */
  readonly text: string;
  readonly reason: LeftOutReason;
  readonly span: SourceSpan;
}

/** The blocks to speak in order, and all excluded text with the reason. */
export interface ArticleDocument {
  readonly blocks: readonly Block[];
  readonly leftOut: readonly LeftOut[];
}

const MAX_TEXT_LENGTH = 200;
/** More than the excerpt, as collapsed white space does not count. */
const MAX_SCANNED_UNITS = 2_000;

export function createLeftOutBlock(block: Block, reason: LeftOutReason): LeftOut {
  return createLeftOut(block.text, reason, {
    field: block.field,
    start: block.sources[0] ?? 0,
    end: block.sources[block.text.length] ?? 0,
  });
}

export function createLeftOut(text: string, reason: LeftOutReason, span: SourceSpan): LeftOut {
  const collapsed = text.slice(0, MAX_SCANNED_UNITS).replace(/\s+/g, ' ').trim();
  return { text: collapsed.slice(0, MAX_TEXT_LENGTH).toWellFormed(), reason, span };
}

const EXCERPT_UNITS = 2_000;
const ADDRESS = /^https?:\/\/\S{1,1000}$/i;
const SENTENCE = /[.!?…。！？:]["'”’»)\]]{0,5}$/u;
const INVISIBLE_REASONS: ReadonlySet<LeftOutReason> = new Set<LeftOutReason>(['script', 'style', 'hidden']);

/** A block-level element. */
export class Section {
  readonly parent: Section | undefined;
  readonly name: string;
  readonly className: string;
  readonly id: string;
  /** A selector of the site keeps its text. */
  isKept: boolean;

  constructor(name: string, attributes: ReadonlyMap<string, string>, parent?: Section) {
    this.name = name;
    this.className = attributes.get('class') ?? '';
    this.id = attributes.get('id') ?? '';
    this.parent = parent;
    this.isKept = parent?.isKept ?? false;
  }
}

/** A block that later rules may still exclude. */
export interface DraftBlock {
  readonly block: Block;
  readonly linkedUnits: number;
  /** Offset of the first link; 0 without one. */
  readonly linkStart: number;
  /** The element of the image directly before it. */
  readonly imageSection: Section | undefined;
  /** It follows an image: within the same element, or in italics. */
  readonly isBelowImage: boolean;
  /** All of it is in italics or small print. */
  readonly isItalic: boolean;
  /** Number of the quotation it belongs to; undefined: none. */
  readonly quote: number | undefined;
  /** The block-level element that it is in; undefined in plain text. */
  readonly section: Section | undefined;
}

/** @returns a block without links, images and markup */
export function toDraftBlock(block: Block): DraftBlock {
  return {
    block,
    linkedUnits: 0,
    linkStart: 0,
    imageSection: undefined,
    isBelowImage: false,
    isItalic: false,
    quote: undefined,
    section: undefined,
  };
}

export interface FilteredBlocks {
  readonly blocks: DraftBlock[];
  readonly leftOut: LeftOut[];
}

export interface Checkpoint {
  readonly blockCount: number;
  readonly leftOutCount: number;
  readonly letters: number;
  readonly linkedLetters: number;
}

/** The document so far. The end of an element may still remove its content. */
export class DocumentBuilder {
  readonly blocks: DraftBlock[] = [];
  readonly leftOut: LeftOut[] = [];
  /** Blocks directly before excluded text, with its reason: headings of boxes are among them. */
  readonly beforeLeftOut = new Map<DraftBlock, LeftOutReason>();
  /** Blocks that were excluded as part of an element. */
  readonly excluded: DraftBlock[] = [];
  #letters = 0;
  #linked = 0;

  add(block: DraftBlock): void {
    this.blocks.push(block);
    this.#letters += block.block.text.length;
    this.#linked += block.linkedUnits;
  }

  checkpoint(): Checkpoint {
    return {
      blockCount: this.blocks.length,
      leftOutCount: this.leftOut.length,
      letters: this.#letters,
      linkedLetters: this.#linked,
    };
  }

  countSince(checkpoint: Checkpoint): { letters: number; linked: number } {
    return { letters: this.#letters - checkpoint.letters, linked: this.#linked - checkpoint.linkedLetters };
  }

  /** Whether all blocks since the checkpoint are URLs. */
  isAddressSince({ blockCount }: Checkpoint): boolean {
    return this.blocks.slice(blockCount).every(({ block }) => ADDRESS.test(block.text));
  }

  /** Whether all blocks since the checkpoint are links and labels: no sentences, headings or items of a list. */
  isOnlyLabelsSince({ blockCount }: Checkpoint): boolean {
    return this.blocks.slice(blockCount).every(({ block: { kind, text }, linkedUnits }) => {
      const units = text.length - linkedUnits;
      return units <= text.length / 2 || (kind === 'paragraph' && !SENTENCE.test(text));
    });
  }

  /** Whether a linked title comes before the first sentence since the checkpoint. */
  isTeaserSince({ blockCount }: Checkpoint): boolean {
    const blocks = this.blocks.slice(blockCount);
    const title = blocks.findIndex(({ block, linkedUnits }) => linkedUnits > 0.8 * block.text.length);
    return title >= 0 && !blocks.slice(0, title).some(({ block }) => SENTENCE.test(block.text));
  }

  /** Removes the blocks since the checkpoint. */
  removeSince(checkpoint: Checkpoint): DraftBlock[] {
    const removed = this.blocks.splice(checkpoint.blockCount);
    this.#letters = checkpoint.letters;
    this.#linked = checkpoint.linkedLetters;
    return removed;
  }

  /** Excludes everything since the checkpoint as one part, together with earlier exclusions in it. */
  leaveOutSince(checkpoint: Checkpoint, reason: LeftOutReason, span: SourceSpan): void {
    const blocks = this.removeSince(checkpoint);
    this.excluded.push(...blocks);
    const parts = this.leftOut.splice(checkpoint.leftOutCount);
    if (blocks.length === 0 && parts.length === 0) return;
    const before = this.blocks.at(-1);
    if (before) this.beforeLeftOut.set(before, reason);
    const visible = parts.filter((part) => !INVISIBLE_REASONS.has(part.reason));
    const texts = [
      ...blocks.map(({ block }) => ({ text: block.text, start: block.sources[0] ?? 0 })),
      ...(blocks.length + visible.length > 0 ? visible : parts).map(({ text, span: { start } }) => ({
        text,
        start,
      })),
    ].sort((one, other) => one.start - other.start);
    // A shortcode may extend beyond the element.
    const beyond = parts.filter((part) => part.span.end > span.end);
    this.leftOut.push(createLeftOut(buildExcerpt(texts), reason, span), ...beyond);
  }
}

function buildExcerpt(texts: readonly { readonly text: string }[]): string {
  let excerpt = '';
  for (const { text } of texts) {
    if (excerpt.length >= EXCERPT_UNITS) break;
    excerpt += `${text.slice(0, EXCERPT_UNITS)} `;
  }
  return excerpt;
}
