import type { SourceSpan } from './document/block.ts';
import type { Sentence } from './sentences.ts';

/** A part of a sentence's text, or all of it: UTF-16 offsets, `end` exclusive. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** @returns the words of a stretch as the reader sees them, and where they stand in the source */
export function inSentence(
  { text, span, sources }: Pick<Sentence, 'text' | 'span' | 'sources'>,
  { start, end }: Stretch,
): { text: string; span: SourceSpan } {
  return {
    text: text.slice(start, end).trim(),
    span: {
      field: span.field,
      start: start === 0 ? span.start : (sources[start] ?? span.start),
      end: end === text.length ? span.end : (sources[end] ?? span.end),
    },
  };
}
