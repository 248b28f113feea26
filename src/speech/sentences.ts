import type { ArticleDocument, Block, BlockKind, LeftOut, SourceSpan } from './document/block.ts';
import type { Language, SpokenPiece } from './language/language.ts';

/** One sentence of the article: the unit that becomes a segment. */
export interface Sentence {
  readonly kind: BlockKind;
  /** The sentence as the reader sees it. */
  readonly text: string;
  readonly span: SourceSpan;
  /** For each UTF-16 unit of `text` its offset in the source field, and one more for its end. */
  readonly sources: Uint32Array;
  /** The last of its block; a longer pause follows. */
  readonly endsBlock: boolean;
  /** Cut only for its length: the next one goes on in mid-sentence, without a pause. */
  readonly continues: boolean;
  /** What is said, run by run. */
  readonly pieces: readonly SpokenPiece[];
}

const SPEAKABLE = /[\p{L}\p{N}]/u;
/** A clause that ends in one of these already closes, or is meant to stay open. */
const ENDS_WITH_PUNCTUATION = /[.!?…:;,。！？।؟][\p{Pe}\p{Pf}"'”’]{0,20}$/u;
const EXCERPT_UNITS_MAX = 200;
/** A longer sentence is cut, so that no task of a worker grows with the article. */
const SENTENCE_UNITS_MAX = 2_000;
const CLAUSE_END = /[,;:–—)]["'”’\s]*$/;

/** The sentences of a document in order. Those with nothing to say, like "***", are left out with that reason. */
export function readSentences(
  document: ArticleDocument,
  language: Language,
): { sentences: Sentence[]; leftOut: LeftOut[] } {
  const sentences: Sentence[] = [];
  const leftOut: LeftOut[] = [];
  for (const block of document.blocks) {
    const spoken: SentenceBounds[] = [];
    for (const bounds of language.sentences(block.text)) {
      const text = block.text.slice(bounds.start, bounds.end);
      if (SPEAKABLE.test(text)) spoken.push(bounds);
      else leftOut.push(silentSentence(text, spanOf(block, bounds)));
    }
    for (const [index, bounds] of spoken.entries()) {
      sentences.push(...cut(sentenceOf(block, bounds, index === spoken.length - 1, language)));
    }
  }
  return { sentences, leftOut };
}

interface SentenceBounds {
  readonly start: number;
  readonly end: number;
}

function sentenceOf(
  block: Block,
  bounds: SentenceBounds,
  endsBlock: boolean,
  language: Language,
): Sentence {
  const text = block.text.slice(bounds.start, bounds.end);
  const pieces = language.spokenPieces(text);
  // Without a full stop the voice leaves a headline or a list item hanging in the air.
  const closed = ENDS_WITH_PUNCTUATION.test(text.slice(-30))
    ? pieces
    : [...pieces, { spoken: '.', start: text.length, end: text.length }];
  const sources = block.sources.slice(bounds.start, bounds.end + 1);
  return {
    kind: block.kind,
    text,
    span: spanOf(block, bounds),
    sources,
    endsBlock,
    continues: false,
    pieces: closed,
  };
}

/** Cuts an over-long sentence behind a clause if one ends in the second half of what fits, else behind a piece. */
function cut(sentence: Sentence): Sentence[] {
  if (sentence.text.length <= SENTENCE_UNITS_MAX) return [sentence];
  const parts: Sentence[] = [];
  let first = 0;
  while (first < sentence.pieces.length) {
    const end = cutBefore(sentence.pieces, first);
    parts.push(partOf(sentence, first, end));
    first = end;
  }
  return parts;
}

/** @returns the index of the first piece that doesn't belong to the part beginning with piece `first` */
function cutBefore(pieces: readonly SpokenPiece[], first: number): number {
  const start = pieces[first]?.start ?? 0;
  let clause: number | undefined;
  let index = first;
  for (; index < pieces.length; index += 1) {
    const piece = pieces[index];
    if (piece === undefined || (index > first && piece.end - start > SENTENCE_UNITS_MAX)) break;
    const inSecondHalf = piece.end - start > SENTENCE_UNITS_MAX / 2;
    if (inSecondHalf && CLAUSE_END.test(piece.spoken.slice(-10))) clause = index + 1;
  }
  return index === pieces.length ? index : (clause ?? index);
}

function partOf(sentence: Sentence, first: number, end: number): Sentence {
  const from = sentence.pieces[first]?.start ?? 0;
  const isLast = end === sentence.pieces.length;
  const to = isLast ? sentence.text.length : (sentence.pieces[end]?.start ?? 0);
  const { field } = sentence.span;
  return {
    kind: sentence.kind,
    text: sentence.text.slice(from, to),
    span: {
      field,
      start: sentence.sources[from] ?? sentence.span.start,
      end: isLast ? sentence.span.end : (sentence.sources[to] ?? sentence.span.end),
    },
    sources: sentence.sources.slice(from, to + 1),
    endsBlock: isLast && sentence.endsBlock,
    continues: !isLast,
    pieces: sentence.pieces.slice(first, end).map(({ spoken, start, end: pieceEnd }) => ({
      spoken,
      start: start - from,
      end: pieceEnd - from,
    })),
  };
}

function silentSentence(text: string, span: SourceSpan): LeftOut {
  const excerpt = text.slice(0, EXCERPT_UNITS_MAX).toWellFormed();
  return { text: excerpt, reason: 'no speakable text', span };
}

function spanOf(block: Block, bounds: SentenceBounds): SourceSpan {
  const start = block.sources[bounds.start] ?? 0;
  const end = block.sources[bounds.end] ?? start;
  return { field: block.field, start, end };
}
