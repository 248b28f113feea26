/** What a block is in the article; decides its pauses and its label in the timings. */
export type BlockKind = 'title' | 'heading' | 'paragraph' | 'quote' | 'list';

/** A stretch of what the client sent, or of a line the site has set: UTF-16 offsets, `end` exclusive, into the named field. */
export interface SourceSpan {
  readonly field: 'intro' | 'title' | 'content' | 'outro' | 'disclosure';
  readonly start: number;
  readonly end: number;
}

/** Text that belongs together and ends with a longer pause. */
export interface Block {
  readonly kind: BlockKind;
  readonly field: SourceSpan['field'];
  /** Whitespace collapsed, entities decoded, markup gone, control characters gone; never empty. */
  readonly text: string;
  /** For each UTF-16 unit of `text` the offset in the source field it came from, and one more for its end. */
  readonly sources: Uint32Array;
  /** Runs of `text` that the article says are in a language, in order; everything else is in the article's. */
  readonly languages: readonly LanguageRun[];
}

/** A run of a block's text in a language of its own: UTF-16 offsets, `end` exclusive. */
export interface LanguageRun {
  readonly start: number;
  readonly end: number;
  /** BCP 47 primary code. */
  readonly language: string;
}

/** Why a part of the article is not spoken. */
export type LeftOutReason =
  | 'script'
  | 'style'
  | 'navigation'
  | 'hidden'
  | 'code'
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

/** One part of the article that is not spoken. */
export interface LeftOut {
  /** The first 200 characters of its text. */
  readonly text: string;
  readonly reason: LeftOutReason;
  readonly span: SourceSpan;
}

/** An article as it is read out: blocks in order, and everything that is not read, with the reason. */
export interface ArticleDocument {
  readonly blocks: readonly Block[];
  readonly leftOut: readonly LeftOut[];
}

const MAX_TEXT_LENGTH = 200;
/** Markup between the words must not use up the excerpt; what is looked at stays bounded all the same. */
const MAX_SCANNED_UNITS = 2_000;

/** A whole block as left out. */
export function createLeftOutBlock(block: Block, reason: LeftOutReason): LeftOut {
  return createLeftOut(block.text, reason, {
    field: block.field,
    start: block.sources[0] ?? 0,
    end: block.sources[block.text.length] ?? 0,
  });
}

/** A stretch of the source as left out, with the first 200 characters of its text. */
export function createLeftOut(text: string, reason: LeftOutReason, span: SourceSpan): LeftOut {
  const collapsed = text.slice(0, MAX_SCANNED_UNITS).replace(/\s+/g, ' ').trim();
  return { text: collapsed.slice(0, MAX_TEXT_LENGTH).toWellFormed(), reason, span };
}
