import type { Block, LeftOut, LeftOutReason, SourceSpan } from './block.ts';

const TEXT_LENGTH_MAX = 200;
/** Markup between the words must not use up the excerpt; what is looked at stays bounded all the same. */
const LOOKED_AT_MAX = 2_000;

/** A whole block as left out. */
export function leaveOutBlock(block: Block, reason: LeftOutReason): LeftOut {
  return leaveOut(block.text, reason, {
    field: block.field,
    start: block.sources[0] ?? 0,
    end: block.sources[block.text.length] ?? 0,
  });
}

/** A stretch of the source as left out, with the first 200 characters of its text. */
export function leaveOut(text: string, reason: LeftOutReason, span: SourceSpan): LeftOut {
  const collapsed = text.slice(0, LOOKED_AT_MAX).replace(/\s+/g, ' ').trim();
  return { text: collapsed.slice(0, TEXT_LENGTH_MAX).toWellFormed(), reason, span };
}
